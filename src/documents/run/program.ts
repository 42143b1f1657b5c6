/** A document made ready to run: expressions, templates and schemas compiled, durations read, steps by id. */
import type { CompiledExpression } from "../expressions/expression";
import type { CompiledTemplate } from "../expressions/templates";
import type {
  AgentStep,
  ApprovalStep,
  FailureMode,
  PlaybookDocument,
  TerminatorStep,
  UserSchema,
} from "../model";
import type { CompiledSchema } from "../user-schema";

/** What every step has. */
export interface Compiled {
  id: string;
  /** Place in the document; that of the map for a step written inside it. */
  position: number;
  /** The map whose item step this is. */
  mapId: string | null;
  /** Where a linear step on the main path leads. */
  next: string | null;
  purpose: string;
}
/** What an agent and a tool step have in common. */
export interface Attempted extends Compiled {
  input: CompiledTemplate | null;
  failureMode: FailureMode;
  retry: RetryPolicy | null;
  timeoutMs: number | null;
}
export interface RetryPolicy {
  maxAttempts: number;
  delayMs: number;
  backoff: "constant" | "linear" | "exponential";
  maxDelayMs: number | null;
}
export interface AgentProgram extends Attempted {
  kind: "agent";
  source: Omit<AgentStep, "next">;
  output: CompiledSchema | null;
  capMicroCents: number | null;
  /** Its finished output waits for a person: any mode but `auto`. */
  holdsOutput: boolean;
}
export interface ToolProgram extends Attempted {
  kind: "tool";
  tool: string;
  saveAs: string | null;
}
export interface DecisionProgram extends Compiled {
  kind: "decision";
  branches: { when: CompiledExpression; next: string; label: string | null }[];
  otherwise: string;
}
export interface WaitProgram extends Compiled {
  kind: "wait";
  until:
    | { kind: "duration"; ms: number }
    | { kind: "instant"; atMs: number }
    | { kind: "expression"; expression: CompiledExpression }
    | { kind: "condition"; expression: CompiledExpression; timeoutMs: number };
  onTimeout: "cancel" | "fail" | "continue";
}
export interface MapProgram extends Compiled {
  kind: "map";
  items: CompiledExpression;
  /** Name of the element in expressions. */
  itemName: string;
  concurrency: number;
  maxItems: number;
  maxFailures: number;
  failureMode: FailureMode;
  target: { kind: "step"; id: string } | { kind: "playbook"; playbook: string };
}
export interface ApprovalProgram extends Compiled {
  kind: "approval";
  source: Omit<ApprovalStep, "next">;
  timeoutMs: number;
  onReject: string | null;
  subject: CompiledExpression | null;
}
export interface TerminatorProgram extends Compiled {
  kind: "terminator";
  source: TerminatorStep;
  output: CompiledTemplate | null;
}
export type StepProgram =
  | AgentProgram
  | ToolProgram
  | DecisionProgram
  | WaitProgram
  | MapProgram
  | ApprovalProgram
  | TerminatorProgram;

export interface ToolCompiled {
  permissions: readonly string[];
  inputSchema: UserSchema | null;
  output: CompiledSchema | null;
  timeoutMs: number | null;
}

export interface Program {
  document: PlaybookDocument;
  entry: string;
  /** Item steps included. */
  steps: ReadonlyMap<string, StepProgram>;
  /** The document's own tools. */
  tools: ReadonlyMap<string, ToolCompiled>;
  /** Permissions that the document was granted. */
  granted: ReadonlySet<string>;
  capMicroCents: number;
  maxActiveMs: number;
  /** Place of whatever comes after every step. */
  lastPosition: number;
}
