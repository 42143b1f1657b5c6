/** Cells: one for each execution of a step. How one begins, succeeds and hands over. */
import type { Json } from "../model";
import type { Cell } from "./state";
import type { Turn } from "./turn";

/** `stepId`, in a map `itemStepId[i]`. */
export const cellKeyOf = (stepId: string, map: Cell["map"]): string =>
  map ? `${stepId}[${map.index}]` : stepId;

/** Makes a cell whose first attempt is next on the agenda. */
export function openCell(turn: Turn, stepId: string, map: Cell["map"] = null): Cell {
  const key = cellKeyOf(stepId, map);
  const cell: Cell = {
    key,
    stepId,
    map,
    phase: "pending",
    attempt: 1,
    input: null,
    output: null,
    artifacts: [],
    frozen: false,
    error: null,
    effects: [],
    spentMicroCents: 0,
    timeoutLeftMs: null,
    evaluations: 0,
    errors: [],
    offer: null,
    agent: null,
    mapWork: null,
  };
  turn.state.cells[key] = cell;
  turn.plan({ do: "begin", cell: key });
  return cell;
}

/** Once more, under the same identities. */
export function beginAgain(turn: Turn, cell: Cell): void {
  cell.phase = "pending";
  cell.attempt += 1;
  turn.plan({ do: "begin", cell: cell.key });
}

/** The step has done what it had to. */
export function succeed(turn: Turn, cell: Cell, output: Json, next?: string): void {
  cell.phase = "succeeded";
  cell.output = output;
  cell.error = null;
  cell.offer = null;
  turn.recordStep("step.succeeded", cell);
  handOver(turn, cell, next);
}

/** On the main path takes the edge; in a map the map goes on. */
export function handOver(turn: Turn, cell: Cell, next = turn.stepOf(cell).next): void {
  turn.state.sinceGate.push(cell.key);
  if (cell.map) {
    turn.plan({ do: "item_ended", cell: cell.key });
    return;
  }
  if (next === null) throw new Error(`the step "${cell.key}" leads nowhere`);
  turn.record("edge.taken", { subject: `${cell.key}>${next}`, stepKey: cell.key });
  openCell(turn, next);
}
