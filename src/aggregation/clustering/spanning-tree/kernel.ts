/** The port to what grows a minimum spanning tree: the costly part of clustering, n²/2 distances. */

/** Edge i joins row `rows[i]` to row `parents[i]`, which was in the tree before; in the order of joining. */
export interface TreeEdges {
  parents: Uint32Array;
  rows: Uint32Array;
  /** Squared Euclidean distances in packed units, exact. */
  squares: Uint32Array;
}

/** One tree, from its rows to its edges. */
export interface SpanningTreeRun {
  /** Width of a row: the dimension, rounded up to whole lanes. */
  readonly width: number;
  /** The memory of one row, all zeros. Write every row before the first `advance`, and none after. */
  row(index: number): Int16Array;
  /** Compares about `pairs` pairs of rows. @returns false once the tree spans all rows */
  advance(pairs: number): boolean;
  /** @throws Error before the tree spans all rows */
  edges(): TreeEdges;
}

export interface SpanningTreeKernel {
  /** @throws RangeError where the rows do not fit into memory */
  start(count: number, dimension: number): SpanningTreeRun;
}

/** The edges of a tree as it is stored: parent, row and squared distance by turns. */
export function edgesOf(triples: Uint32Array): TreeEdges {
  const count = triples.length / 3;
  const column = (offset: number) =>
    Uint32Array.from({ length: count }, (_, index) => triples[3 * index + offset] ?? 0);
  return { parents: column(0), rows: column(1), squares: column(2) };
}
