/** Between a Config and the fields of its form: what they show, and the Config that what was typed stands for. Pure. */
import type { Issue } from "../../platform/failure";
import { FIELDS, type SettingField } from "./fields";
import { at, type Path, withAt } from "./json";

/** Every field by name; a box that is not ticked is empty. */
export type Typed = Readonly<Record<string, string>>;

const pathOf = (name: string): Path => name.split("/");

/** A textarea sends CR LF. */
const unixLines = (text: string): string => text.replaceAll("\r\n", "\n");

/** The document with its absent sections as they are by default, so that each field has something to show. */
function filled(document: unknown, defaults: unknown): unknown {
  const sections = ["user_playbook_extractor_config", "user_playbook_extractor_config/aggregation_config"];
  const whole = sections.reduce<unknown>((filledSoFar, name) => {
    const path = pathOf(name);
    return at(filledSoFar, path) == null ? withAt(filledSoFar, path, at(defaults, path)) : filledSoFar;
  }, document);
  const stripping = at(whole, ["user_detail_stripping_config"]);
  return stripping == null
    ? withAt(whole, ["user_detail_stripping_config"], { enabled: true, forcelist: [] })
    : whole;
}

function shownOf({ kind, name }: SettingField, document: unknown, whole: unknown): string {
  if (kind === "section") return at(document, pathOf(name)) === null ? "" : "on";
  const value = at(whole, pathOf(name));
  if (kind === "switch") return value === true ? "on" : "";
  if (kind === "lines") return Array.isArray(value) ? value.join("\n") : "";
  return value == null ? "" : unixLines(String(value));
}

/** What each field shows of a Config, given as it is stored. */
export function formOf(document: unknown, defaults: unknown): Typed {
  const whole = filled(document, defaults);
  return Object.fromEntries(FIELDS.map((field) => [field.name, shownOf(field, document, whole)]));
}

/** The form's fields of a request, and nothing else of it. */
export const typedOf = (fields: Typed): Typed =>
  Object.fromEntries(FIELDS.map(({ name }) => [name, unixLines(fields[name] ?? "")]));

function settingOf({ kind, isRequired }: SettingField, text: string): unknown {
  if (kind === "switch") return text === "on";
  if (kind === "lines") {
    const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    return lines.length === 0 ? null : lines;
  }
  // What is no number is left for the Config's schema to name.
  if (kind === "number" && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(text)) return Number(text);
  return text.trim() === "" && isRequired !== true ? null : text;
}

const isWithin = (name: string, section: string): boolean => name.startsWith(`${section}/`);

/** Sections whose absence stands for their defaults: one that nobody touched stays absent. */
const DEFAULTED = ["user_detail_stripping_config", "review_gate"];

/**
 * The Config that what was typed stands for. What no field shows stays as it is in `document`, and so does what
 * nobody changed.
 */
export function configOf(document: unknown, typed: Typed, defaults: unknown): unknown {
  const shown = formOf(document, defaults);
  const changed = FIELDS.filter(({ name }) => typed[name] !== shown[name]);
  const written = changed
    .filter(({ kind }) => kind !== "section")
    .reduce(
      (soFar, field) => withAt(soFar, pathOf(field.name), settingOf(field, typed[field.name] ?? "")),
      filled(document, defaults),
    );
  const untouched = DEFAULTED.filter(
    (section) => at(document, [section]) == null && !changed.some(({ name }) => isWithin(name, section)),
  );
  const off = FIELDS.filter(({ kind, name }) => kind === "section" && typed[name] !== "on").map(
    ({ name }) => name,
  );
  // The inner section first: switching off the outer one takes it along.
  return [...off.reverse(), ...untouched].reduce<unknown>(
    (soFar, section) => withAt(soFar, pathOf(section), null),
    written,
  );
}

/** Somebody else's change of a field while it was being typed into. */
export interface Meanwhile {
  before: string;
  now: string;
  /** The reader changed it as well; the field keeps what they typed. */
  isMineToo: boolean;
}

/**
 * What was typed over `base`, carried over to `current`: fields that only others changed show their values.
 * @returns the fields, and what others did to each of them
 */
export function rebased(
  base: Typed,
  typed: Typed,
  current: Typed,
): { typed: Typed; meanwhile: Map<string, Meanwhile> } {
  const merged: Record<string, string> = {};
  const meanwhile = new Map<string, Meanwhile>();
  for (const { name } of FIELDS) {
    const [before = "", mine = "", now = ""] = [base[name], typed[name], current[name]];
    const isMine = mine !== before;
    merged[name] = isMine ? mine : now;
    if (now !== before) meanwhile.set(name, { before, now, isMineToo: isMine && mine !== now });
  }
  return { typed: merged, meanwhile };
}

/** The fault of a field, also where it lies within the field's value. */
export const faultAt = (issues: readonly Issue[], name: string): Issue | undefined =>
  issues.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`));

/** Faults that no field of the form shows beside itself. */
export const faultsElsewhere = (issues: readonly Issue[]): Issue[] => {
  const leaves = FIELDS.filter(({ kind }) => kind !== "section");
  return issues.filter(
    ({ pointer }) => !leaves.some(({ name }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`)),
  );
};
