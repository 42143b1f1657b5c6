/**
 * Circles of a graph. Each has one node that stands first in the document and one edge back to it, which closes it; an
 * edge that closes several is told once, with the shortest of them, since without it none of them is left.
 */
import type { Digraph } from "./digraph";

/** From the node that stands first, along the circle, to the one whose edge leads back to it. */
export type Circle = number[];

/**
 * A graph of the allowed size has no more nodes to which edges lead back. In a larger one the rest is not looked for.
 */
const MAX_HEADS = 200;

/** In order of the first node, then of the last. */
export function circlesOf(graph: Digraph): Circle[] {
  const closers: number[][] = graph.map(() => []);
  for (const [node, successors] of graph.entries())
    for (const head of new Set(successors)) if (head <= node) closers[head]?.push(node);

  const circles: Circle[] = [];
  let heads = 0;
  for (const [head, tails] of closers.entries()) {
    if (tails.length === 0) continue;
    if (++heads > MAX_HEADS) break;
    const before = shortestPathsAfter(graph, head);
    for (const tail of tails) {
      if (!before.has(tail)) continue;
      const circle = [tail];
      for (let at = tail; at !== head; ) {
        at = before.get(at) ?? head;
        circle.push(at);
      }
      circles.push(circle.reverse());
    }
  }
  return circles;
}

/** The node before each one on a shortest path from `head`, over nodes that do not stand before it. */
function shortestPathsAfter(graph: Digraph, head: number): Map<number, number> {
  const before = new Map([[head, head]]);
  for (const node of before.keys())
    for (const next of graph[node] ?? []) if (next > head && !before.has(next)) before.set(next, node);
  return before;
}
