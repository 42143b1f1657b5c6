import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { circlesOf } from "../../../../src/documents/validate/circles";
import { type Digraph, reachableFrom } from "../../../../src/documents/validate/digraph";
import { dominates, dominatorsOf } from "../../../../src/documents/validate/dominators";

/** Any graph, circles and loops included; node 0 is the entry. */
const digraphs = fc
  .nat({ max: 9 })
  .chain((last) =>
    fc.array(fc.array(fc.nat({ max: last }), { maxLength: 4 }), { minLength: last + 1, maxLength: last + 1 }),
  );

/** By definition: `over` dominates what can no longer be reached without it. */
function dominatesByDefinition(graph: Digraph, over: number, node: number): boolean {
  if (!reachableFrom(graph, [0]).has(node)) return false;
  if (over === node || over === 0) return true;
  const without = graph.map((successors, at) =>
    at === over ? [] : successors.filter((next) => next !== over),
  );
  return !reachableFrom(without, [0]).has(node);
}

describe("dominators", () => {
  it("of a diamond are the fork and the entry, not its sides", () => {
    const tree = dominatorsOf([[1], [2, 3], [4], [4], []], 0);
    expect(tree).toEqual([0, 0, 1, 1, 1]);
    expect(dominates(tree, 1, 4)).toBe(true);
    expect(dominates(tree, 2, 4)).toBe(false);
  });

  it("are what the definition says, in any graph", () => {
    fc.assert(
      fc.property(digraphs, (graph) => {
        const tree = dominatorsOf(graph, 0);
        const pairs = [...graph.keys()].flatMap((over) =>
          [...graph.keys()].map((node) => [over, node] as const),
        );
        const wrong = pairs.filter(
          ([over, node]) => dominates(tree, over, node) !== dominatesByDefinition(graph, over, node),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("of a chain of 20,000 steps are found without recursion", () => {
    const tree = dominatorsOf(
      Array.from({ length: 20_000 }, (_, index) => (index < 19_999 ? [index + 1] : [])),
      0,
    );
    expect(dominates(tree, 0, 19_999)).toBe(true);
  });
});

describe("circles", () => {
  it("are all broken when the edges that close them are taken away, and none is named that is not there", () => {
    fc.assert(
      fc.property(digraphs, (graph) => {
        const circles = circlesOf(graph);
        const closing = new Set(circles.map((circle) => `${circle.at(-1)}>${circle[0]}`));
        expect(closing.size).toBe(circles.length);
        const isCircle = (circle: number[]): boolean =>
          Math.min(...circle) === circle[0] &&
          new Set(circle).size === circle.length &&
          circle.every((node, index) => graph[node]?.includes(circle[(index + 1) % circle.length] ?? -1));
        expect(circles.filter((circle) => !isCircle(circle))).toEqual([]);
        const rest = graph.map((successors, node) =>
          successors.filter((next) => !closing.has(`${node}>${next}`)),
        );
        expect(rest.some((successors, node) => reachableFrom(rest, successors).has(node))).toBe(false);
        expect(circlesOf(rest)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
