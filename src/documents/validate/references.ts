/** X6xx: every expression and template of the steps, compiled where it stands, and the steps that it refers to. */
import {
  type CompiledExpression,
  compileExpression,
  compileTemplate,
  type ExpressionFault,
  isItemName,
  type References,
} from "../expressions";
import { DEFAULTS, type FindingCode } from "../spec";
import { didYouMean } from "../text/suggest";
import { checkBranches } from "./decisions";
import { type ExpressionPlace, expressionPlaces } from "./expression-places";
import { mainStepOf, StepFlow } from "./flow";
import type { Report } from "./report";
import { readStepGraph, type StepGraph, type StepNode } from "./step-graph";
import type { DocumentView } from "./view";

export function checkReferences(view: DocumentView, report: Report): void {
  const graph = readStepGraph(view);
  if (graph.nodes.length === 0) return;
  const references = new ReferenceCheck(graph, report);
  for (const node of graph.nodes) {
    const itemName = itemNameOf(graph, node);
    const compiled = expressionPlaces(node.view).map((place) => references.compile(node, place, itemName));
    if (node.view.kind === "decision") checkBranches(node.view.pointer, compiled, report);
  }
}

/** Inside a map: how its element is called there. `unknown` when the map gives it a name that no name may be. */
type ItemName = { name: string; isKnown: boolean } | null;

function itemNameOf(graph: StepGraph, node: StepNode): ItemName {
  const use = graph.useOf.get(node);
  if (!use) return null;
  const { as } = use.map.view.step;
  if (as === undefined) return { name: DEFAULTS.mapAs, isKnown: true };
  return typeof as === "string" && isItemName(as)
    ? { name: as, isKnown: true }
    : { name: DEFAULTS.mapAs, isKnown: false };
}

class ReferenceCheck {
  private readonly flow: StepFlow;
  private readonly ids: readonly string[];

  constructor(
    private readonly graph: StepGraph,
    private readonly report: Report,
  ) {
    this.flow = new StepFlow(graph);
    this.ids = [...graph.byId].flatMap(([id, node]) => (node.isItem ? [] : [id]));
  }

  /** Reports what is wrong at a place; the expression, when it is one and nothing is. */
  compile(
    node: StepNode,
    place: ExpressionPlace,
    item: ItemName,
  ): { place: ExpressionPlace; expression: CompiledExpression | null } {
    const options = item ? { itemName: item.name } : {};
    if (place.kind === "template") {
      const { faults, expressions } = compileTemplate(place.template, { ...options, secrets: place.secrets });
      for (const { pointer, ...fault } of faults) this.tell(place.pointer + pointer, fault, item);
      for (const { pointer, references } of expressions)
        this.follow(node, place.pointer + pointer, references);
      return { place, expression: null };
    }
    const compiled = compileExpression(place.source, place.position, options);
    if (!compiled.ok) for (const fault of compiled.faults) this.tell(place.pointer, fault, item);
    const references = compiled.ok ? compiled.expression.references : compiled.references;
    if (references) this.follow(node, place.pointer, references);
    return { place, expression: compiled.ok ? compiled.expression : null };
  }

  private tell(
    pointer: string,
    fault: Omit<ExpressionFault, "code"> & { code: FindingCode },
    item: ItemName,
  ): void {
    const { code, message, hint, offset } = fault;
    // What the map calls its element is not known; that the name is no name is told at the map.
    if (item && !item.isKnown && (code === "X602" || code === "X611")) return;
    const where = offset === undefined || offset === 0 ? "" : ` (character ${offset + 1})`;
    this.report(code, pointer, `${message}${where}`, { hint });
  }

  private follow(node: StepNode, pointer: string, references: References): void {
    const guardedOnly = new Map<string, boolean>();
    for (const { step, guarded } of references.steps)
      guardedOnly.set(step, (guardedOnly.get(step) ?? true) && guarded);
    for (const [id, guarded] of guardedOnly) this.followStep(node, pointer, id, guarded);
  }

  private followStep(node: StepNode, pointer: string, id: string, guarded: boolean): void {
    const { graph, report } = this;
    const step = graph.byId.get(id);
    if (!step) {
      // It is told where a step has no id of its own.
      const near = didYouMean(id, this.ids);
      if (graph.absorbed.has(id) || (graph.nameless > 0 && near === undefined)) return;
      report("X604", pointer, `There is no step ${JSON.stringify(id)}.`, {
        hint: near ?? "the id of an earlier step",
      });
      return;
    }
    const here = mainStepOf(graph, node);
    if (step.isItem) {
      const map = mainStepOf(graph, step)?.view.id;
      report(
        "X604",
        pointer,
        `"${id}" runs once for each element of a map and has no output of its own here.`,
        {
          hint: `the list of all outputs: steps.${map ?? "<map>"}.output`,
        },
      );
      return;
    }
    if (!here) return;
    const earlier = this.flow.earlier(step, here);
    if (earlier === "never")
      report("X606", pointer, `"${id}" cannot have run yet: it only ever ends after this.`, {
        hint: "a step that runs before this one",
      });
    if (earlier === "sometimes" && !guarded)
      report("X605", pointer, `"${id}" has not run on every path to here.`, {
        hint: `has(steps.${id}) ? … : …, or steps.?${id}`,
      });
  }
}
