/** Packed blocks: exact cosine, slots that are used and freed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clearSlot,
  emptyBlock,
  freeSlot,
  scan,
  VECTORS_PER_BLOCK,
  writeSlot,
} from "../../../src/platform/vectors/blocks";

const DIMENSION = 6;
const components = fc
  .array(fc.integer({ min: -127, max: 127 }), { minLength: DIMENSION, maxLength: DIMENSION })
  .map((values) => Int8Array.from(values));
const all = () => true;

function cosine(left: Int8Array, right: Float32Array): number {
  const dot = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  return dot / Math.hypot(...left);
}

function unitOf(values: Int8Array): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

describe("a block", () => {
  it("gives the cosine to every vector that was put in, and to no other slot", () => {
    const nonZero = components.filter((values) => values.some((value) => value !== 0));
    fc.assert(
      fc.property(fc.array(nonZero, { minLength: 1, maxLength: 20 }), nonZero, (stored, query) => {
        const block = emptyBlock(DIMENSION);
        const unit = unitOf(query);
        stored.forEach((values, position) => {
          writeSlot(block, position * 3, values);
        });
        const hits = scan(block, unit, all);
        expect(hits.map(({ slot }) => slot)).toEqual(stored.map((_, position) => position * 3));
        for (const [position, { score }] of hits.entries()) {
          expect(score).toBeCloseTo(cosine(stored[position] ?? query, unit), 5);
          expect(Math.abs(score)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("skips free slots and those that are not accepted", () => {
    const block = emptyBlock(2);
    for (const slot of [0, 1, 255]) writeSlot(block, slot, Int8Array.of(1, 0));
    clearSlot(block, 1);
    const unit = Float32Array.of(1, 0);
    expect(scan(block, unit, all)).toEqual([
      { slot: 0, score: 1 },
      { slot: 255, score: 1 },
    ]);
    expect(scan(block, unit, (slot) => slot === 255)).toHaveLength(1);
  });

  it("takes a vector of zeros for a free slot", () => {
    const block = emptyBlock(2);
    writeSlot(block, 0, Int8Array.of(0, 0));
    expect(scan(block, Float32Array.of(1, 0), all)).toEqual([]);
    expect(freeSlot(block)).toBe(0);
  });

  it("has a free slot until 256 vectors are in it", () => {
    const block = emptyBlock(1);
    for (let slot = 0; slot < VECTORS_PER_BLOCK; slot += 1) {
      expect(freeSlot(block)).toBe(slot);
      writeSlot(block, slot, Int8Array.of(1));
    }
    expect(freeSlot(block)).toBeNull();
  });
});
