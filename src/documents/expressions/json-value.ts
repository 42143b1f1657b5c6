/** Between JSON and the values that an expression works with. */
import type { Json } from "../model";
import { LIMITS } from "../spec";
import { unwrapped } from "./engine";
import { instantText } from "./guards";
import type { Meter } from "./meter";

/**
 * A value of the scope as the engine may see it: JSON, not too deep. An object with an own key `constructor` becomes a
 * Map, because the engine asks an object's `constructor` what it is. Everything else is taken as it is, not copied.
 * @throws Error naming what is no JSON
 */
export function admitted(value: unknown, depth = 0): unknown {
  if (depth > LIMITS.expressionValueDepth)
    throw new Error(`values are nested deeper than ${LIMITS.expressionValueDepth}`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) {
    let changed: unknown[] | null = null;
    for (const [index, element] of value.entries()) {
      const seen = admitted(element, depth + 1);
      if (seen === element) continue;
      changed ??= [...value];
      changed[index] = seen;
    }
    return changed ?? value;
  }
  if (typeof value !== "object") throw new Error(`a ${typeof value} is no JSON`);
  let changed = Object.hasOwn(value, "constructor");
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const seen = admitted(member, depth + 1);
    changed ||= seen !== member;
    return [key, seen];
  });
  return changed ? new Map(entries) : value;
}

/**
 * What an expression yielded, as JSON of its own: nothing of it is shared with the scope.
 * @throws Error when it is no JSON: an int that a double cannot hold, a type, bytes, a duration, a missing optional
 */
export function yielded(value: unknown, meter: Meter, depth = 0): Json {
  meter.spend(1);
  if (depth > LIMITS.expressionValueDepth)
    throw new Error(`the result is nested deeper than ${LIMITS.expressionValueDepth}`);
  switch (typeof value) {
    case "string":
      meter.yield(value.length + 2);
      return value;
    case "boolean":
      meter.yield(5);
      return value;
    case "number":
      meter.yield(8);
      if (!Number.isFinite(value)) throw new Error("the result is no finite number");
      return value === 0 ? 0 : value;
    case "bigint":
      meter.yield(8);
      return safeInteger(value);
    case "object":
      return ofObject(value, meter, depth);
    default:
      throw new Error("the result is no JSON");
  }
}

function ofObject(value: object | null, meter: Meter, depth: number): Json {
  meter.yield(4);
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((element) => yielded(element, meter, depth + 1));
  if (value instanceof Date) {
    meter.yield(24);
    return instantText(value);
  }
  const inner = unwrapped(value);
  if (inner === undefined) throw new Error("the optional value is missing: give one with .orValue(…)");
  if (inner !== value) return yielded(inner, meter, depth + 1);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (value instanceof Map || prototype === Object.prototype || prototype === null) {
    const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
    return Object.fromEntries(
      [...entries].map(([key, member]) => {
        if (typeof key !== "string") throw new Error("a key of a map must be a string");
        meter.yield(key.length + 4);
        return [key, yielded(member, meter, depth + 1)];
      }),
    );
  }
  const primitive: unknown = value.valueOf();
  if (typeof primitive === "bigint") return safeInteger(primitive);
  throw new Error("the result is bytes, a type or a duration, and no JSON");
}

function safeInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`the int ${value} is too large for a JSON number`);
  return number;
}
