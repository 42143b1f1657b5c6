/** A schema where it meets a value, and the keywords that look at nothing beyond the value itself. */
import type { Json, JsonObject } from "../model";
import { LIMITS } from "../spec";
import { type Partial, Unknown } from "./partial";

/** One thing wrong with a value. */
export interface ValueFault {
  /** JSON Pointer into the value. */
  pointer: string;
  message: string;
  /** What would be right, as short as it can be said: `integer`, `at most 3 characters`. */
  expected: string;
}

/** `open`: whether it is right depends on what is unknown. */
export interface Outcome {
  faults: ValueFault[];
  open: boolean;
}

/** A schema where it meets a value. */
export class Place {
  readonly schema: JsonObject;
  readonly value: Partial;
  readonly pointer: string;
  readonly outcome: Outcome;
  constructor(schema: JsonObject, value: Partial, pointer: string, outcome: Outcome) {
    this.schema = schema;
    this.value = value;
    this.pointer = pointer;
    this.outcome = outcome;
  }
  wrong(message: string, expected: string): void {
    this.add({ pointer: this.pointer, message, expected });
  }
  add(fault: ValueFault): void {
    // One more than is reported: no more is needed to know that there are others.
    if (this.outcome.faults.length <= LIMITS.userSchemaFaults) this.outcome.faults.push(fault);
  }
}

export function checkType(place: Place): void {
  const { type } = place.schema;
  const names = Array.isArray(type) ? type : [type];
  const { value } = place;
  const found = value instanceof Unknown ? (value.isText ? "string" : null) : typeName(value);
  if (found === null) return;
  const integer = typeof value === "number" && Number.isInteger(value);
  if (names.some((name) => name === found || (name === "integer" && integer))) return;
  const wanted = names.join(" or ");
  place.wrong(`This must be ${wanted}, it is ${found}.`, wanted);
}

function typeName(value: Exclude<Partial, Unknown>): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "object" : typeof value;
}

export function checkNumber(place: Place, value: number): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = place.schema;
  const limit = (bound: Json | undefined, holds: (bound: number) => boolean, words: string): void => {
    if (typeof bound !== "number" || holds(bound)) return;
    place.wrong(`The number must be ${words} ${bound}, it is ${value}.`, `${words} ${bound}`);
  };
  limit(minimum, (bound) => value >= bound, "at least");
  limit(exclusiveMinimum, (bound) => value > bound, "more than");
  limit(maximum, (bound) => value <= bound, "at most");
  limit(exclusiveMaximum, (bound) => value < bound, "less than");
}

export function checkCount(
  place: Place,
  count: number,
  least: Json | undefined,
  most: Json | undefined,
  unit: string,
): void {
  const say = (words: string, bound: number): void => {
    const units = bound === 1 ? unit : unit === "property" ? "properties" : `${unit}s`;
    place.wrong(`This must have ${words} ${bound} ${units}, it has ${count}.`, `${words} ${bound} ${units}`);
  };
  if (typeof least === "number" && count < least) say("at least", least);
  if (typeof most === "number" && count > most) say("at most", most);
}

/** Characters as JSON Schema counts them. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
