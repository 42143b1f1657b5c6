/**
 * Draws the steps of a document as a Mermaid flowchart. It draws broken documents as well: an edge that names no step
 * leads to a "?" of its own. Names of nodes are ours, texts of the document stand in labels only.
 */
import { shapeOf, waysOut } from "./graph-steps";
import { label } from "./mermaid-text";
import type { PlaybookDocument } from "./model";
import { plainValue } from "./validate/plain-value";
import {
  type ItemUse,
  readStepGraph,
  type StepEdge,
  type StepGraph,
  type StepNode,
} from "./validate/step-graph";
import { asList, asObject, asText, viewDocument } from "./validate/view";

/** How runs end without a terminator. */
const ENDS = { cancel: 'cancelled(["run cancelled"])', fail: 'failed(["run failed"])' } as const;

/** A Mermaid flowchart, from the top down, with a line break at its end. */
export function mermaidOf(document: PlaybookDocument): string {
  const graph = readStepGraph(viewDocument(asObject(plainValue(document).value)));
  return `${["flowchart TD", ...new Drawing(graph).lines()].join("\n")}\n`;
}

class Drawing {
  private readonly nodes: string[] = [];
  private readonly edges: string[] = [];
  private readonly ends = new Set<keyof typeof ENDS>();
  private unknown = 0;

  constructor(private readonly graph: StepGraph) {}

  lines(): string[] {
    const { graph } = this;
    if (graph.entry) {
      this.nodes.push('start((" "))');
      this.edge("start", nameOf(graph.entry));
    }
    const drawn = new Set<StepNode>();
    for (const node of graph.nodes) {
      if (drawn.has(node) || node.view.map) continue;
      if (node.isItem && graph.useOf.get(node)?.item === node) continue;
      drawn.add(node);
      this.nodes.push(nameOf(node) + shapeOf(node.view));
      this.drawEdges(node);
      for (const use of graph.itemsOf[node.place] ?? []) this.drawItem(use, drawn);
      if (node.view.kind === "map") this.drawItemPlaybook(node);
    }
    return [...this.nodes, ...[...this.ends].map((end) => ENDS[end]), ...this.edges].map(
      (line) => `  ${line}`,
    );
  }

  private edge(from: string, to: string, text?: string, arrow = "-->"): void {
    this.edges.push(`${from} ${arrow}${text === undefined ? "" : `|${label(text)}|`} ${to}`);
  }

  private drawEdges(node: StepNode): void {
    const from = nameOf(node);
    for (const edge of this.graph.edgesFrom[node.place] ?? [])
      this.edge(from, edge.to ? nameOf(edge.to) : this.unknownNode(edge.name), edgeText(edge));
    // How many are missing is not always known; one stands for all.
    if ((this.graph.missing[node.place] ?? 0) > 0) this.edge(from, this.unknownNode());
    for (const { text, end } of waysOut(node.view)) {
      this.ends.add(end);
      this.edge(from, end === "cancel" ? "cancelled" : "failed", text, "-.->");
    }
  }

  /** The item step stands in a frame of its map; of a second map that names it, only an arrow leads there. */
  private drawItem({ map, item, name }: ItemUse, drawn: Set<StepNode>): void {
    const to = item ? nameOf(item) : this.unknownNode(...(name === null ? [] : [name]));
    if (item?.isItem && !drawn.has(item)) {
      drawn.add(item);
      this.frame(map, to + shapeOf(item.view));
    }
    this.edge(nameOf(map), to, "each", "-.->");
  }

  private drawItemPlaybook(map: StepNode): void {
    const playbook = asText(map.view.step.itemPlaybook);
    if (playbook === null) return;
    const to = `${nameOf(map)}playbook`;
    this.frame(map, `${to}[[${label(playbook, "playbook")}]]`);
    this.edge(nameOf(map), to, "each", "-.->");
  }

  private frame(map: StepNode, inside: string): void {
    const items = asText(map.view.step.items) ?? "?";
    this.nodes.push(`subgraph ${nameOf(map)}each[${label(`each of ${items}`)}]`, `  ${inside}`, "end");
  }

  private unknownNode(...names: string[]): string {
    const node = `unknown${this.unknown++}`;
    this.nodes.push(`${node}((${label("?", ...names)}))`);
    return node;
  }
}

const nameOf = ({ place }: StepNode): string => `step${place}`;

function edgeText({ from, member, branch }: StepEdge): string | undefined {
  switch (member) {
    case "branch": {
      const { label: text, when } = asObject(asList(from.view.step.branches)[branch ?? 0]);
      return asText(text) || asText(when) || "?";
    }
    case "default":
      return "default";
    case "onReject":
      return "rejected";
    case "next":
      return from.view.kind === "approval" ? "approved" : undefined;
  }
}
