/**
 * A map (c.3, rulings 8, 21 and 39): elements start in the order of the list, as many at a time as it says, and its
 * output has their order. One failure too many and nothing more starts; what is in flight ends first.
 */
import { beginAgain, openCell } from "../cells";
import { fail, failureOf } from "../failure";
import type { MapProgram } from "../program";
import { scopeOf } from "../scope";
import type { Cell, Failure, MapWork } from "../state";
import type { Turn } from "../turn";
import { completeMap, failMap, itemStepOf } from "./map-end";

export function beginMap(turn: Turn, cell: Cell, step: MapProgram): void {
  const work = cell.mapWork ? again(cell.mapWork) : firstWork(turn, cell, step);
  if (!work) return;
  cell.mapWork = work;
  if (work.retry.length === 0 && work.items.length === work.next) settleMap(turn, cell);
  else turn.plan({ do: "start_items", cell: cell.key });
}

function firstWork(turn: Turn, cell: Cell, step: MapProgram): MapWork | null {
  const items = step.items.evaluate(scopeOf(turn, cell));
  if (!items.ok) {
    const message = `The items of "${cell.key}" cannot be used: ${items.message}`;
    fail(turn, cell, failureOf(items.code, message, items.code));
    return null;
  }
  if (!Array.isArray(items.value)) throw new Error("an expression for a list has yielded none");
  const { maxMapItems } = turn.program.document.playbook.guardrails;
  const most = Math.min(step.maxItems, maxMapItems ?? step.maxItems);
  if (items.value.length > most) {
    const message = `"${cell.key}" may have ${most} items and has ${items.value.length}.`;
    fail(turn, cell, failureOf("map_items_exceeded", message, "map_items_exceeded"));
    return null;
  }
  turn.recordStep("map.started", cell, { items: items.value.length });
  return { items: items.value, next: 0, retry: [], inFlight: 0, starting: null, failed: [], failure: null };
}

/** After a person said "retry": what failed is tried once more, what succeeded stays, the rest starts. */
const again = (work: MapWork): MapWork => ({
  ...work,
  retry: [...work.failed].sort((a, b) => a - b),
  inFlight: 0,
  starting: null,
  failed: [],
  failure: null,
});

/**
 * Fills the free places. An element that asks a model has started when the money for its first question is reserved:
 * until then no other one starts.
 */
export function startItems(turn: Turn, cell: Cell, step: MapProgram): void {
  for (;;) {
    const work = workOf(cell);
    if (work.failure || work.starting !== null || work.inFlight >= step.concurrency) return;
    const [repeated, ...retry] = work.retry;
    const index = repeated ?? work.next;
    if (index >= work.items.length) return;
    cell.mapWork = {
      ...work,
      inFlight: work.inFlight + 1,
      starting: asksModel(turn, step) ? index : null,
      ...(repeated === undefined ? { next: index + 1 } : { retry }),
    };
    startItem(turn, cell, step, index);
  }
}

const asksModel = ({ program }: Turn, { target }: MapProgram): boolean =>
  target.kind === "step" && program.steps.get(target.id)?.kind === "agent";

/** The money for an element's question is reserved: the next one may start. */
export function itemIsPaidFor(turn: Turn, item: Cell): void {
  const cell = item.map ? turn.cell(item.map.id) : undefined;
  if (!cell?.mapWork || cell.mapWork.starting !== item.map?.index) return;
  cell.mapWork = { ...cell.mapWork, starting: null };
  turn.plan({ do: "start_items", cell: cell.key });
}

function startItem(turn: Turn, cell: Cell, step: MapProgram, index: number): void {
  const before = turn.cell(`${itemStepOf(step)}[${index}]`);
  const item = before ?? openCell(turn, itemStepOf(step), { id: cell.key, index });
  turn.record("map.item_started", {
    subject: item.key,
    stepKey: item.key,
    data: { map: cell.key, index },
  });
  if (before) beginAgain(turn, item);
}

/** An element has ended, well or not. */
export function itemEnded(turn: Turn, item: Cell, failure: Failure | undefined): void {
  const cell = item.map ? turn.cell(item.map.id) : undefined;
  if (!cell?.mapWork || !item.map) return;
  const step = turn.stepOf(cell);
  if (step.kind !== "map") return;
  turn.record(failure ? "map.item_failed" : "map.item_succeeded", {
    subject: item.key,
    stepKey: item.key,
    data: {
      map: cell.key,
      index: item.map.index,
      ...(failure ? { code: failure.code, message: failure.message } : {}),
    },
  });
  const failed = failure ? [...cell.mapWork.failed, item.map.index] : cell.mapWork.failed;
  cell.mapWork = {
    ...cell.mapWork,
    inFlight: cell.mapWork.inFlight - 1,
    starting: cell.mapWork.starting === item.map.index ? null : cell.mapWork.starting,
    failed,
    failure: cell.mapWork.failure ?? (failure && failed.length > step.maxFailures ? failure : null),
  };
  if (isOver(cell.mapWork)) settleMap(turn, cell);
  else turn.plan({ do: "start_items", cell: cell.key });
}

const isOver = ({ items, next, retry, inFlight, failure }: MapWork): boolean =>
  inFlight === 0 && (failure !== null || (next === items.length && retry.length === 0));

function settleMap(turn: Turn, cell: Cell): void {
  const { failure } = workOf(cell);
  if (failure) failMap(turn, cell, failure);
  else completeMap(turn, cell);
}

function workOf(cell: Cell): MapWork {
  if (!cell.mapWork) throw new Error(`"${cell.key}" has no items`);
  return cell.mapWork;
}
