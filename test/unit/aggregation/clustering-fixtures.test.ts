/** Clusters are those that scikit-learn and hdbscan find in the same rows. */
import { describe, expect, test } from "vitest";
import { averageLinkage } from "../../../src/aggregation/clustering/average-linkage";
import { clusterPoints, DENSITY_ROWS } from "../../../src/aggregation/clustering/clusters";
import { distanceAt } from "../../../src/aggregation/clustering/density";
import { type HdbscanOptions, hdbscan } from "../../../src/aggregation/clustering/hdbscan";
import { growSpanningTree } from "../../../src/aggregation/clustering/spanning-tree/grow";
import { hasDirection } from "../../../src/aggregation/clustering/vector-math";
import { adjustedRandIndex, type DataSet, fixtures, labelsOf, nodeKernel, pointsOf } from "./clustering-data";

const pause = async () => {};
const AGREEMENT = 0.99;

const few = fixtures.sets.filter(({ labels }) => labels.average !== undefined);
const many = fixtures.sets.filter(({ labels }) => labels.field !== undefined);
const expected = (set: DataSet, name: string): number[] => set.labels[name] ?? [];

/** Plain HDBSCAN over the rows that have a direction. */
async function hdbscanLabels(set: DataSet, options: Omit<HdbscanOptions, "minClusterSize">) {
  const points = pointsOf(set);
  const usable = [...points.keys()].filter((index) => {
    const point = points[index];
    return point !== undefined && hasDirection(point.vector);
  });
  const edges = await growSpanningTree(
    usable.flatMap((index) => points[index]?.vector ?? []),
    nodeKernel,
    pause,
  );
  const groups = hdbscan(usable.length, edges, { ...options, minClusterSize: set.minClusterSize });
  return labelsOf(
    groups.map((group) => group.flatMap((index) => usable[index] ?? [])),
    points.length,
  );
}

async function productLabels(set: DataSet): Promise<number[]> {
  const points = pointsOf(set);
  const groups = await clusterPoints(points, set, { kernel: nodeKernel, pause });
  return labelsOf(
    groups.map((ids) => ids.map((id) => id - 1)),
    points.length,
  );
}

test("the fixtures hold sets on both sides of the switch, and name who made them", () => {
  expect(few.map((set) => pointsOf(set).length)).toContain(DENSITY_ROWS - 1);
  expect(many.map((set) => pointsOf(set).length)).toEqual(
    expect.arrayContaining([DENSITY_ROWS, DENSITY_ROWS + 1, 200, 1000, 2000]),
  );
  expect(few.length + many.length).toBe(fixtures.sets.length);
  expect(fixtures.versions).toMatchObject({ hdbscan: "0.8.44", "scikit-learn": "1.9.1" });
});

describe.each(few.map((set) => [set.name, set] as const))("%s", (_, set) => {
  test("below 50 rows the clusters are scikit-learn's by average linkage", async () => {
    const points = pointsOf(set);
    const groups = averageLinkage(points, set).map((ids) => ids.map((id) => id - 1));
    expect(adjustedRandIndex(labelsOf(groups, points.length), expected(set, "average"))).toBe(1);
    expect(await productLabels(set)).toEqual(labelsOf(groups, points.length));
  });
});

describe.each(many.map((set) => [set.name, set] as const))("%s", (_, set) => {
  test("without bounds the clusters are hdbscan's", async () => {
    const found = await hdbscanLabels(set, { shortest: 0, longest: Number.POSITIVE_INFINITY });
    expect(adjustedRandIndex(found, expected(set, "field"))).toBeGreaterThanOrEqual(AGREEMENT);
  });

  test("with the usual cluster_selection_epsilon_max they are hdbscan's too", async () => {
    const epsilonMax = distanceAt(set.similarity);
    const found = await hdbscanLabels(set, {
      shortest: 0,
      longest: Number.POSITIVE_INFINITY,
      mayBeTaken: (tree) => (cluster) => 1 / (tree.clusters[cluster]?.birth ?? 0) <= epsilonMax,
    });
    expect(adjustedRandIndex(found, expected(set, "epsilonMax"))).toBeGreaterThanOrEqual(AGREEMENT);
  });

  test("with distances held between bounds they are hdbscan's on such distances", async () => {
    const longest = distanceAt(set.similarity);
    const found = await hdbscanLabels(set, { shortest: longest / 4, longest });
    expect(adjustedRandIndex(found, expected(set, "bounded"))).toBeGreaterThanOrEqual(AGREEMENT);
  });

  test("what aggregation uses are these clusters where members are alike enough", async () => {
    expect(adjustedRandIndex(await productLabels(set), expected(set, "alike"))).toBeGreaterThanOrEqual(
      AGREEMENT,
    );
  });
});
