/**
 * Reads JSON text (RFC 8259) and remembers where everything stands. Stricter than `JSON.parse` where a document's
 * safety hangs on it: names given twice and names of prototypes are reported, nothing is read loosely, and no text is
 * deep enough to exhaust the stack.
 */
import type { Json } from "../model";
import { placeAt } from "./json-places";
import { JsonReader, type RawFault, type RawKey } from "./json-reader";
import { lineIndex, type Position } from "./line-index";
import { readUtf8 } from "./utf8";

/**
 * What keeps a text from being JSON, and where. `pointer` is the value being read. A number past 2^53 is no fault:
 * it is rounded to a double, as everywhere in JSON; one past the doubles is `number_out_of_range`.
 */
export type JsonFault = RawFault & Position;
/** The name of a member: of a duplicate, where it stands again. */
export type KeyPlace = RawKey & Position;

export interface JsonReading {
  /**
   * Undefined when the reading ended early (`encoding`, `syntax`, `too_deep`). Beside `number_out_of_range` and
   * `lone_surrogate` the value is there, with the nearest number or U+FFFD in place of what UTF-8 or a double cannot
   * say; it must not be taken for what was written.
   */
  value: Json | undefined;
  /** In order of the text, at most 100; one that ended the reading is the last. */
  faults: JsonFault[];
  /** Names that stand more than once in one object, each repeat, at most 100. The last value counts. */
  duplicates: KeyPlace[];
  /** `__proto__`, `constructor`, `prototype` as names, at most 100. In `value` they are members like others. */
  prototypeKeys: KeyPlace[];
  /** How many objects and lists lie in each other at the deepest place: 0 for a scalar, 1 for `{}`. */
  depth: number;
  /** Pointer of the first object or list that lies deeper than documents may (L802); null when none does. */
  tooDeepAt: string | null;
  /** Where the value at a pointer begins; null when the text holds none there. */
  at(pointer: string): Position | null;
  /** Where the name of the member at a pointer begins; null when it is no member of an object. */
  keyAt(pointer: string): Position | null;
}

/** Reads a text, or bytes that must be UTF-8. It never throws. */
export function readJson(source: string | Uint8Array): JsonReading {
  const utf8 = typeof source === "string" ? { ok: true as const, text: source } : readUtf8(source);
  const text = utf8.ok ? utf8.text : utf8.before;
  const reader = new JsonReader(text);
  if (!utf8.ok) {
    const message = `Byte ${utf8.byteOffset} is not UTF-8.`;
    reader.report({ kind: "encoding", offset: text.length, message, hint: "the text in UTF-8" });
  }
  const complete = utf8.ok && reader.read();

  const position = lineIndex(text);
  const root = reader.rootPlace;
  const place = (pointer: string) => (root === null ? null : placeAt(root, pointer));
  const positionOrNull = (offset: number | null | undefined) =>
    offset === null || offset === undefined ? null : position(offset);
  return {
    value: complete ? reader.rootValue : undefined,
    faults: reader.faults.map((fault) => ({ ...fault, ...position(fault.offset) })),
    duplicates: reader.duplicates.map((key) => ({ ...key, ...position(key.offset) })),
    prototypeKeys: reader.prototypeKeys.map((key) => ({ ...key, ...position(key.offset) })),
    depth: reader.depth,
    tooDeepAt: reader.tooDeepAt,
    at: (pointer) => positionOrNull(place(pointer)?.offset),
    keyAt: (pointer) => positionOrNull(place(pointer)?.keyOffset),
  };
}
