/** Filters of triggers: pointers, and operators that fit the type they name (T322 to T324). */
import type { Json, JsonObject } from "../model";
import { FILTER_OPS, FILTER_TYPES, LIMITS } from "../spec";
import { parseInstant } from "../text/instant";
import { childPointer, parsePointer } from "../text/pointer";
import type { Pass } from "./index";
import type { Report } from "./report";
import { asList, isObject, oneOf } from "./view";
import { shown } from "./words";

type FilterType = (typeof FILTER_TYPES)[number];
type FilterOp = (typeof FILTER_OPS)[number];

/** The types that an operator compares; of the others, every type. */
const TYPES_OF: Partial<Record<FilterOp, readonly FilterType[]>> = {
  gt: ["number", "timestamp"],
  gte: ["number", "timestamp"],
  lt: ["number", "timestamp"],
  lte: ["number", "timestamp"],
  prefix: ["string"],
  contains: ["string"],
};

export const checkFilters: Pass = ({ triggers }, report) => {
  for (const { kind, trigger, pointer } of triggers) {
    if (kind === null) continue;
    const filters = asList(trigger.filters);
    const path = `${pointer}/filters`;
    if (filters.length > LIMITS.filters) {
      report("T324", path, `There are ${filters.length} filters.`, { hint: `at most ${LIMITS.filters}` });
    }
    for (const [index, filter] of filters.entries()) {
      if (isObject(filter)) checkFilter(filter, childPointer(path, index), report);
    }
  }
};

function checkFilter(filter: JsonObject, pointer: string, report: Report): void {
  if (typeof filter.path === "string" && parsePointer(filter.path) === null) {
    report("T322", `${pointer}/path`, `${shown(filter.path)} is no JSON Pointer.`, {
      hint: 'such as "/data/amount"',
    });
  }
  const [type, op] = [oneOf(FILTER_TYPES, filter.type), oneOf(FILTER_OPS, filter.op)];
  if (type === null || op === null) return;
  const types = TYPES_OF[op];
  if (types && !types.includes(type)) {
    const hint = `type ${types.map((name) => `"${name}"`).join(" or ")}`;
    report("T323", `${pointer}/op`, `"${op}" does not compare values of type "${type}".`, { hint });
    return;
  }
  checkValue(type, op, filter.value, pointer, report);
}

function checkValue(
  type: FilterType,
  op: FilterOp,
  value: Json | undefined,
  pointer: string,
  report: Report,
): void {
  const path = `${pointer}/value`;
  if (op === "exists" || op === "absent") {
    if (value !== undefined) report("T323", path, `"${op}" compares with no value.`, { hint: "no value" });
    return;
  }
  if (value === undefined) {
    if (type !== "null") report("T323", pointer, `"${op}" needs a value.`, { hint: RIGHT[type] });
    return;
  }
  if (op !== "in" && op !== "nin") {
    if (!isOfType(value, type)) reportType(value, type, path, report);
  } else if (!Array.isArray(value)) {
    report("T323", path, `"${op}" needs a list.`, { hint: `a list, each of it ${RIGHT[type]}` });
  } else {
    for (const [index, element] of value.entries()) {
      if (!isOfType(element, type)) reportType(element, type, childPointer(path, index), report);
    }
  }
}

const RIGHT: Record<FilterType, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  timestamp: 'an instant such as "2026-01-01T00:00:00Z"',
  null: "null",
};

function isOfType(value: Json, type: FilterType): boolean {
  if (type === "null") return value === null;
  if (type === "timestamp") return typeof value === "string" && parseInstant(value) !== null;
  return typeof value === type;
}

const reportType = (value: Json, type: FilterType, path: string, report: Report): void =>
  report("T323", path, `${shown(value)} is not of type "${type}".`, { hint: RIGHT[type] });
