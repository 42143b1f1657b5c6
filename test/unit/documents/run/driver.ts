/** Drives the reducer by hand: sends events at instants, answers what it asks for, and keeps what it says. */
import type { JsonObject, PlaybookDocument, Step } from "../../../../src/documents/model";
import { compileProgram, type RunState, reducerOf } from "../../../../src/documents/run";
import type {
  Applied,
  DecisionKind,
  Effect,
  Principal,
  Reply,
  RunEvent,
  RunStart,
  StoredEvent,
  TraceRecord,
} from "../../../../src/documents/run/model";

type EffectOf<Type extends Effect["type"]> = Extract<Effect, { type: Type }>;
type AgentAnswer = Partial<Omit<Extract<RunEvent, { type: "agent.answered" }>, "type" | "callId">>;
type ToolAnswer = Partial<Omit<Extract<RunEvent, { type: "tool.answered" }>, "type" | "callId">>;

export const OPERATOR: Principal = { id: "op-1", roles: ["operator"] };
export const STARTED_AT_MS = Date.UTC(2026, 0, 1);

export interface Settings {
  start?: Partial<RunStart>;
  /** What the host says a model call will cost, in micro-cents; null leaves quotes to the test. */
  estimate?: number | null;
}

export class Driver {
  readonly reducer;
  state: RunState;
  nowMs = STARTED_AT_MS;
  readonly records: TraceRecord[] = [];
  readonly effects: Effect[] = [];
  readonly events: StoredEvent[] = [];
  readonly #estimate: number | null;
  #keys = 0;

  constructor(document: PlaybookDocument, { start = {}, estimate = 0 }: Settings = {}) {
    this.reducer = reducerOf(compileProgram(document));
    this.state = frozen(this.reducer.initial);
    this.#estimate = estimate;
    this.send({ type: "run.create", start: { ...START, ...start } });
  }

  start(): this {
    this.send({ type: "run.start" });
    return this;
  }

