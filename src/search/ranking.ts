/**
 * One kind's candidates in their final order, each with its place in either list and why it was left out.
 * Pure. What a search returns is a projection of this, so an explanation cannot disagree with it.
 */
import { feedbackFactor, type Verdicts } from "./feedback-factor";
import { reciprocalRankFusion } from "./fusion";

/** Each list goes into the fusion deeper than shown, so that one sees what only the other ranks high. */
export const OVER_FETCH = 5;

export interface Candidate {
  id: number;
  /** BM25, more is better. */
  word_score?: number | undefined;
  /** What was said of it; absent or null where nobody said anything. */
  verdicts?: Verdicts | null | undefined;
}

/** Where a rule stands in a search. */
export interface Place {
  /** From 1 in the list by words; null where words did not list it. */
  wordRank: number | null;
  /** BM25, more is better. */
  wordScore: number | null;
  /** From 1 in the list by meaning; null where meaning did not list it. */
  meaningRank: number | null;
  /** Similarity to the query, -1..1; null where it was not compared. */
  cosine: number | null;
  /** From 1; null where neither list holds it. */
  fusedRank: number | null;
  /** Sum over both lists of 1 / (60 + rank), times the factor of what was said of the rule. */
  fusedScore: number | null;
  /** Why it is not among the best; null where it is. */
  lostAs: "below_threshold" | "beyond_top_k" | null;
}

export interface Ranked<Row> extends Place {
  row: Row;
}

export interface Compared<Row> {
  row: Row;
  cosine: number;
}

/**
 * First the fused list, best first, then what only meaning knew and cut, nearest first.
 *
 * @param words best first
 * @param compared in any order; ties go to the smaller id
 * @param threshold least cosine of a hit by meaning; hits by words are never cut
 */
export function rank<Row extends Candidate>(
  words: readonly Row[],
  compared: readonly Compared<Row>[],
  { threshold, topK, weighsFeedback = true }: { threshold: number; topK: number; weighsFeedback?: boolean },
): Ranked<Row>[] {
  const nearestFirst = compared.toSorted(
    (left, right) => right.cosine - left.cosine || left.row.id - right.row.id,
  );
  const near = nearestFirst.filter(({ cosine }) => cosine >= threshold).slice(0, topK * OVER_FETCH);
  const rows = new Map([...words, ...compared.map(({ row }) => row)].map((row) => [row.id, row]));
  const wordIds = words.map(({ id }) => id);
  const nearIds = near.map(({ row }) => row.id);
  const [wordRanks, meaningRanks] = [ranksOf(wordIds), ranksOf(nearIds)];
  const wordScores = new Map(words.map(({ id, word_score }) => [id, word_score ?? null]));
  const cosines = new Map(compared.map(({ row, cosine }) => [row.id, cosine]));
  const factorOf = (id: number): number => {
    const verdicts = weighsFeedback ? rows.get(id)?.verdicts : null;
    return verdicts == null ? 1 : feedbackFactor(verdicts);
  };
  // The sort keeps the order of equals, so that without feedback nothing moves.
  const fused = reciprocalRankFusion([wordIds, nearIds])
    .map(({ id, score }) => ({ id, score: score * factorOf(id) }))
    .toSorted((left, right) => right.score - left.score);
  const fusedIds = new Set(fused.map(({ id }) => id));

  const placed = (id: number, place: Pick<Place, "fusedRank" | "fusedScore" | "lostAs">): Ranked<Row>[] => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const wordPlace = { wordRank: wordRanks.get(id) ?? null, wordScore: wordScores.get(id) ?? null };
    const meaningPlace = { meaningRank: meaningRanks.get(id) ?? null, cosine: cosines.get(id) ?? null };
    return [{ row, ...wordPlace, ...meaningPlace, ...place }];
  };
  return [
    ...fused.flatMap(({ id, score }, position) =>
      placed(id, {
        fusedRank: position + 1,
        fusedScore: score,
        lostAs: position < topK ? null : "beyond_top_k",
      }),
    ),
    ...nearestFirst
      .filter(({ row }) => !fusedIds.has(row.id))
      .flatMap(({ row, cosine }) =>
        placed(row.id, {
          fusedRank: null,
          fusedScore: null,
          lostAs: cosine < threshold ? "below_threshold" : "beyond_top_k",
        }),
      ),
  ];
}

/** The ranked rows that a search returns, best first. */
export const best = <Row>(ranked: readonly Ranked<Row>[]): Row[] =>
  ranked.filter(({ lostAs }) => lostAs === null).map(({ row }) => row);

const ranksOf = (ids: readonly number[]): Map<number, number> =>
  new Map(ids.map((id, position) => [id, position + 1]));
