/**
 * Applies a checked schema to a value. Of our own because the libraries at hand run patterns on a backtracking engine
 * and cannot be told to stop: `anyOf` over `anyOf` takes exponential time in all of them. Here every step is counted.
 */
import type { Json, JsonObject, UserSchema } from "../model";
import { LIMITS } from "../spec";
import { compilePattern, type Pattern } from "../text/pattern";
import { childPointer, valueAt } from "../text/pointer";
import { hasFormat } from "./formats";
import { equal, isPartialObject, type Partial, type PartialObject, Unknown } from "./partial";
import {
  checkCount,
  checkNumber,
  checkType,
  codePoints,
  type Outcome,
  Place,
  type ValueFault,
} from "./place";
import { referencedPointer } from "./reference";

/** The value takes too much work to check, and so counts as wrong. */
class TooMuch extends Error {}

/** Schemas that are applied inside of one another, each one level of JavaScript's stack. */
const MAX_FRAMES = 1000;
const CHARACTERS_PER_STEP = 64;

/**
 * Everything that is certainly wrong with a value, in document order and up to a limit; empty when the value is
 * valid or, where parts of it are unknown, can still become so.
 * @param schema one that `checkUserSchema` has no faults for
 * @param patterns those that were compiled before, and will be added to
 */
export function validateValue(
  schema: UserSchema,
  value: Partial,
  patterns = new Map<string, Pattern>(),
): ValueFault[] {
  try {
    return new Validation(schema, patterns)
      .apply(schema, value, "", 0)
      .faults.slice(0, LIMITS.userSchemaFaults);
  } catch (error) {
    if (error instanceof TooMuch)
      return [
        { pointer: "", message: `The value cannot be checked: ${error.message}.`, expected: "less to check" },
      ];
    throw error;
  }
}

class Validation {
  readonly #root: UserSchema;
  readonly #patterns: Map<string, Pattern>;
  readonly #targets = new Map<string, Json | undefined>();
  #steps = 0;
  constructor(root: UserSchema, patterns: Map<string, Pattern>) {
    this.#root = root;
    this.#patterns = patterns;
  }

