/**
 * The shape check: the document against its schemas, each complaint under the code of its place. Says E105, E109 to
 * E111, and what codes there are for a member that is missing, unknown or of the wrong form.
 */
import type { Json } from "../model";
import { documentSchema } from "../schema";
import { STEP_KINDS } from "../spec";
import { childPointer, pointerOf, valueAt } from "../text/pointer";
import type { Pass } from "./index";
import { type Place, placeName, placeOf } from "./place";
import type { Report } from "./report";
import { codeOf } from "./shape-codes";
import { describe, faultOf, type Issue, resolved } from "./shape-issue";
import { unknownField } from "./unknown-fields";
import { type DocumentView, oneOf } from "./view";

export const checkShape: Pass = (view, report) => {
  // Without code generation, which Workers forbid.
  const result = documentSchema.safeParse(view.document, { jitless: true });
  if (result.success) return;
  const seen = new Set<string>();
  const namedItems = stepsNamedByMaps(view);
  for (const issue of result.error.issues.flatMap(resolved)) {
    const tokens = issue.path.map((token) => (typeof token === "number" ? token : String(token)));
    const place = placeOf(view.document, tokens);
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys)
        reportUnknown(place, name, childPointer(pointerOf(tokens), name), report);
      continue;
    }
    // A text that breaks two rules of its place is one fault.
    const key = JSON.stringify(tokens);
    if (seen.has(key)) continue;
    seen.add(key);
    if (placeName(place).endsWith(".next") && namedItems.has(pointerOf(tokens.slice(0, -1)))) continue;
    reportIssue(issue, tokens, place, view.document, report);
  }
};

function reportUnknown(place: Place, name: string, pointer: string, report: Report): void {
  const unknown = unknownField(place, name);
  if (unknown) report(unknown.code, pointer, unknown.message, unknown);
}

function reportIssue(
  issue: Issue,
  tokens: readonly (string | number)[],
  place: Place,
  document: Json,
  report: Report,
): void {
  const pointer = pointerOf(tokens);
  const value = valueAt(document, pointer);
  if (place.isItem && place.members.join() === "kind" && oneOf(STEP_KINDS, value)) {
    const message = `A map cannot run a ${String(value)} step for each element.`;
    report("S464", pointer, message, { hint: "an agent, tool, wait or approval step, or itemPlaybook" });
    return;
  }
  const fault = faultOf(issue, value);
  const code = codeOf(place, fault);
  if (code === null) return;
  const { message, hint } = describe(issue, fault, value, place);
  // Of what is missing, the place is the object that lacks it.
  report(code, fault === "missing" ? pointerOf(tokens.slice(0, -1)) : pointer, message, { hint });
}

/** Pointers of the steps that a map runs by their id: they need no `next` (ruling 7). */
function stepsNamedByMaps({ steps }: DocumentView): Set<string> {
  const names = new Set(
    steps.flatMap(({ kind, step }) =>
      kind === "map" && typeof step.itemStep === "string" ? [step.itemStep] : [],
    ),
  );
  return new Set(
    steps.flatMap(({ id, map, pointer }) => (id !== null && !map && names.has(id) ? [pointer] : [])),
  );
}
