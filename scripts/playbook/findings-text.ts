/** Findings as people read them: where, what, what would be right, and the line with a caret. Pure. */
import type { Finding } from "../../src/documents/model";

/** A line longer than this, such as a whole document on one line, is shown around its finding only. */
const SHOWN_COLUMNS = 100;
const TAB = /\t/g;
/** Control characters and those that turn the direction of text: a document must not write to a terminal. */
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A text on one line of a terminal, as long as it was. */
export const onTerminal = (text: string): string => text.replace(TAB, " ").replace(HOSTILE, "\ufffd");

const NO_WIDTH = /\p{M}|\p{Cf}/u;
const TWO_WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Emoji_Presentation}/u;

/** How many columns of a terminal a text takes, roughly. */
function widthOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (!NO_WIDTH.test(character)) columns += TWO_WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

/** The line of a finding and a caret below its column. */
function excerpt(line: string, lineNumber: number, column: number): string[] {
  const isLong = line.length > SHOWN_COLUMNS;
  const from = isLong
    ? Math.max(0, Math.min(column - 1 - SHOWN_COLUMNS / 2, line.length - SHOWN_COLUMNS))
    : 0;
  const shown = line.slice(from, from + SHOWN_COLUMNS);
  const before = from > 0 ? "… " : "";
  const after = from + SHOWN_COLUMNS < line.length ? " …" : "";
  const gutter = `${String(lineNumber).padStart(5)} | `;
  const caretAt = widthOf(onTerminal(before + shown.slice(0, column - 1 - from)));
  return [
    `${gutter}${before}${onTerminal(shown)}${after}`,
    `${" ".repeat(gutter.length - 2)}| ${" ".repeat(caretAt)}^`,
  ];
}

/**
 * One finding: `file:line:column code severity message (hint)`, its pointer, and the place in the text. Where the text
 * has no such place, only the pointer tells.
 */
export function findingLines(name: string, lines: readonly string[], finding: Finding): string[] {
  const { line, column = 1, code, severity, message, hint, path } = finding;
  const where = line === undefined ? name : `${name}:${line}:${column}`;
  const right = hint === undefined ? "" : ` (${onTerminal(hint)})`;
  const source = line === undefined ? undefined : lines[line - 1];
  return [
    `${onTerminal(where)} ${code} ${severity} ${onTerminal(message)}${right}`,
    ...(path === "" ? [] : [`      at ${onTerminal(path)}`]),
    ...(source === undefined || line === undefined ? [] : excerpt(source, line, column)),
  ];
}

/** All findings of one text. */
export function findingsText(name: string, bytes: Uint8Array, findings: readonly Finding[]): string[] {
  const lines = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes).split(/\r\n|\n|\r/);
  return findings.flatMap((finding) => [...findingLines(name, lines, finding), ""]);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `2 errors, 1 warning in 3 files`. */
export function countsText(findings: readonly Finding[], files: number): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  return `${counted(errors, "error")}, ${counted(warnings, "warning")} in ${counted(files, "file")}`;
}
