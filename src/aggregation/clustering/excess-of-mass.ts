/** Which clusters of a condensed tree are taken: the set without overlap that has the most stability in all. */
import type { CondensedTree } from "./condensed-tree";

/**
 * Groups of point indexes, ascending; points of no group are noise. A cluster is taken where it is at least as
 * stable as the best of what is below it; `mayBeTaken` can forbid one, its parts stay possible.
 */
export function selectByExcessOfMass(
  { clusters, lastCluster }: CondensedTree,
  mayBeTaken: (cluster: number) => boolean,
): number[][] {
  const below = new Float64Array(clusters.length);
  const isTaken = new Uint8Array(clusters.length);
  for (let index = clusters.length - 1; index >= 0; index -= 1) {
    const cluster = clusters[index];
    if (cluster === undefined) continue;
    const inParts = below[index] ?? 0;
    const takes = cluster.stability >= inParts && mayBeTaken(index);
    isTaken[index] = takes ? 1 : 0;
    if (cluster.parent >= 0)
      below[cluster.parent] = (below[cluster.parent] ?? 0) + (takes ? cluster.stability : inParts);
  }
  // The topmost taken cluster owns all below it; parents stand before their parts.
  const owner = new Int32Array(clusters.length).fill(-1);
  clusters.forEach(({ parent }, index) => {
    const above = parent < 0 ? -1 : (owner[parent] ?? -1);
    owner[index] = above >= 0 ? above : isTaken[index] === 1 ? index : -1;
  });
  const groups = new Map<number, number[]>();
  lastCluster.forEach((last, point) => {
    const label = last < 0 ? -1 : (owner[last] ?? -1);
    if (label < 0) return;
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [point]);
    else group.push(point);
  });
  return [...groups.values()];
}
