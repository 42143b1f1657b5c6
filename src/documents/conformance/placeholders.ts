/**
 * Expected values against seen ones. Texts may hold placeholders, `${G1}`: each stands for one generated id, the same
 * wherever it is named. Values compare as JSON, numbers by value (ruling 18).
 */
import type { Json } from "../model";

/** What placeholders stand for so far. */
export type Bindings = ReadonlyMap<string, string>;
export const NO_BINDINGS: Bindings = new Map();

const PLACEHOLDER = /\$\{(G\d+)\}/;

export const hasPlaceholder = (text: string): boolean => PLACEHOLDER.test(text);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Matches a whole text.
 * @param wildcards whether `*` stands for any run of characters
 * @returns the bindings with what was learnt; null when it does not match
 */
export function matchText(
  expected: string,
  seen: string,
  bindings: Bindings,
  wildcards = false,
): Bindings | null {
  const names: string[] = [];
  const pattern = expected
    .split(/(\$\{G\d+\}|\*)/)
    .map((part) => {
      const name = PLACEHOLDER.exec(part)?.[1];
      if (name === undefined) return part === "*" && wildcards ? ".*" : escaped(part);
      const known = bindings.get(name);
      if (known !== undefined) return escaped(known);
      const group = names.indexOf(name);
      if (group >= 0) return `\\${group + 1}(?!\\d)`;
      names.push(name);
      return "(.+?)";
    })
    .join("");
  const match = new RegExp(`^${pattern}$`, "s").exec(seen);
  if (!match) return null;
  if (names.length === 0) return bindings;
  return new Map([
    ...bindings,
    ...names.map((name, index): [string, string] => [name, match[index + 1] ?? ""]),
  ]);
}

/** Matches a value. Texts hold no wildcards here. */
export function matchValue(expected: Json, seen: Json | undefined, bindings: Bindings): Bindings | null {
  if (seen === undefined) return null;
  if (typeof expected === "string") {
    return typeof seen === "string" ? matchText(expected, seen, bindings) : null;
  }
  if (expected === null || typeof expected !== "object") return expected === seen ? bindings : null;
  if (seen === null || typeof seen !== "object") return null;
  if (Array.isArray(expected) !== Array.isArray(seen)) return null;
  const keys = Object.keys(expected);
  if (keys.length !== Object.keys(seen).length) return null;
  const [wanted, found] = [new Map(Object.entries(expected)), new Map(Object.entries(seen))];
  let learnt: Bindings | null = bindings;
  for (const key of keys) {
    learnt = matchValue(wanted.get(key) ?? null, found.get(key), learnt);
    if (learnt === null) return null;
  }
  return learnt;
}
