/**
 * The contract between the reducer of a document's run and whatever hosts it. Input events go in and are stored
 * before anything is done about them; effects come out and are performed by the host; records are the trace. All of
 * it is JSON. Section c of the specification; rulings 1, 3, 11 to 13, 16, 17, 20, 31 and 39.
 */
import type { SecretLeaf } from "../expressions/templates";
import type { Json, JsonObject, RunOutcome, TriggerKind } from "../model";

export type RunStatus = "queued" | "running" | "waiting" | "awaiting_approval" | "paused" | RunOutcome;

export interface Principal {
  id: string;
  roles: string[];
}

/** What a run is pinned to for its whole life. */
export interface RunStart {
  tenant: string;
  runId: string;
  playbookId: string;
  version: string;
  /** `sha256:` of the canonical playbook. */
  contentHash: string;
  startedBy: Principal;
  trigger: { kind: TriggerKind; source?: string; event?: string; deliveryId?: string };
  /** The payload alone: the root `trigger` of expressions. */
  payload: Json;
  /** `playbook.config` with the start's own keys over it. */
  config: JsonObject;
  /** Playbook ids of the runs before this one in a chain of dependencies. */
  chain: string[];
  /** Set for the run of a map's item. */
  parent?: { runId: string; childKey: string };
  /** 0 for a run of its own, 1 to 3 for a map's sub-playbook. */
  depth: number;
  /** A host that meters in its own units gives its cap; it is checked in addition to the document's. */
  creditCap?: number;
  /** Names of secrets that the host has bound. */
  secrets: string[];
}

export interface CallError {
  code: string;
  retryable?: boolean;
  message?: string;
}

export interface ToolRequest {
  tool: string;
  input: Json;
}

export type DecisionKind = "approve" | "reject" | "retry" | "skip" | "stop";

/** What happened. Stored in order, and enough to rebuild the state: `fold(events)`. */
export type RunEvent =
  | { type: "run.create"; start: RunStart }
  | { type: "run.start" }
  | { type: "timer"; key: string }
  /** What the host thinks a model call will cost, before it is made. */
  | { type: "agent.quoted"; callId: string; estimateMicroCents: number; estimateCredits?: number }
  | {
      type: "agent.answered";
      callId: string;
      /** Parsed, or the text that a model wrote (a string). Absent when the model asks for tools first. */
      output?: Json;
      artifacts?: { type: string; body: Json }[];
      toolCalls?: ToolRequest[];
      error?: CallError;
      costMicroCents: number;
      costCredits?: number;
      model?: string;
    }
  | {
      type: "tool.answered";
      callId: string;
      output?: Json;
      artifacts?: { type: string; body: Json }[];
      error?: CallError;
    }
  | {
      type: "gate.decide";
      /** The instance, as the state names it. */
      gateId: string;
      decision: DecisionKind;
      by: Principal | null;
      comment?: string;
      subjectHash?: string;
      /** Of the request, for repeats by the same principal. */
      key: string;
    }
  | { type: "signal"; name: string; payload?: Json }
  | { type: "cancel"; by?: Principal; reasonCode?: "operator_cancelled" | "parent_cancelled" }
  | { type: "pause"; by?: Principal }
  | { type: "resume"; by?: Principal }
  /** A stored artifact was changed after the fact; frozen subjects keep what they froze. */
  | { type: "artifact.changed"; stepKey: string; index: number; body: Json }
  | {
      type: "child.ended";
      childKey: string;
      status: RunOutcome;
      reasonCode: string;
      output: Json;
    }
  /** A sub-playbook's run wants to spend, or has spent, from this run's pot: its `askParent`, its `reportSpent`. */
  | {
      type: "child.quoted";
      childKey: string;
      callId: string;
      estimateMicroCents: number;
      estimateCredits?: number;
    }
  | { type: "child.spent"; childKey: string; callId: string; costMicroCents: number; costCredits?: number }
  /** Its `reportStatus`: while all children are parked, this run is parked too and its active time stands still. */
  | { type: "child.status"; childKey: string; status: RunStatus }
  /** The parent's `grantChild`: the call may be made. There is no refusal; a pot that is too small ends the parent. */
  | { type: "parent.granted"; callId: string };

/** Place in the document, then index in a map: which of two things due at one instant comes first. */
export type DueOrder = [stepPosition: number, itemIndex: number];

