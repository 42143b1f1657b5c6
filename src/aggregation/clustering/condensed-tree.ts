/**
 * HDBSCAN's condensed tree: a hierarchy in which parts that are too small do not split a cluster, they leave it.
 * Density is 1 / distance. R. Campello, D. Moulavi, J. Sander, "Density-Based Clustering Based on Hierarchical
 * Density Estimates", PAKDD 2013.
 */
import { type Hierarchy, sizeOf } from "./single-linkage";

export interface CondensedCluster {
  /** Its parent's place in the list, which is always before its own; -1 where it has none. */
  parent: number;
  /** The density at which it becomes a cluster. */
  birth: number;
  size: number;
  /** Sum over its points of the density at which they leave it, less its birth. */
  stability: number;
}

export interface CondensedTree {
  clusters: CondensedCluster[];
  /** For every point the last cluster that it is in; -1 for one that is never in any. */
  lastCluster: Int32Array;
}

/** Every point below a node. */
function* pointsBelow({ count, merges }: Hierarchy, node: number): Generator<number> {
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next < count) yield next;
    else for (const part of merges[next - count]?.parts ?? []) open.push(part);
  }
}

/**
 * Condenses a hierarchy; what has fewer than `minClusterSize` points is no cluster. Roots are born at
 * `rootBirth`. `densityOf` turns a merge's squared distance into a density.
 */
export function condense(
  hierarchy: Hierarchy,
  minClusterSize: number,
  { rootBirth, densityOf }: { rootBirth: number; densityOf: (square: number) => number },
): CondensedTree {
  const tree: CondensedTree = { clusters: [], lastCluster: new Int32Array(hierarchy.count).fill(-1) };
  const open: { node: number; cluster: number }[] = [];
  const found = (node: number, parent: number, birth: number): void => {
    open.push({ node, cluster: tree.clusters.length });
    tree.clusters.push({ parent, birth, size: sizeOf(hierarchy, node), stability: 0 });
  };
  for (const root of hierarchy.roots) {
    if (sizeOf(hierarchy, root) >= minClusterSize) found(root, -1, rootBirth);
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, cluster } = next;
    const merge = hierarchy.merges[node - hierarchy.count];
    const home = tree.clusters[cluster];
    if (merge === undefined || home === undefined) continue;
    const density = densityOf(merge.square);
    const large = merge.parts.filter((part) => sizeOf(hierarchy, part) >= minClusterSize);
    const staying = large.length === 1 ? large[0] : undefined;
    const leaving = merge.size - (staying === undefined ? 0 : sizeOf(hierarchy, staying));
    home.stability += leaving * (density - home.birth);
    if (staying !== undefined) open.push({ node: staying, cluster });
    else for (const part of large) found(part, cluster, density);
    for (const part of merge.parts) {
      if (sizeOf(hierarchy, part) >= minClusterSize) continue;
      for (const point of pointsBelow(hierarchy, part)) tree.lastCluster[point] = cluster;
    }
  }
  return tree;
}
