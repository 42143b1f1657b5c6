/** Clusters among rows of any number: few by average linkage, many by density. The same for every input order. */
import { averageLinkage, type ClusterPoint } from "./average-linkage";
import { type ClusteringHost, type ClusteringSettings, densityClusters } from "./density";
import { hasDirection } from "./vector-math";

/** Rows from which on density decides (specification 8.7). Rows without a direction do not count. */
export const DENSITY_ROWS = 50;

const byId = (left: ClusterPoint, right: ClusterPoint): number => left.id - right.id;

/**
 * Groups of at least `minClusterSize` ids: ids ascending, groups by their first id. Rows without a direction
 * are in none.
 * @throws RangeError where dimensions differ or the rows do not fit into memory
 */
export async function clusterPoints(
  points: readonly ClusterPoint[],
  settings: ClusteringSettings,
  host: ClusteringHost,
): Promise<number[][]> {
  const usable = points.filter(({ vector }) => hasDirection(vector)).sort(byId);
  if (usable.length < DENSITY_ROWS) return averageLinkage(usable, settings);
  const groups = await densityClusters(usable, settings, host);
  return groups.sort(([left = 0], [right = 0]) => left - right);
}
