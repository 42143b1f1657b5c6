import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containment } from "../../../src/platform/containment";

describe("token containment", () => {
  it("divides by the smaller set, not by the union (trap 31)", () => {
    expect(containment("water ferns", "please water all ferns in the house at dawn")).toBe(1);
    expect(containment("water ferns", "water orchids every single day")).toBe(0.5);
  });

  it("ignores case and repetition", () => {
    expect(containment("Water WATER ferns", "ferns water")).toBe(1);
  });

  it("compares scripts without spaces by pairs of characters", () => {
    expect(containment("\u65e9\u4e0a\u6d47\u6c34", "\u8bf7\u5728\u65e9\u4e0a\u6d47\u6c34")).toBe(1);
    expect(containment("\u65e9\u4e0a\u6d47\u6c34", "\u665a\u4e0a\u65bd\u80a5")).toBe(0);
  });

  it("matches nothing where a side is empty", () => {
    expect(containment("", "")).toBe(0);
    expect(containment(" ", "water")).toBe(0);
  });

  it("is symmetric, from 0 to 1, and 1 for a text with itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (left, right) => {
        const value = containment(left, right);
        expect(value).toBe(containment(right, left));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        if (left.trim() !== "") expect(containment(left, left)).toBe(1);
      }),
    );
  });
});
