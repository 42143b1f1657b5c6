/**
 * Dominators: the steps that every path from the entry to a step goes through. By the method of Cooper, Harvey and
 * Kennedy ("A Simple, Fast Dominance Algorithm", 2001), which also works on graphs with circles.
 */
import { type Digraph, reversed } from "./digraph";

/** The nearest dominator of each node; the entry is its own, an unreachable node has none (null). */
export type DominatorTree = readonly (number | null)[];

export function dominatorsOf(graph: Digraph, entry: number): DominatorTree {
  const order = reversePostorder(graph, entry);
  const rank = new Map(order.map((node, index) => [node, index]));
  const predecessors = reversed(graph);
  const nearest: (number | null)[] = graph.map(() => null);
  nearest[entry] = entry;

  const meet = (a: number, b: number): number => {
    let [left, right] = [a, b];
    while (left !== right) {
      const leftIsLater = (rank.get(left) ?? 0) > (rank.get(right) ?? 0);
      if (leftIsLater) left = nearest[left] ?? entry;
      else right = nearest[right] ?? entry;
    }
    return left;
  };

  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order) {
      if (node === entry) continue;
      let next: number | null = null;
      for (const before of predecessors[node] ?? []) {
        if (typeof nearest[before] !== "number") continue;
        next = next === null ? before : meet(before, next);
      }
      if (nearest[node] === next) continue;
      nearest[node] = next;
      changed = true;
    }
  }
  return nearest;
}

/** Whether every path from the entry to `node` goes through `over`; a node dominates itself. False if unreachable. */
export function dominates(tree: DominatorTree, over: number, node: number): boolean {
  for (let at = node; ; ) {
    const above = tree[at];
    if (typeof above !== "number") return false;
    if (at === over) return true;
    if (above === at) return false;
    at = above;
  }
}

/** Reachable nodes, each before its successors as far as there is no circle. Without recursion: depth is the input's. */
function reversePostorder(graph: Digraph, entry: number): number[] {
  const order: number[] = [];
  const seen = new Set([entry]);
  const path = [{ node: entry, next: 0 }];
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const successor = graph[top.node]?.[top.next++];
    if (successor === undefined) {
      order.push(top.node);
      path.pop();
    } else if (!seen.has(successor)) {
      seen.add(successor);
      path.push({ node: successor, next: 0 });
    }
  }
  return order.reverse();
}
