/** The seven kinds of step. */
import * as z from "zod";
import type { StepKind } from "../model";
import {
  APPROVAL_MODES,
  BACKOFFS,
  FAILURE_MODES,
  LIMITS,
  ON_TIMEOUT,
  OUTCOMES,
  PATTERNS,
  WAIT_ON_TIMEOUT,
} from "../spec";
import {
  closed,
  count,
  duration,
  FORMS,
  type Form,
  flag,
  json,
  prose,
  text,
  userSchema,
  word,
  words,
} from "./parts";

/** What every step begins with; members stand in the order in which a document is written. */
const common = <Kind extends StepKind>(kind: Kind) => ({
  id: z.string().regex(PATTERNS.stepId),
  kind: z.literal(kind),
  name: text().exactOptional(),
  purpose: text().exactOptional(),
});
const next = { next: text() };
const retry = () =>
  closed({
    maxAttempts: count(1, LIMITS.retryAttempts),
    delay: duration().exactOptional(),
    backoff: z.enum(BACKOFFS).exactOptional(),
    maxDelay: duration().exactOptional(),
  }).exactOptional();

const agent = {
  ...common("agent"),
  agent: word().exactOptional(),
  role: word().exactOptional(),
  purpose: prose(),
  allowedTools: words(),
  outputSchema: userSchema().exactOptional(),
  approvalPolicy: closed({ mode: z.enum(APPROVAL_MODES) }),
  failureMode: z.enum(FAILURE_MODES),
  input: json().exactOptional(),
  timeout: duration().exactOptional(),
  retry: retry(),
  maxCostCents: z.number().min(0).exactOptional(),
};
const toolCall = {
  ...common("tool"),
  tool: word(),
  input: json().exactOptional(),
  failureMode: z.enum(FAILURE_MODES).exactOptional(),
  timeout: duration().exactOptional(),
  retry: retry(),
  saveAs: word().exactOptional(),
};
const wait = {
  ...common("wait"),
  duration: duration().exactOptional(),
  until: text().exactOptional(),
  condition: text().exactOptional(),
  timeout: duration().exactOptional(),
  onTimeout: z.enum(WAIT_ON_TIMEOUT).exactOptional(),
};
const approval = {
  ...common("approval"),
  approver: z.union([
    word(),
    closed({
      roles: words().exactOptional(),
      users: words().exactOptional(),
      count: count(1).exactOptional(),
    }),
  ]),
  timeout: duration(),
  onTimeout: z.enum(ON_TIMEOUT),
  onReject: text().exactOptional(),
  subject: text().exactOptional(),
  requireComment: flag(),
  allowSelfApproval: flag(),
};

const AGENT: Form = {
  description: "Work of a model. It names an agent, a role or both.",
  anyOf: [{ required: ["agent"] }, { required: ["role"] }],
};
const WAIT: Form = {
  description: "Parks the run: for a duration, until an instant, or until a condition holds.",
  oneOf: [{ required: ["duration"] }, { required: ["until"] }, { required: ["condition"] }],
  dependentRequired: { condition: ["timeout", "onTimeout"] },
};
const MAP: Form = {
  description: "Runs a step, or another playbook, for each element of a list.",
  oneOf: [{ required: ["itemStep"] }, { required: ["itemPlaybook"] }],
};

export const itemStepSchema = z.discriminatedUnion("kind", [
  z.strictObject(agent).register(FORMS, AGENT),
  z.strictObject(toolCall),
  z.strictObject(wait).register(FORMS, WAIT),
  closed(approval),
]);

/** The members of each kind of step. */
export const STEP_SHAPES = {
  agent: { ...agent, ...next },
  tool: { ...toolCall, ...next },
  decision: {
    ...common("decision"),
    branches: z
      .array(closed({ when: text(), next: text(), label: text().exactOptional() }))
      .min(1)
      .max(LIMITS.branches),
    default: text(),
  },
  wait: { ...wait, ...next },
  map: {
    ...common("map"),
    items: text(),
    as: z.string().regex(PATTERNS.mapAs).exactOptional(),
    concurrency: count(1, LIMITS.mapConcurrency).exactOptional(),
    maxItems: count(1, LIMITS.mapItems).exactOptional(),
    maxFailures: count(0).exactOptional(),
    failureMode: z.enum(FAILURE_MODES).exactOptional(),
    itemStep: z.union([text(), itemStepSchema]).exactOptional(),
    itemPlaybook: word().exactOptional(),
    ...next,
  },
  approval: { ...approval, ...next },
  terminator: {
    ...common("terminator"),
    reason: prose(),
    outcome: z.enum(OUTCOMES).exactOptional(),
    output: json().exactOptional(),
  },
} as const;

export const stepSchema = z.discriminatedUnion("kind", [
  z.strictObject(STEP_SHAPES.agent).register(FORMS, AGENT),
  z.strictObject(STEP_SHAPES.tool).register(FORMS, { description: "One call of a tool, without a model." }),
  z.strictObject(STEP_SHAPES.decision).register(FORMS, {
    description: "Goes where the first branch leads that is true, or to the default.",
  }),
  z.strictObject(STEP_SHAPES.wait).register(FORMS, WAIT),
  z.strictObject(STEP_SHAPES.map).register(FORMS, MAP),
  closed(STEP_SHAPES.approval, {
    description: "Holds the run until somebody approves. A gate that expires ends the run.",
  }),
  z.strictObject(STEP_SHAPES.terminator).register(FORMS, { description: "Ends the run." }),
]);
