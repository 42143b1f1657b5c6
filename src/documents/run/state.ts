/**
 * What is known of one document's run: JSON, and nothing that the stored events do not say. An entry of one of the
 * records below may be changed in place by the turn that copied it (`copyOf`); what an entry holds is only replaced.
 */
import type { SecretLeaf } from "../expressions/templates";
import type { Json } from "../model";
import type { ReasonCode } from "../spec";
import type { Task } from "./agenda";
import type { DecisionKind, DueOrder, PublicOutcome, RunStart, RunStatus, ToolRequest } from "./model";

/** Of a step's execution: on the main path, or of one element of a map. */
export type CellPhase =
  /** Made, but not begun. */
  | "pending"
  | "running"
  /** Between two attempts. */
  | "backing_off"
  /** At a gate, of its own or put in by the runtime. */
  | "held"
  /** In a wait. */
  | "parked"
  | "succeeded"
  | "failed"
  | "skipped"
  | "cancelled";

export interface Artifact {
  type: string;
  body: Json;
  /** Of the body's canonical JSON, in hexadecimal. */
  sha256: string;
}

export interface StepError {
  code: string;
  message?: string;
  /** Of a map: what became of each element. */
  items?: Json[];
}

/** Why an attempt came to nothing, and what that does to the run if nothing else catches it. */
export interface Failure {
  code: string;
  message: string;
  retryable: boolean;
  reasonCode: ReasonCode;
  status: "failed" | "cancelled";
  items?: Json[];
}

/** A tool's effect, by its ordinal in the step. A repeat with the same tool and input is the same effect. */
export interface SentEffect {
  effectId: string;
  tool: string;
  inputHash: string;
  /** What came back when it worked. */
  result: { output: Json; artifacts: Artifact[] } | null;
}

/** What a step has made and not yet handed over. */
export interface Offer {
  output: Json;
  artifacts: Artifact[];
}

/** One attempt of an agent step. */
export interface AgentWork {
  /** Ordinal of the next question. */
  turn: number;
  transcript: Json[];
  /** It has been told once that its output is invalid. */
  repaired: boolean;
  /** Forbidden tools it has asked for. */
  denials: number;
  /** Asked for and not yet run, in order. */
  queue: ToolRequest[];
  /** Came with the tool requests. */
  answer: Offer | null;
  /** Ordinal of the next tool call. */
  nextTool: number;
}

export interface MapWork {
  items: Json[];
  /** Index of the next element to start. */
  next: number;
  /** Elements that failed and are to be started once more. */
  retry: number[];
  inFlight: number;
  /** Index of the element whose first question to a model is not paid for yet. */
  starting: number | null;
  /** Indexes of the elements that failed, in order of failing. */
  failed: number[];
  /** Set by the failure that was one too many: nothing more starts. */
  failure: Failure | null;
}

export interface Cell {
  key: string;
  stepId: string;
  /** Set inside a map; for a sub-playbook `stepId` is the map itself. */
  map: { id: string; index: number } | null;
  phase: CellPhase;
  /** From 1. */
  attempt: number;
  /** Evaluated once, however often it is tried. */
  input: { value: Json } | null;
  output: Json;
  artifacts: Artifact[];
  /** A person has seen them at a gate: later changes in the store count no more. */
  frozen: boolean;
  error: StepError | null;
  effects: SentEffect[];
  /** Of the model calls of this step. */
  spentMicroCents: number;
  /** What is left of the attempt's time while it stands at a gate. */
  timeoutLeftMs: number | null;
  /** How often its condition was looked at. */
  evaluations: number;
  /** Of a map: failures that were tolerated. */
  errors: { index: number; error: StepError }[];
  /** What waits at a gate, or is handed over. */
  offer: Offer | null;
  agent: AgentWork | null;
  mapWork: MapWork | null;
}

interface CallCommon {
  callId: string;
  cellKey: string;
  ordinal: number;
  attempt: number;
  /** In order of asking. */
  seq: number;
}
export interface AgentCall extends CallCommon {
  kind: "agent";
  /** `asking`: the parent's pot has not granted it yet. `aborted`: made, and its answer is no longer wanted. */
  stage: "quoting" | "asking" | "called" | "aborted";
  estimate: Amount;
}
export interface ToolCall extends CallCommon {
  kind: "tool";
  stage: "called" | "aborted";
  tool: string;
  input: Json;
  secretLeaves: SecretLeaf[];
  effectId: string;
}
export type Call = AgentCall | ToolCall;

