/** Which of an org's oldest requests may go. Pure. A request goes as a whole or stays as a whole. */
import type { StoredRange } from "./deletion-pages";

/** A stored request in arrival order. */
export interface OldRequest extends StoredRange {
  /** Whether an active extractor may learn from its turns. */
  isLearnable: boolean;
}

/** What of one user's stream is still needed. */
export interface Needed {
  /**
   * The first turn of the last window of context of the extractor that is furthest behind. Learnable turns
   * from there on are kept: context of the next window, or not read yet.
   */
  keepFromSeq: number;
  /** Spans `[first, last]` of windows that are under way. */
  windows: readonly (readonly [firstSeq: number, lastSeq: number])[];
}

const mayGo = ({ isLearnable, minSeq, maxSeq }: OldRequest, needed: Needed): boolean =>
  (!isLearnable || maxSeq < needed.keepFromSeq) &&
  needed.windows.every(([firstSeq, lastSeq]) => maxSeq < firstSeq || minSeq > lastSeq);

/**
 * Takes requests in their order until their turns reach `count`. The last one taken may pass it.
 * @param neededOf what is needed of a user; nothing of a user it does not know may go
 * @returns what is to be deleted, and the last request that was looked at
 */
export function chooseOldest(
  requests: readonly OldRequest[],
  neededOf: ReadonlyMap<string, Needed>,
  count: number,
): { chosen: OldRequest[]; lookedToSeq: number } {
  const chosen: OldRequest[] = [];
  let turns = 0;
  let lookedToSeq = 0;
  for (const request of requests) {
    if (turns >= count) break;
    lookedToSeq = request.maxSeq;
    const needed = neededOf.get(request.userId);
    if (needed === undefined || !mayGo(request, needed)) continue;
    chosen.push(request);
    turns += request.maxSeq - request.minSeq + 1;
  }
  return { chosen, lookedToSeq };
}
