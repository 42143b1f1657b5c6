/**
 * Typed filters of triggers (section c.9). All must hold. Nothing is coerced: a value of another type, like a
 * missing path, never matches, and nothing throws.
 */
import type { Filter, Json } from "../model";
import { parseInstant } from "../text/instant";
import { valueAt } from "../text/pointer";

/** Whether a payload meets every filter; no filters, every payload. */
export const meetsFilters = (filters: readonly Filter[] | undefined, payload: Json): boolean =>
  (filters ?? []).every((filter) => meets(filter, payload));

type Comparable = string | number | boolean | null;

function meets(filter: Filter, payload: Json): boolean {
  const found = valueAt(payload, filter.path);
  if (filter.op === "absent") return found === undefined;
  if (found === undefined) return false;
  const value = ofType(filter.type, found);
  if (value === undefined) return false;
  if (filter.op === "exists") return true;
  if (filter.op === "in" || filter.op === "nin") {
    if (!Array.isArray(filter.value)) return false;
    const isListed = filter.value.some((member) => ofType(filter.type, member) === value);
    return isListed === (filter.op === "in");
  }
  if (filter.value === undefined) return false;
  const wanted = ofType(filter.type, filter.value);
  return wanted !== undefined && holds(filter.op, value, wanted);
}

/** The value as something to compare (an instant in milliseconds); undefined when it is of another type. */
function ofType(type: Filter["type"], value: Json): Comparable | undefined {
  if (type === "null") return value === null ? null : undefined;
  if (type === "timestamp") return typeof value === "string" ? (parseInstant(value) ?? undefined) : undefined;
  if (typeof value === "string") return type === "string" ? value : undefined;
  if (typeof value === "number") return type === "number" ? value : undefined;
  if (typeof value === "boolean") return type === "boolean" ? value : undefined;
  return undefined;
}

function holds(op: Filter["op"], value: Comparable, wanted: Comparable): boolean {
  if (op === "eq") return value === wanted;
  if (op === "neq") return value !== wanted;
  if (typeof value === "number" && typeof wanted === "number") {
    if (op === "gt") return value > wanted;
    if (op === "gte") return value >= wanted;
    if (op === "lt") return value < wanted;
    return op === "lte" && value <= wanted;
  }
  if (typeof value === "string" && typeof wanted === "string") {
    if (op === "prefix") return value.startsWith(wanted);
    return op === "contains" && value.includes(wanted);
  }
  return false;
}
