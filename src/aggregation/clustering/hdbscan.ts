/** HDBSCAN with min_samples 1: a point's nearest other point is its only neighbour, so distances stay as they are. */
import { type CondensedTree, condense } from "./condensed-tree";
import { selectByExcessOfMass } from "./excess-of-mass";
import { UNIT_LENGTH } from "./packed-rows";
import { singleLinkage } from "./single-linkage";
import type { TreeEdges } from "./spanning-tree/kernel";

export interface HdbscanOptions {
  /** At least 2. */
  minClusterSize: number;
  /** Euclidean distances of unit vectors below this make nothing denser; 0 for none. */
  shortest: number;
  /** Distances above this join nothing; Infinity for none. */
  longest: number;
  /** Which clusters of the tree may be taken, beside what HDBSCAN itself allows. */
  mayBeTaken?: (tree: CondensedTree) => (cluster: number) => boolean;
}

/** The least squared distance but 0; equal points are this far apart, so that no density is infinite. */
const LEAST_SQUARE = 1;

const squareOf = (distance: number): number => Math.round((distance * UNIT_LENGTH) ** 2);

/**
 * Groups of row indexes, ascending; rows of no group are noise. Without a longest distance the whole is no
 * cluster. With one, whatever it leaves connected is a cluster like any other, born at that distance.
 * @throws RangeError for a cluster size below 2
 */
export function hdbscan(count: number, edges: TreeEdges, options: HdbscanOptions): number[][] {
  if (options.minClusterSize < 2)
    throw new RangeError(`a cluster has at least 2 rows, not ${options.minClusterSize}`);
  const isBounded = Number.isFinite(options.longest);
  const ceiling = isBounded ? squareOf(options.longest) : Number.POSITIVE_INFINITY;
  const hierarchy = singleLinkage(count, edges, ceiling);
  const floor = Math.max(LEAST_SQUARE, squareOf(options.shortest));
  const tree = condense(hierarchy, options.minClusterSize, {
    rootBirth: isBounded ? 1 / options.longest : 0,
    densityOf: (square) => UNIT_LENGTH / Math.sqrt(Math.max(floor, square)),
  });
  const isAllowed = options.mayBeTaken?.(tree) ?? (() => true);
  return selectByExcessOfMass(
    tree,
    (cluster) => (isBounded || (tree.clusters[cluster]?.parent ?? -1) >= 0) && isAllowed(cluster),
  );
}
