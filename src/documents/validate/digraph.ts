/** A directed graph as lists of successors, nodes named by their place, and what can be reached in it. */

/** Successors of each node. */
export type Digraph = readonly (readonly number[])[];

/** The nodes that can be reached from these, themselves included. */
export function reachableFrom(graph: Digraph, starts: Iterable<number>): Set<number> {
  const reached = new Set(starts);
  // A set is walked in order of insertion, so that what is added on the way is still visited.
  for (const node of reached) for (const next of graph[node] ?? []) reached.add(next);
  return reached;
}

/** The same graph with every edge turned round. */
export function reversed(graph: Digraph): number[][] {
  const turned: number[][] = graph.map(() => []);
  for (const [node, successors] of graph.entries()) for (const next of successors) turned[next]?.push(node);
  return turned;
}
