/**
 * What comes next on the virtual clock (section c.1): by the instant; at one instant messages between runs, then
 * answers, then timers, then schedules; among these by run, place in the document, index in a map, and sequence.
 */
import type { DueOrder } from "../run/model";

/** An answer at the very instant of a deadline still counts, so answers come before timers. */
export const RANK = { message: 0, answer: 1, timer: 2, schedule: 3 } as const;

export interface Due {
  dueAtMs: number;
  rank: (typeof RANK)[keyof typeof RANK];
  /** Order of creation. */
  runIndex: number;
  order: DueOrder;
  seq: number;
  /** Belongs to what just happened, so that `before_timers` does not hold it back. */
  immediate: boolean;
  deliver: () => void;
}

export function compareDue(left: Due, right: Due): number {
  return (
    left.dueAtMs - right.dueAtMs ||
    left.rank - right.rank ||
    left.runIndex - right.runIndex ||
    left.order[0] - right.order[0] ||
    left.order[1] - right.order[1] ||
    left.seq - right.seq
  );
}

/** The first of them; null when there is none. */
export function firstDue(items: Iterable<Due>): Due | null {
  let first: Due | null = null;
  for (const item of items) if (first === null || compareDue(item, first) < 0) first = item;
  return first;
}
