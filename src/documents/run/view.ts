/** What hosts and pages read of a state. */
import { activeMsAt } from "./meter";
import type { RunView } from "./model";
import type { Cell, RunState } from "./state";

const OPEN: ReadonlySet<Cell["phase"]> = new Set(["running", "backing_off", "held", "parked"]);

export function viewOf(state: RunState, nowMs: number): RunView {
  const cells = Object.values(state.cells);
  const ended = cells.filter(
    ({ phase }) => phase === "succeeded" || phase === "failed" || phase === "skipped",
  );
  const waits = cells.filter(({ evaluations }) => evaluations > 0);
  return {
    status: state.status,
    outcome: state.outcome,
    currentSteps: cells.filter(({ phase }) => OPEN.has(phase)).map(({ key }) => key),
    activeMs: activeMsAt(state, nowMs),
    spentMicroCents: state.spent.microCents,
    gates: Object.values(state.gates).map(({ gateId, name, subjectHash, deadlineMs, status }) => ({
      gateId,
      gate: name,
      subjectHash,
      deadlineMs,
      open: status === "open",
    })),
    steps: Object.fromEntries(
      ended.map(({ key, output, artifacts }) => [
        key,
        { output, artifacts: artifacts.map(({ type, body }) => ({ type, body })) },
      ]),
    ),
    conditionEvaluations: Object.fromEntries(waits.map(({ key, evaluations }) => [key, evaluations])),
  };
}
