/**
 * The single-linkage hierarchy of a spanning tree. Merges at one height are one merge of many parts, so the
 * hierarchy depends on the distances alone, never on which of several equal edges came first.
 */
import type { TreeEdges } from "./spanning-tree/kernel";

export interface Merge {
  /** Squared distance at which the parts join. */
  square: number;
  /** Numbers below the hierarchy's `count` are points, others are merges. */
  parts: number[];
  /** Points below it. */
  size: number;
}

export interface Hierarchy {
  count: number;
  /** Merge i has the number `count + i`; parts come before their whole. */
  merges: Merge[];
  /** What never joins anything within the ceiling. */
  roots: number[];
}

export const sizeOf = ({ count, merges }: Hierarchy, node: number): number =>
  node < count ? 1 : (merges[node - count]?.size ?? 0);

/** Disjoint sets, each with the number of the hierarchy's node that it is. */
class Forest {
  private readonly parents: Uint32Array;
  private readonly nodes: Uint32Array;
  constructor(count: number) {
    this.parents = Uint32Array.from({ length: count }, (_, index) => index);
    this.nodes = this.parents.slice();
  }
  rootOf(index: number): number {
    let root = index;
    for (let up = this.parents[root] ?? root; up !== root; up = this.parents[root] ?? root) {
      const above = this.parents[up] ?? up;
      this.parents[root] = above;
      root = above;
    }
    return root;
  }
  unite(left: number, right: number): void {
    this.parents[this.rootOf(left)] = this.rootOf(right);
  }
  nodeOf(root: number): number {
    return this.nodes[root] ?? root;
  }
  name(root: number, node: number): void {
    this.nodes[root] = node;
  }
}

/** Joins `count` points along their tree's edges; those whose squared distance is above `ceiling` join nothing. */
export function singleLinkage(count: number, edges: TreeEdges, ceiling: number): Hierarchy {
  const squareAt = (edge: number): number => edges.squares[edge] ?? 0;
  const order = Uint32Array.from(edges.squares.keys())
    .filter((edge) => squareAt(edge) <= ceiling)
    .sort((left, right) => squareAt(left) - squareAt(right) || left - right);
  const hierarchy: Hierarchy = { count, merges: [], roots: [] };
  const forest = new Forest(count);
  for (let first = 0; first < order.length; ) {
    const square = squareAt(order[first] ?? 0);
    let end = first;
    while (end < order.length && squareAt(order[end] ?? 0) === square) end += 1;
    mergeLevel(hierarchy, forest, edges, order.subarray(first, end), square);
    first = end;
  }
  hierarchy.roots = [...new Set(Array.from({ length: count }, (_, point) => forest.rootOf(point)))].map(
    (root) => forest.nodeOf(root),
  );
  return hierarchy;
}

/** All edges of one height at once: each set that they connect becomes one merge. */
function mergeLevel(
  hierarchy: Hierarchy,
  forest: Forest,
  edges: TreeEdges,
  level: Uint32Array,
  square: number,
): void {
  const touched = new Set<number>();
  for (const edge of level) {
    touched.add(forest.rootOf(edges.parents[edge] ?? 0));
    touched.add(forest.rootOf(edges.rows[edge] ?? 0));
  }
  for (const edge of level) forest.unite(edges.parents[edge] ?? 0, edges.rows[edge] ?? 0);
  const partsOf = new Map<number, number[]>();
  for (const part of touched) {
    const root = forest.rootOf(part);
    const parts = partsOf.get(root);
    // The name of a root changes below only, after every part has been read.
    if (parts === undefined) partsOf.set(root, [forest.nodeOf(part)]);
    else parts.push(forest.nodeOf(part));
  }
  for (const [root, parts] of partsOf) {
    const size = parts.reduce((sum, part) => sum + sizeOf(hierarchy, part), 0);
    forest.name(root, hierarchy.count + hierarchy.merges.length);
    hierarchy.merges.push({ square, parts, size });
  }
}
