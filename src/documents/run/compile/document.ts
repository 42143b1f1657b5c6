/** Compiles a document, once for all its runs. */
import type { MapStep, PlaybookDocument, Step, ToolDefinition } from "../../model";
import { MICRO_CENTS_PER_CENT } from "../../spec";
import { compileUserSchema } from "../../user-schema";
import type { Program, StepProgram, ToolCompiled } from "../program";
import { milliseconds, UnrunnableDocument } from "./parts";
import { compileStep } from "./step";

/**
 * Compiles a document, once for all its runs.
 * @throws UnrunnableDocument when the validator would have found an error in it
 */
export function compileProgram(document: PlaybookDocument): Program {
  const { playbook } = document;
  const { guardrails } = playbook;
  const steps = new Map<string, StepProgram>();
  playbook.steps.forEach((step, position) => {
    const path = `/playbook/steps/${position}`;
    add(steps, compileStep(step, { position, path, map: mapOf(playbook.steps, step.id) }), path);
    if (step.kind === "map" && step.itemStep && typeof step.itemStep === "object") {
      const inner = `${path}/itemStep`;
      add(steps, compileStep(step.itemStep, { position, path: inner, map: step }), inner);
    }
  });
  const [first] = playbook.steps;
  if (!first) throw new UnrunnableDocument("/playbook/steps", "there is no step");
  for (const step of steps.values()) checkEdges(step, steps);
  return {
    document,
    entry: first.id,
    steps,
    tools: new Map(playbook.tools.map((tool) => [tool.name, compileTool(tool)])),
    granted: new Set(playbook.manifest.requiredPermissions),
    capMicroCents: guardrails.maxLlmCostCents * MICRO_CENTS_PER_CENT,
    maxActiveMs: guardrails.maxRunDurationSeconds * 1000,
    lastPosition: playbook.steps.length,
  };
}

const mapOf = (steps: readonly Step[], itemStep: string): MapStep | undefined =>
  steps.find((step): step is MapStep => step.kind === "map" && step.itemStep === itemStep);

function add(steps: Map<string, StepProgram>, step: StepProgram, path: string): void {
  if (steps.has(step.id)) throw new UnrunnableDocument(`${path}/id`, `"${step.id}" is the id of two steps`);
  steps.set(step.id, step);
}

const compileTool = (tool: ToolDefinition): ToolCompiled => ({
  permissions: tool.permissions ?? [],
  inputSchema: tool.inputSchema ?? null,
  output: tool.outputSchema ? compileUserSchema(tool.outputSchema) : null,
  timeoutMs:
    tool.timeout === undefined ? null : milliseconds(tool.timeout, `/playbook/tools/${tool.name}/timeout`),
});

function checkEdges(step: StepProgram, steps: ReadonlyMap<string, StepProgram>): void {
  for (const target of edgesOf(step)) {
    const found = target === null ? undefined : steps.get(target);
    if (!found) throw new UnrunnableDocument(`/playbook/steps/${step.position}`, `no step "${target}"`);
    const asItem = step.kind === "map" && step.target.kind === "step" && step.target.id === target;
    if (asItem ? found.mapId !== step.id : found.mapId !== null)
      throw new UnrunnableDocument(
        `/playbook/steps/${step.position}`,
        `"${target}" is an item step of one map`,
      );
  }
}

function edgesOf(step: StepProgram): (string | null)[] {
  switch (step.kind) {
    case "decision":
      return [...step.branches.map(({ next }) => next), step.otherwise];
    case "terminator":
      return [];
    case "map":
      return [step.next, ...(step.target.kind === "step" ? [step.target.id] : [])];
    case "approval":
      return [
        ...(step.mapId === null ? [step.next] : []),
        ...(step.onReject === null ? [] : [step.onReject]),
      ];
    default:
      return step.mapId === null ? [step.next] : [];
  }
}
