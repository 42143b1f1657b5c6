/** Candidates in their final order, each with its place and why it was left out. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reciprocalRankFusion } from "../../../src/search/fusion";
import { best, type Compared, OVER_FETCH, rank } from "../../../src/search/ranking";

interface Row {
  id: number;
  word_score?: number;
}

const words = fc
  .uniqueArray(fc.nat(60), { maxLength: 40 })
  .map((ids): Row[] => ids.map((id, position) => ({ id, word_score: 100 - position })));
const compared = fc
  .uniqueArray(fc.record({ id: fc.nat(60), cosine: fc.double({ min: -1, max: 1, noNaN: true }) }), {
    selector: ({ id }) => id,
    maxLength: 40,
  })
  .map((all): Compared<Row>[] => all.map(({ id, cosine }) => ({ row: { id }, cosine })));
const limits = fc.record({
  topK: fc.integer({ min: 1, max: 12 }),
  threshold: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe("ranked candidates", () => {
  it("are at their best what fusion makes of the hits by words and the nearest above the threshold", () => {
    fc.assert(
      fc.property(words, compared, limits, (byWords, byMeaning, { topK, threshold }) => {
        const near = byMeaning
          .filter(({ cosine }) => cosine >= threshold)
          .toSorted((left, right) => right.cosine - left.cosine || left.row.id - right.row.id)
          .slice(0, topK * OVER_FETCH);
        const fused = reciprocalRankFusion([byWords.map(({ id }) => id), near.map(({ row }) => row.id)]);
        expect(best(rank(byWords, byMeaning, { topK, threshold })).map(({ id }) => id)).toEqual(
          fused.slice(0, topK).map(({ id }) => id),
        );
      }),
    );
  });

  it("hold every rule that was looked at once, and say why each that is not among the best is not", () => {
    fc.assert(
      fc.property(words, compared, limits, (byWords, byMeaning, { topK, threshold }) => {
        const ranked = rank(byWords, byMeaning, { topK, threshold });
        const looked = new Set([...byWords.map(({ id }) => id), ...byMeaning.map(({ row }) => row.id)]);
        expect(ranked.map(({ row }) => row.id).toSorted()).toEqual([...looked].toSorted());
        for (const { row, lostAs, wordRank, meaningRank, cosine, fusedRank, fusedScore } of ranked) {
          expect(lostAs === null).toBe(fusedRank !== null && fusedRank <= topK);
          expect(fusedRank === null).toBe(wordRank === null && meaningRank === null);
          expect(fusedScore === null).toBe(fusedRank === null);
          expect(wordRank === null ? undefined : byWords[wordRank - 1]?.id).toBe(
            wordRank === null ? undefined : row.id,
          );
          if (lostAs === "below_threshold") expect(cosine ?? 1).toBeLessThan(threshold);
          if (meaningRank !== null) expect(cosine ?? -1).toBeGreaterThanOrEqual(threshold);
        }
      }),
    );
  });

  it("keep a hit by words that is below the threshold, with its similarity and no rank by meaning", () => {
    const [only] = rank([{ id: 4, word_score: 2.5 }], [{ row: { id: 4 }, cosine: 0.1 }], {
      topK: 1,
      threshold: 0.5,
    });
    expect(only).toMatchObject({
      ...{ wordRank: 1, wordScore: 2.5, meaningRank: null, cosine: 0.1 },
      ...{ fusedRank: 1, lostAs: null },
    });
  });

  it("call what lies beyond the nearest that go into the fusion beyond the best, not below the threshold", () => {
    const all = Array.from({ length: OVER_FETCH + 1 }, (_, id) => ({ row: { id }, cosine: 1 - id / 100 }));
    const last = rank([], all, { topK: 1, threshold: 0.5 }).at(-1);
    expect(last).toMatchObject({ row: { id: OVER_FETCH }, fusedRank: null, lostAs: "beyond_top_k" });
  });
});
