/**
 * An OpenPlaybook document as the rest of the code sees it: in canonical names (aliases rewritten), with the rules of
 * `validate/` kept. Field names and shapes: the user's format reference, section b.1 of the specification.
 */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };
/** A JSON Schema of draft 2020-12, in the subset that `user-schema/` checks. */
export type UserSchema = JsonObject;
/** CEL source. */
export type Expression = string;
/** Any JSON; `${{ … }}` in its strings is replaced, `{"$secret": NAME}` names a secret. */
export type Template = Json;
/** `1w2d3h4m5s`: elapsed time, 1 d = 86,400,000 ms. */
export type Duration = string;

export type StepKind = "agent" | "tool" | "decision" | "wait" | "map" | "approval" | "terminator";
export type TriggerKind = "schedule" | "webhook" | "manual" | "dependency" | "agent_finding";
export type FailureMode = "halt_run" | "continue" | "escalate";
export type RunOutcome = "completed" | "failed" | "cancelled";

export interface PlaybookDocument {
  opbVersion: string;
  requires?: Requires;
  playbook: Playbook;
  provenance?: JsonObject;
}

export interface Requires {
  connections?: (
    | string
    | { id: string; provider?: string; scopes?: string[]; optional?: boolean; purpose?: string }
  )[];
  mcpServers?: (
    | string
    | {
        name: string;
        url?: string;
        transport?: "streamable-http" | "sse";
        tools?: string[];
        optional?: boolean;
      }
  )[];
  secrets?: (string | { name: string; description?: string; optional?: boolean })[];
}

export interface Playbook {
  id: string;
  playbookId: string;
  opbVersion: string;
  version: string;
  status: "draft" | "published" | "deprecated" | "archived";
  manifest: Manifest;
  instructions: string;
  configSchema?: UserSchema;
  config?: JsonObject;
  tools: ToolDefinition[];
  triggers: Trigger[];
  steps: Step[];
  guardrails: Guardrails;
}

export interface Manifest {
  id: string;
  slug: string;
  name: string;
  description?: string;
  author: {
    type: "porchops" | "user" | "organization" | "community";
    id: string;
    displayName?: string;
  };
  category: string;
  requiredConnectors: string[];
  requiredPermissions: string[];
  visibility: "private" | "unlisted" | "public" | "organization";
  pricingTier: "free" | "premium";
  premiumPriceCents: number | null;
}

export interface ToolDefinition {
  name: string;
  description?: string;
  inputSchema?: UserSchema;
  outputSchema?: UserSchema;
  permissions?: string[];
  connector?: string;
  mcpServer?: string;
  sideEffect?: "none" | "read" | "write" | "irreversible";
  idempotent?: boolean;
  timeout?: Duration;
  costCents?: number;
}

interface TriggerCommon {
  id?: string;
  enabled?: boolean;
  input?: JsonObject;
}
export interface ScheduleTrigger extends TriggerCommon {
  kind: "schedule";
  cron: string;
  timezone?: string;
  overlap?: "skip" | "buffer_one" | "allow";
  catchUp?: "none" | "one";
  jitterSeconds?: number;
}
export interface WebhookTrigger extends TriggerCommon {
  kind: "webhook";
  source: string;
  event: string;
  filters?: Filter[];
}
export interface ManualTrigger extends TriggerCommon {
  kind: "manual";
  inputSchema?: UserSchema;
  roles?: string[];
}
export interface DependencyTrigger extends TriggerCommon {
  kind: "dependency";
  playbookId: string;
  on?: RunOutcome[];
  terminator?: string;
  versionRange?: string;
  filters?: Filter[];
}
export interface FindingTrigger extends TriggerCommon {
  kind: "agent_finding";
  agent?: string;
  role?: string;
  findingType?: string;
  minSeverity?: Severity;
  filters?: Filter[];
}
export type Trigger = ScheduleTrigger | WebhookTrigger | ManualTrigger | DependencyTrigger | FindingTrigger;
export type Severity = "info" | "low" | "medium" | "high" | "critical";

