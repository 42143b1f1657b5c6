/** Zod's issues as ours: where, what, and what would be right. */
import type * as z from "zod";
import { Failure, type Issue } from "../platform/failure";

/** Where an input stands. Pointers into a body start at its root, the others with their place's name. */
export type Place = "body" | "query" | "path" | "header";

interface LocatedIssue extends Issue {
  place: Place;
}

const isLocated = (issue: Issue): issue is LocatedIssue => "place" in issue;

export const placeOf = (issue: Issue): Place => (isLocated(issue) ? issue.place : "body");

/** The same failure, whose issues know that they are not about the body. */
export function located(place: Place, failure: Failure): Failure {
  const issues = failure.issues.map((issue): LocatedIssue => ({ ...issue, place }));
  return new Failure(failure.kind, failure.message, issues, failure.headers);
}

const baseOf: Record<Place, string> = { body: "", query: "/query", path: "/path", header: "/headers" };

/** RFC 6901. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** `1 character`, `20 entries`, `5`. */
function counted(count: number | bigint, origin: string): string {
  const isOne = Number(count) === 1;
  if (origin === "string") return `${count} ${isOne ? "character" : "characters"}`;
  if (origin === "array") return `${count} ${isOne ? "entry" : "entries"}`;
  return String(count);
}

/** What would be right, in words, from what zod knows. */
function expectedOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `a value of type ${issue.expected}`;
    case "too_small":
      return `at least ${counted(issue.minimum, issue.origin)}`;
    case "too_big":
      return `at most ${counted(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "unrecognized_keys":
      return "no such key";
    case "invalid_format":
      return issue.format === "regex" ? issue.message : `a ${issue.format}`;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "custom":
      return typeof issue.params?.expected === "string" ? issue.params.expected : issue.message;
    default:
      return issue.message;
  }
}

/**
 * A union's issues are those of the branch that came closest: the one with the fewest. Keys that do not
 * belong are named one by one.
 */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
  }
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best));
  return closest.flatMap((inner) => flatten({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** At most this many faults are reported at once. */
const MAX_ISSUES = 20;

/** @throws Failure("invalid") naming every fault by JSON pointer */
export function parseOrFail<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: Place = "body",
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues: Issue[] = parsed.error.issues
    .flatMap(flatten)
    .slice(0, MAX_ISSUES)
    .map((issue) => ({
      pointer: `${baseOf[place]}${pointerOf(issue.path)}`,
      message: issue.message,
      expected: expectedOf(issue),
      type: issue.code,
    }));
  const first = issues[0];
  const message = first ? `${first.pointer || "/"}: ${first.message}` : "invalid input";
  throw located(place, new Failure("invalid", message, issues));
}
