/** The first stage: a text or value becomes a JSON object that the passes may look at, or nothing (E100, L801, L802). */
import type { Json, JsonObject } from "../model";
import { LIMITS } from "../spec";
import type { Position } from "../text/line-index";
import { type JsonReading, readJson } from "../text/read-json";
import { plainValue } from "./plain-value";
import type { Report } from "./report";
import { isObject } from "./view";

/** The text of a file (bytes are read as UTF-8), or a value that was parsed elsewhere. */
export type DocumentInput = { text: string | Uint8Array } | { value: unknown };

export interface ReadDocument {
  /** Null when it cannot be read, or is too large or too deep to be looked at. */
  source: JsonObject | null;
  /** Where the value, or the name of the member, at a pointer stands in the text. */
  at(pointer: string): Position | null;
  keyAt(pointer: string): Position | null;
}

const NOWHERE = { at: () => null, keyAt: () => null };
const START = { line: 1, column: 1 };

export function readDocument(input: DocumentInput, report: Report): ReadDocument {
  if (!("text" in input)) return { source: readValue(input.value, report), ...NOWHERE };
  const bytes = typeof input.text === "string" ? utf8Length(input.text) : input.text.byteLength;
  if (bytes > LIMITS.documentBytes) {
    reportTooLarge(`The document has ${bytes} bytes.`, placedBy(NOWHERE.at, report));
    return { source: null, ...NOWHERE };
  }
  const reading = readJson(input.text);
  return { source: takeReading(reading, placedBy(reading.at, report)), at: reading.at, keyAt: reading.keyAt };
}

/** Findings about a text stand somewhere in it: where their path is, or where the text begins. */
const placedBy =
  (at: ReadDocument["at"], report: Report): Report =>
  (code, path, message, details = {}) => {
    const { line, column } = at(path) ?? START;
    report(code, path, message, { ...details, position: details.position ?? { line, column } });
  };

function takeReading(reading: JsonReading, report: Report): JsonObject | null {
  for (const { kind, pointer, message, hint, line, column } of reading.faults) {
    if (kind === "too_deep") continue;
    // What is no JSON is so as a whole; only numbers and letters beyond what JSON can carry have a place in it.
    const path = kind === "encoding" || kind === "syntax" ? "" : pointer;
    report("E100", path, message, { hint, position: { line, column } });
  }
  for (const { pointer, line, column } of reading.duplicates) {
    report(
      "E106",
      pointer,
      "The same name stands twice in this object; readers differ in which one they take.",
      {
        hint: "one of the two",
        position: { line, column },
      },
    );
  }
  for (const { pointer, line, column } of reading.prototypeKeys) {
    reportPrototypeKey(pointer, report, { line, column });
  }
  if (reading.tooDeepAt !== null) {
    reportTooDeep(reading.tooDeepAt, report);
    return null;
  }
  return reading.value === undefined ? null : anObject(plainValue(reading.value).value, report);
}

function readValue(value: unknown, report: Report): JsonObject | null {
  const plain = plainValue(value);
  if (plain.isTooLarge || utf8Length(JSON.stringify(plain.value)) > LIMITS.documentBytes) {
    reportTooLarge("The document is too large.", report);
    return null;
  }
  for (const { pointer, found } of plain.notJson) {
    report("E100", pointer, `Here is ${found}, which is not JSON.`);
  }
  for (const pointer of plain.prototypeKeys) reportPrototypeKey(pointer, report);
  if (plain.tooDeepAt !== null) {
    reportTooDeep(plain.tooDeepAt, report);
    return null;
  }
  return anObject(plain.value, report);
}

function anObject(value: Json, report: Report): JsonObject | null {
  if (isObject(value)) return value;
  report("E100", "", "The document is no JSON object.", { hint: '{"opbVersion": …, "playbook": …}' });
  return null;
}

const reportPrototypeKey = (
  pointer: string,
  report: Report,
  position?: { line: number; column: number },
): void =>
  report("E108", pointer, "This name belongs to the prototype of every object and means no member.", {
    hint: "another name",
    position,
  });

const reportTooLarge = (message: string, report: Report): void =>
  report("L801", "", message, { hint: `at most ${LIMITS.documentBytes} bytes of UTF-8` });

const reportTooDeep = (pointer: string, report: Report): void =>
  report("L802", pointer, `Here objects and lists lie more than ${LIMITS.depth} deep in each other.`, {
    hint: `at most ${LIMITS.depth}`,
  });

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;
