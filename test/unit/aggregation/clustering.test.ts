/** Clusters of any number of rows: the switch at 50, hostile rows, order, and pauses on the way. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClusterPoint } from "../../../src/aggregation/clustering/average-linkage";
import { clusterPoints, DENSITY_ROWS } from "../../../src/aggregation/clustering/clusters";
import { hdbscan } from "../../../src/aggregation/clustering/hdbscan";
import {
  growSpanningTree,
  STRETCH_MULTIPLICATIONS,
} from "../../../src/aggregation/clustering/spanning-tree/grow";
import type { SpanningTreeKernel } from "../../../src/aggregation/clustering/spanning-tree/kernel";
import { plainKernel } from "../../../src/aggregation/clustering/spanning-tree/plain";
import { cosine } from "../../../src/aggregation/clustering/vector-math";
import { around, Draws, fixtures, nodeKernel, pointsOf, shuffled } from "./clustering-data";

const DIMENSION = 32;
const host = { kernel: nodeKernel, pause: async () => {} };
const pointsFrom = (rows: readonly (readonly number[])[]): ClusterPoint[] =>
  rows.map((row, index) => ({ id: index + 1, vector: Float32Array.from(row) }));
const allIds = (rows: number): number[] => Array.from({ length: rows }, (_, index) => index + 1);

/** `rows` rows that differ in their last digits only. */
function nearCopies(rows: number, seed: number): number[][] {
  const draws = new Draws(seed);
  const base = draws.vector(DIMENSION).map((value) => value * 1000);
  return Array.from({ length: rows }, () => base.map((value) => value + draws.bell()));
}

describe.each([DENSITY_ROWS - 1, DENSITY_ROWS, DENSITY_ROWS + 1, 300])("%i rows", (rows) => {
  test("trap 56: rows that nearly repeat each other are one cluster", async () => {
    const points = pointsFrom(nearCopies(rows, 5));
    expect(await clusterPoints(points, { similarity: 0.6, minClusterSize: 2 }, host)).toEqual([allIds(rows)]);
  });

  test("equal rows are one cluster, even at similarity 1 and whatever their length", async () => {
    const row = new Draws(6).vector(DIMENSION);
    const points = pointsFrom(
      Array.from({ length: rows }, (_, index) => row.map((value) => value * (index + 1))),
    );
    for (const similarity of [0.3, 0.9, 1]) {
      expect(await clusterPoints(points, { similarity, minClusterSize: 2 }, host)).toEqual([allIds(rows)]);
    }
  });

  test("trap 56: one topic whose rows all lie within the threshold is one cluster", async () => {
    const draws = new Draws(7);
    const points = pointsFrom(around(draws, draws.vector(DIMENSION), 6, rows));
    expect(await clusterPoints(points, { similarity: 0.5, minClusterSize: 2 }, host)).toEqual([allIds(rows)]);
  });

  test("a pair of equal rows does not break up the topic around it", async () => {
    const draws = new Draws(8);
    const topic = around(draws, draws.vector(DIMENSION), 7, rows - 1);
    const points = pointsFrom([...topic, topic[0] ?? []]);
    expect(await clusterPoints(points, { similarity: 0.5, minClusterSize: 2 }, host)).toEqual([allIds(rows)]);
  });

  test("trap 56: rows without a direction are in no cluster and change no other one", async () => {
    const draws = new Draws(9);
    const topics = [1, 2, 3].flatMap(() => around(draws, draws.vector(DIMENSION), 6, Math.floor(rows / 3)));
    const zeros = [new Float32Array(DIMENSION), new Float32Array(DIMENSION).fill(Number.NaN)].flatMap(
      (vector, kind) =>
        Array.from({ length: 60 }, (_, index) => ({ id: 1_000 + 100 * kind + index, vector })),
    );
    const points = pointsFrom(topics);
    const settings = { similarity: 0.5, minClusterSize: 2 };
    const found = await clusterPoints([...zeros, ...points], settings, host);
    expect(found).toEqual(await clusterPoints(points, settings, host));
    expect(found).toHaveLength(3);
  });

  test("rows in all directions are in no cluster", async () => {
    const draws = new Draws(10);
    const points = pointsFrom(Array.from({ length: rows }, () => draws.vector(200)));
    expect(await clusterPoints(points, { similarity: 0.5, minClusterSize: 2 }, host)).toEqual([]);
  });
});

test("trap 56: groups that stand far apart stay whole from 50 rows on, as they do below", async () => {
  for (const rows of [8, 30]) {
    const draws = new Draws(11);
    const points = pointsFrom([1, 2, 3].flatMap(() => around(draws, draws.vector(128), 8, rows)));
    const found = await clusterPoints(points, { similarity: 0.5, minClusterSize: 3 }, host);
    expect(found.map(({ length }) => length)).toEqual([rows, rows, rows]);
  }
});

test("a chain whose ends have nothing in common is not one cluster, its parts are", async () => {
  const rows = Array.from({ length: 200 }, (_, index) => [Math.cos(index / 40), Math.sin(index / 40), 0.01]);
  const found = await clusterPoints(pointsFrom(rows), { similarity: 0.9, minClusterSize: 2 }, host);
  expect(found.length).toBeGreaterThanOrEqual(2);
  expect(found.flat().length).toBeGreaterThan(150);
  for (const ids of found) expect(ids.length).toBeLessThan(100);
});

const smallSets = fc
  .array(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 }), {
    minLength: DENSITY_ROWS,
    maxLength: 90,
  })
  .map(pointsFrom);

