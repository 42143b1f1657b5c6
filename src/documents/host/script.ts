/**
 * What a script and its harness may say (section d.1, "The format, exactly"), checked strictly: an unknown key or
 * step is a fault of the script and never ignored.
 */
import * as z from "zod";
import type { Json } from "../model";
import { parseClockOffset } from "../text/duration";
import { parseInstant } from "../text/instant";

/** Kept as it is, with names such as `__proto__` that a copy would lose. */
const json = z.custom<Json>((value) => value !== undefined, "expected a JSON value");
const count = z.int().min(0);

const principalSchema = z.strictObject({ id: z.string().min(1), roles: z.array(z.string()).default([]) });

export const answerSchema = z.strictObject({
  /** Parsed, or a text that a model wrote. */
  output: json.exactOptional(),
  artifacts: z.array(z.strictObject({ type: z.string().min(1), body: json })).exactOptional(),
  costMicroCents: count.default(0),
  estimateMicroCents: count.exactOptional(),
  elapsedMs: count.default(0),
  toolCalls: z.array(z.strictObject({ tool: z.string(), input: json.default({}) })).exactOptional(),
  error: z
    .strictObject({
      code: z.string().min(1),
      retryable: z.boolean().exactOptional(),
      message: z.string().exactOptional(),
    })
    .exactOptional(),
  /** The call's own input is the output. */
  echoInput: z.boolean().default(false),
  /** The host stops after the call arrived and before its answer is stored. */
  crashAfterEffect: z.boolean().default(false),
});
export type Answer = z.output<typeof answerSchema>;

const answers = z.array(answerSchema).min(1, "expected at least one answer");

export const harnessSchema = z.strictObject({
  agents: z.record(z.string(), answers).default({}),
  tools: z.record(z.string(), answers).default({}),
  secrets: z.record(z.string(), z.string()).default({}),
});
export type Harness = z.output<typeof harnessSchema>;

/** An offset from the start (`+7d1200ms`) or RFC 3339. */
const instant = z
  .string()
  .refine(
    (text) => parseClockOffset(text) !== null || parseInstant(text) !== null,
    'expected an offset from the start such as "+7d1200ms", or an RFC 3339 instant',
  );

const startTrigger = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("schedule"), payload: json.default({}) }),
  z.strictObject({
    kind: z.literal("webhook"),
    source: z.string(),
    event: z.string(),
    deliveryId: z.string().exactOptional(),
    payload: json.default({}),
  }),
  z.strictObject({
    kind: z.literal("manual"),
    playbookId: z.string().exactOptional(),
    payload: json.default({}),
  }),
  z.strictObject({
    kind: z.literal("dependency"),
    playbookId: z.string().exactOptional(),
    payload: json.default({}),
  }),
  z.strictObject({
    kind: z.literal("agent_finding"),
    agent: z.string().exactOptional(),
    role: z.string().exactOptional(),
    payload: json.default({}),
  }),
]);
export type StartTrigger = z.output<typeof startTrigger>;

export const startSchema = z.strictObject({
  at: z.string().refine((text) => parseInstant(text) !== null, "expected an RFC 3339 instant"),
  trigger: startTrigger.exactOptional(),
  config: z.record(z.string(), json).default({}),
  by: principalSchema.default({ id: "starter-1", roles: [] }),
});
export type Start = z.output<typeof startSchema>;

const replyExpectation = z.strictObject({ status: z.int(), code: z.string().exactOptional() });

const delivery = {
  payload: json.default({}),
  deliveryId: z.string().exactOptional(),
  signature: z.enum(["valid", "invalid", "missing"]).default("valid"),
  times: z.int().min(1).max(1000).default(1),
  expect: z
    .strictObject({
      status: z.int().exactOptional(),
      runs: count.exactOptional(),
      ignored: z.array(z.string()).exactOptional(),
      code: z.string().exactOptional(),
    })
    .exactOptional(),
};
const deliverySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("webhook"), source: z.string(), event: z.string(), ...delivery }),
  z.strictObject({
    kind: z.literal("manual"),
    playbookId: z.string().exactOptional(),
    by: principalSchema.nullable().exactOptional(),
    ...delivery,
  }),
  z.strictObject({ kind: z.literal("dependency"), playbookId: z.string(), ...delivery }),
  z.strictObject({
    kind: z.literal("agent_finding"),
    agent: z.string().default("agent-1"),
    role: z.string().exactOptional(),
    ...delivery,
  }),
]);
export type Delivery = z.output<typeof deliverySchema>;

