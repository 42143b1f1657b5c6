import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeTags, MAX_TAG_CHARS, MAX_TAGS, ruleLabel } from "../../../src/learning/tags";

const given = (label: string, ...tags: string[]) => ({ label, tags });

describe("a model's tags", () => {
  it("go to their rules, an empty list included", () => {
    expect(judgeTags(2, [given("R2"), given("R1", "billing")])).toEqual({ value: [["billing"], []] });
  });

  it("are one line each, and once whatever their case", () => {
    expect(judgeTags(1, [given("R1", " re\nfunds ", "", "Refunds", "RE FUNDS")])).toEqual({
      value: [["re funds", "Refunds"]],
    });
  });

  it.each([
    ["a rule without tags", [given("R1")], "rule R2 is not tagged"],
    ["a rule that was not shown", [given("R1"), given("R2"), given("R9")], 'rule "R9" does not exist'],
    ["a rule twice", [given("R1"), given("R2"), given("R1", "x")], "rule R1 is tagged more than once"],
    [
      "too long a tag",
      [given("R1", "x".repeat(MAX_TAG_CHARS + 1)), given("R2")],
      `rule R1 has a tag of more than ${MAX_TAG_CHARS} characters`,
    ],
    [
      "too many tags",
      [given("R1", ...Array.from({ length: MAX_TAGS + 1 }, (_, at) => `tag ${at}`)), given("R2")],
      `rule R1 has more than ${MAX_TAGS} tags`,
    ],
  ])("are refused with %s", (_what, assignments, problem) => {
    expect(judgeTags(2, assignments)).toEqual({ problems: [problem] });
  });

  it("are accepted for any permutation of the rules, and for nothing less", () => {
    const permutation = fc
      .integer({ min: 1, max: 20 })
      .chain((count) =>
        fc.shuffledSubarray([...Array(count).keys()], { minLength: 0 }).map((order) => ({ count, order })),
      );
    fc.assert(
      fc.property(permutation, ({ count, order }) => {
        const judged = judgeTags(
          count,
          order.map((position) => given(ruleLabel(position), `tag ${position}`)),
        );
        expect("value" in judged).toBe(order.length === count);
        if ("value" in judged)
          expect(judged.value.map(([tag]) => tag)).toEqual([...Array(count).keys()].map((at) => `tag ${at}`));
      }),
    );
  });
});
