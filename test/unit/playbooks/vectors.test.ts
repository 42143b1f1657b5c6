import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantise } from "../../../src/platform/embedder/quantise";
import { unitVectorOf } from "../../../src/playbooks/vectors";

const stored = (values: number[]) => {
  const { bytes, scale } = quantise(Float32Array.from(values));
  const hexBytes = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { hexBytes, scale, dimension: values.length };
};

describe("a stored vector", () => {
  it("comes back as a unit vector in the direction it was stored in", () => {
    const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 8, maxLength: 64 });
    fc.assert(
      fc.property(
        values.filter((list) => list.some((value) => value !== 0)),
        (list) => {
          const unit = unitVectorOf(stored(list)) ?? new Float32Array();
          const norm = Math.hypot(...list);
          const cosine = unit.reduce((sum, value, at) => sum + (value * (list[at] ?? 0)) / norm, 0);
          expect(Math.hypot(...unit)).toBeCloseTo(1, 4);
          expect(cosine).toBeGreaterThan(0.999);
        },
      ),
    );
  });

  it("is none where the text had no known word", () => {
    expect(unitVectorOf(stored([0, 0, 0]))).toBeNull();
  });
});
