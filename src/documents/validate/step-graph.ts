/**
 * The steps of a document as a graph, read from a document that may be broken in any way: what is meant by an edge that
 * names nothing is guessed, so that one fault does not look like ten.
 */
import { suggest } from "../text/suggest";
import { type EdgeMember, edgesOf } from "./step-edges";
import type { DocumentView, StepView } from "./view";

/** Near names are looked for this often; further names that no step has go without a suggestion. */
const MAX_SUGGESTIONS = 200;

/** A step, and what its id makes of it. */
export interface StepNode {
  /** Place in `StepGraph.nodes`: document order, an item step inside a map after its map. */
  place: number;
  view: StepView;
  /** The first step of the same id, when this is a later one. */
  doubles: StepNode | null;
  /** It runs for the elements of maps only: written inside one, or named by one and led to by no edge. */
  isItem: boolean;
}

export interface StepEdge {
  from: StepNode;
  member: EdgeMember;
  name: string;
  pointer: string;
  /** Of a branch: its place. */
  branch?: number;
  /** The step of that id on the main path; null when there is none. */
  to: StepNode | null;
  /** `to`, or else the step that was probably meant. */
  meant: StepNode | null;
}

/** What a map runs for each element, when that is a step. */
export interface ItemUse {
  map: StepNode;
  item: StepNode | null;
  /** `item`, or else the step that was probably meant. */
  meant: StepNode | null;
  /** The id, of a step that is named; null for one that is written inside the map. */
  name: string | null;
  /** Of `itemStep`. */
  pointer: string;
}

export interface StepGraph {
  nodes: readonly StepNode[];
  /** Where runs begin; null when the first element of `steps` cannot be read. */
  entry: StepNode | null;
  /** The first step of each id. */
  byId: ReadonlyMap<string, StepNode>;
  edges: readonly StepEdge[];
  /** By `StepNode.place`. */
  edgesFrom: readonly (readonly StepEdge[])[];
  /** How many edges of a step are missing, by `StepNode.place`. */
  missing: readonly number[];
  items: readonly ItemUse[];
  /** By `StepNode.place` of the map. */
  itemsOf: readonly (readonly ItemUse[])[];
  /** The first map that runs a step, or probably means to. */
  useOf: ReadonlyMap<StepNode, ItemUse>;
  /**
   * Names that edges use and no step has, which a step probably should have that is reported anyway: one without an id
   * or with the id of another; null for an element of `steps` that is no step at all.
   */
  absorbed: ReadonlyMap<string, StepNode | null>;
  /** How many such steps are left over, which may have any name. */
  nameless: number;
}

export function readStepGraph(view: DocumentView): StepGraph {
  const byId = new Map<string, StepNode>();
  const nodes = view.steps.map((step, place): StepNode => {
    const first = step.id === null ? undefined : byId.get(step.id);
    const node = { place, view: step, doubles: first ?? null, isItem: step.map !== null };
    if (step.id !== null && !first) byId.set(step.id, node);
    return node;
  });
  const first = nodes[0];
  const entry = first?.view.index === 0 ? first : null;
  const items = readItems(nodes, byId);
  const written = nodes.map((node) => edgesOf(node.view));
  settleItems(nodes, items, byId, entry, (node) => written[node.place]?.edges.map(({ name }) => name) ?? []);

  const target = (name: string): StepNode | null => {
    const node = byId.get(name);
    return node && !node.isItem ? node : null;
  };
  const edgesFrom = nodes.map((from) =>
    from.isItem
      ? []
      : (written[from.place]?.edges ?? []).map((edge): StepEdge => {
          const to = target(edge.name);
          return { ...edge, from, to, meant: to };
        }),
  );
  const { absorbed, nameless } = guessTargets(nodes, byId, edgesFrom, unreadableSteps(view, nodes));
  return {
    nodes,
    entry,
    byId,
    edges: edgesFrom.flat(),
    edgesFrom,
    missing: nodes.map((node) => (node.isItem ? 0 : (written[node.place]?.missing ?? 0))),
    items,
    itemsOf: byPlace(nodes, items),
    useOf: new Map(items.flatMap((use) => (use.meant ? [[use.meant, use] as const] : [])).reverse()),
    absorbed,
    nameless,
  };
}

