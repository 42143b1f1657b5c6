/** What is known before a run about which steps ran when another one begins. */
import { LIMITS } from "../spec";
import { type Digraph, reachableFrom } from "./digraph";
import { type DominatorTree, dominates, dominatorsOf } from "./dominators";
import type { StepGraph, StepNode } from "./step-graph";
import { hasOpenEnds } from "./unreached";

/**
 * `always`: on every path to the step · `sometimes`: on some paths or none · `never`: it can only run later, or is the
 * step itself · `unknown`: faults of the graph leave it open.
 */
export type Earlier = "always" | "sometimes" | "never" | "unknown";

export class StepFlow {
  private readonly successors: Digraph;
  private readonly tree: DominatorTree | null;
  private readonly open: boolean;
  private readonly reachable = new Map<number, Set<number>>();

  constructor(graph: StepGraph) {
    this.successors = graph.edgesFrom.map((edges) =>
      edges.flatMap(({ meant }) => (meant ? [meant.place] : [])),
    );
    // A document of more steps is refused (L803); only its size is worth telling.
    const isSmall = graph.nodes.length <= 2 * LIMITS.steps;
    this.tree = graph.entry && isSmall ? dominatorsOf(this.successors, graph.entry.place) : null;
    this.open = hasOpenEnds(graph);
  }

  /** Whether `step` has run when `here` begins; of an item step, when its map begins. */
  earlier(step: StepNode, here: StepNode): Earlier {
    if (!this.tree || step.doubles || here.doubles) return "unknown";
    if (step === here) return "never";
    if (this.tree[step.place] === null || this.tree[here.place] === null) return "unknown";
    const [before, after] = [this.leads(step, here), this.leads(here, step)];
    if (before && after) return "unknown";
    if (after) return "never";
    if (dominates(this.tree, step.place, here.place)) return "always";
    return this.open ? "unknown" : "sometimes";
  }

  private leads(from: StepNode, to: StepNode): boolean {
    let reached = this.reachable.get(from.place);
    if (!reached) {
      reached = reachableFrom(this.successors, [from.place]);
      this.reachable.set(from.place, reached);
    }
    return reached.has(to.place);
  }
}

/** The step of the main path that a step belongs to: its map, for an item step; null when nothing runs it. */
export function mainStepOf(graph: StepGraph, node: StepNode): StepNode | null {
  if (!node.isItem) return node;
  return graph.useOf.get(node)?.map ?? null;
}
