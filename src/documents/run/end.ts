/** How a run ends: everything open is closed, everything in flight is aborted, and nothing starts any more. */
import type { Json, RunOutcome } from "../model";
import type { ReasonCode } from "../spec";
import { abortCalls } from "./abort";
import type { PublicOutcome } from "./model";
import type { Gate } from "./state";
import { disarm, timerKey } from "./timers";
import type { Turn } from "./turn";

export interface Ending {
  status: RunOutcome;
  reasonCode: ReasonCode;
  /** Prose. */
  reason: string;
  terminatorId?: string;
  stepId?: string;
  output?: Json;
  actor?: string;
}

/** Ends the run, unless it has ended. */
export function endRun(turn: Turn, ending: Ending): void {
  if (turn.ended) return;
  const { state } = turn;
  const { status, reasonCode, reason, terminatorId, stepId, output = null, actor } = ending;
  const outcome: PublicOutcome = {
    status,
    reasonCode,
    reason,
    ...(terminatorId === undefined ? {} : { terminatorId }),
    ...(stepId === undefined ? {} : { stepId }),
    output,
  };
  state.agenda = [];
  state.paused = false;
  for (const gate of Object.values(state.gates)) if (gate.status === "open") cancelGate(turn, gate);
  abortCalls(turn, () => true);
  for (const key of Object.keys(state.timers)) disarm(turn, key);
  cancelChildren(turn);
  for (const cell of Object.values(state.cells)) if (ACTIVE.has(cell.phase)) cell.phase = "cancelled";
  state.reserved = {};
  state.outcome = outcome;
  turn.record(`run.${status}`, {
    ...(actor === undefined ? {} : { actor }),
    data: { reasonCode, reason, ...(stepId === undefined ? {} : { stepId }) },
  });
  turn.emit({ type: "runEnded", outcome });
}

const ACTIVE: ReadonlySet<string> = new Set(["pending", "running", "backing_off", "held", "parked"]);

/** Closes a gate that nobody will decide any more. */
export function cancelGate(turn: Turn, gate: Gate): void {
  gate.status = "cancelled";
  closeTimers(turn, gate);
  turn.record("gate.cancelled", {
    subject: gate.name,
    stepKey: gate.cellKey,
    data: { gateId: gate.gateId },
  });
  turn.emit({ type: "closeGate", gateId: gate.gateId, gate: gate.name, why: "cancelled" });
}

/** The timers of a gate: its deadline and its reminders. */
export function closeTimers(turn: Turn, { gateId }: Gate): void {
  disarm(turn, timerKey.gate(gateId));
  disarm(turn, timerKey.reminder(gateId, 50));
  disarm(turn, timerKey.reminder(gateId, 90));
}

function cancelChildren(turn: Turn): void {
  for (const child of Object.values(turn.state.children)) {
    if (child.cancelled || TERMINAL.has(child.status)) continue;
    child.cancelled = true;
    turn.emit({ type: "cancelChildRun", childKey: child.childKey });
  }
}

const TERMINAL: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
