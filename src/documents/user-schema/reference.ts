/** Local references of a schema: `#` and `#/$defs/name`. */
import { parsePointer, pointerOf } from "../text/pointer";

/** The JSON Pointer that a `$ref` names, in its one way of writing; null for anything that is no local place. */
export function referencedPointer(reference: string): string | null {
  if (!reference.startsWith("#")) return null;
  try {
    const tokens = parsePointer(decodeURIComponent(reference.slice(1)));
    return tokens === null ? null : pointerOf(tokens);
  } catch {
    return null;
  }
}
