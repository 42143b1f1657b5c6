/** Takes over a parsed value as the validator wants it: JSON, of bounded size, without names of prototypes. */
import type { Json, JsonObject } from "../model";
import { LIMITS } from "../spec";
import { pointerOf } from "../text/pointer";

export interface PlainValue {
  /** A copy. Parts that are no JSON or lie too deep are null in it. */
  value: Json;
  /** Places of members named `__proto__`, `constructor` or `prototype`; they are not in the copy. */
  prototypeKeys: string[];
  /** Places that are no JSON, and what stands there. */
  notJson: { pointer: string; found: string }[];
  /** The first object or list that lies deeper than a document may. */
  tooDeepAt: string | null;
  /** It has more parts than any document has bytes; the copy is not whole. */
  isTooLarge: boolean;
}

const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Copies a value of any origin. Circles end at the depth that documents may have, or at the number of parts. */
export function plainValue(source: unknown): PlainValue {
  const copy: PlainValue = {
    value: null,
    prototypeKeys: [],
    notJson: [],
    tooDeepAt: null,
    isTooLarge: false,
  };
  let parts = 0;
  // Leads to the value being taken; pointers are only made where something is to be told.
  const path: (string | number)[] = [];

  function take(value: unknown): Json {
    if (++parts > LIMITS.documentBytes) copy.isTooLarge = true;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string" && value.isWellFormed()) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object" || (!Array.isArray(value) && !isPlain(value))) {
      copy.notJson.push({ pointer: pointerOf(path), found: nameOf(value) });
      return null;
    }
    if (path.length >= LIMITS.depth) {
      copy.tooDeepAt ??= pointerOf(path);
      return null;
    }
    return Array.isArray(value) ? takeList(value) : takeObject(value);
  }

  function takeList(list: readonly unknown[]): Json[] {
    const elements: Json[] = [];
    // Not `map`, which steps over holes.
    for (let index = 0; index < list.length && !copy.isTooLarge; index++) {
      path.push(index);
      elements.push(take(list[index]));
      path.pop();
    }
    return elements;
  }

  function takeObject(object: object): JsonObject {
    const members: JsonObject = {};
    for (const [name, member] of Object.entries(object)) {
      if (copy.isTooLarge) break;
      path.push(name);
      if (!name.isWellFormed()) {
        copy.notJson.push({ pointer: pointerOf(path), found: "a name with a lone surrogate" });
      } else if (PROTOTYPE_NAMES.has(name)) copy.prototypeKeys.push(pointerOf(path));
      else members[name] = take(member);
      path.pop();
    }
    return members;
  }

  copy.value = take(source);
  return copy;
}

/** `Object.prototype` of any realm has no prototype itself; that of a class has one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  if (typeof value === "string") return "a text with a lone surrogate";
  if (typeof value === "object") return "an object of a class";
  return typeof value === "number" || value === undefined ? String(value) : `a ${typeof value}`;
}