  /** Applies an event now. The state before is frozen, and the state after must be JSON. */
  send(event: RunEvent): Applied<RunState> {
    this.events.push({ atMs: this.nowMs, event: jsonOf(event) });
    const applied = this.reducer.apply(this.state, event, this.nowMs);
    this.state = frozen(jsonOf(applied.state));
    this.records.push(...applied.records);
    this.effects.push(...applied.effects);
    if (this.#estimate !== null)
      for (const effect of applied.effects)
        if (effect.type === "quoteAgent") this.quote(effect.callId, this.#estimate);
    return applied;
  }

  quote(callId: string, estimateMicroCents: number): Applied<RunState> {
    return this.send({ type: "agent.quoted", callId, estimateMicroCents });
  }

  /** Answers the latest question of a step. */
  agent(stepKey: string, answer: AgentAnswer): Applied<RunState> {
    const { callId } = this.last("callAgent", (effect) => effect.stepKey === stepKey);
    return this.send({ type: "agent.answered", callId, costMicroCents: 0, ...answer });
  }

  /** Answers the latest request of a step. */
  tool(stepKey: string, answer: ToolAnswer = { output: null }): Applied<RunState> {
    const { callId } = this.last("callTool", (effect) => effect.stepKey === stepKey);
    return this.send({ type: "tool.answered", callId, ...answer });
  }

  decide(
    gate: string,
    decision: DecisionKind,
    more: { by?: Principal | null; key?: string; comment?: string; subjectHash?: string } = {},
  ): Reply | undefined {
    const gateId = this.last("openGate", (effect) => effect.gate === gate).gateId;
    this.#keys += 1;
    const { by = OPERATOR, key = `key-${this.#keys}`, ...rest } = more;
    return this.send({ type: "gate.decide", gateId, decision, by, key, ...rest }).reply;
  }

  /** Moves the clock on, and delivers what is due on the way in the order that the effects give. */
  advance(ms: number): this {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = Object.values(this.state.timers)
        .filter(({ dueAtMs }) => dueAtMs <= untilMs)
        .sort(
          (a, b) =>
            a.dueAtMs - b.dueAtMs || a.order[0] - b.order[0] || a.order[1] - b.order[1] || a.seq - b.seq,
        );
      if (!next) break;
      this.nowMs = Math.max(this.nowMs, next.dueAtMs);
      this.send({ type: "timer", key: next.key });
    }
    this.nowMs = untilMs;
    return this;
  }

  /** Moves the clock without delivering anything: the host is late. */
  sleep(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** `type` or `type:subject` of every record. */
  get trace(): string[] {
    return this.records.map(({ type, subject }) => (subject === undefined ? type : `${type}:${subject}`));
  }

  all<Type extends Effect["type"]>(type: Type): EffectOf<Type>[] {
    return this.effects.filter((effect): effect is EffectOf<Type> => effect.type === type);
  }

  last<Type extends Effect["type"]>(
    type: Type,
    which: (effect: EffectOf<Type>) => boolean = () => true,
  ): EffectOf<Type> {
    const found = this.all(type).filter(which).at(-1);
    if (!found) throw new Error(`no effect ${type}; trace: ${this.trace.join(" ")}`);
    return found;
  }

  get outcome(): RunState["outcome"] {
    return this.state.outcome;
  }
}

export const START: RunStart = {
  tenant: "org-1",
  runId: "run-1",
  playbookId: "plb_429B94127Y0TRRXKVC2FQ9RR25",
  version: "1.0.0",
  contentHash: "sha256:00",
  startedBy: { id: "starter-1", roles: [] },
  trigger: { kind: "webhook", source: "payments", event: "charge.failed" },
  payload: {},
  config: {},
  chain: [],
  depth: 0,
  secrets: [],
};

/** A document of these steps. */
export function documentOf(
  steps: Step[],
  playbook: Partial<Omit<PlaybookDocument["playbook"], "guardrails" | "steps">> & {
    guardrails?: Partial<PlaybookDocument["playbook"]["guardrails"]>;
    permissions?: string[];
  } = {},
): PlaybookDocument {
  const { guardrails, permissions = [], ...rest } = playbook;
  return {
    opbVersion: "1.6",
    playbook: {
      id: "pvr_D17KJBXF1JN52X4RR9XXQQ8825",
      playbookId: "plb_429B94127Y0TRRXKVC2FQ9RR25",
      opbVersion: "1.6",
      version: "1.0.0",
      status: "published",
      manifest: {
        id: "plb_429B94127Y0TRRXKVC2FQ9RR25",
        slug: "a-test",
        name: "A test",
        author: { type: "user", id: "tests" },
        category: "operations",
        requiredConnectors: [],
        requiredPermissions: permissions,
        visibility: "private",
        pricingTier: "free",
        premiumPriceCents: null,
      },
      instructions: "Do what the steps say.",
      tools: [],
      triggers: [{ kind: "manual" }],
      ...rest,
      steps,
      guardrails: { maxRunDurationSeconds: 300, maxLlmCostCents: 10, requiresApprovalFor: [], ...guardrails },
    },
  };
}

type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

/** Steps with the least that each kind needs; `next` is `done`. */
export const agentStep = (id: string, more: Partial<StepOf<"agent">> = {}): StepOf<"agent"> => ({
  id,
  kind: "agent",
  role: "support",
  purpose: "Do it.",
  allowedTools: [],
  approvalPolicy: { mode: "auto" },
  failureMode: "halt_run",
  next: "done",
  ...more,
});
export const toolStep = (id: string, more: Partial<StepOf<"tool">> = {}): StepOf<"tool"> => ({
  id,
  kind: "tool",
  tool: "act",
  next: "done",
  ...more,
});
export const gateStep = (id: string, more: Partial<StepOf<"approval">> = {}): StepOf<"approval"> => ({
  id,
  kind: "approval",
  approver: "operator",
  timeout: "7d",
  onTimeout: "cancel",
  next: "done",
  ...more,
});
export const waitStep = (id: string, more: Partial<StepOf<"wait">> = {}): StepOf<"wait"> => ({
  id,
  kind: "wait",
  next: "done",
  ...more,
});
export const mapStep = (id: string, more: Partial<StepOf<"map">> = {}): StepOf<"map"> => ({
  id,
  kind: "map",
  items: "trigger.items",
  next: "done",
  ...more,
});
export const done: Step = { id: "done", kind: "terminator", reason: "It is done." };

/** An item step: a step without an edge. */
export function asItem<Item extends { next: string }>({ next: _, ...item }: Item): Omit<Item, "next"> {
  return item;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What is left of a value after it was stored. */
export function jsonOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** Freezes a value and all in it: whoever changes a state that was given away throws. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

export const payload = (value: JsonObject): Settings => ({ start: { payload: value } });

/** A template that is one expression. */
export const fill = (expression: string): string => `\${{ ${expression} }}`;