function byPlace(nodes: readonly StepNode[], items: readonly ItemUse[]): ItemUse[][] {
  const lists: ItemUse[][] = nodes.map(() => []);
  for (const item of items) lists[item.map.place]?.push(item);
  return lists;
}

function readItems(nodes: readonly StepNode[], byId: ReadonlyMap<string, StepNode>): ItemUse[] {
  let tries = 0;
  return nodes.flatMap((map): ItemUse[] => {
    const { kind, pointer, step } = map.view;
    if (kind !== "map" || map.view.map) return [];
    const at = `${pointer}/itemStep`;
    if (typeof step.itemStep === "string") {
      const item = byId.get(step.itemStep) ?? null;
      const near = item || tries++ > MAX_SUGGESTIONS ? null : suggest(step.itemStep, byId.keys());
      const meant = near === null ? item : (byId.get(near) ?? null);
      return [{ map, item, meant, name: step.itemStep, pointer: at }];
    }
    const inside = nodes[map.place + 1];
    if (inside?.view.map !== map.view) return [];
    return [{ map, item: inside, meant: inside, name: null, pointer: at }];
  });
}

/**
 * A step that a map names is an item step unless the main path leads to it. Edges of item steps lead nowhere (S464), so
 * a step that only they lead to stays one.
 */
function settleItems(
  nodes: readonly StepNode[],
  items: readonly ItemUse[],
  byId: ReadonlyMap<string, StepNode>,
  entry: StepNode | null,
  namesFrom: (node: StepNode) => string[],
): void {
  for (const { meant } of items) if (meant && meant !== entry) meant.isItem = true;
  const waiting = nodes.filter((node) => !node.isItem);
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const name of namesFrom(node)) {
      const led = byId.get(name);
      if (!led?.isItem || led.view.map) continue;
      led.isItem = false;
      waiting.push(led);
    }
  }
}

/** How many elements of `steps` are no objects. */
const unreadableSteps = ({ playbook: { steps } }: DocumentView, nodes: readonly StepNode[]): number =>
  Array.isArray(steps) ? steps.length - nodes.filter(({ view }) => !view.map).length : 0;

/**
 * Sets `meant` of the edges that name no step: to the step of the nearest name, or else to a step that has no id of its
 * own, one name for each.
 */
function guessTargets(
  nodes: readonly StepNode[],
  byId: ReadonlyMap<string, StepNode>,
  edgesFrom: readonly (readonly StepEdge[])[],
  unreadable: number,
): Pick<StepGraph, "absorbed" | "nameless"> {
  const names = [...byId].flatMap(([id, node]) => (node.isItem ? [] : [id]));
  const nameless: (StepNode | null)[] = [
    ...nodes.filter(({ doubles, isItem, view }) => !isItem && (doubles || view.id === null)),
    ...Array.from({ length: unreadable }, () => null),
  ];
  const meant = new Map<string, StepNode | null>();
  const absorbed = new Map<string, StepNode | null>();
  for (const edge of edgesFrom.flat()) {
    if (edge.to) continue;
    if (!meant.has(edge.name)) {
      const near = meant.size < MAX_SUGGESTIONS ? suggest(edge.name, names) : null;
      const guess = near === null ? undefined : byId.get(near);
      // The id of an item step is no mistyped one, and no step may have it.
      const spare = guess || byId.has(edge.name) ? undefined : nameless.shift();
      if (spare !== undefined) absorbed.set(edge.name, spare);
      meant.set(edge.name, guess ?? spare ?? null);
    }
    edge.meant = meant.get(edge.name) ?? null;
  }
  return { absorbed, nameless: nameless.length };
}
