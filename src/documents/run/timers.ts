/** Timers: armed and disarmed by name, all of them in the state, so that a host can arm them anew. */
import type { DueOrder } from "./model";
import { type Cell, entry } from "./state";
import type { Turn } from "./turn";

/** Names of timers. A step's timer is named by the step's key, a gate's by the gate's id. */
export const timerKey = {
  activeTime: "active",
  retry: (cellKey: string) => `retry:${cellKey}`,
  attempt: (cellKey: string) => `timeout:${cellKey}`,
  wait: (cellKey: string) => `wait:${cellKey}`,
  call: (callId: string) => `call:${callId}`,
  gate: (gateId: string) => `gate:${gateId}`,
  reminder: (gateId: string, share: 50 | 90) => `remind:${share}:${gateId}`,
} as const;

/** Which of the things due at one instant comes first. */
export const orderOf = (turn: Turn, cell: Cell): DueOrder => [
  turn.stepOf(cell).position,
  cell.map?.index ?? 0,
];

/** Arms a timer; one that is armed under this name is moved. */
export function arm(turn: Turn, key: string, dueAtMs: number, order: DueOrder): void {
  turn.state.timers[key] = { key, dueAtMs, order, seq: turn.nextSeq() };
  turn.emit({ type: "armTimer", key, dueAtMs, order });
}

/** Disarms a timer, if it is armed. */
export function disarm(turn: Turn, key: string): void {
  if (!entry(turn.state.timers, key)) return;
  delete turn.state.timers[key];
  turn.emit({ type: "disarmTimer", key });
}
