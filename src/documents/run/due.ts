/** Timers that are due. One that is not armed, or comes before its time, means nothing. */
import { abortCalls } from "./abort";
import { callIsDue } from "./calls";
import { beginAgain } from "./cells";
import { expire, remind } from "./gates/expire";
import { tripRunDuration } from "./guardrails";
import { entry, type Timer } from "./state";
import { waitIsDue } from "./steps/wait";
import { timerKey } from "./timers";
import type { Turn } from "./turn";

/** A timer goes off. */
export function receiveTimer(turn: Turn, key: string): void {
  const timer = entry(turn.state.timers, key);
  if (timer && timer.dueAtMs <= turn.nowMs) goOff(turn, timer);
}

/**
 * Lets timers go off whose time is past and that the host has not yet sent: an answer that is stamped after the end of
 * its time is late, whichever of the two is delivered first. At the very instant it still counts.
 */
export function catchUp(turn: Turn): void {
  const past = Object.values(turn.state.timers)
    .filter(({ dueAtMs }) => dueAtMs < turn.nowMs)
    .sort(byTime);
  for (const { key } of past) if (!turn.ended) receiveTimer(turn, key);
}

const byTime = (a: Timer, b: Timer): number =>
  a.dueAtMs - b.dueAtMs || a.order[0] - b.order[0] || a.order[1] - b.order[1] || a.seq - b.seq;

function goOff(turn: Turn, { key }: Timer): void {
  const { state } = turn;
  delete state.timers[key];
  if (key === timerKey.activeTime) {
    tripRunDuration(turn);
    return;
  }
  const cut = key.indexOf(":");
  const [kind, name] = [key.slice(0, cut), key.slice(cut + 1)];
  const cell = turn.cell(name);
  switch (kind) {
    case "retry":
      if (cell?.phase === "backing_off") beginAgain(turn, cell);
      return;
    case "timeout":
      if (cell?.phase !== "running") return;
      abortCalls(turn, ({ cellKey }) => cellKey === name);
      turn.plan({ do: "time_out", cell: name, attempt: cell.attempt });
      return;
    case "wait":
      if (cell) waitIsDue(turn, cell);
      return;
    case "call":
      callIsDue(turn, name);
      return;
    case "gate": {
      const gate = entry(state.gates, name);
      if (gate) expire(turn, gate);
      return;
    }
    case "remind": {
      const gate = entry(state.gates, name.slice(3));
      if (gate) remind(turn, gate, name.startsWith("50") ? 50 : 90);
    }
  }
}
