/**
 * The status of a run and its active time, which follows the status (c.6, rulings 12 and 31): the meter runs while any
 * step runs. What is left of the cap is armed as a timer meanwhile.
 */
import type { RunStatus } from "./model";
import type { Cell, RunState } from "./state";
import { arm, disarm, timerKey } from "./timers";
import type { Turn } from "./turn";

/** Active time up to an instant, in milliseconds. */
export const activeMsAt = ({ meter }: RunState, nowMs: number): number =>
  meter.activeMs + (meter.runningSinceMs === null ? 0 : Math.max(0, nowMs - meter.runningSinceMs));

/** Brings status, meter and the cap's timer up to date: the last thing of every turn. */
export function settleStatus(turn: Turn): void {
  const { state, nowMs } = turn;
  const status = statusOf(state);
  const running = status === "running";
  if (running !== (state.meter.runningSinceMs !== null)) {
    const activeMs = activeMsAt(state, nowMs);
    state.meter = { activeMs, runningSinceMs: running ? nowMs : null };
    if (running) {
      const dueAtMs = nowMs + turn.program.maxActiveMs - activeMs;
      arm(turn, timerKey.activeTime, dueAtMs, [turn.program.lastPosition, 0]);
    } else disarm(turn, timerKey.activeTime);
  }
  if (status === state.status) return;
  state.status = status;
  if (state.start?.parent && !state.outcome) turn.emit({ type: "reportStatus", status });
}

function statusOf(state: RunState): RunStatus {
  if (state.outcome) return state.outcome.status;
  if (state.paused) return "paused";
  if (state.startedAtMs === null) return "queued";
  const kinds = new Set(Object.values(state.cells).map((cell) => activityOf(state, cell)));
  if (kinds.has("running")) return "running";
  if (kinds.has("awaiting_approval")) return "awaiting_approval";
  return kinds.has("waiting") ? "waiting" : "running";
}

/** What one step contributes: null when it has ended, or is a map, whose elements speak for it. */
function activityOf(state: RunState, cell: Cell): RunStatus | null {
  switch (cell.phase) {
    case "pending":
    case "running":
    case "backing_off":
      return cell.mapWork ? null : activityOfChild(state, cell);
    case "held":
      return "awaiting_approval";
    case "parked":
      return "waiting";
    default:
      return null;
  }
}

/** A sub-playbook that is parked parks its element: it has a meter of its own. */
function activityOfChild(state: RunState, cell: Cell): RunStatus {
  const child = Object.values(state.children).find(
    ({ cellKey, cancelled }) => cellKey === cell.key && !cancelled,
  );
  if (child?.status === "awaiting_approval") return "awaiting_approval";
  return child?.status === "waiting" || child?.status === "paused" ? "waiting" : "running";
}
