/** Int8 vectors keep what search and clustering need; hexadecimal text comes back as it went. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHex, decodeHexPortably } from "../../../src/platform/embedder/hex";
import { asInt8, cosineInt8, dequantise, quantise } from "../../../src/platform/embedder/quantise";

const vectors = fc
  .array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }), { minLength: 1, maxLength: 64 })
  .map((values) => Float32Array.from(values));

function cosine(left: Float32Array, right: Float32Array): number {
  let dot = 0;
  for (let i = 0; i < left.length; i++) dot += (left[i] ?? 0) * (right[i] ?? 0);
  return dot / (Math.hypot(...left) * Math.hypot(...right));
}

describe("quantise", () => {
  it("moves no value by more than half a step", () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const quantised = quantise(vector);
        const back = dequantise(quantised);
        expect(quantised.bytes).toHaveLength(vector.length);
        vector.forEach((value, i) => {
          expect(Math.abs((back[i] ?? Number.NaN) - value)).toBeLessThanOrEqual(
            quantised.scale * 0.5001 + 1e-37,
          );
        });
      }),
    );
  });

  it("never uses -128, so that every vector has its negative", () => {
    fc.assert(fc.property(vectors, (vector) => !asInt8(quantise(vector).bytes).includes(-128)));
  });

  it("makes a zero vector of scale 0", () => {
    expect(quantise(new Float32Array(3))).toEqual({ bytes: new Uint8Array(3), scale: 0 });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %d", (value) => {
    expect(() => quantise(Float32Array.of(0, value))).toThrow(RangeError);
  });
});

describe("cosineInt8", () => {
  const pair = fc
    .tuple(
      fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 128, maxLength: 128 }),
      fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 128, maxLength: 128 }),
    )
    .map(([left, right]) => [Float32Array.from(left), Float32Array.from(right)] as const)
    .filter(([left, right]) => left.some((value) => value !== 0) && right.some((value) => value !== 0));

  it("is within 0.02 of the cosine of the float vectors", () => {
    fc.assert(
      fc.property(pair, ([left, right]) => {
        const compared = cosineInt8(asInt8(quantise(left).bytes), asInt8(quantise(right).bytes));
        expect(Math.abs(compared - cosine(left, right))).toBeLessThan(0.02);
      }),
    );
  });

  it("is symmetric, at most 1, and 1 for a vector with itself", () => {
    fc.assert(
      fc.property(pair, ([leftFloats, rightFloats]) => {
        const left = asInt8(quantise(leftFloats).bytes);
        const right = asInt8(quantise(rightFloats).bytes);
        expect(cosineInt8(left, right)).toBe(cosineInt8(right, left));
        expect(Math.abs(cosineInt8(left, right))).toBeLessThanOrEqual(1);
        expect(cosineInt8(left, left)).toBeCloseTo(1, 12);
      }),
    );
  });

  it("is 0 with a zero vector", () => {
    expect(cosineInt8(Int8Array.of(0, 0), Int8Array.of(3, 4))).toBe(0);
  });

  it("refuses vectors of different lengths", () => {
    expect(() => cosineInt8(Int8Array.of(1), Int8Array.of(1, 2))).toThrow(/1 and 2/);
  });
});

describe("decodeHex", () => {
  it("gives back the bytes of either letter case, natively or not", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, upper) => {
        const lower = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
        const hex = upper ? lower.toUpperCase() : lower;
        expect(decodeHex(hex)).toEqual(Uint8Array.from(bytes));
        expect(decodeHexPortably(hex)).toEqual(Uint8Array.from(bytes));
      }),
    );
  });

  it.each(["0", "0g", "0x", " 00", "00\n", "é0"])("refuses %j", (text) => {
    expect(() => decodeHex(text)).toThrow(RangeError);
  });
});
