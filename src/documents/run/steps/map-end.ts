/** How a map ends: with its outputs in the order of its items, or with what became of each (ruling 8). */
import type { Json, JsonObject } from "../../model";
import { succeed } from "../cells";
import { errorOf, fail } from "../failure";
import type { MapProgram } from "../program";
import { errorJson } from "../scope";
import type { Cell, Failure } from "../state";
import type { Turn } from "../turn";

/** Failures that were tolerated leave null in the output and are listed beside it. */
export function completeMap(turn: Turn, cell: Cell): void {
  const items = itemsOf(turn, cell);
  cell.errors = [...(cell.mapWork?.failed ?? [])]
    .sort((a, b) => a - b)
    .flatMap((index) => {
      const error = items[index]?.error;
      return error ? [{ index, error }] : [];
    });
  const output = items.map((item) => item?.output ?? null);
  turn.recordStep("map.completed", cell, { items: output.length, failed: cell.errors.length });
  succeed(turn, cell, output);
}

/** More elements failed than the map tolerates. */
export const failMap = (turn: Turn, cell: Cell, failure: Failure): void =>
  fail(turn, cell, {
    ...failure,
    retryable: false,
    message: `"${cell.key}" failed: ${failure.message}`,
    items: resultsOf(turn, cell),
  });

/** An element has come to an end that ends the run: the map goes with it, and says how far it was. */
export function failMapAt(turn: Turn, item: Cell, failure: Failure): void {
  const cell = item.map ? turn.cell(item.map.id) : undefined;
  if (!cell || !item.map) return;
  turn.record("map.item_failed", {
    subject: item.key,
    stepKey: item.key,
    data: { map: cell.key, index: item.map.index, code: failure.code, message: failure.message },
  });
  cell.phase = "failed";
  cell.error = errorOf({ ...failure, items: resultsOf(turn, cell) });
  turn.recordStep("step.failed", cell, errorJson(cell.error));
}

/** `{index, status, output | error}` of every element, in order. */
function resultsOf(turn: Turn, cell: Cell): Json[] {
  return itemsOf(turn, cell).map((item, index): JsonObject => {
    if (!item) return { index, status: "skipped" };
    const status = ACTIVE.has(item.phase) ? "cancelled" : item.phase;
    if (status === "failed" && item.error) return { index, status, error: errorJson(item.error) };
    return status === "succeeded" ? { index, status, output: item.output } : { index, status };
  });
}

const ACTIVE: ReadonlySet<string> = new Set(["pending", "running", "backing_off", "held", "parked"]);

function itemsOf(turn: Turn, cell: Cell): (Cell | undefined)[] {
  const step = turn.stepOf(cell);
  if (step.kind !== "map") return [];
  return (cell.mapWork?.items ?? []).map((_, index) => turn.cell(`${itemStepOf(step)}[${index}]`));
}

/** Elements of a sub-playbook run under the map's own name. */
export const itemStepOf = ({ id, target }: MapProgram): string => (target.kind === "step" ? target.id : id);
