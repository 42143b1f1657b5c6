/** A gate's time: reminders at half and at nine tenths of it, and its end, which is terminal and approves nothing. */
import { closeTimers } from "../end";
import type { Gate } from "../state";
import type { Turn } from "../turn";
import { votesJson } from "./decide";
import { endAtGate } from "./end-at";

/** Reminds of a gate that is still open. */
export function remind(turn: Turn, gate: Gate, share: 50 | 90): void {
  if (gate.status !== "open") return;
  turn.record("gate.reminded", {
    subject: gate.name,
    stepKey: gate.cellKey,
    data: { gateId: gate.gateId, share },
  });
  turn.emit({ type: "remindGate", gateId: gate.gateId, gate: gate.name, share });
}

/** Ends the run, in a map too: silence never lets a run go on. */
export function expire(turn: Turn, gate: Gate): void {
  if (gate.status !== "open") return;
  gate.status = "expired";
  closeTimers(turn, gate);
  turn.record("gate.expired", {
    subject: gate.name,
    stepKey: gate.cellKey,
    data: { gateId: gate.gateId, votes: votesJson(gate) },
  });
  turn.emit({ type: "closeGate", gateId: gate.gateId, gate: gate.name, why: "expired" });
  const cell = turn.cell(gate.cellKey);
  if (!cell) return;
  const status = gate.onTimeout === "fail" ? "failed" : "cancelled";
  endAtGate(turn, cell, "approval_expired", `Nobody decided at "${gate.name}" in time.`, status);
}
