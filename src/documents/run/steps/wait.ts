/**
 * A wait (c.3, rulings 8, 12, 25 and 26): parked until an instant or until a condition holds. A condition is looked at
 * when the step is entered and when something happens, never because time passes.
 */

import { formatInstant, parseInstant } from "../../text/instant";
import { succeed } from "../cells";
import { failureOf, halt } from "../failure";
import type { WaitProgram } from "../program";
import { scopeOf } from "../scope";
import type { Cell } from "../state";
import { arm, disarm, orderOf, timerKey } from "../timers";
import type { Turn } from "../turn";

export function beginWait(turn: Turn, cell: Cell, step: WaitProgram): void {
  const { until } = step;
  switch (until.kind) {
    case "duration":
      park(turn, cell, turn.nowMs + until.ms);
      return;
    case "instant":
      parkUntil(turn, cell, until.atMs);
      return;
    case "expression": {
      const result = until.expression.evaluate(scopeOf(turn, cell));
      const atMs = result.ok && typeof result.value === "string" ? parseInstant(result.value) : null;
      if (atMs === null) broken(turn, cell, result.ok ? "it yields no instant" : result.message);
      else parkUntil(turn, cell, atMs);
      return;
    }
    case "condition":
      beginCondition(turn, cell, step, turn.nowMs + until.timeoutMs);
  }
}

/** An instant that has passed is parked at and left at once, so that both are on record. */
function parkUntil(turn: Turn, cell: Cell, atMs: number): void {
  if (atMs > turn.nowMs) park(turn, cell, atMs);
  else {
    recordParked(turn, cell, atMs);
    turn.recordStep("wait.elapsed", cell);
    succeed(turn, cell, null);
  }
}

function beginCondition(turn: Turn, cell: Cell, step: WaitProgram, deadlineMs: number): void {
  const looked = look(turn, cell, step);
  if (looked.why === "broken") broken(turn, cell, looked.message);
  else if (looked.why === "met") {
    turn.recordStep("wait.condition_met", cell);
    succeed(turn, cell, null);
  } else park(turn, cell, deadlineMs);
}

function park(turn: Turn, cell: Cell, dueAtMs: number): void {
  cell.phase = "parked";
  recordParked(turn, cell, dueAtMs);
  arm(turn, timerKey.wait(cell.key), dueAtMs, orderOf(turn, cell));
}

const recordParked = (turn: Turn, cell: Cell, dueAtMs: number): void =>
  turn.recordStep("wait.parked", cell, { until: formatInstant(dueAtMs) });

/** Looks at the condition of every wait that is parked for one: something has happened. */
export function lookAgain(turn: Turn): void {
  for (const cell of Object.values(turn.state.cells)) {
    const timer = turn.state.timers[timerKey.wait(cell.key)];
    // The window is half-open, as a gate's: at the deadline the timeout counts, whenever its timer comes.
    if (cell.phase !== "parked" || !timer || turn.nowMs >= timer.dueAtMs) continue;
    const step = turn.stepOf(cell);
    if (step.kind !== "wait" || step.until.kind !== "condition") continue;
    const looked = look(turn, cell, step);
    if (looked.why === "not_yet") continue;
    disarm(turn, timerKey.wait(cell.key));
    turn.plan({ do: "wait_over", cell: cell.key, ...looked });
  }
}

type Looked = { why: "not_yet" } | { why: "met" } | { why: "broken"; message: string };

function look(turn: Turn, cell: Cell, step: WaitProgram): Looked {
  if (step.until.kind !== "condition") return { why: "not_yet" };
  cell.evaluations += 1;
  const result = step.until.expression.evaluate(scopeOf(turn, cell));
  if (!result.ok) return { why: "broken", message: result.message };
  return result.value === true ? { why: "met" } : { why: "not_yet" };
}

/**
 * The time of a wait is over. What ends the run or the element acts at once, even while the run is paused; everything
 * else is a transition of its own.
 */
export function waitIsDue(turn: Turn, cell: Cell): void {
  const step = turn.stepOf(cell);
  if (cell.phase !== "parked" || step.kind !== "wait") return;
  if (step.until.kind !== "condition") turn.plan({ do: "wait_over", cell: cell.key, why: "elapsed" });
  else if (step.onTimeout === "continue") turn.plan({ do: "wait_over", cell: cell.key, why: "timed_out" });
  else {
    turn.recordStep("wait.elapsed", cell, { timedOut: true });
    const message = `The condition of "${cell.key}" did not come true in time.`;
    const status = step.onTimeout === "cancel" ? "cancelled" : "failed";
    halt(turn, cell, failureOf("wait_timeout", message, "wait_timeout", status));
  }
}

/** Leaves a wait. */
export function settleWait(
  turn: Turn,
  cell: Cell,
  why: "elapsed" | "met" | "timed_out" | "broken",
  message: string,
): void {
  if (why === "broken") {
    broken(turn, cell, message);
    return;
  }
  if (why === "met") turn.recordStep("wait.condition_met", cell);
  else turn.recordStep("wait.elapsed", cell, why === "timed_out" ? { timedOut: true } : undefined);
  succeed(turn, cell, null);
}

function broken(turn: Turn, cell: Cell, message: string): void {
  const failure = failureOf(
    "expression_error",
    `"${cell.key}" cannot be evaluated: ${message}`,
    "expression_error",
  );
  halt(turn, cell, failure);
}
