/** Reciprocal rank fusion and suppression. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reciprocalRankFusion } from "../../../src/search/fusion";
import { suppressSources } from "../../../src/search/suppression";

const list = fc.uniqueArray(fc.nat(50), { maxLength: 20 });

describe("reciprocal rank fusion", () => {
  it("counts a missing id as ranked right behind the end of the list", () => {
    const fused = reciprocalRankFusion([[1, 2], [3]]);
    const scores = new Map(fused.map(({ id, score }) => [id, score]));
    expect(scores.get(1)).toBeCloseTo(1 / 61 + 1 / 62, 12);
    expect(scores.get(2)).toBeCloseTo(1 / 62 + 1 / 62, 12);
    expect(scores.get(3)).toBeCloseTo(1 / 63 + 1 / 61, 12);
    expect(fused.map(({ id }) => id)).toEqual([1, 3, 2]);
  });

  it("gives back the order of the only list that has any", () => {
    fc.assert(
      fc.property(list, (ids) => {
        expect(reciprocalRankFusion([ids, []]).map(({ id }) => id)).toEqual(ids);
      }),
    );
  });

  it("has every id of the lists once, best first, ties by id", () => {
    fc.assert(
      fc.property(list, list, (left, right) => {
        const fused = reciprocalRankFusion([left, right]);
        expect(fused.map(({ id }) => id).toSorted()).toEqual([...new Set([...left, ...right])].toSorted());
        for (const [position, { id, score }] of fused.entries()) {
          const next = fused[position + 1];
          if (next !== undefined)
            expect(score > next.score || (score === next.score && id < next.id)).toBe(true);
        }
      }),
    );
  });

  it("does not care which list comes first", () => {
    fc.assert(
      fc.property(list, list, (left, right) => {
        const ids = (lists: number[][]) => reciprocalRankFusion(lists).map(({ id }) => id);
        expect(ids([left, right])).toEqual(ids([right, left]));
      }),
    );
  });

  it("never ranks an id below another that both lists rank lower", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6]), (rest) => {
        const fused = reciprocalRankFusion([
          [0, ...rest],
          [0, ...rest.toReversed()],
        ]);
        expect(fused[0]?.id).toBe(0);
      }),
    );
  });
});

describe("suppression", () => {
  it("drops the sources of returned agent rules and nothing else", () => {
    const users = [1, 2, 3].map((id) => ({ id }));
    expect(suppressSources(users, [{ id: 7, sourceIds: [2, 9] }]).kept).toEqual([{ id: 1 }, { id: 3 }]);
    expect(suppressSources(users, [])).toEqual({ kept: users, hidden: [] });
  });

  it("names the best ranked agent rule that was made from what it hides", () => {
    const agents = [
      { id: 8, sourceIds: [3, 2] },
      { id: 7, sourceIds: [2, 1] },
    ];
    const { hidden } = suppressSources([{ id: 1 }, { id: 2 }], agents);
    expect(hidden).toEqual([
      { rule: { id: 1 }, agentRuleId: 7 },
      { rule: { id: 2 }, agentRuleId: 8 },
    ]);
  });
});
