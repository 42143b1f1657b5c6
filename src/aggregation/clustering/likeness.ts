/** How alike the members of each cluster of a condensed tree are: the mean cosine of all its pairs. */
import type { CondensedTree } from "./condensed-tree";

/** Sum of the given vectors' directions. */
function addDirection(sum: Float64Array, vector: Float32Array): void {
  let square = 0;
  for (const value of vector) square += value * value;
  const scale = 1 / Math.sqrt(square);
  for (let index = 0; index < sum.length; index += 1)
    sum[index] = (sum[index] ?? 0) + scale * (vector[index] ?? 0);
}

/** The points whose last cluster is each cluster. */
function pointsByCluster({ clusters, lastCluster }: CondensedTree): number[][] {
  const points: number[][] = clusters.map(() => []);
  lastCluster.forEach((cluster, point) => {
    points[cluster]?.push(point);
  });
  return points;
}

/**
 * The mean cosine of two different members, by cluster, in O(points × dimension): from the length of the sum of
 * all unit vectors. A sum lives until its parent has taken it up.
 */
export function meanLikeness(tree: CondensedTree, vectors: readonly Float32Array[]): Float64Array {
  const dimension = vectors[0]?.length ?? 0;
  const points = pointsByCluster(tree);
  const sums = new Map<number, Float64Array>();
  const means = new Float64Array(tree.clusters.length);
  for (let index = tree.clusters.length - 1; index >= 0; index -= 1) {
    const sum = sums.get(index) ?? new Float64Array(dimension);
    sums.delete(index);
    for (const point of points[index] ?? []) addDirection(sum, vectors[point] ?? new Float32Array(dimension));
    const { parent = -1, size = 0 } = tree.clusters[index] ?? {};
    let square = 0;
    for (const value of sum) square += value * value;
    means[index] = (square - size) / (size * (size - 1));
    if (parent < 0) continue;
    const above = sums.get(parent);
    if (above === undefined) sums.set(parent, sum);
    else for (let at = 0; at < dimension; at += 1) above[at] = (above[at] ?? 0) + (sum[at] ?? 0);
  }
  return means;
}