const request = z.strictObject({ expect: replyExpectation.exactOptional() });

const ACTIONS = {
  advanceTo: instant,
  decide: z.strictObject({
    gate: z.string().min(1),
    decision: z.enum(["approve", "reject", "retry", "skip", "stop"]),
    by: principalSchema.nullable().default({ id: "op-1", roles: ["operator"] }),
    comment: z.string().exactOptional(),
    subjectHash: z.enum(["current", "stale"]).exactOptional(),
    key: z.string().min(1).exactOptional(),
    expect: replyExpectation.exactOptional(),
  }),
  signal: z.strictObject({
    name: z.string().min(1),
    payload: json.exactOptional(),
    expect: replyExpectation.exactOptional(),
  }),
  cancel: request,
  pause: request,
  resume: request,
  mutateArtifact: z.strictObject({ step: z.string().min(1), index: count, body: json }),
  trigger: deliverySchema,
  publish: z.strictObject({
    /** In any form that the vector's own `document` may have. */
    document: json,
    expect: z
      .strictObject({ status: z.int().exactOptional(), codes: z.array(z.string()).exactOptional() })
      .exactOptional(),
  }),
  hostDown: z.strictObject({ until: instant }),
  expectState: z
    .strictObject({
      status: z.string().exactOptional(),
      step: z.string().exactOptional(),
      gate: z.string().exactOptional(),
    })
    .refine((state) => Object.keys(state).length > 0, "expected at least one of status, step, gate"),
};
export type ActionName = keyof typeof ACTIONS;
const ACTION_NAMES = Object.keys(ACTIONS).filter((name): name is ActionName => name in ACTIONS);

export const scriptStepSchema = z
  .strictObject({
    at: instant.exactOptional(),
    before_timers: z.boolean().default(false),
    advanceTo: ACTIONS.advanceTo.exactOptional(),
    decide: ACTIONS.decide.exactOptional(),
    signal: ACTIONS.signal.exactOptional(),
    cancel: ACTIONS.cancel.exactOptional(),
    pause: ACTIONS.pause.exactOptional(),
    resume: ACTIONS.resume.exactOptional(),
    mutateArtifact: ACTIONS.mutateArtifact.exactOptional(),
    trigger: ACTIONS.trigger.exactOptional(),
    publish: ACTIONS.publish.exactOptional(),
    hostDown: ACTIONS.hostDown.exactOptional(),
    expectState: ACTIONS.expectState.exactOptional(),
  })
  .refine((step) => actionNamesOf(step).length === 1, `expected exactly one of ${ACTION_NAMES.join(", ")}`);
export type ScriptStep = z.output<typeof scriptStepSchema>;

const actionNamesOf = (step: object): ActionName[] =>
  ACTION_NAMES.filter((name) => Object.hasOwn(step, name));

/** What the step does, for messages. */
export const actionOf = (step: ScriptStep): ActionName => actionNamesOf(step)[0] ?? "advanceTo";

/** What `simulate` takes beside the documents, and a vector holds beside them. */
export const simulationSchema = z.strictObject({
  start: startSchema,
  harness: harnessSchema.prefault({}),
  script: z.array(scriptStepSchema).default([]),
});
export type Simulation = z.output<typeof simulationSchema>;

/** The instant that a script names; its schema has seen that it is one. */
export function scriptInstantMs(text: string, startMs: number): number {
  const offsetMs = parseClockOffset(text);
  const atMs = offsetMs === null ? parseInstant(text) : startMs + offsetMs;
  if (atMs === null) throw new RangeError(`"${text}" is not an instant.`);
  return atMs;
}
