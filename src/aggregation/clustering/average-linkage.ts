/**
 * Agglomerative clustering with average linkage over cosine distance, by the nearest-neighbour chain:
 * O(n²) time, one condensed Float32 matrix (8 MB at 2,000 rows). The result depends on the set of points
 * alone, never on their order.
 */
import { dot, toUnit } from "./vector-math";

/** Rows above which the full pairwise matrix is refused, never sampled (specification 14.1, 12). */
export const MAX_AVERAGE_LINKAGE_ROWS = 2_000;

export interface ClusterPoint {
  /** Unique among the points. */
  id: number;
  vector: Float32Array;
}

export class TooManyRows extends Error {
  override readonly name = "TooManyRows";
  constructor(
    readonly rows: number,
    readonly maxRows: number,
  ) {
    super(`${rows} rows exceed the clustering cap of ${maxRows}`);
  }
}

interface Merge {
  left: number;
  right: number;
  height: number;
}

/** Distances of the upper triangle, row by row. */
class CondensedDistances {
  private readonly values: Float32Array;
  constructor(private readonly size: number) {
    this.values = new Float32Array((size * (size - 1)) / 2);
  }
  private place(left: number, right: number): number {
    const low = Math.min(left, right);
    return low * this.size - (low * (low + 1)) / 2 + Math.max(left, right) - low - 1;
  }
  get(left: number, right: number): number {
    return this.values[this.place(left, right)] ?? 0;
  }
  set(left: number, right: number, distance: number): void {
    this.values[this.place(left, right)] = distance;
  }
}

function pairwise(units: readonly Float32Array[]): CondensedDistances {
  const distances = new CondensedDistances(units.length);
  units.forEach((unit, left) => {
    for (let right = left + 1; right < units.length; right += 1) {
      distances.set(left, right, 1 - dot(unit, units[right] ?? unit));
    }
  });
  return distances;
}

/** The nearest active neighbour; the chain's previous element wins a tie, then the lowest index. */
function nearest(from: number, previous: number, active: readonly boolean[], distances: CondensedDistances) {
  let best = previous;
  let height = previous < 0 ? Number.POSITIVE_INFINITY : distances.get(from, previous);
  for (let other = 0; other < active.length; other += 1) {
    if (other === from || active[other] !== true) continue;
    const distance = distances.get(from, other);
    if (distance < height) {
      best = other;
      height = distance;
    }
  }
  return { best, height };
}

/** Every merge of the dendrogram; the merged cluster lives on at the higher index. */
function mergesOf(units: readonly Float32Array[]): Merge[] {
  const distances = pairwise(units);
  const active = units.map(() => true);
  const sizes = units.map(() => 1);
  const merges: Merge[] = [];
  const chain: number[] = [];
  while (merges.length < units.length - 1) {
    if (chain.length === 0) chain.push(active.indexOf(true));
    const tip = chain.at(-1) ?? 0;
    const previous = chain.at(-2) ?? -1;
    const { best, height } = nearest(tip, previous, active, distances);
    if (best !== previous) {
      chain.push(best);
      continue;
    }
    chain.length -= 2;
    const keep = Math.max(tip, best);
    const drop = Math.min(tip, best);
    merges.push({ left: drop, right: keep, height });
    active[drop] = false;
    const dropSize = sizes[drop] ?? 1;
    const keepSize = sizes[keep] ?? 1;
    for (let other = 0; other < active.length; other += 1) {
      if (other === keep || active[other] !== true) continue;
      const sum = dropSize * distances.get(other, drop) + keepSize * distances.get(other, keep);
      distances.set(other, keep, sum / (dropSize + keepSize));
    }
    sizes[keep] = dropSize + keepSize;
  }
  return merges;
}

/** Connected groups of indexes once every merge at or below the cut is applied. */
function cutAt(size: number, merges: readonly Merge[], cut: number): number[][] {
  const parents = Array.from({ length: size }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parents[root] !== undefined && parents[root] !== root) root = parents[root] ?? root;
    parents[index] = root;
    return root;
  };
  for (const { left, right, height } of merges) {
    if (height <= cut) parents[rootOf(left)] = rootOf(right);
  }
  const groups = new Map<number, number[]>();
  for (let index = 0; index < size; index += 1) {
    const root = rootOf(index);
    groups.set(root, [...(groups.get(root) ?? []), index]);
  }
  return [...groups.values()];
}

/** Float32 distances and running averages are exact to about this much. */
const ROUNDING = 1e-6;

/**
 * Groups of at least `minClusterSize` ids whose average linkage lies within cosine distance
 * 1 − `similarity`: ids ascending, groups by their first id. A vector without a direction joins nothing.
 * @throws TooManyRows above {@link MAX_AVERAGE_LINKAGE_ROWS}
 */
export function averageLinkage(
  points: readonly ClusterPoint[],
  { similarity, minClusterSize }: { similarity: number; minClusterSize: number },
): number[][] {
  if (points.length > MAX_AVERAGE_LINKAGE_ROWS)
    throw new TooManyRows(points.length, MAX_AVERAGE_LINKAGE_ROWS);
  const usable = [...points]
    .sort((left, right) => left.id - right.id)
    .flatMap(({ id, vector }) => {
      const unit = toUnit(vector);
      return unit === null ? [] : [{ id, unit }];
    });
  const merges = mergesOf(usable.map(({ unit }) => unit));
  return cutAt(usable.length, merges, 1 - similarity + ROUNDING)
    .map((group) => group.flatMap((index) => usable[index]?.id ?? []))
    .filter((ids) => ids.length >= Math.max(1, minClusterSize));
}
