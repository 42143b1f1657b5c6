/** Reciprocal rank fusion of the word hits and the vector hits (specification 9.3). Pure. */

/** The constant of the method's paper, and of the specification. */
const RANK_OFFSET = 60;

export interface Fused {
  id: number;
  /** Sum over the lists of 1 / (60 + rank), ranks from 1. */
  score: number;
}

/**
 * Fuses ranked lists of ids, best first. An id that a list lacks counts there as ranked right behind its end.
 * Ties go to the smaller id, so the same lists always give the same order. Repetitions count once, at the better rank.
 */
export function reciprocalRankFusion(lists: readonly (readonly number[])[]): Fused[] {
  const ranks = lists.map(ranksOf);
  const ids = new Set(lists.flat());
  return [...ids]
    .map((id) => ({ id, score: ranks.reduce((sum, rankOf) => sum + 1 / (RANK_OFFSET + rankOf(id)), 0) }))
    .sort((left, right) => right.score - left.score || left.id - right.id);
}

function ranksOf(list: readonly number[]): (id: number) => number {
  const distinct = [...new Set(list)];
  const ranks = new Map(distinct.map((id, index) => [id, index + 1]));
  return (id) => ranks.get(id) ?? distinct.length + 1;
}