export interface Vote {
  by: string;
  decision: DecisionKind;
  comment: string | null;
  key: string;
  atMs: number;
}

/** Why a gate stands: a step of its own, a tool call, an artifact, a finished output, or a failure to be judged. */
export type GateReason = "approval" | "effect" | "artifact" | "output" | "escalation";

export interface Gate {
  gateId: string;
  /** `gate`, `gate[2]`, `gate:step`. */
  name: string;
  cellKey: string;
  reason: GateReason;
  status: "open" | "decided" | "expired" | "cancelled";
  openedAtMs: number;
  /** The first instant that is too late. */
  deadlineMs: number;
  onTimeout: "cancel" | "fail";
  /** Frozen when it opened. */
  subject: Json;
  subjectHash: string;
  /** Hashes of the effects that an approval allows. */
  covers: string[];
  approver: string | { roles?: string[]; users?: string[]; count?: number };
  requireComment: boolean;
  allowSelfApproval: boolean;
  purpose: string;
  votes: Vote[];
  decision: DecisionKind | null;
  seq: number;
}

export interface Timer {
  key: string;
  dueAtMs: number;
  order: DueOrder;
  seq: number;
}

/** Money in two denominations: the document's, and the host's own. */
export interface Amount {
  microCents: number;
  credits: number;
}

export interface Child {
  childKey: string;
  cellKey: string;
  playbook: string;
  input: Json;
  status: RunStatus;
  /** It was told to stop. */
  cancelled: boolean;
  /** Calls that want to spend from this run's pot and have not yet said what they cost. */
  asks: Record<string, "asking" | "granted">;
  /** Calls whose cost is booked. */
  spent: string[];
  seq: number;
}

export interface RunState {
  /** Null before `run.create`. */
  start: RunStart | null;
  status: RunStatus;
  startedAtMs: number | null;
  paused: boolean;
  outcome: PublicOutcome | null;
  meter: { activeMs: number; runningSinceMs: number | null };
  spent: Amount;
  /** By call. */
  reserved: Record<string, Amount>;
  steps: number;
  toolCalls: number;
  cells: Record<string, Cell>;
  /** Keys of the steps that ended since a person last decided at an approval step, in order. */
  sinceGate: string[];
  calls: Record<string, Call>;
  gates: Record<string, Gate>;
  children: Record<string, Child>;
  timers: Record<string, Timer>;
  /** Latest payload by name. */
  signals: Record<string, Json>;
  /** What must still be done: empty at rest, except while paused. */
  agenda: Task[];
  /** Costs that a parent must be told, for good. */
  reports: { callId: string; cost: Amount }[];
  /** Counts what was opened, armed or asked for. */
  seq: number;
}

export const INITIAL: RunState = {
  start: null,
  status: "queued",
  startedAtMs: null,
  paused: false,
  outcome: null,
  meter: { activeMs: 0, runningSinceMs: null },
  spent: { microCents: 0, credits: 0 },
  reserved: {},
  steps: 0,
  toolCalls: 0,
  cells: {},
  sinceGate: [],
  calls: {},
  gates: {},
  children: {},
  timers: {},
  signals: {},
  agenda: [],
  reports: [],
  seq: 0,
};

/** A copy that a turn may write to. Payloads and outputs are shared: nobody changes them. */
export const copyOf = (state: RunState): RunState => ({
  ...state,
  meter: { ...state.meter },
  spent: { ...state.spent },
  reserved: { ...state.reserved },
  cells: entriesOf(state.cells),
  sinceGate: [...state.sinceGate],
  calls: entriesOf(state.calls),
  gates: entriesOf(state.gates),
  children: entriesOf(state.children),
  timers: { ...state.timers },
  agenda: [...state.agenda],
  reports: [...state.reports],
});

const entriesOf = <Entry extends object>(record: Record<string, Entry>): Record<string, Entry> =>
  Object.fromEntries(Object.entries(record).map(([key, entry]) => [key, { ...entry }]));

/** The entry of a key that came from outside: only what the record itself holds. */
export const entry = <Value>(record: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
