/** JSON Pointers (RFC 6901): how findings, filters and patches name a place in a document. */
import type { Json } from "../model";

/** One token as it stands in a pointer: `~` is `~0`, `/` is `~1`. */
export const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");

/** The pointer of these tokens, from the root down; `""` is the root. */
export const pointerOf = (tokens: readonly (string | number)[]): string =>
  tokens.map((token) => `/${escapeToken(String(token))}`).join("");

/** A pointer and one more token. */
export const childPointer = (pointer: string, token: string | number): string =>
  `${pointer}/${escapeToken(String(token))}`;

/** The tokens of a pointer, unescaped; null when the text is no pointer (no leading `/`, or a `~` alone). */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** An index as RFC 6901 writes it: no sign, no leading zero. */
const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * The value at a pointer. Only own members and elements that exist count.
 * @returns undefined when nothing is there, or the text is no pointer
 */
export function valueAt(root: Json, pointer: string): Json | undefined {
  const tokens = parsePointer(pointer);
  if (!tokens) return undefined;
  let value: Json | undefined = root;
  for (const token of tokens) {
    if (Array.isArray(value)) value = INDEX.test(token) ? value[Number(token)] : undefined;
    else if (value !== null && typeof value === "object" && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}
