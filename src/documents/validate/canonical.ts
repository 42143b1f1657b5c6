/**
 * The document in canonical names: guessed other spellings rewritten (E112), durations in their short form, lists that
 * may be left out written out as empty. What is read and what is meant then look the same to every later pass.
 */
import type { Json, JsonObject } from "../model";
import { ALIASES, STEP_KINDS, TRIGGER_KINDS } from "../spec";
import { formatDuration, parseDuration } from "../text/duration";
import { childPointer, parsePointer, pointerOf, valueAt } from "../text/pointer";
import type { Report } from "./report";
import { isObject, oneOf } from "./view";

export interface CanonicalDocument {
  document: JsonObject;
  /**
   * The place in what was given that a place in `document` comes from: under the name that stands there, and of
   * something that is not there the object that lacks it.
   */
  toSource(pointer: string): string;
}

const LISTS = {
  requires: ["connections", "mcpServers", "secrets"],
  playbook: ["tools", "triggers", "steps"],
  manifest: ["requiredConnectors", "requiredPermissions"],
  agent: ["allowedTools"],
  guardrails: ["requiresApprovalFor"],
} as const;
/** Members of steps that are durations, whatever the kind. */
const DURATIONS = ["duration", "timeout", "delay", "maxDelay"] as const;

export function canonicalDocument(source: JsonObject, report: Report): CanonicalDocument {
  const spellings = new Spellings(report);
  const document = { ...source };
  if (source.requires === undefined) document.requires = filled({}, LISTS.requires);
  else if (isObject(source.requires)) document.requires = filled(source.requires, LISTS.requires);
  if (isObject(source.playbook)) document.playbook = canonicalPlaybook(source.playbook, spellings, report);
  return { document, toSource: (pointer) => nearest(source, spellings.toSource(pointer)) };
}

function canonicalPlaybook(source: JsonObject, spellings: Spellings, report: Report): JsonObject {
  const playbook = filled(source, LISTS.playbook);
  if (playbook.configSchema === undefined) playbook.configSchema = {};
  if (isObject(source.manifest)) playbook.manifest = filled(source.manifest, LISTS.manifest);
  if (isObject(source.guardrails)) {
    playbook.guardrails = filled(source.guardrails, LISTS.guardrails);
    if (source.guardrails.requiresApprovalFor === undefined) {
      report("R701", "/playbook/guardrails", '"requiresApprovalFor" is missing: nothing needs approval.', {
        hint: '"requiresApprovalFor": [] where that is meant',
        severity: "warning",
      });
    }
  }
  playbook.tools = eachObject(playbook.tools, (tool) => shortDurations(tool));
  playbook.triggers = eachObject(playbook.triggers, (trigger, index) => {
    const kind = oneOf(TRIGGER_KINDS, trigger.kind);
    const pointer = `/playbook/triggers/${index}`;
    return spellings.rewrite(trigger, aliasesOf(kind), pointer, pointer);
  });
  playbook.steps = eachObject(playbook.steps, (step, index) => {
    const pointer = `/playbook/steps/${index}`;
    return canonicalStep(step, pointer, pointer, spellings);
  });
  return playbook;
}

/** `pointer` is the step's place in the canonical document, `at` in the source. */
function canonicalStep(source: JsonObject, pointer: string, at: string, spellings: Spellings): JsonObject {
  const kind = oneOf(STEP_KINDS, source.kind);
  const step = shortDurations(spellings.rewrite(source, aliasesOf(kind), pointer, at));
  if (isObject(step.retry)) step.retry = shortDurations(step.retry);
  if (kind === "agent") return filled(step, LISTS.agent);
  if (kind === "map" && isObject(step.itemStep)) {
    const inner = `${pointer}/itemStep`;
    step.itemStep = canonicalStep(step.itemStep, inner, spellings.toSource(inner), spellings);
  }
  return step;
}

const aliasesOf = (kind: string | null): [string, string][] =>
  Object.entries(Object.entries(ALIASES).find(([name]) => name === kind)?.[1] ?? {});

function filled(source: JsonObject, lists: readonly string[]): JsonObject {
  const object = { ...source };
  for (const name of lists) if (object[name] === undefined) object[name] = [];
  return object;
}

const eachObject = (
  list: Json | undefined,
  change: (object: JsonObject, index: number) => JsonObject,
): Json =>
  Array.isArray(list)
    ? list.map((element, index) => (isObject(element) ? change(element, index) : element))
    : (list ?? null);

/** ISO 8601 is read and written short; what is no duration stays as it is, for the check of durations. */
function shortDurations(source: JsonObject): JsonObject {
  const object = { ...source };
  for (const name of DURATIONS) {
    const text = object[name];
    if (typeof text !== "string" || !text.startsWith("P")) continue;
    const reading = parseDuration(text);
    if (reading.ok) object[name] = formatDuration(reading.ms);
  }
  return object;
}

/** Renames members, and remembers what they were called. */
class Spellings {
  /** Canonical place → place in the source. */
  private readonly renamed = new Map<string, string>();

  constructor(private readonly report: Report) {}

  /** In place, so that members keep their order. A spelling beside the canonical name stays, and is unknown. */
  rewrite(source: JsonObject, aliases: readonly [string, string][], pointer: string, at: string): JsonObject {
    if (pointer !== at) this.renamed.set(pointer, at);
    const names = new Map<string, string>();
    for (const [alias, name] of aliases) {
      const isFree = source[name] === undefined && ![...names.values()].includes(name);
      if (source[alias] !== undefined && isFree) names.set(alias, name);
    }
    if (names.size === 0) return { ...source };
    return Object.fromEntries(
      Object.entries(source).map(([name, value]) => {
        const canonical = names.get(name);
        if (canonical === undefined) return [name, value];
        const place = childPointer(at, name);
        this.renamed.set(childPointer(pointer, canonical), place);
        this.report("E112", place, `"${name}" is read as "${canonical}".`, { hint: `"${canonical}"` });
        return [canonical, value];
      }),
    );
  }

  toSource(pointer: string): string {
    const tokens = parsePointer(pointer) ?? [];
    for (let length = tokens.length; length > 0; length--) {
      const source = this.renamed.get(pointerOf(tokens.slice(0, length)));
      if (source !== undefined) return source + pointerOf(tokens.slice(length));
    }
    return pointer;
  }
}

/** The pointer, or else the nearest place around it that exists. */
function nearest(source: JsonObject, pointer: string): string {
  let tokens = parsePointer(pointer) ?? [];
  while (tokens.length > 0 && valueAt(source, pointerOf(tokens)) === undefined) tokens = tokens.slice(0, -1);
  return pointerOf(tokens);
}
