/** A user's JSON Schema is itself checked before any value is: the supported subset, and nothing that never ends. */
import type { Json, JsonObject } from "../model";
import { EXTENSION_PREFIX, LIMITS } from "../spec";
import { compilePattern } from "../text/pattern";
import { childPointer } from "../text/pointer";
import { suggest } from "../text/suggest";
import { FORMAT_NAMES } from "./formats";
import { KEYWORD_HINTS, KEYWORDS, type KeywordShape, TYPES } from "./keywords";
import { referencedPointer } from "./reference";

/** One thing wrong with a schema. */
export interface SchemaFault {
  /** JSON Pointer into the schema. */
  pointer: string;
  message: string;
  /** What would be right. */
  hint?: string;
}

/** All faults of a schema, in document order; empty when it can be compiled. */
export function checkUserSchema(schema: Json): SchemaFault[] {
  const checker = new Checker();
  if (!isObject(schema)) {
    checker.fault("", "A schema must be a JSON object.", 'Write {"type": "object", …}, or {} for anything.');
    return checker.faults;
  }
  checker.schema(schema, "", 0);
  checker.references();
  return checker.faults;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Applied to the same value as the schema around them: a circle of these alone would never end. */
const IN_PLACE = ["anyOf", "oneOf", "allOf"];

class Checker {
  readonly faults: SchemaFault[] = [];
  /** Every place where a schema stands, and the places that it applies to the same value. */
  readonly #inPlace = new Map<string, string[]>();
  readonly #references: { from: string; to: string }[] = [];
  #patternSize = 0;
  #full = false;

  fault(pointer: string, message: string, hint?: string): void {
    this.faults.push({ pointer, message, ...(hint === undefined ? {} : { hint }) });
  }

  schema(schema: Json, pointer: string, depth: number): void {
    if (this.#full) return;
    if (this.#inPlace.size >= LIMITS.userSchemaNodes) {
      this.#full = true;
      this.fault(pointer, `A schema may have at most ${LIMITS.userSchemaNodes} parts.`);
      return;
    }
    this.#inPlace.set(pointer, []);
    if (typeof schema === "boolean") return;
    if (!isObject(schema)) {
      this.fault(pointer, "A schema must be a JSON object, or true or false.");
      return;
    }
    if (depth >= LIMITS.userSchemaDepth) {
      this.fault(pointer, `A schema may be nested at most ${LIMITS.userSchemaDepth} deep.`);
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const at = childPointer(pointer, keyword);
      const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
      if (shape) this.#keyword(keyword, shape, value, at, pointer, depth);
      else if (!keyword.startsWith(EXTENSION_PREFIX)) this.#unknown(keyword, at);
    }
  }

  #unknown(keyword: string, pointer: string): void {
    const close = suggest(keyword, Object.keys(KEYWORDS));
    const hint = Object.hasOwn(KEYWORD_HINTS, keyword) ? KEYWORD_HINTS[keyword] : undefined;
    this.fault(
      pointer,
      `"${keyword}" is no keyword of the supported subset of JSON Schema.`,
      hint ?? (close ? `Did you mean "${close}"?` : `Supported are ${Object.keys(KEYWORDS).join(", ")}.`),
    );
  }

  #keyword(
    keyword: string,
    shape: KeywordShape,
    value: Json,
    at: string,
    parent: string,
    depth: number,
  ): void {
    switch (shape) {
      case "schema":
        this.schema(value, at, depth + 1);
        return;
      case "schemas":
        if (!Array.isArray(value) || value.length === 0)
          this.fault(at, `"${keyword}" must be a list of at least one schema.`);
        else
          for (const [index, part] of value.entries()) {
            const place = childPointer(at, index);
            if (IN_PLACE.includes(keyword)) this.#inPlace.get(parent)?.push(place);
            this.schema(part, place, depth + 1);
          }
        return;
      case "schemaMap":
        if (!isObject(value)) this.fault(at, `"${keyword}" must be an object of schemas.`);
        else
          for (const [name, part] of Object.entries(value))
            this.schema(part, childPointer(at, name), depth + 1);
        return;
      case "reference":
        this.#reference(value, at, parent);
        return;
      case "pattern":
        this.#pattern(value, at);
        return;
      default:
        this.#plain(keyword, shape, value, at);
    }
  }

  #plain(keyword: string, shape: KeywordShape, value: Json, at: string): void {
    const wrong = (message: string, hint?: string): void => this.fault(at, `"${keyword}" ${message}`, hint);
    const isCount = (given: Json): boolean => Number.isSafeInteger(given) && Number(given) >= 0;
    switch (shape) {
      case "type":
        for (const name of Array.isArray(value) ? value : [value])
          if (!TYPES.some((known) => known === name)) {
            const close = typeof name === "string" ? suggest(name, TYPES) : null;
            wrong(
              `must be one of ${TYPES.join(", ")}, or a list of them.`,
              close ? `Did you mean "${close}"?` : undefined,
            );
            return;
          }
        if (Array.isArray(value) && (value.length === 0 || new Set(value).size < value.length))
          wrong("must be a list of at least one type, none of them twice.");
        return;
      case "names":
        if (!Array.isArray(value) || !value.every((name) => typeof name === "string"))
          wrong("must be a list of names.");
        else if (new Set(value).size < value.length) wrong("names a property twice.");
        return;
      case "values":
        if (!Array.isArray(value) || value.length === 0) wrong("must be a list of at least one value.");
        return;
      case "count":
        if (!isCount(value)) wrong("must be a whole number from 0.");
        return;
      case "number":
        if (typeof value !== "number") wrong("must be a number.");
        return;
      case "format":
        if (typeof value !== "string" || !FORMAT_NAMES.includes(value)) {
          const close = typeof value === "string" ? suggest(value, FORMAT_NAMES) : null;
          wrong(`must be one of ${FORMAT_NAMES.join(", ")}.`, close ? `Did you mean "${close}"?` : undefined);
        }
        return;
      case "text":
        if (typeof value !== "string") wrong("must be a text.");
        return;
    }
  }

  #pattern(value: Json, at: string): void {
    if (typeof value !== "string") {
      this.fault(at, '"pattern" must be a text.');
      return;
    }
    if (this.#patternSize > LIMITS.userSchemaPatternSize) return;
    const result = compilePattern(value);
    if (!result.ok) {
      this.fault(at, result.message, "RE2 has no look-around and no back-references.");
      return;
    }
    this.#patternSize += result.pattern.size;
    if (this.#patternSize > LIMITS.userSchemaPatternSize)
      this.fault(
        at,
        `All patterns of a schema may stand for at most ${LIMITS.userSchemaPatternSize} characters.`,
      );
  }

  #reference(value: Json, at: string, parent: string): void {
    const to = typeof value === "string" ? referencedPointer(value) : null;
    if (to !== null) {
      this.#references.push({ from: at, to });
      this.#inPlace.get(parent)?.push(to);
      return;
    }
    const remote = typeof value === "string" && !value.startsWith("#");
    this.fault(
      at,
      remote
        ? "Only parts of the same schema can be referred to; nothing is fetched."
        : "This reference names no place.",
      "Write a place such as #/$defs/address.",
    );
  }

  /** After the whole schema was seen: what references name, and whether they come back to themselves. */
  references(): void {
    if (this.#full) return;
    for (const { from, to } of this.#references) {
      if (!this.#inPlace.has(to)) {
        const defs = [...this.#inPlace.keys()].map((place) => `#${place}`);
        const close = suggest(`#${to}`, defs);
        this.fault(from, `There is no schema at "#${to}".`, close ? `Did you mean "${close}"?` : undefined);
      } else if (this.#comesBack(to, from.slice(0, from.lastIndexOf("/"))))
        this.fault(
          from,
          "This reference comes back to itself without looking into the value, and would never end.",
        );
    }
  }

  /** Whether `place` is reached from `start` by schemas that apply to one and the same value. */
  #comesBack(start: string, place: string): boolean {
    const seen = new Set([start]);
    const left = [start];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next === place) return true;
      for (const to of this.#inPlace.get(next) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          left.push(to);
        }
    }
    return false;
  }
}
