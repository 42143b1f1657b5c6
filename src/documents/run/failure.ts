/**
 * What a failed attempt leads to (c.7, rulings 8, 16, 19 and 36): a retry, if the error is of a kind that a retry may
 * help against; then what the step's failure mode says. In a map `halt_run` fails the element and not the run.
 */
import type { FailureMode } from "../model";
import { RETRYABLE_ERROR, type ReasonCode } from "../spec";
import { abortCalls } from "./abort";
import { handOver } from "./cells";
import { endRun } from "./end";
import { openEscalation } from "./gates/open";
import type { CallError } from "./model";
import type { RetryPolicy, StepProgram } from "./program";
import type { Cell, Failure, StepError } from "./state";
import { arm, disarm, orderOf, timerKey } from "./timers";
import type { Turn } from "./turn";

/** A failure that no retry helps against. */
export const failureOf = (
  code: string,
  message: string,
  reasonCode: ReasonCode = "step_failed",
  status: Failure["status"] = "failed",
): Failure => ({ code, message, retryable: false, reasonCode, status });

/** What a model or a tool reported. */
export const reportedFailure = ({ code, message, retryable }: CallError): Failure => ({
  code,
  message: message ?? code,
  retryable: retryable ?? RETRYABLE_ERROR.test(code),
  reasonCode: "step_failed",
  status: "failed",
});

/** An attempt has failed. */
export function fail(turn: Turn, cell: Cell, failure: Failure): void {
  giveUpAttempt(turn, cell);
  cell.error = errorOf(failure);
  const step = turn.stepOf(cell);
  const retry = "retry" in step ? step.retry : null;
  if (failure.retryable && retry && cell.attempt < retry.maxAttempts)
    scheduleRetry(turn, cell, retry, failure);
  else finallyFail(turn, cell, failure, failureModeOf(step));
}

/** A failure that no failure mode catches: in a map it still is the element's alone. */
export function halt(turn: Turn, cell: Cell, failure: Failure): void {
  giveUpAttempt(turn, cell);
  cell.error = errorOf(failure);
  finallyFail(turn, cell, failure, "halt_run");
}

const failureModeOf = (step: StepProgram): FailureMode =>
  "failureMode" in step ? step.failureMode : "halt_run";

export const errorOf = ({ code, message, items }: Failure): StepError => ({
  code,
  message,
  ...(items === undefined ? {} : { items }),
});

function giveUpAttempt(turn: Turn, cell: Cell): void {
  abortCalls(turn, ({ cellKey }) => cellKey === cell.key);
  disarm(turn, timerKey.attempt(cell.key));
  cell.timeoutLeftMs = null;
}

function scheduleRetry(turn: Turn, cell: Cell, retry: RetryPolicy, { code, message }: Failure): void {
  const delayMs = delayOf(retry, cell.attempt);
  cell.phase = "backing_off";
  turn.recordStep("step.retry_scheduled", cell, { attempt: cell.attempt + 1, delayMs, code, message });
  arm(turn, timerKey.retry(cell.key), turn.nowMs + delayMs, orderOf(turn, cell));
}

/** Before the attempt that follows number `attempt`, in milliseconds. */
function delayOf({ delayMs, backoff, maxDelayMs }: RetryPolicy, attempt: number): number {
  const factor = backoff === "exponential" ? 2 ** (attempt - 1) : backoff === "linear" ? attempt : 1;
  return Math.min(delayMs * factor, maxDelayMs ?? Number.POSITIVE_INFINITY);
}

function finallyFail(turn: Turn, cell: Cell, failure: Failure, mode: FailureMode): void {
  if (mode === "escalate") {
    openEscalation(turn, cell, failure);
    return;
  }
  cell.phase = "failed";
  cell.output = null;
  turn.recordStep("step.failed", cell, { ...errorOf(failure) });
  if (mode === "continue") handOver(turn, cell);
  else haltAt(turn, cell, failure);
}

/** Nothing goes on from here: the run ends, or the map is told of its element. */
export function haltAt(turn: Turn, cell: Cell, failure: Failure): void {
  if (cell.map) {
    // Only a deadline fails an element during a pause, and deadlines do not wait (ruling 12).
    turn.plan({ do: "item_ended", cell: cell.key, failure, ...(turn.state.paused ? { atOnce: true } : {}) });
    return;
  }
  endRun(turn, {
    status: failure.status,
    reasonCode: failure.reasonCode,
    reason: failure.message,
    stepId: cell.stepId,
  });
}
