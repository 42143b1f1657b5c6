/** What expressions see of a run (rulings 5, 8 and 24). Steps that have not ended are absent, so `has()` is false. */
import type { Scope } from "../expressions/expression";
import type { Json, JsonObject } from "../model";
import { formatInstant } from "../text/instant";
import { type Cell, entry, type RunState } from "./state";
import type { Turn } from "./turn";

const ENDED: ReadonlySet<Cell["phase"]> = new Set(["succeeded", "failed", "skipped"]);

/** The roots, and inside a map `index` and the element under the map's name for it. */
export function scopeOf(turn: Turn, cell: Cell): Scope {
  const base = baseScope(turn);
  return cell.map ? itemScope(turn, base, cell.map.id, cell.map.index) : base;
}

/** The roots alone. */
export function baseScope({ state, start }: Turn): Scope {
  const { kind, source, event, deliveryId } = start.trigger;
  return {
    trigger: start.payload,
    steps: endedSteps(state),
    config: start.config,
    run: {
      id: start.runId,
      playbookId: start.playbookId,
      version: start.version,
      startedAt: formatInstant(state.startedAtMs ?? 0),
      trigger: {
        kind,
        ...(source === undefined ? {} : { source }),
        ...(event === undefined ? {} : { event }),
        ...(deliveryId === undefined ? {} : { deliveryId }),
      },
    },
    signals: state.signals,
  };
}

function itemScope({ program, state }: Turn, base: Scope, mapId: string, index: number): Scope {
  const step = program.steps.get(mapId);
  const item = entry(state.cells, mapId)?.mapWork?.items[index];
  if (step?.kind !== "map" || item === undefined) return base;
  return withItem(base, step.itemName, item, index);
}

/** The scope of one element. */
export const withItem = (base: Scope, itemName: string, item: Json, index: number): Scope => ({
  ...base,
  index,
  [itemName]: item,
});

/** The steps of the main path that have ended, as expressions and models read them. */
export function endedSteps({ cells }: RunState): JsonObject {
  return Object.fromEntries(
    Object.values(cells)
      .filter(({ map, phase }) => map === null && ENDED.has(phase))
      .map((cell) => [cell.key, resultOf(cell)]),
  );
}

/** `{output, artifacts, error?, errors?}`. */
export function resultOf({ output, artifacts, error, errors }: Cell): JsonObject {
  return {
    output,
    artifacts: artifacts.map(({ type, body, sha256 }) => ({ type, body, sha256 })),
    ...(error ? { error: errorJson(error) } : {}),
    ...(errors.length > 0
      ? { errors: errors.map(({ index, error }) => ({ index, error: errorJson(error) })) }
      : {}),
  };
}

/** An error as JSON. */
export const errorJson = ({ code, message, items }: NonNullable<Cell["error"]>): JsonObject => ({
  code,
  ...(message === undefined ? {} : { message }),
  ...(items === undefined ? {} : { items }),
});
