/** R704, R711, R712: what needs approval or a permission, against what the tools of the steps do. */
import { selectsPermission, selectsTool } from "../selectors";
import { didYouMean } from "../text/suggest";
import { reachableFrom } from "./digraph";
import { mainStepOf } from "./flow";
import { KnownTools } from "./known-tools";
import type { Report } from "./report";
import { readStepGraph, type StepGraph } from "./step-graph";
import { asText, type DocumentView, type StepView, textsOf } from "./view";

export function checkGuardrails(view: DocumentView, report: Report): void {
  const known = new KnownTools(view);
  checkPermissions(view, report);
  const selectors = textsOf(view.guardrails.requiresApprovalFor);
  if (selectors.length === 0) return;
  const permissions = permissionsOf(view);
  for (const { text, index } of selectors)
    checkSelector(
      text,
      `/playbook/guardrails/requiresApprovalFor/${index}`,
      permissions,
      known,
      view,
      report,
    );
  checkGates(
    view,
    selectors.map(({ text }) => text),
    known,
    report,
  );
}

/** R711. An agent needs what its tools need, so that it is said once, at the tool. */
function checkPermissions({ manifest, tools }: DocumentView, report: Report): void {
  if (!Array.isArray(manifest.requiredPermissions)) return;
  const declared = textsOf(manifest.requiredPermissions).map(({ text }) => text);
  for (const { pointer, tool, name } of tools)
    for (const { text, index } of textsOf(tool.permissions)) {
      if (declared.includes(text)) continue;
      report(
        "R711",
        `${pointer}/permissions/${index}`,
        `The tool ${JSON.stringify(name)} needs ${JSON.stringify(text)}, which the manifest does not ask for.`,
        {
          hint: `"${text}" in manifest.requiredPermissions`,
        },
      );
    }
}

/** Every permission that the document speaks of. */
const permissionsOf = ({ manifest, tools }: DocumentView): string[] =>
  [manifest.requiredPermissions, ...tools.map(({ tool }) => tool.permissions)].flatMap((list) =>
    textsOf(list).map(({ text }) => text),
  );

/** R704. Which artifacts are made is not written anywhere: any step that works may make any. */
function checkSelector(
  selector: string,
  pointer: string,
  permissions: readonly string[],
  known: KnownTools,
  view: DocumentView,
  report: Report,
): void {
  const tell = (what: string, hint: string | undefined): void =>
    report("R704", pointer, `${JSON.stringify(selector)} selects nothing: ${what}.`, {
      hint: hint ?? "a permission, prefix.*, tool:NAME or artifact:TYPE that this playbook has",
    });
  const [, scheme, name] = /^(tool|artifact):(.+)$/s.exec(selector) ?? [];
  if (scheme === "tool" && name) {
    if (!known.has(name)) tell(`there is no tool ${JSON.stringify(name)}`, didYouMean(name, known.names));
  } else if (scheme === "artifact") {
    if (!view.steps.some(({ kind }) => kind === null || kind === "agent" || kind === "tool"))
      tell("no step can make an artifact", undefined);
  } else if (!permissions.some((permission) => selectsPermission(selector, permission))) {
    const isTool = known.defined.has(selector);
    tell(
      "no such permission is asked for or needed by a tool",
      isTool ? `did you mean "tool:${selector}"?` : didYouMean(selector, permissions),
    );
  }
}

/** R712: steps that a run may come to without an approval before, with what they do that needs one. */
function checkGates(
  view: DocumentView,
  selectors: readonly string[],
  known: KnownTools,
  report: Report,
): void {
  const graph = readStepGraph(view);
  if (!graph.entry) return;
  const ungated = reachableFrom(withoutApproval(graph), [graph.entry.place]);
  for (const node of graph.nodes) {
    const main = mainStepOf(graph, node);
    if (!main || !ungated.has(main.place)) continue;
    const reasons = toolsOf(node.view).flatMap((tool) => {
      const selector = selectors.find((text) => selectsTool(text, tool, known.permissionsOf(tool)));
      return selector === undefined ? [] : [`${JSON.stringify(tool)} by ${JSON.stringify(selector)}`];
    });
    if (reasons.length === 0) continue;
    const message = `A run may come here without an approval, and one is needed for ${reasons.join(", ")}.`;
    report("R712", node.view.pointer, message, {
      hint: "an approval step on every path to here; without one a gate is put in before each call",
    });
  }
}

const toolsOf = ({ kind, step }: StepView): string[] => {
  if (kind === "agent") return textsOf(step.allowedTools).map(({ text }) => text);
  const tool = kind === "tool" ? asText(step.tool) : null;
  return tool === null ? [] : [tool];
};

/** The paths on which no gate was approved: through a rejection, nothing is. */
const withoutApproval = (graph: StepGraph): number[][] =>
  graph.edgesFrom.map((edges) =>
    edges.flatMap(({ from, member, meant }) =>
      meant && !(from.view.kind === "approval" && member === "next") ? [meant.place] : [],
    ),
  );