test("members of a cluster are on average as alike as the threshold asks, and clusters do not overlap", async () => {
  await fc.assert(
    fc.asyncProperty(smallSets, fc.constantFrom(0.3, 0.6, 0.9), async (points, similarity) => {
      const found = await clusterPoints(points, { similarity, minClusterSize: 2 }, host);
      expect(new Set(found.flat()).size).toBe(found.flat().length);
      for (const ids of found) {
        expect(ids.length).toBeGreaterThanOrEqual(2);
        const vectors = ids.flatMap((id) => points[id - 1]?.vector ?? []);
        let sum = 0;
        for (const [index, left] of vectors.entries())
          for (const right of vectors.slice(0, index)) sum += cosine(left, right);
        expect(sum / ((ids.length * (ids.length - 1)) / 2)).toBeGreaterThan(similarity - 1e-5);
      }
    }),
    { numRuns: 60 },
  );
});

test("the clusters are the same for every order of the rows, ties included", async () => {
  await fc.assert(
    fc.asyncProperty(smallSets, fc.integer({ min: 1, max: 2 ** 31 }), async (points, seed) => {
      const settings = { similarity: 0.6, minClusterSize: 2 };
      const mixed = shuffled(points, new Draws(seed));
      expect(await clusterPoints(mixed, settings, host)).toEqual(await clusterPoints(points, settings, host));
    }),
    { numRuns: 60 },
  );
  for (const set of fixtures.sets) {
    const points = pointsOf(set);
    const found = await clusterPoints(shuffled(points, new Draws(77)), set, host);
    expect(found).toEqual(await clusterPoints(points, set, host));
  }
});

test("which ids the rows have changes no cluster, ties included", async () => {
  await fc.assert(
    fc.asyncProperty(smallSets, fc.integer({ min: 1, max: 2 ** 31 }), async (points, seed) => {
      const settings = { similarity: 0.6, minClusterSize: 2 };
      const mixed = shuffled(points, new Draws(seed));
      const renamed = mixed.map(({ vector }, index) => ({ id: index + 1, vector }));
      const asSets = (groups: readonly (readonly number[])[]) =>
        groups.map((ids) => [...ids].sort((left, right) => left - right)).sort(([a = 0], [b = 0]) => a - b);
      const found = await clusterPoints(renamed, settings, host);
      expect(asSets(found.map((ids) => ids.flatMap((id) => mixed[id - 1]?.id ?? [])))).toEqual(
        asSets(await clusterPoints(points, settings, host)),
      );
    }),
    { numRuns: 60 },
  );
});

describe("the spanning tree", () => {
  const anyRows = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }))
    .chain(([rows, dimension]) =>
      fc.array(
        fc
          .array(fc.integer({ min: -9, max: 9 }), { minLength: dimension, maxLength: dimension })
          .filter((row) => row.some((value) => value !== 0)),
        { minLength: rows, maxLength: rows },
      ),
    )
    .map((rows) => rows.map((row) => Float32Array.from(row)));

  test("is the same, edge by edge, in WebAssembly and in plain TypeScript", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, async (vectors) => {
        expect(await growSpanningTree(vectors, nodeKernel, host.pause)).toEqual(
          await growSpanningTree(vectors, plainKernel, host.pause),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("is exact for opposite rows, the farthest there are", async () => {
    const one = Float32Array.from({ length: 1_536 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    const edges = await growSpanningTree([one, one.map((value) => -value)], nodeKernel, host.pause);
    expect((edges.squares[0] ?? 0) / 32_000 ** 2).toBeCloseTo(4, 2);
    expect(edges).toEqual(await growSpanningTree([one, one.map((value) => -value)], plainKernel, host.pause));
  });

  test("compares a bounded number of values between two pauses", async () => {
    const draws = new Draws(12);
    const vectors = Array.from({ length: 3_000 }, () => Float32Array.from(draws.vector(256)));
    let pauses = 0;
    let asked = 0;
    const counting: SpanningTreeKernel = {
      start(count, dimension) {
        const run = nodeKernel.start(count, dimension);
        return {
          width: run.width,
          row: (index) => run.row(index),
          edges: () => run.edges(),
          advance(pairs) {
            expect(pairs * run.width).toBeLessThanOrEqual(STRETCH_MULTIPLICATIONS);
            asked += 1;
            return run.advance(pairs);
          },
        };
      },
    };
    await growSpanningTree(vectors, counting, async () => {
      pauses += 1;
    });
    const stretches = Math.ceil((3_000 * 2_999 * 256) / 2 / STRETCH_MULTIPLICATIONS);
    expect(asked).toBeGreaterThanOrEqual(stretches);
    expect(pauses).toBeGreaterThanOrEqual(asked - 1);
  });

  test("rows of different dimensions, and more rows than memory has room for, are refused by name", async () => {
    const vectors = [Float32Array.of(1, 0), Float32Array.of(1, 0, 0)];
    await expect(growSpanningTree(vectors, nodeKernel, host.pause)).rejects.toThrow(
      "row 1 has 3 dimensions, the first one 2",
    );
    expect(() => nodeKernel.start(2_000_000, 2_048)).toThrow(RangeError);
  });

  test("gives no edges before it spans all rows", () => {
    const run = nodeKernel.start(3, 8);
    expect(() => run.edges()).toThrow("does not span");
  });
});

test("a cluster size below two is refused: every row would be one", () => {
  const none = new Uint32Array();
  const edges = { parents: none, rows: none, squares: none };
  expect(() => hdbscan(0, edges, { minClusterSize: 1, shortest: 0, longest: 1 })).toThrow(RangeError);
});
