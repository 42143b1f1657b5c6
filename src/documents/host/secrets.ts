/** Puts secrets into a tool's input at the last moment, or something that may be shown in their place. */
import type { SecretLeaf } from "../expressions/templates";
import type { Json } from "../model";
import { parsePointer } from "../text/pointer";

/** The input with something in the place of each secret leaf. */
export function withLeaves(
  input: Json,
  leaves: readonly SecretLeaf[],
  replacementOf: (name: string) => Json,
): Json {
  return leaves.reduce(
    (value, leaf) => replaceAt(value, parsePointer(leaf.pointer) ?? [], replacementOf(leaf.name)),
    input,
  );
}

function replaceAt(value: Json, [token, ...rest]: readonly string[], replacement: Json): Json {
  if (token === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === token ? replaceAt(item, rest, replacement) : item));
  }
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([key, member]): [string, Json] => [
    key,
    key === token ? replaceAt(member, rest, replacement) : member,
  ]);
  return Object.fromEntries(members);
}
