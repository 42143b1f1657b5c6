/** Gives up calls whose answers are no longer wanted. What was already sent stays known: its answer is a late result. */
import type { Call } from "./state";
import { disarm, timerKey } from "./timers";
import type { Turn } from "./turn";

/** Aborts the calls in flight that `which` names. */
export function abortCalls(turn: Turn, which: (call: Call) => boolean): void {
  const { calls, reserved } = turn.state;
  for (const call of Object.values(calls)) {
    if (call.stage === "aborted" || !which(call)) continue;
    if (call.stage === "called") {
      call.stage = "aborted";
      disarm(turn, timerKey.call(call.callId));
      turn.emit({ type: "abortCall", callId: call.callId });
      continue;
    }
    // It was never made, so that it costs nothing.
    if (call.stage === "asking") reportSpent(turn, call.callId, { microCents: 0, credits: 0 });
    delete calls[call.callId];
    delete reserved[call.callId];
  }
}

/** Tells the parent what a call has cost, if there is a parent. */
export function reportSpent(turn: Turn, callId: string, cost: { microCents: number; credits: number }): void {
  if (!turn.start.parent) return;
  turn.state.reports.push({ callId, cost });
  turn.emit({ type: "reportSpent", callId, costMicroCents: cost.microCents, costCredits: cost.credits });
}
