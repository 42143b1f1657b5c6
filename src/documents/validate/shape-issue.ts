/** One complaint of a schema in our terms: where, which fault, and in which words. */
import type * as z from "zod";
import type { Json } from "../model";
import { ITEM_STEP_KINDS, STEP_KINDS, TRIGGER_KINDS } from "../spec";
import { didYouMean } from "../text/suggest";
import type { Place } from "./place";
import type { Fault } from "./shape-codes";
import { oneOfWords, rightFor, shown, typeName } from "./words";

export type Issue = z.core.$ZodIssue;

/**
 * Of a choice between a text and an object, what is wrong with the form that was chosen; the choice itself when
 * neither was.
 */
export function resolved(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.discriminator !== undefined) return [issue];
  const chosen = issue.errors.find(
    (errors) => !errors.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  return chosen
    ? chosen.flatMap((inner) => resolved({ ...inner, path: [...issue.path, ...inner.path] }))
    : [issue];
}

export function faultOf(issue: Issue, value: Json | undefined): Fault {
  if (value === undefined) return "missing";
  switch (issue.code) {
    case "invalid_value":
      return "word";
    case "invalid_union":
      return issue.discriminator === undefined ? "type" : "word";
    case "invalid_type":
      // A number that is no whole one is of the right type, and out of its bounds.
      return issue.expected === "int" && typeof value === "number" ? bounds(value) : "type";
    case "too_small":
    case "too_big":
    case "invalid_format":
      return bounds(value);
    default:
      return "type";
  }
}

const bounds = (value: Json): Fault => (value === 0 ? "zero" : "bounds");

export function describe(
  issue: Issue,
  fault: Fault,
  value: Json | undefined,
  place: Place,
): { message: string; hint: string | undefined } {
  const right = rightFor(place);
  const words = wordsOf(issue, place);
  switch (fault) {
    case "missing":
      return { message: `"${String(issue.path.at(-1))}" is missing.`, hint: right ?? expected(issue, place) };
    case "type":
      return { message: `Expected ${expected(issue, place)}, found ${typeName(value)}.`, hint: right };
    case "word":
      return {
        message: `${shown(value)} is not known here.`,
        hint: [typeof value === "string" ? didYouMean(value, words) : undefined, oneOfWords(words)]
          .filter((part) => part !== undefined)
          .join(" "),
      };
    case "zero":
    case "bounds":
      return { message: `${shown(value)} is not allowed here.`, hint: right ?? boundsOf(issue, place) };
  }
}

function wordsOf(issue: Issue, place: Place): readonly string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code !== "invalid_union" || issue.discriminator === undefined) return [];
  if (place.owner.startsWith("trigger:")) return TRIGGER_KINDS;
  return place.isItem ? ITEM_STEP_KINDS : STEP_KINDS;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function expected(issue: Issue, place: Place): string {
  if (issue.code === "invalid_type") return TYPES[issue.expected] ?? issue.expected;
  const words = wordsOf(issue, place);
  return words.length > 0 ? oneOfWords(words) : "a text or an object";
}

function boundsOf(issue: Issue, place: Place): string | undefined {
  if (issue.code === "invalid_type") return expected(issue, place);
  if (issue.code === "too_small")
    return issue.origin === "string" ? "some text" : `at least ${issue.minimum}`;
  if (issue.code === "too_big") return `at most ${issue.maximum}`;
  return undefined;
}
