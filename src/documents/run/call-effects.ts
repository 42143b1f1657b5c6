/** What the host is asked for each call; made from the state alone, so that a repeat asks the same again. */
import type { JsonObject } from "../model";
import type { DueOrder, Effect } from "./model";
import { endedSteps } from "./scope";
import type { AgentCall, Call, ToolCall } from "./state";
import { exposedTools } from "./steps/exposed-tools";
import type { Turn } from "./turn";

/** The effect by which a call is made; null once its answer is no longer wanted. */
export function callEffect(turn: Turn, call: Call): Effect | null {
  if (call.stage === "aborted") return { type: "abortCall", callId: call.callId };
  if (call.kind === "tool") return toolEffect(turn, call);
  if (call.stage === "quoting") return quoteEffect(turn, call);
  return call.stage === "asking" ? askEffect(call) : agentEffect(turn, call);
}

const common = (
  turn: Turn,
  call: Call,
): { callId: string; stepKey: string; ordinal: number; attempt: number; order: DueOrder } => {
  const cell = turn.cell(call.cellKey);
  const position = cell ? turn.stepOf(cell).position : turn.program.lastPosition;
  return {
    callId: call.callId,
    stepKey: call.cellKey,
    ordinal: call.ordinal,
    attempt: call.attempt,
    order: [position, cell?.map?.index ?? 0],
  };
};

export const quoteEffect = (turn: Turn, call: AgentCall): Effect => ({
  type: "quoteAgent",
  ...common(turn, call),
});

export const askEffect = ({ callId, estimate }: Pick<AgentCall, "callId" | "estimate">): Effect => ({
  type: "askParent",
  callId,
  estimateMicroCents: estimate.microCents,
  estimateCredits: estimate.credits,
});

export function agentEffect(turn: Turn, call: AgentCall): Effect {
  const cell = turn.cell(call.cellKey);
  const step = cell ? turn.stepOf(cell) : undefined;
  if (!cell || step?.kind !== "agent") throw new Error(`"${call.cellKey}" is no agent step`);
  const { agent, role, outputSchema, purpose } = step.source;
  return {
    type: "callAgent",
    ...common(turn, call),
    ...(agent === undefined ? {} : { agent }),
    ...(role === undefined ? {} : { role }),
    instructions: turn.program.document.playbook.instructions,
    purpose,
    input: cell.input?.value ?? null,
    untrusted: untrustedData(turn),
    tools: exposedTools(turn.program, step),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    transcript: cell.agent?.transcript ?? [],
  };
}

const untrustedData = (turn: Turn): JsonObject => ({
  trigger: turn.start.payload,
  steps: endedSteps(turn.state),
});

export const toolEffect = (turn: Turn, call: ToolCall): Effect => ({
  type: "callTool",
  ...common(turn, call),
  effectId: call.effectId,
  tool: call.tool,
  input: call.input,
  secretLeaves: call.secretLeaves,
});
