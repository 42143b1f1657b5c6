/**
 * What runs inside an expression in place of the engine's own: the checks that bound its work, and the functions
 * whose answer would depend on the machine (time zones, dates) or on a backtracking regular expression. `lower.ts`
 * writes calls of these; no user can, since names that begin with `__` are refused.
 */
import { LIMITS } from "../spec";
import { formatInstant, parseInstant } from "../text/instant";
import type { Pattern } from "../text/pattern";
import { calendarField } from "./calendar";
import type { Meter } from "./meter";

/** What one evaluation carries: its count of work, and the patterns that `matches()` names by index. */
export class Evaluation {
  readonly meter: Meter;
  readonly patterns: readonly Pattern[];
  constructor(meter: Meter, patterns: readonly Pattern[]) {
    this.meter = meter;
    this.patterns = patterns;
  }
}

/** Native work on texts is cheap: so many characters count as one step. */
const CHARACTERS_PER_STEP = 256;

const shallowSteps = (value: unknown): number => {
  if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_PER_STEP);
  if (Array.isArray(value)) return 1 + Math.floor(value.length / 16);
  return 1;
};

/** A result that may have grown, or left the numbers that JSON knows. */
function checked({ meter }: Evaluation, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error("the result is no finite number");
  if (typeof value === "string" && value.length > LIMITS.expressionTextLength)
    meter.refuse(`a text of more than ${LIMITS.expressionTextLength} characters is made`);
  if (Array.isArray(value) && value.length > LIMITS.expressionListItems)
    meter.refuse(
      `a list of ${value.length} elements is made, at most ${LIMITS.expressionListItems} are allowed`,
    );
  meter.spend(shallowSteps(value));
  return value;
}

/** What a function is applied to. */
function used({ meter }: Evaluation, value: unknown): unknown {
  meter.spend(isMapValue(value) ? 1 + Math.floor(keysOf(value).length / 16) : shallowSteps(value));
  return value;
}

/** An operand of `==`: the engine will go through all of it. Shared parts count each time, as it visits them. */
function compared({ meter }: Evaluation, value: unknown): unknown {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    meter.spend(shallowSteps(next));
    if (Array.isArray(next)) for (const element of next) left.push(element);
    else if (next instanceof Map) for (const element of next.values()) left.push(element);
    else if (isMapValue(next)) for (const element of Object.values(next)) left.push(element);
  }
  return value;
}

/** The right side of `in`: a list is gone through, a map is not. */
const searched = (evaluation: Evaluation, value: unknown): unknown =>
  Array.isArray(value) ? compared(evaluation, value) : value;

/** What a comprehension goes through; `bodyNodes` is the work of one round. */
function range({ meter }: Evaluation, value: unknown, bodyNodes: bigint): unknown {
  if (!Array.isArray(value) && !isMapValue(value))
    throw new Error("only a list or a map can be gone through");
  const count = Array.isArray(value) ? value.length : keysOf(value).length;
  if (count > LIMITS.expressionListItems)
    meter.refuse(
      `${count} elements are to be gone through, at most ${LIMITS.expressionListItems} are allowed`,
    );
  meter.spend(1 + count * Number(bodyNodes));
  return value;
}

/** A key of a map that becomes a JSON object. The engine would drop the three names without a word. */
function key(value: unknown): string {
  if (typeof value !== "string") throw new Error("a key of a map must be a string");
  if (RESERVED_KEYS.includes(value)) throw new Error(`"${value}" cannot be the key of a map`);
  return value;
}
/** Names that JavaScript's objects give a meaning to (finding E108 forbids them in documents). */
export const RESERVED_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

function matches({ meter, patterns }: Evaluation, text: unknown, index: bigint): boolean {
  const pattern = patterns[Number(index)];
  if (typeof text !== "string" || !pattern) throw new Error("matches() needs a string");
  if (text.length > LIMITS.regexSubjectLength)
    throw new Error(`matches() reads at most ${LIMITS.regexSubjectLength} characters, this text has more`);
  meter.spend(1 + Math.ceil((text.length * pattern.size) / 16));
  return pattern.test(text);
}

/** `has(value.field)` where the engine's macro takes no such value. */
function has(value: unknown, field: string): boolean {
  if (value instanceof Map) return value.has(field);
  if (isMapValue(value)) return Object.hasOwn(value, field);
  throw new Error(`has(): there is no map to look for "${field}" in`);
}

/** `timestamp(text)`: RFC 3339 alone; the engine would read a text without an offset in the machine's zone. */
function timestamp(value: unknown): Date {
  if (value instanceof Date) return value;
  const atMs =
    typeof value === "string" ? parseInstant(value) : typeof value === "bigint" ? Number(value) * 1000 : null;
  if (atMs === null || Math.abs(atMs) > 8.64e15)
    throw new Error("timestamp() needs an RFC 3339 text such as 2026-01-01T00:00:00Z, or an int of seconds");
  return new Date(atMs);
}

/** A timestamp as RFC 3339. @throws Error outside the years 0 to 9999 */
export function instantText(at: Date): string {
  const text = formatInstant(at.getTime());
  if (text === null) throw new Error("the timestamp lies outside the years 0 to 9999");
  return text;
}

/** `duration(text)`: the engine's own pattern takes cubic time in a long row of digits. */
function short(value: unknown): unknown {
  if (typeof value === "string" && value.length > 40)
    throw new Error("duration() needs a short text such as 90m");
  return value;
}

function joined({ meter }: Evaluation, list: unknown, separator: unknown): string {
  if (!Array.isArray(list) || typeof separator !== "string")
    throw new Error("join() needs a list of strings");
  let length = 0;
  for (const element of list) {
    if (typeof element !== "string") throw new Error("join() needs a list of strings");
    length += element.length + separator.length;
    if (length > LIMITS.expressionTextLength + separator.length)
      meter.refuse(`a text of more than ${LIMITS.expressionTextLength} characters is made`);
  }
  meter.spend(1 + list.length + Math.floor(length / CHARACTERS_PER_STEP));
  return list.join(separator);
}

function calendar({ meter }: Evaluation, at: unknown, field: string, zone: unknown): bigint {
  if (!(at instanceof Date) || typeof zone !== "string")
    throw new Error(`${field}() needs a timestamp and a zone`);
  meter.spend(100);
  return BigInt(calendarField(at.getTime(), field, zone));
}

/** By their signatures for the engine. The evaluation comes first where work is counted. */
// biome-ignore lint/suspicious/noExplicitAny: the engine hands over whatever values an expression has
export const GUARDS: Readonly<Record<string, (...values: any[]) => unknown>> = {
  "__checked(Evaluation, dyn): dyn": checked,
  "__used(Evaluation, dyn): dyn": used,
  "__compared(Evaluation, dyn): dyn": compared,
  "__searched(Evaluation, dyn): dyn": searched,
  "__range(Evaluation, dyn, int): dyn": range,
  "__key(dyn): string": key,
  "__matches(Evaluation, dyn, int): bool": matches,
  "__has(dyn, string): bool": has,
  "__timestamp(dyn): google.protobuf.Timestamp": timestamp,
  "__short(dyn): dyn": short,
  "__joined(Evaluation, dyn, dyn): string": joined,
  "__calendar(Evaluation, dyn, string, dyn): int": calendar,
};

function isMapValue(value: unknown): value is object {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  if (value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
const keysOf = (value: object): unknown[] => (value instanceof Map ? [...value.keys()] : Object.keys(value));
