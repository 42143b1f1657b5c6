/**
 * The world outside of the host, as a vector scripts it: agents and tools that answer from lists. It outlives the
 * host's process. An answer belongs to a logical call: one that is repeated gets the same answer, at the instant at
 * which it was due the first time (ruling 1).
 */
import type { Json } from "../model";
import type { CallError, DueOrder, Effect, RunEvent } from "../run/model";
import { REDACTED, redact } from "../run/redact";
import { HostCrash } from "./durable";
import type { Answer, Harness } from "./script";
import { withLeaves } from "./secrets";

type AgentEffect = Extract<Effect, { type: "callAgent" | "quoteAgent" }>;
type ToolEffect = Extract<Effect, { type: "callTool" }>;
type CallEffect = Extract<Effect, { type: "callAgent" | "callTool" }>;

/** A call that arrived here. */
export interface ScriptedCall {
  callId: string;
  runId: string;
  /** What was called, for messages. */
  name: string;
  order: DueOrder;
  /** In order of first arrival. */
  seq: number;
  dueAtMs: number;
  /** Comes at the instant of the call. */
  immediate: boolean;
  answer: RunEvent;
  delivered: boolean;
  /** Since the process last started. */
  asked: boolean;
}

/** An effect as the tools' side saw it: once for each idempotency key (ruling 2). */
export interface ToolCallSeen {
  tool: string;
  input: Json;
}

const SILENT: Answer = {
  costMicroCents: 0,
  elapsedMs: 0,
  echoInput: false,
  crashAfterEffect: false,
};

export interface ToolAttempts {
  distinct: number;
  all: number;
}

export class ScriptedWorld {
  readonly toolCalls: ToolCallSeen[] = [];
  /** Calls of each tool, retries included: distinct ones, and with those that a recovery repeated. */
  readonly attempts: Record<string, ToolAttempts> = {};
  /** Agents and tools that were asked and have no answers in the harness. */
  readonly unscripted = new Set<string>();
  private readonly calls = new Map<string, ScriptedCall>();
  private readonly answers = new Map<string, Answer>();
  private readonly taken = new Map<string, number>();
  private readonly effectsSeen = new Set<string>();

  constructor(private readonly harness: Harness) {}

  /** What the next call would cost. It is the answer's own estimate, so the answer is chosen here already. */
  quote(effect: AgentEffect): number {
    const answer = this.answerOf(effect);
    return answer.estimateMicroCents ?? answer.costMicroCents;
  }

  /**
   * A call arrives, or arrives again.
   * @throws HostCrash when the script lets the process die once the call has taken effect
   */
  arrive(effect: CallEffect, runId: string, nowMs: number): void {
    const known = this.calls.get(effect.callId);
    if (effect.type === "callTool") this.countTool(effect, known === undefined);
    if (known) {
      known.asked = true;
      return;
    }
    const answer = this.answerOf(effect);
    const { callId, order } = effect;
    this.calls.set(callId, {
      callId,
      runId,
      name: effect.type === "callTool" ? `tool ${effect.tool}` : `agent of ${effect.stepKey}`,
      order,
      seq: this.calls.size,
      dueAtMs: nowMs + answer.elapsedMs,
      immediate: answer.elapsedMs === 0,
      answer: this.eventOf(effect, answer),
      delivered: false,
      asked: true,
    });
    if (answer.crashAfterEffect) throw new HostCrash(`after the effect of ${callId}`);
  }

  /** Answers that are still to come, whether or not anyone waits for them. */
  *pending(): Generator<ScriptedCall> {
    for (const call of this.calls.values()) if (!call.delivered) yield call;
  }

  /** The host forgot what it asked for. */
  hostRestarted(): void {
    for (const call of this.calls.values()) call.asked = false;
  }

  private countTool({ effectId, tool, input, secretLeaves }: ToolEffect, isNew: boolean): void {
    const { distinct, all } = this.attempts[tool] ?? { distinct: 0, all: 0 };
    this.attempts[tool] = { distinct: distinct + (isNew ? 1 : 0), all: all + 1 };
    if (this.effectsSeen.has(effectId)) return;
    this.effectsSeen.add(effectId);
    const shown = withLeaves(input, secretLeaves, () => REDACTED);
    this.toolCalls.push({ tool, input: redact(shown, this.harness.secrets) });
  }

  private answerOf(effect: AgentEffect | ToolEffect): Answer {
    const known = this.answers.get(effect.callId);
    if (known) return known;
    const [kind, key] =
      effect.type === "callTool" ? (["tools", effect.tool] as const) : (["agents", effect.stepKey] as const);
    const lists = this.harness[kind];
    // Without a key of its own, an item is answered from the list of its step.
    const name = Object.hasOwn(lists, key) ? key : key.replace(/\[\d+\]$/, "");
    const list = Object.hasOwn(lists, name) ? (lists[name] ?? []) : [];
    const place = `${kind}/${name}`;
    const index = this.taken.get(place) ?? 0;
    const answer = list[Math.min(index, list.length - 1)];
    if (!answer) this.unscripted.add(place);
    this.taken.set(place, index + 1);
    this.answers.set(effect.callId, answer ?? SILENT);
    return answer ?? SILENT;
  }

  /** As the host stores it: secrets are taken out before anything else sees the result (ruling 17). */
  private eventOf(effect: CallEffect, answer: Answer): RunEvent {
    const { callId } = effect;
    const { secrets } = this.harness;
    const clean = (value: Json): Json => redact(value, secrets);
    const { error, costMicroCents } = answer;
    const artifacts = answer.artifacts?.map(({ type, body }) => ({ type, body: clean(body) }));
    const toolCalls = answer.toolCalls?.map(({ tool, input }) => ({ tool, input: clean(input) }));
    const input =
      effect.type === "callTool"
        ? withLeaves(effect.input, effect.secretLeaves, (name) => secrets[name] ?? null)
        : effect.input;
    const output = answer.echoInput ? input : answer.output;
    const hasTools = toolCalls !== undefined && toolCalls.length > 0;
    const result = {
      ...(output !== undefined ? { output: clean(output) } : hasTools || error ? {} : { output: null }),
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(error === undefined ? {} : { error: this.cleanError(error) }),
    };
    return effect.type === "callTool"
      ? { type: "tool.answered", callId, ...result }
      : { type: "agent.answered", callId, ...result, ...(hasTools ? { toolCalls } : {}), costMicroCents };
  }

  private cleanError({ code, message, ...rest }: CallError): CallError {
    const clean = (text: string): string => String(redact(text, this.harness.secrets));
    return { ...rest, code: clean(code), ...(message === undefined ? {} : { message: clean(message) }) };
  }
}
