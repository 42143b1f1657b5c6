/** Duplicates go, contradictions stay with the newest first. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ComparableRule,
  newestWithoutDuplicates,
  withoutRepetitions,
} from "../../../src/search/near-duplicates";

const rule = (id: number, content: string, changedAtSec = id, trigger = ""): ComparableRule => ({
  ...{ id, content, changedAtSec, trigger },
});
const idsOf = (rules: readonly ComparableRule[]) => newestWithoutDuplicates(rules).kept.map(({ id }) => id);

const byId = (left: ComparableRule, right: ComparableRule) => left.id - right.id;

describe("ordering ranked rules for a prompt", () => {
  it("keeps the newer of two that say the same in other forms", () => {
    expect(
      idsOf([rule(1, "Confirm the order number."), rule(2, "please always confirm order numbers")]),
    ).toEqual([2]);
    expect(idsOf([rule(5, "Confirm the order number."), rule(2, "confirm order numbers")])).toEqual([5]);
  });

  it("keeps both of two that contradict each other, the newer first", () => {
    for (const [older, newer] of [
      ["Always greet by first name", "Never greet by first name"],
      ["Use tabs for indentation", "Do not use tabs for indentation"],
      ["Use tabs for indentation", "Don't use tabs for indentation"],
      ["Answer the customer in English", "Answer the customer in German"],
      ["Refund orders below 50 euros at once", "Refund orders below 80 euros at once"],
    ] as const) {
      expect(idsOf([rule(1, older), rule(2, newer)])).toEqual([2, 1]);
      expect(idsOf([rule(2, newer), rule(1, older)])).toEqual([2, 1]);
    }
  });

  it("moves a group to the place of its best ranked rule and leaves the others where they were", () => {
    const ranked = [
      rule(1, "Use tabs for indentation"),
      rule(2, "Greet by first name"),
      rule(3, "Never use tabs for indentation"),
    ];
    expect(idsOf(ranked)).toEqual([3, 1, 2]);
  });

  it("keeps a general rule beside a much more special one", () => {
    const special = "Use tabs in make files but two spaces in every other kind of source file";
    expect(idsOf([rule(1, "Use tabs"), rule(2, special)]).toSorted()).toEqual([1, 2]);
  });

  it("keeps a rule that adds a number", () => {
    expect(idsOf([rule(1, "Retry failed uploads"), rule(2, "Retry failed uploads 3 times")])).toEqual([2, 1]);
  });

  it("treats two triggers for the same content as two rules", () => {
    const content = "Ask for the receipt";
    const rules = [
      rule(1, content, 1, "A customer returns broken headphones"),
      rule(2, content, 2, "An invoice of a supplier looks odd"),
    ];
    expect(idsOf(rules)).toEqual([1, 2]);
  });

  it("never calls rules without words the same", () => {
    expect(idsOf([rule(1, "!!!"), rule(2, "???")])).toEqual([1, 2]);
  });

  it("tells which rule made another superfluous, and which newer one it stands behind", () => {
    const [older, newer, opposite] = [
      rule(1, "Confirm the order number."),
      rule(2, "please always confirm order numbers"),
      rule(3, "never confirm the order number"),
    ];
    expect(newestWithoutDuplicates([older, newer, opposite])).toEqual({
      kept: [opposite, newer],
      dropped: [{ rule: older, other: newer }],
      behind: [{ rule: newer, other: opposite }],
    });
  });

  it("does not call a rule to stand behind one that only shares the best ranked rule's subject", () => {
    const broad = rule(1, "refund orders greet customers", 1);
    const [left, right] = [rule(2, "refund orders", 3), rule(3, "greet customers", 2)];
    const { kept, behind } = newestWithoutDuplicates([broad, left, right]);
    expect(kept).toEqual([left, right, broad]);
    expect(behind).toEqual([{ rule: broad, other: left }]);
  });

  it("drops a duplicate across subjects too, and the newer rule takes the better place of the two", () => {
    // The tea rule is about the same thing as the older of the other two, but not as the newer.
    const tea = rule(1, "greet customers cheerfully offering tea");
    const older = rule(2, "greet customers formally");
    const newer = rule(3, "greet customers formally using surnames");
    const [tabs, dropped] = [rule(9, "use tabs"), [{ rule: older, other: newer }]];
    expect(newestWithoutDuplicates([tea, older, tabs, newer])).toMatchObject({
      ...{ kept: [tea, newer, tabs], dropped },
    });
    expect(newestWithoutDuplicates([older, tea, tabs, newer])).toMatchObject({
      ...{ kept: [newer, tea, tabs], dropped },
    });
  });

  it("invents no rule and loses none but duplicates", () => {
    const words = fc.constantFrom(
      "use",
      "tabs",
      "never",
      "always",
      "refund",
      "orders",
      "50",
      "80",
      "greet",
      "not",
    );
    const rules = fc
      .array(fc.array(words, { minLength: 1, maxLength: 6 }), { maxLength: 12 })
      .map((contents) => contents.map((content, id) => rule(id, content.join(" "))));
    fc.assert(
      fc.property(rules, (ranked) => {
        const { kept, dropped, behind } = newestWithoutDuplicates(ranked);
        expect([...kept, ...dropped.map(({ rule: gone }) => gone)].toSorted(byId)).toEqual(ranked);
        for (const { other } of dropped) expect(kept).toContain(other);
        for (const { rule: older, other } of behind) {
          expect(kept.indexOf(other)).toBeLessThan(kept.indexOf(older));
          expect(other.changedAtSec).toBeGreaterThanOrEqual(older.changedAtSec);
        }
        expect(new Set(kept.map(({ id }) => id)).size).toBe(kept.length);
        for (const one of kept) expect(ranked).toContain(one);
        expect(kept.length > 0).toBe(ranked.length > 0);
      }),
    );
  });
});

describe("rules beside others that are told already", () => {
  it("stay however often they repeat each other: which of them is the newer is not known here", () => {
    const own = [rule(7, "use tabs"), rule(8, "Use tabs!")];
    expect(withoutRepetitions(own, [])).toEqual({ kept: own, dropped: [] });
  });

  it("are those that add something", () => {
    const told = [rule(1, "Confirm the order number")];
    const own = [
      rule(7, "confirm the order numbers"),
      rule(8, "never confirm the order number"),
      rule(9, "Use tabs"),
    ];
    const { kept, dropped } = withoutRepetitions(own, told);
    expect(kept.map(({ id }) => id)).toEqual([8, 9]);
    expect(dropped).toEqual([{ rule: own[0], other: told[0] }]);
  });
});
