/**
 * Which turns make the next window of a user's stream. Pure.
 *
 * Turns follow arrival order. The first window needs W turns; a later one needs as many new turns as
 * its stride, or as are missing from a full window, whichever is more. A forced request is a barrier
 * at its last turn: everything up to it counts at once, nothing after it does.
 */
import type { WindowPolicy } from "../orgs/config";

/** A turn that learning may read, newer than the cursor. `seq` is its interaction id. */
export interface FreshTurn {
  seq: number;
  /** Its request asked not to aggregate what is learned from it. */
  skipAggregation: boolean;
}

export interface WindowFacts {
  /** Whether this cursor ever completed a window. */
  started: boolean;
  /** Of the first fresh turn's admission. */
  policy: WindowPolicy;
  /** The last W eligible turns up to the cursor, in arrival order. */
  context: readonly number[];
  /** The first W eligible turns after the cursor, in arrival order. */
  fresh: readonly FreshTurn[];
  /** Last turn of the first forced request that has a turn after the cursor. */
  barrierSeq: number | null;
}

export interface WindowSelection {
  kind: "window";
  /** What the window shows: old context, then new turns, in arrival order. */
  manifest: number[];
  contextIds: number[];
  newIds: number[];
  firstNewSeq: number;
  /** Where the cursor stands once the window is done. */
  endSeq: number;
  force: boolean;
  skipAggregation: boolean;
}

/** Why there is no window: more turns must arrive, or there are none at all. */
export type NoWindow = { kind: "none"; reason: "waiting_for_window" | "no_input"; missing: number };

/** New turns that the next window needs. */
const neededTurns = ({ started, policy, context }: WindowFacts): number =>
  started
    ? Math.max(policy.strideSize, policy.windowSize - Math.min(context.length, policy.windowSize))
    : policy.windowSize;

/**
 * Chooses the next window.
 * @throws RangeError for a policy that does not hold 1 ≤ stride ≤ window
 */
export function selectWindow(facts: WindowFacts): WindowSelection | NoWindow {
  const { windowSize, strideSize } = facts.policy;
  if (!(strideSize >= 1 && strideSize <= windowSize)) {
    throw new RangeError(`stride ${strideSize} does not fit window ${windowSize}`);
  }
  const { barrierSeq } = facts;
  const needed = neededTurns(facts);
  const reachable = facts.fresh
    .slice(0, windowSize)
    .filter(({ seq }) => barrierSeq === null || seq <= barrierSeq);
  if (reachable.length === 0) return { kind: "none", reason: "no_input", missing: needed };
  if (reachable.length < needed && barrierSeq === null) {
    return { kind: "none", reason: "waiting_for_window", missing: needed - reachable.length };
  }
  const taken = reachable.slice(0, needed);
  const newIds = taken.map(({ seq }) => seq);
  const room = windowSize - newIds.length;
  const contextIds = room === 0 ? [] : facts.context.slice(-room);
  return {
    kind: "window",
    manifest: [...contextIds, ...newIds],
    contextIds,
    newIds,
    firstNewSeq: newIds[0] ?? 0,
    endSeq: newIds.at(-1) ?? 0,
    force: barrierSeq !== null,
    skipAggregation: taken.some(({ skipAggregation }) => skipAggregation),
  };
}
