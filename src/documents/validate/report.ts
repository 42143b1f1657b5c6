/** Where all passes of the validator put what they find; names and severities come from the table of codes. */
import type { Finding } from "../model";
import { FINDINGS, type FindingCode } from "../spec";
import { parsePointer } from "../text/pointer";

export interface FindingDetails {
  /** What would be right. */
  hint?: string | undefined;
  /** Of G503. */
  cycle?: string[];
  /** Where one code is an error in one place and a warning in another (E103, E104, E105, R701). */
  severity?: Finding["severity"];
  /** In the text, where it is not simply the place of `path`. */
  position?: { line: number; column: number } | undefined;
}

/** Tells of one fault. `path` points into the canonical document; it must be of a place that can be named. */
export type Report = (code: FindingCode, path: string, message: string, details?: FindingDetails) => void;

/** Collects findings; the same one twice counts once. */
export class Findings {
  private readonly byKey = new Map<string, Finding>();

  readonly report: Report = (code, path, message, details = {}) => {
    const { slug, severity } = FINDINGS[code];
    const key = JSON.stringify([path, code, message]);
    if (this.byKey.has(key)) return;
    this.byKey.set(key, {
      code,
      slug,
      severity: details.severity ?? severity,
      path,
      message,
      ...(details.hint === undefined ? {} : { hint: details.hint }),
      ...(details.cycle === undefined ? {} : { cycle: details.cycle }),
      ...(details.position === undefined ? {} : details.position),
    });
  };

  has(code: FindingCode, path: string): boolean {
    return [...this.byKey.values()].some((finding) => finding.code === code && finding.path === path);
  }

  /** In the order in which they are shown: by path, then by code, then as they came. */
  sorted(): Finding[] {
    return [...this.byKey.values()].sort(
      (a, b) => comparePaths(a.path, b.path) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
    );
  }
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * Order of pointers: token by token, numbers by value and before names, names by UTF-16 code units, a place before
 * what is in it.
 */
export function comparePaths(a: string, b: string): number {
  const left = parsePointer(a) ?? [a];
  const right = parsePointer(b) ?? [b];
  for (const [index, token] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (token === other) continue;
    const isNumber = INDEX.test(token);
    if (isNumber !== INDEX.test(other)) return isNumber ? -1 : 1;
    return isNumber ? Number(token) - Number(other) : token < other ? -1 : 1;
  }
  return left.length - right.length;
}
