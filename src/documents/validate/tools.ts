/** S412, S414, S421 to S424: the tools of a playbook, what steps use of them, and the schemas around them. */
import type { Json } from "../model";
import { didYouMean } from "../text/suggest";
import { checkUserSchema, literalMismatch } from "../user-schema";
import { KnownTools } from "./known-tools";
import type { Report } from "./report";
import { asObject, type DocumentView, isObject, type StepView, type ToolView, textsOf } from "./view";

/** Effects of a tool that a second attempt would repeat. */
const LASTING_EFFECTS: readonly (Json | undefined)[] = ["write", "irreversible"];

export function checkTools(view: DocumentView, report: Report): void {
  const known = new KnownTools(view);
  checkNames(known, report);
  const sound = new Set<Json>();
  for (const { pointer, tool } of view.tools)
    for (const member of ["inputSchema", "outputSchema"])
      if (checkSchema(`${pointer}/${member}`, tool[member], report)) sound.add(tool[member] ?? null);
  for (const step of view.steps) {
    if (step.kind === "agent") {
      checkAllowedTools(step, known, report);
      checkSchema(`${step.pointer}/outputSchema`, step.step.outputSchema, report);
    }
    if (step.kind === "tool" && typeof step.step.tool === "string")
      checkToolStep(step, step.step.tool, known, sound, report);
  }
}

/** Two tools of one name: which of them a step means, and which permissions it needs, would be a guess. */
function checkNames(known: KnownTools, report: Report): void {
  for (const [name, [first, ...others]] of known.defined)
    for (const { pointer } of others)
      report("S424", `${pointer}/name`, `The name ${JSON.stringify(name)} is taken by ${first?.pointer}.`, {
        hint: "a name of its own for each tool",
      });
}

/** Whether it is an object and nothing is wrong with it; an object of no shape at all is left to the shape check. */
function checkSchema(pointer: string, schema: Json | undefined, report: Report): boolean {
  if (!isObject(schema)) return false;
  const faults = checkUserSchema(schema);
  for (const fault of faults) report("S414", pointer + fault.pointer, fault.message, { hint: fault.hint });
  return faults.length === 0;
}

function checkAllowedTools({ pointer, step }: StepView, known: KnownTools, report: Report): void {
  for (const { text, index } of textsOf(step.allowedTools)) {
    if (known.has(text)) continue;
    report("S412", `${pointer}/allowedTools/${index}`, `Nothing offers a tool ${JSON.stringify(text)}.`, {
      hint: hintFor(text, known),
    });
  }
}

function checkToolStep(
  { pointer, step }: StepView,
  name: string,
  known: KnownTools,
  sound: ReadonlySet<Json>,
  report: Report,
): void {
  if (!known.has(name))
    report("S421", `${pointer}/tool`, `There is no tool ${JSON.stringify(name)}.`, {
      hint: hintFor(name, known),
    });
  // Of two tools of one name nobody knows which is meant.
  const [tool, ...others] = known.defined.get(name) ?? [];
  if (!tool || others.length > 0) return;
  checkInput(pointer, step.input, tool, sound, report);
  checkRetry(pointer, step.retry, tool, report);
}

const hintFor = (name: string, known: KnownTools): string =>
  didYouMean(name, known.names) ??
  "a tool of playbook.tools, or one that a server of requires.mcpServers lists, or <connector>.<tool>";

/** Without an input the tool is called with `{}`. */
function checkInput(
  pointer: string,
  input: Json | undefined,
  { tool }: ToolView,
  sound: ReadonlySet<Json>,
  report: Report,
): void {
  const schema = tool.inputSchema;
  if (!isObject(schema) || !sound.has(schema)) return;
  for (const fault of literalMismatch(schema, input ?? {})) {
    const path = input === undefined ? pointer : `${pointer}/input${fault.pointer}`;
    report("S422", path, `The tool's inputSchema refuses this: ${fault.message}`, { hint: fault.expected });
  }
}

function checkRetry(
  pointer: string,
  retry: Json | undefined,
  { tool, name }: ToolView,
  report: Report,
): void {
  const { maxAttempts } = asObject(retry);
  if (typeof maxAttempts !== "number" || maxAttempts <= 1) return;
  if (!LASTING_EFFECTS.includes(tool.sideEffect) || tool.idempotent === true) return;
  report("S423", `${pointer}/retry`, `A second attempt may do twice what ${JSON.stringify(name)} does.`, {
    hint: `"idempotent": true on the tool, if repeating it is safe; otherwise no retry`,
  });
}