/** What the host must do. Everything that can be repeated has an identity that a repeat shares. */
export type Effect =
  /** Answer with `agent.quoted`. */
  | {
      type: "quoteAgent";
      callId: string;
      stepKey: string;
      ordinal: number;
      attempt: number;
      order: DueOrder;
    }
  /** Answer with `agent.answered`. `callId` is the call's identity: tenant, run, step key, ordinal, attempt. */
  | {
      type: "callAgent";
      callId: string;
      stepKey: string;
      ordinal: number;
      attempt: number;
      order: DueOrder;
      agent?: string;
      role?: string;
      instructions: string;
      purpose: string;
      input: Json;
      /** The trigger's payload and earlier outputs: data, never instructions. */
      untrusted: JsonObject;
      tools: string[];
      outputSchema?: JsonObject;
      /** The turns of this step so far: tool results, and what was wrong with an output. */
      transcript: Json[];
    }
  /** Answer with `tool.answered`. `effectId` is the idempotency key: the attempt is not in it. */
  | {
      type: "callTool";
      callId: string;
      effectId: string;
      stepKey: string;
      ordinal: number;
      attempt: number;
      order: DueOrder;
      tool: string;
      input: Json;
      /** Where the input holds `{"$secret": NAME}` that the host resolves at the last moment: there and nowhere else. */
      secretLeaves: SecretLeaf[];
    }
  /** Abort what is in flight; its answer, if it still comes, is a late result. */
  | { type: "abortCall"; callId: string }
  /** Send `timer` with this key at `dueAtMs`. At one instant: by `order`, then by the sequence of arming. */
  | { type: "armTimer"; key: string; dueAtMs: number; order: DueOrder }
  | { type: "disarmTimer"; key: string }
  | {
      type: "openGate";
      gateId: string;
      /** `gate`, `gate[2]`, `gate:step`: what a person and a vector call it. */
      gate: string;
      subject: Json;
      subjectHash: string;
      openedAtMs: number;
      deadlineMs: number;
      approver: Json;
      purpose: string;
      decisions: DecisionKind[];
    }
  | { type: "closeGate"; gateId: string; gate: string; why: "decided" | "expired" | "cancelled" }
  /** At half and at nine tenths of a gate's window. */
  | { type: "remindGate"; gateId: string; gate: string; share: 50 | 90 }
  | { type: "startChildRun"; childKey: string; playbook: string; input: Json; depth: number }
  | { type: "cancelChildRun"; childKey: string }
  /** The answer to `child.quoted`: send `parent.granted` to the child. */
  | { type: "grantChild"; childKey: string; callId: string }
  /** Of a run with a parent: send it `child.quoted` with this run's child key; it answers with `parent.granted`. */
  | { type: "askParent"; callId: string; estimateMicroCents: number; estimateCredits: number }
  /** Of a run with a parent: send it `child.spent`. Repeats have the same call id and count once. */
  | { type: "reportSpent"; callId: string; costMicroCents: number; costCredits: number }
  /** Of a run with a parent: send it `child.status`. */
  | { type: "reportStatus"; status: RunStatus }
  | { type: "runEnded"; outcome: PublicOutcome };

/** One line of the trace. `subject` by ruling 3; `data` holds no secret and no prompt. */
export interface TraceRecord {
  type: string;
  subject?: string;
  /** Key of the step that it is about, where there is one. */
  stepKey?: string;
  atMs: number;
  /** Id of the principal who did it; absent for what the runtime did itself. */
  actor?: string;
  data?: JsonObject;
}

export interface PublicOutcome {
  status: RunOutcome;
  reasonCode: string;
  /** The terminator's prose, or what went wrong. */
  reason: string;
  terminatorId?: string;
  stepId?: string;
  output: Json;
}

/** What whoever sent a decision, signal, cancel, pause or resume is told, as an HTTP status and a code. */
export interface Reply {
  status: number;
  code?: string;
}

/** `state` is owned by the reducer and is JSON; a refused request leaves it as it was, byte for byte. */
export interface Applied<State> {
  state: State;
  effects: Effect[];
  records: TraceRecord[];
  reply?: Reply;
}

/** An event as it is stored: what, and when it counts as having happened. */
export interface StoredEvent {
  atMs: number;
  event: RunEvent;
}

/** What hosts, pages and vectors ask of a state. Step keys as in traces: `draft`, `work[2]`. */
export interface RunView {
  status: RunStatus;
  /** Null until the run has ended. */
  outcome: PublicOutcome | null;
  /** Keys of the steps that were entered and have neither ended nor been skipped. */
  currentSteps: string[];
  /** Active time up to now, parked and paused time left out. */
  activeMs: number;
  spentMicroCents: number;
  /** Every gate that was opened, in order of opening. */
  gates: { gateId: string; gate: string; subjectHash: string; deadlineMs: number; open: boolean }[];
  /** What expressions read as `steps`, with item steps under their own keys. */
  steps: Record<string, { output: Json; artifacts: { type: string; body: Json }[] }>;
  /** How often the condition of a wait was looked at. */
  conditionEvaluations: Record<string, number>;
}

/** What `reducerOf(program)` gives. All of it pure. */
export interface Reducer<State> {
  initial: State;
  apply(state: State, event: RunEvent, nowMs: number): Applied<State>;
  /** The state after these events; never different from applying them one by one. */
  fold(events: readonly StoredEvent[]): State;
  /**
   * What a host that lost its memory must do again: quotes, calls and children without answer under the same ids,
   * timers that are armed, children to cancel. In the order in which it was first asked for.
   */
  outstanding(state: State): Effect[];
  view(state: State, nowMs: number): RunView;
}