  apply(schema: Json, value: Partial, pointer: string, frames: number): Outcome {
    this.#spend(1);
    if (frames > MAX_FRAMES) throw new TooMuch("it is nested too deeply for its schema");
    if (schema === false)
      return { faults: [{ pointer, message: "Nothing may stand here.", expected: "nothing" }], open: false };
    const outcome: Outcome = { faults: [], open: false };
    if (schema === null || typeof schema !== "object" || Array.isArray(schema)) return outcome;
    const place = new Place(schema, value, pointer, outcome);
    this.#any(place, frames);
    if (value instanceof Unknown) outcome.open = true;
    else if (typeof value === "number") checkNumber(place, value);
    else if (typeof value === "string") this.#text(place, value);
    else if (Array.isArray(value)) this.#list(place, value, frames);
    else if (isPartialObject(value)) this.#object(place, value, frames);
    return outcome;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > LIMITS.userSchemaSteps)
      throw new TooMuch(`it takes more than ${LIMITS.userSchemaSteps} steps`);
  }

  /** A schema inside of this one, on the same value or on a part of it. */
  #inner(place: Place, schema: Json, value: Partial, pointer: string, frames: number): void {
    const inner = this.apply(schema, value, pointer, frames + 1);
    place.outcome.open ||= inner.open;
    for (const fault of inner.faults) place.add(fault);
  }

  /** Keywords that apply to values of every type. */
  #any(place: Place, frames: number): void {
    const { schema, value, pointer } = place;
    if (typeof schema.$ref === "string") {
      const part = this.#referenced(schema.$ref);
      if (part !== undefined) this.#inner(place, part, value, pointer, frames);
    }
    if (schema.type !== undefined) checkType(place);
    if (schema.const !== undefined) this.#oneOfValues(place, [schema.const]);
    if (Array.isArray(schema.enum)) this.#oneOfValues(place, schema.enum);
    if (Array.isArray(schema.allOf))
      for (const part of schema.allOf) this.#inner(place, part, value, pointer, frames);
    if (Array.isArray(schema.anyOf)) this.#alternatives(place, schema.anyOf, frames, false);
    if (Array.isArray(schema.oneOf)) this.#alternatives(place, schema.oneOf, frames, true);
  }

  #referenced(reference: string): Json | undefined {
    if (this.#targets.has(reference)) return this.#targets.get(reference);
    const pointer = referencedPointer(reference);
    const part = pointer === null ? undefined : valueAt(this.#root, pointer);
    this.#targets.set(reference, part);
    return part;
  }

  #oneOfValues(place: Place, values: readonly Json[]): void {
    let open = false;
    for (const allowed of values) {
      const same = equal(place.value, allowed, () => this.#spend(1));
      if (same === true) return;
      if (same === null) open = true;
    }
    if (open) {
      place.outcome.open = true;
      return;
    }
    const list = values.map((allowed) => JSON.stringify(allowed)).join(", ");
    const shown = list.length > 200 ? `${list.slice(0, 200)}…` : list;
    place.wrong(values.length === 1 ? `This must be ${shown}.` : `This must be one of ${shown}.`, shown);
  }

  #alternatives(place: Place, schemas: readonly Json[], frames: number, exactlyOne: boolean): void {
    let right = 0;
    let open = 0;
    let nearest: ValueFault[] | null = null;
    for (const schema of schemas) {
      const inner = this.apply(schema, place.value, place.pointer, frames + 1);
      if (inner.faults.length > 0) {
        if (!nearest || inner.faults.length < nearest.length) nearest = inner.faults;
      } else if (inner.open) open += 1;
      else right += 1;
    }
    if (right > 1 && exactlyOne) {
      place.wrong(
        `This fits ${right} of the ${schemas.length} alternatives, it must fit exactly one.`,
        "exactly one of the alternatives",
      );
      return;
    }
    if (right === 1 && open === 0) return;
    if (right > 0 && !exactlyOne) return;
    if (right + open > 0) {
      place.outcome.open = true;
      return;
    }
    const [first] = nearest ?? [];
    const message = `This fits none of the ${schemas.length} alternatives.`;
    // A nearest one that itself had alternatives has said enough: messages must not grow with nesting.
    const why = first && !first.message.includes("alternatives") ? ` ${nearestIs(first)}` : "";
    place.wrong(`${message}${why}`, first?.expected ?? "one of the alternatives");
  }

  #text(place: Place, text: string): void {
    const { schema } = place;
    this.#spend(Math.floor(text.length / CHARACTERS_PER_STEP));
    if (schema.minLength !== undefined || schema.maxLength !== undefined) {
      const length = codePoints(text);
      checkCount(place, length, schema.minLength, schema.maxLength, "character");
    }
    if (typeof schema.pattern === "string") {
      const pattern = this.#pattern(schema.pattern);
      this.#spend(Math.floor((text.length * pattern.size) / CHARACTERS_PER_STEP));
      if (!pattern.test(text))
        place.wrong(
          `The text does not match the pattern ${schema.pattern}.`,
          `a text that matches ${schema.pattern}`,
        );
    }
    if (typeof schema.format === "string" && !hasFormat(schema.format, text))
      place.wrong(`The text is no ${schema.format}.`, schema.format);
  }

  #pattern(source: string): Pattern {
    const known = this.#patterns.get(source);
    if (known) return known;
    const result = compilePattern(source);
    if (!result.ok) throw new TooMuch("its schema holds a pattern that cannot be used");
    this.#patterns.set(source, result.pattern);
    return result.pattern;
  }

  #list(place: Place, list: readonly Partial[], frames: number): void {
    const { schema, pointer } = place;
    checkCount(place, list.length, schema.minItems, schema.maxItems, "element");
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    for (const [index, element] of list.entries()) {
      const part = index < first.length ? first[index] : schema.items;
      if (part !== undefined) this.#inner(place, part, element, childPointer(pointer, index), frames);
    }
  }

  #object(place: Place, object: PartialObject, frames: number): void {
    const { schema, pointer } = place;
    const keys = Object.keys(object);
    checkCount(place, keys.length, schema.minProperties, schema.maxProperties, "property");
    if (Array.isArray(schema.required))
      for (const name of schema.required)
        if (typeof name === "string" && !Object.hasOwn(object, name))
          place.wrong(`The property "${name}" is missing.`, `a property "${name}"`);
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const key of keys) {
      const known = Object.hasOwn(properties, key);
      const part = known ? properties[key] : schema.additionalProperties;
      const at = childPointer(pointer, key);
      if (part === false && !known)
        place.add({
          pointer: at,
          message: `The property "${key}" is not allowed.`,
          expected: listed(Object.keys(properties)),
        });
      else if (part !== undefined) this.#inner(place, part, object[key] ?? null, at, frames);
    }
  }
}

const nearestIs = ({ pointer, message }: ValueFault): string =>
  `The nearest fails at "${pointer}": ${message}`;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function listed(names: readonly string[]): string {
  if (names.length === 0) return "no properties";
  return `only ${names.slice(0, 20).join(", ")}${names.length > 20 ? "…" : ""}`;
}
