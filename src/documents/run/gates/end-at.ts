/** How a gate ends a run: in a map the map goes with it, however many failures it tolerates. */
import { endRun } from "../end";
import { failureOf } from "../failure";
import type { Cell } from "../state";
import { failMapAt } from "../steps/map-end";
import type { Turn } from "../turn";

export function endAtGate(
  turn: Turn,
  cell: Cell,
  reasonCode: "approval_expired" | "approval_rejected",
  reason: string,
  status: "failed" | "cancelled",
): void {
  cell.phase = "failed";
  cell.error = { code: reasonCode, message: reason };
  if (cell.map) failMapAt(turn, cell, failureOf(reasonCode, reason, reasonCode, status));
  endRun(turn, { status, reasonCode, reason, stepId: cell.stepId });
}