/** All filters of a trigger must hold; nothing is coerced, a missing path never matches. */
export interface Filter {
  path: string;
  type: "string" | "number" | "boolean" | "timestamp" | "null";
  op: "eq" | "neq" | "in" | "nin" | "gt" | "gte" | "lt" | "lte" | "exists" | "absent" | "prefix" | "contains";
  value?: Json;
}

interface StepCommon {
  id: string;
  purpose?: string;
  name?: string;
}
export interface Retry {
  /** 1 to 10, the first attempt included. */
  maxAttempts: number;
  delay?: Duration;
  backoff?: "constant" | "linear" | "exponential";
  maxDelay?: Duration;
}
export interface AgentStep extends StepCommon {
  kind: "agent";
  agent?: string;
  role?: string;
  purpose: string;
  allowedTools: string[];
  outputSchema?: UserSchema;
  approvalPolicy: { mode: "auto" | "required" };
  failureMode: FailureMode;
  next: string;
  input?: Template;
  timeout?: Duration;
  retry?: Retry;
  maxCostCents?: number;
}
export interface ToolStep extends StepCommon {
  kind: "tool";
  tool: string;
  input?: Template;
  failureMode?: FailureMode;
  next: string;
  timeout?: Duration;
  retry?: Retry;
  saveAs?: string;
}
export interface DecisionStep extends StepCommon {
  kind: "decision";
  branches: { when: Expression; next: string; label?: string }[];
  default: string;
}
export interface WaitStep extends StepCommon {
  kind: "wait";
  next: string;
  duration?: Duration;
  until?: string;
  condition?: Expression;
  timeout?: Duration;
  onTimeout?: "cancel" | "fail" | "continue";
}
/** An item step inside a map has no `next`. */
export type ItemStep =
  | Omit<AgentStep, "next">
  | Omit<ToolStep, "next">
  | Omit<WaitStep, "next">
  | Omit<ApprovalStep, "next">;
export interface MapStep extends StepCommon {
  kind: "map";
  items: Expression;
  as?: string;
  concurrency?: number;
  maxItems?: number;
  maxFailures?: number;
  failureMode?: FailureMode;
  itemStep?: ItemStep | string;
  itemPlaybook?: string;
  next: string;
}
export interface ApprovalStep extends StepCommon {
  kind: "approval";
  approver: string | { roles?: string[]; users?: string[]; count?: number };
  timeout: Duration;
  onTimeout: "cancel" | "fail";
  next: string;
  onReject?: string;
  subject?: Expression;
  requireComment?: boolean;
  allowSelfApproval?: boolean;
}
export interface TerminatorStep extends StepCommon {
  kind: "terminator";
  reason: string;
  outcome?: RunOutcome;
  output?: Template;
}
export type Step = AgentStep | ToolStep | DecisionStep | WaitStep | MapStep | ApprovalStep | TerminatorStep;

export interface Guardrails {
  /** Active time: parked and paused time does not count. */
  maxRunDurationSeconds: number;
  /** Of model calls alone; 0 lets only calls pass that cost nothing. */
  maxLlmCostCents: number;
  /** Selectors: a permission, `prefix.*`, `tool:NAME`, `artifact:TYPE`. */
  requiresApprovalFor: string[];
  maxToolCalls?: number;
  maxStepExecutions?: number;
  maxMapItems?: number;
  maxConcurrentRuns?: number;
}

/** What the validator says about one place. */
export interface Finding {
  /** Stable, never reused: `E100` … `L807`. */
  code: string;
  /** The code's name in words: `not_json`. */
  slug: string;
  severity: "error" | "warning";
  /** JSON Pointer of the offending value (section i, ruling 22). */
  path: string;
  message: string;
  /** What would be right. */
  hint?: string;
  /** 1-based place in the text, where there is a text. */
  line?: number;
  column?: number;
  /** Of G503: the steps of the circle, the first one again at the end. */
  cycle?: string[];
}
