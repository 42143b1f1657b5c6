/**
 * What the format of vectors has no way to say (R78, R80), shown on runs of the corpus: a vector played a hundred
 * times, and every byte of an audit flipped.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { validateTexts } from "../../../../src/documents/conformance/check-document";
import { DocumentSource } from "../../../../src/documents/conformance/documents";
import { readVector } from "../../../../src/documents/conformance/read-vectors";
import { runVector } from "../../../../src/documents/conformance/run-vector";
import type { LoadedVector } from "../../../../src/documents/conformance/vector";
import { simulate } from "../../../../src/documents/host/simulate";
import { auditLines, auditText, readAudit, verifyAudit } from "../../../../src/documents/run";
import type { TraceRecord } from "../../../../src/documents/run/model";

const FOLDER = resolve(import.meta.dirname, "../../../conformance/runtime");
const BASES = ["base-tool", "base-map", "base-agent", "base-gate"];

function load(name: string): LoadedVector {
  const file = resolve(FOLDER, `${name}.vector.json`);
  const reading = readVector({ file, folder: FOLDER, text: readFileSync(file, "utf8") });
  if (!reading.ok) throw new Error(`${file}: ${reading.broken.faults.join("; ")}`);
  return reading.loaded;
}

const source = new DocumentSource(BASES.map(load), () => null);

/** The records of one straight run, which may start at another instant than the vector says. */
function recordsOf(loaded: LoadedVector, at?: string): TraceRecord[] {
  const { start, harness, script } = loaded.vector;
  if (!start) throw new Error("a vector of a run has a start");
  const { documents } = validateTexts(source.textsOf(loaded));
  const played = { ...start, at: at ?? start.at };
  return simulate({ start: played, harness, script, documents }).runs.flatMap(({ records }) => records);
}

const lastHashOf = (records: readonly TraceRecord[]): string | undefined => auditLines(records).at(-1)?.hash;

describe("a vector played a hundred times", { timeout: 60_000 }, () => {
  it.each(["agent-uses-tool", "gates-in-map", "map-order", "retry-backoff", "double-approve-same-key"])(
    "has one trace, down to ids and hashes: %s",
    (name) => {
      const loaded = load(name);
      const hashes = new Set(Array.from({ length: 100 }, () => lastHashOf(recordsOf(loaded))));
      expect([...hashes]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    },
  );

  it("has another trace when it starts at another instant", () => {
    const loaded = load("gates-in-map");
    expect(lastHashOf(recordsOf(loaded, "2026-01-02T00:00:00Z"))).not.toBe(lastHashOf(recordsOf(loaded)));
  });
});

describe("an audit in which one byte was flipped", { timeout: 60_000 }, () => {
  it("is reported at the line of that byte", () => {
    const lines = auditLines(recordsOf(load("base-tool")));
    const text = auditText(lines);
    expect(verifyAudit(readAudit(text))).toBeNull();
    let seq = 1;
    for (let at = 0; at < text.length; at++) {
      if (text[at] === "\n") seq += 1;
      else expect(firstBadLine(flip(text, at)), `byte ${at}`).toBe(seq);
    }
    expect(seq).toBe(lines.length + 1);
  });
});

const flip = (text: string, at: number): string =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);

function firstBadLine(text: string): number | null {
  try {
    return verifyAudit(readAudit(text));
  } catch (error) {
    const [, line] = /^Line (\d+) /.exec(error instanceof Error ? error.message : "") ?? [];
    return Number(line);
  }
}

describe("the vectors that these stand on", () => {
  it.each(BASES)("pass: %s", (name) => {
    expect(runVector(load(name), source).failures).toEqual([]);
  });
});
