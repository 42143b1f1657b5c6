/** A guardrail that trips ends the run at that instant, whatever failure modes say (c.6, c.7, ruling 11). */
import type { JsonObject } from "../model";
import type { ReasonCode } from "../spec";
import { endRun } from "./end";
import type { Cell } from "./state";
import type { Turn } from "./turn";

type GuardrailCode = Extract<ReasonCode, `guardrail_${string}`>;

export function trip(
  turn: Turn,
  code: GuardrailCode,
  { reason, data, cell }: { reason: string; data: JsonObject; cell?: Cell },
): void {
  if (turn.ended) return;
  turn.record("guardrail.tripped", {
    subject: code,
    ...(cell ? { stepKey: cell.key } : {}),
    data,
  });
  endRun(turn, { status: "failed", reasonCode: code, reason, ...(cell ? { stepId: cell.stepId } : {}) });
}

/** The active time is used up. */
export const tripRunDuration = (turn: Turn): void =>
  trip(turn, "guardrail_run_duration", {
    reason: "The run has been active for as long as it may.",
    data: { maxRunDurationSeconds: turn.program.document.playbook.guardrails.maxRunDurationSeconds },
  });

/**
 * Counts a step that is entered; elements of maps count, attempts do not.
 * @returns whether it may be
 */
export function countStep(turn: Turn, cell: Cell): boolean {
  const { maxStepExecutions } = turn.program.document.playbook.guardrails;
  if (maxStepExecutions !== undefined && turn.state.steps >= maxStepExecutions) {
    trip(turn, "guardrail_steps", {
      cell,
      reason: `The run may enter ${maxStepExecutions} steps, "${cell.key}" would be one more.`,
      data: { maxStepExecutions },
    });
    return false;
  }
  turn.state.steps += 1;
  return true;
}

/**
 * Counts a tool call; a repeat of the same effect counts once.
 * @returns whether it may be made
 */
export function countToolCall(turn: Turn, cell: Cell): boolean {
  const { maxToolCalls } = turn.program.document.playbook.guardrails;
  if (maxToolCalls !== undefined && turn.state.toolCalls >= maxToolCalls) {
    trip(turn, "guardrail_tool_calls", {
      cell,
      reason: `The run may call tools ${maxToolCalls} times, "${cell.key}" needs one call more.`,
      data: { maxToolCalls },
    });
    return false;
  }
  turn.state.toolCalls += 1;
  return true;
}
