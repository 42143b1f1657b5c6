import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSpan } from "../../../src/learning/spans";

describe("finding a quoted span", () => {
  it("finds an exact quotation, however often it occurs", () => {
    expect(findSpan("again and again", "again")).toEqual({ found: "again" });
  });

  it("gives back the turn's own typography", () => {
    expect(findSpan("She said \u201cdon\u2019t \u2014 ever\u201d.", '"don\'t - ever"')).toEqual({
      found: "\u201cdon\u2019t \u2014 ever\u201d",
    });
  });

  it("takes three dots for an ellipsis and the other way round", () => {
    expect(findSpan("Wait\u2026 no, stop\u2026 here", "no, stop... here")).toEqual({
      found: "no, stop\u2026 here",
    });
    expect(findSpan("Wait... no", "Wait\u2026 no")).toEqual({ found: "Wait... no" });
  });

  it("refuses a typographic variant that fits two places (trap 19)", () => {
    expect(findSpan("it\u2019s, and it\u2019s", "it's")).toEqual({ fault: "span_ambiguous" });
  });

  it.each(["Water them daily", "water them", "Water  them", "Waterthem"])(
    "refuses other words: %s",
    (span) => {
      expect(findSpan("Water them at dawn.", span)).toEqual({ fault: "span_not_verbatim" });
    },
  );

  const text = fc
    .array(
      fc.constantFrom("a", "b", " ", "'", "\u2019", '"', "\u201c", "-", "\u2014", "\u2026", ".", "\u00a0"),
      {
        maxLength: 40,
      },
    )
    .map((units) => units.join(""));

  it("finds every slice of the text, and only ever gives back a slice of it", () => {
    fc.assert(
      fc.property(text, fc.nat(40), fc.nat(40), text, (whole, from, length, other) => {
        expect(findSpan(whole, whole.slice(from, from + length))).toHaveProperty("found");
        const search = findSpan(whole, other);
        if ("found" in search) expect(whole.includes(search.found)).toBe(true);
      }),
    );
  });
});
