/** Usage as numbers, charts and words. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactly, dollars, dollarsOnAxis, shortDay } from "../../../src/dashboard/usage/figures";
import { kindsIn, stacked, tokensByKind, workKinds } from "../../../src/dashboard/usage/series";
import { counterInWords } from "../../../src/dashboard/usage/words";
import { lastDays, reportOf, tokensOf } from "../../../src/orgs/usage-report";
import type { UsageRow } from "../../../src/orgs/usage-store";

const row = (more: Partial<UsageRow>): UsageRow => ({
  day: "2030-01-02",
  task: "extract",
  provider: "openai",
  model: "a-model",
  calls: 1,
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  ...more,
});
const PRICES = new Map([["a-model", { input: 0.5, output: 2 }]]);
const PERIOD = ["2030-01-01", "2030-01-02"];

describe("the report", () => {
  it("has every day of the period, spent or not, and none beyond it", () => {
    const { days, total } = reportOf([row({}), row({ day: "2029-12-31" })], PERIOD, PRICES);
    expect(days.map(({ day, calls }) => [day, calls])).toEqual([
      ["2030-01-01", 0],
      ["2030-01-02", 1],
    ]);
    expect(total.calls).toBe(1);
  });

  it("reckons what has a price and counts apart what has none", () => {
    const { total, models } = reportOf(
      [row({}), row({ model: "other", inputTokens: 7, outputTokens: 1 })],
      PERIOD,
      PRICES,
    );
    expect(total.costUsd).toBeCloseTo(0.7, 9);
    expect(total.unpricedTokens).toBe(8);
    expect(models.map(({ model, hasPrice }) => [model, hasPrice])).toEqual([
      ["a-model", true],
      ["other", false],
    ]);
  });

  it("reckons nothing for the offline reasoner", () => {
    const { total, models } = reportOf([row({ model: "offline", provider: "offline" })], PERIOD, new Map());
    expect([total.costUsd, total.unpricedTokens, models[0]?.hasPrice]).toEqual([0, 0, true]);
  });

  it("takes a price from the map alone, whatever a model is called", () => {
    const { models } = reportOf(
      [row({ model: "constructor" }), row({ model: "__proto__" })],
      PERIOD,
      new Map(),
    );
    expect(models.every(({ hasPrice, costUsd }) => !hasPrice && costUsd === 0)).toBe(true);
  });

  it("tells models of two providers apart, and adds up a model over its tasks", () => {
    const { models } = reportOf(
      [row({}), row({ task: "tag" }), row({ provider: "gateway" })],
      PERIOD,
      PRICES,
    );
    expect(models.map(({ provider, calls }) => [provider, calls]).sort()).toEqual([
      ["gateway", 1],
      ["openai", 2],
    ]);
  });

  it("has the same sum by day, by task and by model", () => {
    const rows = fc.array(
      fc.record({
        day: fc.constantFrom(...PERIOD),
        task: fc.constantFrom("extract", "shouldExtract", "tag", "unheard-of"),
        provider: fc.constantFrom("openai", "workers-ai"),
        model: fc.constantFrom("a-model", "other", "offline"),
        calls: fc.nat(9),
        inputTokens: fc.nat(1_000_000),
        outputTokens: fc.nat(1_000_000),
      }),
    );
    fc.assert(
      fc.property(rows, (some) => {
        const { days, models, total } = reportOf(some, PERIOD, PRICES);
        const sum = (all: readonly { inputTokens: number; outputTokens: number }[]): number =>
          all.reduce((tokens, spent) => tokens + tokensOf(spent), 0);
        expect(sum(days)).toBe(tokensOf(total));
        expect(sum(models)).toBe(tokensOf(total));
        expect(sum(days.flatMap(({ tasks }) => [...tasks.values()]))).toBe(tokensOf(total));
        for (const { tasks, inputTokens } of days) {
          const kinds = Object.values(tokensByKind(tasks, "inputTokens"));
          expect(kinds.reduce((left, right) => left + right, 0)).toBe(inputTokens);
        }
      }),
    );
  });

  it("counts days in UTC, over the ends of months", () => {
    expect(lastDays(Date.UTC(2028, 2, 1, 0, 0, 1), 3)).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  });
});

describe("a chart's bars", () => {
  const { days } = reportOf(
    [row({ inputTokens: 30 }), row({ task: "shouldExtract", inputTokens: 10 })],
    PERIOD,
    PRICES,
  );

  it("stand on each other without gaps, in the order of the legend", () => {
    const kinds = kindsIn(days);
    expect(kinds).toEqual(["gate", "extraction"]);
    const segments = stacked(
      days.map(({ tasks }) => tokensByKind(tasks, "inputTokens")),
      kinds,
    );
    expect(segments).toEqual([
      { kind: "gate", day: 1, from: 0, to: 10 },
      { kind: "extraction", day: 1, from: 10, to: 40 },
    ]);
  });

  it("are as many kinds as there are colours", () => {
    expect(workKinds).toHaveLength(6);
  });
});

describe("numbers in words", () => {
  it.each([
    [0, "$0.00"],
    [0.000_012, "$0.000012"],
    [0.25, "$0.2500"],
    [1_234.5, "$1,234.50"],
  ])("tells %f dollars with the digits that matter", (usd, words) => {
    expect(dollars(usd)).toBe(words);
  });

  it("is brief on an axis", () => {
    expect([dollarsOnAxis(0.05), dollarsOnAxis(1_200), compactly(3_400_000)]).toEqual([
      "$0.05",
      "$1.2K",
      "3.4M",
    ]);
    expect(shortDay("2030-01-09")).toBe("9 Jan");
  });

  it("tells a counter as what happened and why", () => {
    expect(counterInWords("dropped:span_not_verbatim")).toEqual({
      happening: "Proposed rule dropped by a check",
      reason: "span not verbatim",
    });
    expect(counterInWords("dead:billing").reason).toBe(
      "the provider says that the account has no credit left",
    );
    expect(counterInWords("toString:a:b")).toEqual({ happening: "toString", reason: "a:b" });
  });
});
