/**
 * Canonical JSON (RFC 8785): one text for one value, so that equal values have equal hashes. Members are ordered by
 * the UTF-16 code units of their names; numbers and strings are written as ECMAScript writes them.
 */
import type { Json } from "../model";
import { pointerOf } from "./pointer";

/** The value is no JSON, so that it has no canonical text. */
export class NotJsonError extends TypeError {
  constructor(
    /** JSON Pointer of the place. */
    readonly pointer: string,
    /** What stands there: `undefined`, `NaN`, `a function`, `a lone surrogate` … */
    readonly found: string,
  ) {
    super(`The value at "${pointer}" is ${found}, which is not JSON.`);
    this.name = "NotJsonError";
  }
}

/** Deeper values are refused: the recursion must end before the stack does, and so must a circle. */
const MAX_DEPTH = 1000;

/**
 * The canonical text of a value.
 * @throws NotJsonError for anything that JSON cannot say: `undefined`, NaN, an infinity, a lone surrogate, a bigint, a
 * function, a symbol, an object of a class, a hole in a list, a circle, or more than 1,000 levels
 */
export const canonicalJson = (value: Json): string => write(value, []);

/** Whether a value is JSON, by the same rules; the error names the first place that is not. */
export function findNotJson(value: unknown): NotJsonError | null {
  try {
    write(value, []);
    return null;
  } catch (error) {
    if (error instanceof NotJsonError) return error;
    throw error;
  }
}

/** `path` leads to the value and is back as it was on return. */
function write(value: unknown, path: (string | number)[]): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? JSON.stringify(value) : refuse(path, `${value}`);
  if (typeof value === "string") return quote(value, path);
  if (typeof value !== "object") {
    return refuse(path, value === undefined ? "undefined" : `a ${typeof value}`);
  }
  if (path.length >= MAX_DEPTH) return refuse(path.slice(0, 8), `more than ${MAX_DEPTH} levels deep`);
  return Array.isArray(value) ? writeList(value, path) : writeObject(value, path);
}

function writeList(list: readonly unknown[], path: (string | number)[]): string {
  const items: string[] = [];
  // Not `map`, which would step over holes.
  for (let index = 0; index < list.length; index++) {
    path.push(index);
    items.push(write(list[index], path));
    path.pop();
  }
  return `[${items.join(",")}]`;
}

function writeObject(object: object, path: (string | number)[]): string {
  // `Object.prototype` of any realm has no prototype itself; that of a class has one.
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return refuse(path, `an object of the class ${object.constructor.name}`);
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(object).sort(byName)) {
    path.push(name);
    members.push(`${quote(name, path)}:${write(member, path)}`);
    path.pop();
  }
  return `{${members.join(",")}}`;
}

/** `<` on strings compares UTF-16 code units, as RFC 8785 wants (section 3.2.3). */
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);

const quote = (text: string, path: readonly (string | number)[]): string =>
  text.isWellFormed() ? JSON.stringify(text) : refuse(path, "a text with a lone surrogate");

function refuse(path: readonly (string | number)[], found: string): never {
  throw new NotJsonError(pointerOf(path), found);
}
