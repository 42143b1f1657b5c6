/**
 * The audit of a run: its records as lines, each of which holds the hash of the one before, so that none can be
 * changed, left out or put in without the next one showing it (c.8).
 */
import * as z from "zod";
import type { Json, JsonObject } from "../model";
import { canonicalJson } from "../text/canonical-json";
import { sha256Hex } from "../text/hash";
import { formatInstant } from "../text/instant";
import type { TraceRecord } from "./model";

export interface AuditLine {
  /** From 1. */
  seq: number;
  /** RFC 3339. */
  at: string;
  /** Id of a principal, or `runtime`. */
  actor: string;
  type: string;
  subject: string | null;
  stepPath: string | null;
  data: JsonObject;
  /** Of the line before; 64 zeros for the first. */
  prevHash: string;
  /** SHA-256 of the canonical JSON of everything above, in hexadecimal. */
  hash: string;
}

const START = "0".repeat(64);

/** The lines of a run's records, or those that follow `after`. */
export function auditLines(records: readonly TraceRecord[], after?: AuditLine): AuditLine[] {
  let [seq, prevHash] = [after?.seq ?? 0, after?.hash ?? START];
  return records.map((record) => {
    seq += 1;
    const content = {
      seq,
      at: formatInstant(record.atMs) ?? String(record.atMs),
      actor: record.actor ?? "runtime",
      type: record.type,
      subject: record.subject ?? null,
      stepPath: record.stepKey ?? null,
      data: record.data ?? {},
      prevHash,
    };
    prevHash = hashOf(content);
    return { ...content, hash: prevHash };
  });
}

const hashOf = (content: Omit<AuditLine, "hash">): string => sha256Hex(canonicalJson({ ...content }));

/**
 * Checks a whole audit.
 * @returns the place (from 1) of the first line that is not what it was, or null. A cut-off end cannot be seen: keep
 *   the last hash elsewhere
 */
export function verifyAudit(lines: readonly AuditLine[]): number | null {
  let prevHash = START;
  for (const [index, line] of lines.entries()) {
    const { hash, ...content } = line;
    if (line.seq !== index + 1 || line.prevHash !== prevHash || hashOf(content) !== hash) return index + 1;
    prevHash = hash;
  }
  return null;
}

/** One line of JSON each. */
export const auditText = (lines: readonly AuditLine[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const json: z.ZodType<Json> = z.json();
const auditLine = z.strictObject({
  seq: z.int(),
  at: z.string(),
  actor: z.string(),
  type: z.string(),
  subject: z.string().nullable(),
  stepPath: z.string().nullable(),
  data: z.record(z.string(), json),
  prevHash: z.string(),
  hash: z.string(),
});

/**
 * Reads what `auditText` wrote.
 * @throws SyntaxError naming the first line that is none
 */
export function readAudit(text: string): AuditLine[] {
  const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (lines === "") return [];
  return lines.split("\n").map((line, index) => {
    const parsed = auditLine.safeParse(parsedJson(line));
    if (!parsed.success) throw new SyntaxError(`Line ${index + 1} is no line of an audit.`);
    return parsed.data;
  });
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
