/** Values that are known in part: what stands in a template before it is filled. */
import type { Json, Template } from "../model";
import { TEMPLATE } from "../spec";

/** A place whose value is not known yet: anything at all, or certainly a text. */
export class Unknown {
  readonly isText: boolean;
  constructor(isText: boolean) {
    this.isText = isText;
  }
}

/** JSON with unknown places in it. */
export type Partial = null | boolean | number | string | Unknown | Partial[] | { [key: string]: Partial };
export type PartialObject = { [key: string]: Partial };

export const isPartialObject = (value: Partial): value is PartialObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unknown);

/** What is known of a template's value: its shape and its literal leaves. */
export function knownPart(template: Template): Partial {
  if (typeof template === "string")
    return template.includes(TEMPLATE.open) ? unknownText(template) : template;
  if (Array.isArray(template)) return template.map(knownPart);
  if (template === null || typeof template !== "object") return template;
  if (Object.hasOwn(template, TEMPLATE.secretKey)) return new Unknown(false);
  return Object.fromEntries(Object.entries(template).map(([key, member]) => [key, knownPart(member)]));
}

/** Text around an expression makes the result a text; an expression alone yields whatever it yields. */
const unknownText = (text: string): Unknown =>
  new Unknown(!text.startsWith(TEMPLATE.open) || !text.endsWith(TEMPLATE.close));

/**
 * Whether two values are equal as JSON, numbers by value; null when that depends on what is unknown.
 * `spend` is called once for each pair that is compared.
 */
export function equal(a: Partial, b: Json, spend: () => void): boolean | null {
  spend();
  if (a instanceof Unknown) return a.isText && typeof b !== "string" ? false : null;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return every(
      a.map((element, index) => [element, b[index] ?? null]),
      spend,
    );
  }
  if (!isPartialObject(a)) return a === b;
  if (b === null || typeof b !== "object" || Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return false;
  return every(
    keys.map((key) => [a[key] ?? null, b[key] ?? null]),
    spend,
  );
}

function every(pairs: [Partial, Json][], spend: () => void): boolean | null {
  let known = true;
  for (const [a, b] of pairs) {
    const same = equal(a, b, spend);
    if (same === false) return false;
    if (same === null) known = false;
  }
  return known ? true : null;
}
