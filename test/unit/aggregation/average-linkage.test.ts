/** Average linkage: equal to the textbook algorithm, independent of order, bounded. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  averageLinkage,
  type ClusterPoint,
  MAX_AVERAGE_LINKAGE_ROWS,
  TooManyRows,
} from "../../../src/aggregation/clustering/average-linkage";
import { cosine } from "../../../src/aggregation/clustering/vector-math";

/** Merges the two clusters with the least mean pairwise distance until none is within the cut: O(n³) and plain. */
function textbook(points: readonly ClusterPoint[], similarity: number, minClusterSize: number): number[][] {
  let groups = points.filter(({ vector }) => vector.some((value) => value !== 0)).map((point) => [point]);
  const distance = (left: ClusterPoint[], right: ClusterPoint[]) => {
    let sum = 0;
    for (const one of left) for (const other of right) sum += 1 - cosine(one.vector, other.vector);
    return sum / (left.length * right.length);
  };
  for (;;) {
    let best: { left: number; right: number; height: number } | null = null;
    for (let left = 0; left < groups.length; left += 1) {
      for (let right = left + 1; right < groups.length; right += 1) {
        const height = distance(groups[left] ?? [], groups[right] ?? []);
        if (best === null || height < best.height) best = { left, right, height };
      }
    }
    if (best === null || best.height > 1 - similarity) break;
    const { left, right } = best;
    const merged = [...(groups[left] ?? []), ...(groups[right] ?? [])];
    groups = [...groups.filter((_, index) => index !== left && index !== right), merged];
  }
  return groups
    .map((group) => group.map(({ id }) => id).sort((a, b) => a - b))
    .filter((group) => group.length >= minClusterSize)
    .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

const component = fc.integer({ min: -10_000, max: 10_000 }).map((step) => step / 10_000);
const pointSets = fc
  .array(fc.tuple(component, component, component, component), { minLength: 0, maxLength: 18 })
  .map((rows) => rows.map((row, index): ClusterPoint => ({ id: index + 1, vector: Float32Array.from(row) })));

/** True where no two pairs are equally far apart, so that there is one right order of merging. */
function hasDistinctDistances(points: readonly ClusterPoint[]): boolean {
  const distances = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => cosine(one.vector, other.vector)),
  );
  distances.sort((left, right) => left - right);
  return distances.every((distance, index) => index === 0 || distance - (distances[index - 1] ?? 0) > 1e-6);
}

/** True where a pair or group lies so near the cut that rounding may decide. */
const isClearOfTies = (points: readonly ClusterPoint[], similarity: number): boolean =>
  JSON.stringify(textbook(points, similarity - 1e-4, 1)) ===
  JSON.stringify(textbook(points, similarity + 1e-4, 1));

test("equals the textbook algorithm wherever rounding does not decide", () => {
  fc.assert(
    fc.property(pointSets, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (points, similarity) => {
      fc.pre(hasDistinctDistances(points) && isClearOfTies(points, similarity));
      expect(averageLinkage(points, { similarity, minClusterSize: 2 })).toEqual(
        textbook(points, similarity, 2),
      );
    }),
    { numRuns: 200 },
  );
});

test("gives the same groups for every order of the input", () => {
  const shuffled = pointSets.chain((points) =>
    fc.tuple(fc.constant(points), fc.shuffledSubarray(points, { minLength: points.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.constantFrom(0, 0.3, 0.5, 0.9), ([points, other], similarity) => {
      const options = { similarity, minClusterSize: 1 };
      expect(averageLinkage(other, options)).toEqual(averageLinkage(points, options));
    }),
  );
});

test("every id stands in at most one group, and groups of one are kept only when asked for", () => {
  fc.assert(
    fc.property(pointSets, (points) => {
      const groups = averageLinkage(points, { similarity: 0.5, minClusterSize: 1 });
      const ids = groups.flat();
      expect(new Set(ids).size).toBe(ids.length);
      expect(averageLinkage(points, { similarity: 0.5, minClusterSize: 2 })).toEqual(
        groups.filter((group) => group.length >= 2),
      );
    }),
  );
});

test("vectors without a direction merge with nothing, not even at a threshold everything passes", () => {
  const zero = new Float32Array(3);
  const points = [
    { id: 1, vector: zero },
    { id: 2, vector: zero },
    { id: 3, vector: Float32Array.of(1, 0, 0) },
    { id: 4, vector: Float32Array.of(0.9, 0.1, 0) },
    { id: 5, vector: Float32Array.of(Number.NaN, 0, 0) },
  ];
  expect(averageLinkage(points, { similarity: -1, minClusterSize: 2 })).toEqual([[3, 4]]);
});

test("near-identical rows form one cluster on both sides of the 49/50 boundary", () => {
  for (const size of [2, 49, 50, 60]) {
    const points = Array.from({ length: size }, (_, index) => ({
      id: index + 1,
      vector: Float32Array.of(1, index / 10_000, 0),
    }));
    expect(averageLinkage(points, { similarity: 0.9, minClusterSize: 2 })).toHaveLength(1);
  }
});

test("works off the most rows it takes, and refuses one more by name instead of sampling", () => {
  const row = (index: number): ClusterPoint => ({
    id: index,
    vector: Float32Array.of(Math.cos((index % 40) / 6), Math.sin((index % 40) / 6)),
  });
  const rows = Array.from({ length: MAX_AVERAGE_LINKAGE_ROWS + 1 }, (_, index) => row(index));
  const groups = averageLinkage(rows.slice(1), { similarity: 0.999, minClusterSize: 2 });
  expect(groups.flat()).toHaveLength(MAX_AVERAGE_LINKAGE_ROWS);
  expect(() => averageLinkage(rows, { similarity: 0.5, minClusterSize: 2 })).toThrow(TooManyRows);
});
