/** Looks for an answer's list or object inside the wrappers that models put around it. */
import { foldKey, isJsonObject, type JsonObject } from "./keys";

/** Wrappers an answer may be nested in. */
export const maxWrapperDepth = 4;

/**
 * The list of items of an answer: under one of `names` at any of the first four levels, or as the value
 * itself, or a single bare item. Items may be wrapped one by one. Null when the answer holds no such list.
 * An explicit empty list is found as such.
 */
export function findItems(
  value: unknown,
  names: readonly string[],
  isItem: (item: JsonObject) => boolean,
  depth = 0,
): JsonObject[] | null {
  if (depth > maxWrapperDepth) return null;
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    const found = value.map((entry) =>
      isJsonObject(entry) && isItem(entry) ? [entry] : findItems(entry, names, isItem, depth + 1),
    );
    return found.some((items) => items !== null) ? found.flatMap((items) => items ?? []) : null;
  }
  if (!isJsonObject(value)) return null;
  const entries = Object.entries(value);
  for (const name of names) {
    const named = entries.find(([key]) => foldKey(key) === name);
    if (named === undefined) continue;
    const items = findItems(named[1], names, isItem, depth + 1);
    if (items !== null) return items;
  }
  if (isItem(value)) return [value];
  for (const [, inner] of entries) {
    // An empty list under a name that means nothing here is no answer.
    if (Array.isArray(inner) && inner.length === 0) continue;
    const items = findItems(inner, names, isItem, depth + 1);
    if (items !== null) return items;
  }
  return null;
}
