/** What attempts of agent and tool steps have in common: the input, evaluated once, and the attempt's time. */
import type { Json } from "../../model";
import { fail, failureOf } from "../failure";
import type { AgentProgram, ToolProgram } from "../program";
import { scopeOf } from "../scope";
import type { Cell } from "../state";
import { arm, orderOf, timerKey } from "../timers";
import type { Turn } from "../turn";

/**
 * The input of a step, the same in every attempt.
 * @returns null when it could not be evaluated, which has failed the step
 */
export function inputOf(
  turn: Turn,
  cell: Cell,
  step: AgentProgram | ToolProgram,
  whenAbsent: Json,
): { value: Json } | null {
  if (cell.input) return cell.input;
  const evaluated = step.input?.evaluate(scopeOf(turn, cell)) ?? { ok: true, value: whenAbsent };
  if (!evaluated.ok) {
    const message = `The input of "${cell.key}" cannot be evaluated at "${evaluated.pointer}": ${evaluated.message}`;
    fail(turn, cell, failureOf("expression_error", message, "expression_error"));
    return null;
  }
  cell.input = { value: evaluated.value };
  return cell.input;
}

/** Starts the clock of an attempt, if the step has one. */
export function startClock(turn: Turn, cell: Cell, timeoutMs: number | null): void {
  if (timeoutMs !== null) arm(turn, timerKey.attempt(cell.key), turn.nowMs + timeoutMs, orderOf(turn, cell));
}

/** The attempt has taken too long; its calls are aborted already. */
export function timeOut(turn: Turn, cell: Cell): void {
  fail(turn, cell, {
    ...failureOf("timeout", `"${cell.key}" took longer than it may.`),
    retryable: true,
  });
}
