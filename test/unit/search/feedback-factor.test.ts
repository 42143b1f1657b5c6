/** What was said of rules moves them in a ranking, a little. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feedbackFactor, MAX_SHIFT } from "../../../src/search/feedback-factor";
import { best, rank } from "../../../src/search/ranking";

const counts = fc.record({ helpful: fc.nat(1e6), harmful: fc.nat(1e6) });

describe("the factor of feedback", () => {
  it("is 1 where nobody said anything, or as much good as harm", () => {
    fc.assert(
      fc.property(fc.nat(1e6), (count) => {
        expect(feedbackFactor({ helpful: count, harmful: count })).toBe(1);
      }),
    );
  });

  it("stays within its bounds, and grows with good and falls with harm", () => {
    fc.assert(
      fc.property(counts, ({ helpful, harmful }) => {
        const factor = feedbackFactor({ helpful, harmful });
        expect(Math.abs(factor - 1)).toBeLessThan(MAX_SHIFT);
        expect(feedbackFactor({ helpful: helpful + 1, harmful })).toBeGreaterThan(factor);
        expect(feedbackFactor({ helpful, harmful: harmful + 1 })).toBeLessThan(factor);
      }),
    );
  });
});

describe("a ranking", () => {
  const rows = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, word_score: 20 - at }));
  const order = (rated: Record<number, { helpful: number; harmful: number }>, weighsFeedback = true) =>
    best(
      rank(
        rows.map((row) => ({ ...row, verdicts: rated[row.id] ?? null })),
        [],
        { threshold: 0, topK: 20, weighsFeedback },
      ),
    ).map(({ id }) => id);
  const unrated = rows.map(({ id }) => id);

  it("without feedback is the fusion's", () => {
    expect(order({})).toEqual(unrated);
  });

  it("lets a harmful rule sink and the others keep their order", () => {
    const sunk = order({ 1: { helpful: 0, harmful: 20 } });
    expect(sunk.indexOf(1)).toBeGreaterThan(0);
    expect(sunk.filter((id) => id !== 1)).toEqual(unrated.slice(1));
  });

  it("lets a helpful rule rise", () => {
    expect(order({ 10: { helpful: 50, harmful: 0 } }).indexOf(10)).toBeLessThan(9);
  });

  it("never lets feedback alone carry a rule past one far better", () => {
    const most = { helpful: 1_000_000, harmful: 0 };
    expect(order({ 20: most })[0]).toBe(1);
    expect(order({ 1: { helpful: 0, harmful: 1_000_000 } }).indexOf(1)).toBeLessThan(10);
  });

  it("that lists the newest rules keeps their order whatever was said", () => {
    expect(order({ 1: { helpful: 0, harmful: 20 } }, false)).toEqual(unrated);
  });
});
