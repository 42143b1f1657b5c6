/**
 * Steps that no path leads to. An edge that is missing or names nothing is reported where it stands, and surely led to
 * one of the steps that seem unreachable because of it: a guess takes that step off the list.
 */
import { type Digraph, reachableFrom, reversed } from "./digraph";
import type { StepGraph, StepNode } from "./step-graph";

/** In document order. Empty when it cannot be known where runs begin. */
export function unreachedSteps(graph: StepGraph): StepNode[] {
  if (!graph.entry) return [];
  const leads = leadsOf(graph);
  const reached = reachableFrom(leads, [graph.entry.place]);
  const guesses = new Guesses(graph, leads, reached);
  // The set is walked in order of insertion, so that ends behind what was guessed are seen as well.
  for (const place of reached) {
    for (let ends = openEnds(graph, place); ends > 0; ends--) {
      const guess = guesses.after(place);
      if (guess === null) break;
      reach(leads, guess, reached);
    }
  }
  return graph.nodes.filter(({ place, view }) => !view.map && !reached.has(place));
}

/** Whether an edge of a step that can be reached is missing or names nothing, so that paths are not fully known. */
export function hasOpenEnds(graph: StepGraph): boolean {
  if (!graph.entry) return true;
  const reached = reachableFrom(leadsOf(graph), [graph.entry.place]);
  return [...reached].some((place) => openEnds(graph, place) > 0);
}

const openEnds = (graph: StepGraph, place: number): number =>
  (graph.missing[place] ?? 0) +
  [...(graph.edgesFrom[place] ?? []), ...(graph.itemsOf[place] ?? [])].filter(({ meant }) => !meant).length;

/** Edges as they are meant; a map leads to its item step, and the first step of an id to the others that have it. */
function leadsOf(graph: StepGraph): Digraph {
  const leads = graph.edgesFrom.map((edges) => edges.flatMap(({ meant }) => (meant ? [meant.place] : [])));
  for (const { map, meant } of graph.items) if (meant) leads[map.place]?.push(meant.place);
  for (const { doubles, place } of graph.nodes) if (doubles) leads[doubles.place]?.push(place);
  return leads;
}

function reach(leads: Digraph, start: number, reached: Set<number>): void {
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    waiting.push(...(leads[node] ?? []));
  }
}

/** Steps that an open end may have led to: first those that nothing else leads to, of them the one after it. */
class Guesses {
  /** Steps that no unreachable step leads to. A reachable step never leads to them, so that none is added later. */
  private readonly roots: Set<number>;
  /** All that could not be reached at first; the last is the next guess. */
  private readonly others: number[];

  constructor(
    private readonly graph: StepGraph,
    leads: Digraph,
    private readonly reached: ReadonlySet<number>,
  ) {
    const before = reversed(leads);
    const unreached = graph.nodes.filter(({ place, view }) => !view.map && !reached.has(place));
    this.others = unreached.map(({ place }) => place).reverse();
    this.roots = new Set(
      unreached
        .map(({ place }) => place)
        .filter((place) => (before[place] ?? []).every((node) => node === place)),
    );
  }

  after(place: number): number | null {
    // At most one item step stands between a map and the step after it.
    const following = this.graph.nodes.slice(place + 1, place + 3).find(({ view }) => !view.map);
    if (following && this.roots.delete(following.place)) return following.place;
    for (const root of this.roots) {
      this.roots.delete(root);
      return root;
    }
    for (let guess = this.others.pop(); guess !== undefined; guess = this.others.pop())
      if (!this.reached.has(guess)) return guess;
    return null;
  }
}
