/**
 * Places in a document by what stands there, whatever its position: `step:approval.timeout`,
 * `trigger:webhook.filters.*.op`, `guardrails.maxLlmCostCents`. Tables of rules are keyed by them.
 */
import type { Json } from "../model";
import { STEP_KINDS, TRIGGER_KINDS } from "../spec";
import { asList, asObject, oneOf } from "./view";

export interface Place {
  /** What owns the place: `document`, `playbook`, `manifest`, `guardrails`, `tool`, `trigger:KIND`, `step:KIND` … */
  owner: string;
  /** Members from the owner on, with `*` for places in lists; empty for the owner itself. */
  members: string[];
  /** Inside a map's inline item step. */
  isItem: boolean;
}

/** Of a place below `/playbook/steps/*`: the steps' list is part of the playbook, a step an owner. */
export function placeOf(document: Json, tokens: readonly (string | number)[]): Place {
  const [first, second, third, ...rest] = tokens;
  if (first !== "playbook") return place("document", tokens);
  if (second === undefined) return place("playbook", []);
  const playbook = asObject(asObject(document).playbook);
  if (second === "manifest" || second === "guardrails") return place(second, tokens.slice(2));
  if (typeof third !== "number") return place("playbook", tokens.slice(1));
  const element = asObject(asList(playbook[second])[third]);
  if (second === "tools") return place("tool", rest);
  if (second === "triggers") return place(`trigger:${oneOf(TRIGGER_KINDS, element.kind) ?? "?"}`, rest);
  if (second !== "steps") return place("playbook", tokens.slice(1));
  const isItem = rest[0] === "itemStep" && typeof element.itemStep === "object";
  const step = isItem ? asObject(element.itemStep) : element;
  return { ...place(`step:${oneOf(STEP_KINDS, step.kind) ?? "?"}`, isItem ? rest.slice(1) : rest), isItem };
}

const place = (owner: string, tokens: readonly (string | number)[]): Place => ({
  owner,
  members: tokens.map((token) => (typeof token === "number" ? "*" : token)),
  isItem: false,
});

/** `step:approval.timeout`; the owner alone for itself. */
export const placeName = ({ owner, members }: Place): string => [owner, ...members].join(".");

/** The rows of a table that fit a place, the narrowest first: for this kind, then for every kind (`step:*`). */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, place: Place): Row | undefined {
  const anyKind = place.owner.replace(/:.*/, ":*");
  for (const name of [placeName(place), placeName({ ...place, owner: anyKind })]) {
    if (Object.hasOwn(table, name)) return table[name];
  }
  return undefined;
}
