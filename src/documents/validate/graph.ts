/** G500 to G507, S465, and S464 of steps that a map names: whether the steps make one graph that always ends. */
import { circlesOf } from "./circles";
import type { Report } from "./report";
import { readStepGraph, type StepEdge, type StepGraph, type StepNode } from "./step-graph";
import { unreachedSteps } from "./unreached";
import { asText, type DocumentView } from "./view";

const ITEM_KINDS: readonly string[] = ["agent", "tool", "approval", "wait"];

export function checkGraph(view: DocumentView, report: Report): void {
  const { steps } = view.playbook;
  if (!Array.isArray(steps)) return;
  if (steps.length === 0) {
    report("G500", "/playbook/steps", "The playbook has no steps.", { hint: "at least one terminator" });
    return;
  }
  const graph = readStepGraph(view);
  checkIds(graph, report);
  checkEdges(graph, report);
  checkItems(graph, report);
  checkCircles(graph, report);
  for (const { view: step } of unreachedSteps(graph))
    report("G504", step.pointer, `No path from the first step leads to ${named(step.id)}.`, {
      hint: "let an edge lead to it, or remove it",
    });
  checkEnds(view, graph, report);
}

const named = (id: string | null): string => (id === null ? "this step" : JSON.stringify(id));

function checkIds(graph: StepGraph, report: Report): void {
  const missing = new Map([...graph.absorbed].map(([name, node]) => [node, name]));
  for (const node of graph.nodes) {
    if (!node.doubles) continue;
    const missed = missing.get(node);
    report(
      "G501",
      `${node.view.pointer}/id`,
      `The id ${named(node.view.id)} is taken by ${node.doubles.view.pointer}.`,
      {
        hint:
          missed === undefined
            ? "an id that no other step has, item steps included"
            : `an edge leads to "${missed}", which no step is called: is it this one?`,
      },
    );
  }
}

function checkEdges(graph: StepGraph, report: Report): void {
  for (const { to, meant, name, pointer } of graph.edges) {
    if (to || graph.absorbed.has(name)) continue;
    const item = graph.byId.get(name);
    if (item) {
      const hint = "the id of a step of the main path";
      report("G502", pointer, `${named(name)} is the item step of a map, which no edge can lead to.`, {
        hint,
      });
      continue;
    }
    reportUnresolved(name, pointer, meant, report);
  }
}

function reportUnresolved(name: string, pointer: string, meant: StepNode | null, report: Report): void {
  const near = meant?.view.id;
  report("G502", pointer, `There is no step ${named(name)}.`, {
    hint: typeof near === "string" ? `did you mean "${near}"?` : "the id of a step",
  });
}

function checkItems(graph: StepGraph, report: Report): void {
  const users = new Map<StepNode, StepNode>();
  for (const { map, item, meant, name, pointer } of graph.items) {
    if (name === null) continue;
    if (!item) {
      reportUnresolved(name, pointer, meant, report);
      continue;
    }
    const other = users.get(item);
    users.set(item, other ?? map);
    if (item.view.map)
      report("S465", pointer, `${named(name)} is written inside the map ${named(item.view.map.id)}.`, {
        hint: "an item step of its own for each map",
      });
    else if (!item.isItem)
      report("S465", pointer, `${named(name)} is also a step of the main path.`, {
        hint: "an item step that no edge leads to",
      });
    else if (other)
      report("S465", pointer, `${named(name)} is also the item step of ${named(other.view.id)}.`, {
        hint: "an item step of its own for each map",
      });
    else checkNamedItem(item, map, report);
  }
}

/** What S464 asks of an item step that is not written inside its map. */
function checkNamedItem({ view }: StepNode, map: StepNode, report: Report): void {
  const role = `the item step of ${named(map.view.id)}`;
  if (view.kind !== null && !ITEM_KINDS.includes(view.kind))
    report("S464", `${view.pointer}/kind`, `A ${view.kind} cannot be ${role}.`, {
      hint: "agent, tool, approval or wait",
    });
  if (view.step.next !== undefined)
    report("S464", `${view.pointer}/next`, `${named(view.id)} is ${role} and leads nowhere.`, {
      hint: "no next: the map's own next is taken after all items",
    });
}

function checkCircles(graph: StepGraph, report: Report): void {
  const closing = new Map<string, StepEdge>();
  const successors = graph.nodes.map(({ place }) =>
    (graph.edgesFrom[place] ?? []).flatMap((edge) => {
      if (!edge.to) return [];
      const key = `${place}>${edge.to.place}`;
      if (!closing.has(key)) closing.set(key, edge);
      return [edge.to.place];
    }),
  );
  for (const circle of circlesOf(successors)) {
    const edge = closing.get(`${circle.at(-1)}>${circle[0]}`);
    if (!edge) continue;
    const ids = circle.map((place) => graph.nodes[place]?.view.id ?? "?");
    const cycle = [...ids, ids[0] ?? "?"];
    report("G503", edge.pointer, `The steps go round in a circle: ${cycle.join(">")}`, {
      hint: "an edge to a later step; repeat an agent or tool step with retry, and work over a list with map",
      cycle,
    });
  }
}

/** G505, G507. G506 never stands alone: a path that ends elsewhere has S403, S431, S432, G502, G503 or G505 already. */
function checkEnds(view: DocumentView, graph: StepGraph, report: Report): void {
  const all = view.playbook.steps;
  const couldEnd = ({ view: step, isItem }: StepNode) =>
    step.kind === null || (step.kind === "terminator" && !isItem);
  const allRead = Array.isArray(all) && graph.nodes.filter(({ view: { map } }) => !map).length === all.length;
  if (allRead && !graph.nodes.some(couldEnd))
    report("G505", "/playbook/steps", "No step is a terminator, so that no run can end well.", {
      hint: 'a step {"id": "done", "kind": "terminator", "reason": "…"}',
    });
  const entry = graph.entry?.view;
  if (entry?.kind === "approval" || entry?.kind === "wait")
    report(
      "G507",
      entry.pointer,
      `The first step is a ${asText(entry.kind)}: every run begins by standing still.`,
      {
        hint: "a first step that prepares what is waited for",
      },
    );
}
