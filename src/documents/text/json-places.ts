/** Where the values of a JSON text stand, as a tree beside the value: a pointer for each would take memory without bound. */
import { parsePointer } from "./pointer";

/** One value's place. Offsets count UTF-16 code units. */
export interface Place {
  offset: number;
  /** Of the member's name; null for the root and for what a list holds. */
  keyOffset: number | null;
  /** Of what an object or a list holds. */
  inside: Map<string, Place> | Place[] | null;
}

/** The place of the value that a pointer names; null when the text holds none there. */
export function placeAt(root: Place, pointer: string): Place | null {
  const tokens = parsePointer(pointer);
  if (!tokens) return null;
  let place: Place | undefined = root;
  for (const token of tokens) {
    const inside: Place["inside"] = place.inside;
    if (inside === null) return null;
    if (inside instanceof Map) place = inside.get(token);
    else place = /^(?:0|[1-9]\d*)$/.test(token) ? inside[Number(token)] : undefined;
    if (!place) return null;
  }
  return place;
}
