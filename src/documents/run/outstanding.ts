/** What a host that lost its memory must do again: everything without an answer, under the same names. */
import { askEffect, callEffect } from "./call-effects";
import { gateEffect } from "./gates/open";
import type { Effect } from "./model";
import type { Program } from "./program";
import type { Child, RunState } from "./state";
import { Turn } from "./turn";

/** In the order in which it was first asked for; what only reports comes last. */
export function outstanding(program: Program, state: RunState): Effect[] {
  const { start, outcome } = state;
  if (!start) return [];
  const turn = new Turn(program, state, 0);
  const asked: [seq: number, effect: Effect][] = [];
  for (const call of Object.values(state.calls)) {
    const effect = callEffect(turn, call);
    if (effect) asked.push([call.seq, effect]);
  }
  for (const { seq, key, dueAtMs, order } of Object.values(state.timers))
    asked.push([seq, { type: "armTimer", key, dueAtMs, order }]);
  for (const gate of Object.values(state.gates))
    if (gate.status === "open") asked.push([gate.seq, gateEffect(gate)]);
  for (const child of Object.values(state.children))
    for (const effect of childEffects(state, child, start.depth + 1)) asked.push([child.seq, effect]);
  asked.sort(([a], [b]) => a - b);
  return [
    ...asked.map(([, effect]) => effect),
    ...(start.parent ? reportsOf(state) : []),
    ...(outcome ? [{ type: "runEnded" as const, outcome }] : []),
  ];
}

function childEffects({ reserved }: RunState, child: Child, depth: number): Effect[] {
  const { childKey, playbook, input, status, cancelled, asks } = child;
  if (status === "completed" || status === "failed" || status === "cancelled") return [];
  if (cancelled) return [{ type: "cancelChildRun", childKey }];
  return [
    { type: "startChildRun", childKey, playbook, input, depth },
    ...Object.entries(asks).map(
      ([callId, stage]): Effect =>
        stage === "granted"
          ? { type: "grantChild", childKey, callId }
          : askEffect({ callId, estimate: reserved[callId] ?? { microCents: 0, credits: 0 } }),
    ),
  ];
}

const reportsOf = ({ reports, status, outcome }: RunState): Effect[] => [
  ...reports.map(
    ({ callId, cost }): Effect => ({
      type: "reportSpent",
      callId,
      costMicroCents: cost.microCents,
      costCredits: cost.credits,
    }),
  ),
  ...(outcome ? [] : [{ type: "reportStatus" as const, status }]),
];
