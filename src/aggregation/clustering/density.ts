/**
 * Clusters of many rows by density: HDBSCAN bounded by the model's similarity. Three rules differ from the
 * usual parameters, so that rows cluster alike on both sides of the switch from average linkage:
 *
 * 1. What is connected within the threshold's distance is a cluster like any other, the whole included, born at
 *    that distance. The usual `cluster_selection_epsilon_max` compares the distance at which a group parts from
 *    the others, and so breaks up the very groups that stand apart most clearly.
 * 2. Nothing is denser than a quarter of the threshold's distance makes it: rows that nearly repeat each other
 *    are no reason to take them apart from their topic.
 * 3. A cluster's members are on average as alike as the threshold asks, as average linkage has it. A chain of
 *    neighbours whose ends have nothing in common is no cluster, but parts of it may be.
 */
import type { ClusterPoint } from "./average-linkage";
import { hdbscan } from "./hdbscan";
import { meanLikeness } from "./likeness";
import { growSpanningTree } from "./spanning-tree/grow";
import type { SpanningTreeKernel } from "./spanning-tree/kernel";

/** Cosines of packed rows are exact to about this much; it also holds equal rows together at similarity 1. */
const ROUNDING = 1e-6;
const SHORTEST_SHARE = 1 / 4;

/** The distance of two unit vectors whose cosine is `similarity`. */
export const distanceAt = (similarity: number): number => Math.sqrt(2 * Math.max(0, 1 - similarity));

/** What a clustering needs of its surroundings. */
export interface ClusteringHost {
  kernel: SpanningTreeKernel;
  /** Awaited between stretches of work of about 20 ms: timers fire and calls are answered meanwhile. */
  pause: () => Promise<void>;
}

export interface ClusteringSettings {
  /** Cosine similarity at and above which two rows belong together. */
  similarity: number;
  minClusterSize: number;
}

/**
 * Groups of ids, ascending, in no order; the rest is noise. Every point has a direction; give them by id.
 * @throws RangeError where dimensions differ or the rows do not fit into memory
 */
export async function densityClusters(
  points: readonly ClusterPoint[],
  { similarity, minClusterSize }: ClusteringSettings,
  { kernel, pause }: ClusteringHost,
): Promise<number[][]> {
  const vectors = points.map(({ vector }) => vector);
  const edges = await growSpanningTree(vectors, kernel, pause);
  await pause();
  const longest = distanceAt(similarity - ROUNDING);
  const groups = hdbscan(points.length, edges, {
    minClusterSize,
    shortest: longest * SHORTEST_SHARE,
    longest,
    mayBeTaken: (tree) => {
      const means = meanLikeness(tree, vectors);
      return (cluster) => (means[cluster] ?? 0) >= similarity - ROUNDING;
    },
  });
  return groups.map((group) => group.flatMap((index) => points[index]?.id ?? []));
}
