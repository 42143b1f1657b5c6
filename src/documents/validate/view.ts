/**
 * A document as the passes of the validator look at it: members that may be missing or of any type, and lists of the
 * steps, triggers and tools that are objects. A pass takes what it can read and leaves the rest to the shape check.
 */
import type { Json, JsonObject, StepKind, TriggerKind } from "../model";
import { STEP_KINDS, TRIGGER_KINDS } from "../spec";
import { childPointer } from "../text/pointer";

export interface StepView {
  /** Of the step: `/playbook/steps/2`, `/playbook/steps/2/itemStep`. */
  pointer: string;
  step: JsonObject;
  /** Null when it is none of the seven: nothing else is said about such a step. */
  kind: StepKind | null;
  /** Null when it is missing or no text; it may be malformed, or not unique. */
  id: string | null;
  /** Place in `playbook.steps`, of the map for an item step inside it. */
  index: number;
  /** The map around it, for an item step that is written inside its map. */
  map: StepView | null;
}

export interface TriggerView {
  pointer: string;
  trigger: JsonObject;
  kind: TriggerKind | null;
}

export interface ToolView {
  pointer: string;
  tool: JsonObject;
  name: string | null;
}

/** Objects that are missing or of another type are empty here. */
export interface DocumentView {
  document: JsonObject;
  requires: JsonObject;
  playbook: JsonObject;
  manifest: JsonObject;
  guardrails: JsonObject;
  /** In document order; an item step inside a map follows its map. */
  steps: StepView[];
  triggers: TriggerView[];
  tools: ToolView[];
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as an object, list or text; empty (null for a text) when it is something else. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const asText = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);
/** The texts of a list, with their places in it. */
export const textsOf = (value: Json | undefined): { text: string; index: number }[] =>
  asList(value).flatMap((text, index) => (typeof text === "string" ? [{ text, index }] : []));

/** The one of these words that the value is. */
export const oneOf = <Word extends string>(words: readonly Word[], value: Json | undefined): Word | null =>
  words.find((word) => word === value) ?? null;

export function viewDocument(document: JsonObject): DocumentView {
  const playbook = asObject(document.playbook);
  return {
    document,
    requires: asObject(document.requires),
    playbook,
    manifest: asObject(playbook.manifest),
    guardrails: asObject(playbook.guardrails),
    steps: objectsOf(playbook.steps, "/playbook/steps").flatMap(viewStep),
    triggers: objectsOf(playbook.triggers, "/playbook/triggers").map(({ pointer, object }) => ({
      pointer,
      trigger: object,
      kind: oneOf(TRIGGER_KINDS, object.kind),
    })),
    tools: objectsOf(playbook.tools, "/playbook/tools").map(({ pointer, object }) => ({
      pointer,
      tool: object,
      name: asText(object.name),
    })),
  };
}

interface Element {
  pointer: string;
  object: JsonObject;
  index: number;
}

const objectsOf = (list: Json | undefined, pointer: string): Element[] =>
  asList(list).flatMap((object, index) =>
    isObject(object) ? [{ pointer: childPointer(pointer, index), object, index }] : [],
  );

function viewStep({ pointer, object, index }: Element): StepView[] {
  const view = stepView(pointer, object, index, null);
  if (view.kind !== "map" || !isObject(object.itemStep)) return [view];
  // A map inside a map is refused (S464), so that one level is all there is.
  return [view, stepView(`${pointer}/itemStep`, object.itemStep, index, view)];
}

const stepView = (pointer: string, step: JsonObject, index: number, map: StepView | null): StepView => ({
  pointer,
  step,
  kind: oneOf(STEP_KINDS, step.kind),
  id: asText(step.id),
  index,
  map,
});
