/**
 * What an unknown member means: nothing where documents describe, a fault where they protect. An unknown guardrail or
 * a mistyped field of a gate must stop a document, since ignoring it would run without it; an unknown word in a
 * manifest is kept with a warning, since files may come from a richer tool.
 */
import { guardrailsSchema, STEP_SHAPES } from "../schema";
import { ALIASES, EXTENSION_PREFIX, type FindingCode, STEP_KINDS } from "../spec";
import { suggest } from "../text/suggest";
import { membersAt } from "./members";
import { type Place, placeName } from "./place";

export interface UnknownField {
  code: FindingCode;
  severity: "error" | "warning";
  message: string;
  hint?: string | undefined;
}

const IN_GUARDRAILS = "it belongs into playbook.guardrails";
const GUARDRAILS = Object.keys(guardrailsSchema.shape);
/** Edges, and the kinds of step that have them. */
const EDGES: Readonly<Record<string, string>> = {
  next: "agent, tool, wait, map and approval steps",
  branches: "decision steps",
  default: "decision steps",
  onReject: "approval steps",
};

/** What to say of an unknown member of the object at a place. @returns null when the member is allowed after all */
export function unknownField(place: Place, name: string): UnknownField | null {
  if (name.startsWith(EXTENSION_PREFIX)) return null;
  const near = suggest(name, membersAt(place));
  const hint = near === null ? undefined : `did you mean "${near}"?`;
  if (place.owner === "guardrails") {
    return { code: "R702", severity: "error", message: `No guardrail is called "${name}".`, hint };
  }
  const kind = place.owner.startsWith("step:") ? place.owner.slice("step:".length) : null;
  if (kind !== null && place.members.length === 0) return unknownOfStep(place, kind, name, near);
  const message = `Nothing called "${name}" is known here.`;
  if (isProtective(place)) return { code: "E105", severity: "error", message, hint };
  if (GUARDRAILS.includes(name)) {
    return { code: "E105", severity: "error", message, hint: IN_GUARDRAILS };
  }
  // A mistyped `guardrails` or `triggers` is a document without them.
  const isMistyped = near !== null && (placeName(place) === "document" || placeName(place) === "playbook");
  return { code: "E105", severity: isMistyped ? "error" : "warning", message, hint };
}

/** Triggers and what is in them, all of a gate, policies of approval, retries, branches. */
const isProtective = ({ owner }: Place): boolean => owner.startsWith("trigger:") || owner.startsWith("step:");

/**
 * A step's own members decide what it does: one that belongs to another kind of step, or is a mistyped one of this
 * kind, is a fault, and so is every unknown one of a gate. The rest describes.
 */
function unknownOfStep(place: Place, kind: string, name: string, near: string | null): UnknownField {
  const edgeOf = EDGES[name];
  if (edgeOf !== undefined && Object.hasOwn(EDGES, name)) {
    return place.isItem && name === "next"
      ? { code: "S464", severity: "error", message: "A map's item step has no next: the map has." }
      : {
          code: "S404",
          severity: "error",
          message: `"${name}" is of ${edgeOf}; this is a step of kind ${kind}.`,
        };
  }
  const message = `No member of ${kind} steps is called "${name}".`;
  const misplaced = rightPlaceOf(kind, name);
  const isError = kind === "approval" || misplaced !== undefined || near !== null;
  const hint = near === null ? misplaced : `did you mean "${near}"?`;
  return { code: "E105", severity: isError ? "error" : "warning", message, hint };
}

/** Where a name belongs that means something elsewhere. */
function rightPlaceOf(kind: string, name: string): string | undefined {
  if (GUARDRAILS.includes(name)) return IN_GUARDRAILS;
  const spellings = Object.entries(ALIASES).find(([known]) => known === kind)?.[1] ?? {};
  const canonical = Object.entries(spellings).find(([alias]) => alias === name)?.[1];
  if (canonical !== undefined) return `"${canonical}" alone, which is here as well`;
  const owners = STEP_KINDS.filter((other) => other !== kind && Object.hasOwn(STEP_SHAPES[other], name));
  return owners.length > 0 ? `it is of ${owners.join(", ")} steps` : undefined;
}
