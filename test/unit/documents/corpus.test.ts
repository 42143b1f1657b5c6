/** The corpus of documents: what it must hold to be worth running, and what vectors have no way to say. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { validateTexts } from "../../../src/documents/conformance/check-document";
import { DocumentSource } from "../../../src/documents/conformance/documents";
import { readVector } from "../../../src/documents/conformance/read-vectors";
import { runVector } from "../../../src/documents/conformance/run-vector";
import type { LoadedVector } from "../../../src/documents/conformance/vector";
import { FINDINGS } from "../../../src/documents/spec";
import { comparePaths } from "../../../src/documents/validate/report";

const FOLDER = resolve(import.meta.dirname, "../../conformance");
/** Codes that no document can draw today, and why. */
const WITHOUT_VECTOR: Readonly<Record<string, string>> = {
  E107: "no field is known to be newer than 1.0",
  T314: "five fields never fire twice within 60 s; only a host that asks for longer pauses reports it",
  G506: "implied by G502, G503, G505 and S403",
};

function load(group: string): LoadedVector[] {
  const folder = join(FOLDER, group);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".vector.json"))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      const reading = readVector({ file, folder, text: readFileSync(file, "utf8") });
      if (!reading.ok) throw new Error(`${file}: ${reading.broken.faults.join("; ")}`);
      return reading.loaded;
    });
}

const valid = load("valid");
const invalid = load("invalid");
const all = [...valid, ...invalid];
const source = new DocumentSource(all, () => null);
const findingsOf = (loaded: LoadedVector) => validateTexts(source.textsOf(loaded)).findings;
const nameOf = ({ vector }: LoadedVector) => vector.vector;
const expectedOf = ({ vector }: LoadedVector) =>
  vector.group === "valid" || vector.group === "invalid" ? (vector.expect.findings ?? []) : [];

describe("the corpus of documents", { timeout: 60_000 }, () => {
  it("passes", () => {
    const failed = all.flatMap((loaded) =>
      runVector(loaded, source).failures.map(({ message }) => `${nameOf(loaded)}: ${message}`),
    );
    expect(failed).toEqual([]);
  });

  it("names each file for its vector, and says in it what it shows and where that is written", () => {
    for (const { file, vector } of all) {
      expect(file.endsWith(`/${vector.vector}.vector.json`), file).toBe(true);
      expect(vector.describes, file).toMatch(/ \((?:.*\b[a-h]\.\d|rulings? \d|h\.\d).*\)\.$/);
    }
  });

  it("has a document for every code that a document can draw", () => {
    const drawn = new Set(invalid.flatMap((loaded) => expectedOf(loaded).map(({ code }) => code)));
    const missing = Object.keys(FINDINGS).filter((code) => !drawn.has(code));
    expect(missing.sort()).toEqual(Object.keys(WITHOUT_VECTOR).sort());
  });

  it("gives no name twice, but for the one that the specification itself does", () => {
    const names = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".vector.json"))
      .map((path) => basename(path, ".vector.json"));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual(["reject-edge"]);
  });

  it("says of every finding where it stands", () => {
    const vague = invalid.filter((loaded) => expectedOf(loaded).some(({ path }) => path === undefined));
    expect(vague.map(nameOf)).toEqual([]);
  });

  it("draws no warning from a valid document", () => {
    const warned = valid.flatMap((loaded) =>
      findingsOf(loaded).map(({ code, path }) => `${nameOf(loaded)}: ${code} ${path}`),
    );
    expect(warned).toEqual([]);
  });

  it("draws from an invalid document the warnings that it names, and no other", () => {
    const wrong = invalid.flatMap((loaded) => {
      const listed = (severity: "error" | "warning", entries: { code: string; severity?: string }[]) =>
        entries.flatMap((entry) => ((entry.severity ?? "error") === severity ? [entry.code] : [])).sort();
      const seen = listed("warning", findingsOf(loaded));
      const wanted = listed("warning", expectedOf(loaded));
      return JSON.stringify(seen) === JSON.stringify(wanted)
        ? []
        : [`${nameOf(loaded)}: ${seen} for ${wanted}`];
    });
    expect(wrong).toEqual([]);
  });

  it("gets findings sorted by path, then by code, each with a line and a column", () => {
    for (const loaded of invalid.filter(({ vector }) => vector.documents === undefined)) {
      const findings = findingsOf(loaded);
      const sorted = [...findings].sort(
        (left, right) => comparePaths(left.path, right.path) || (left.code < right.code ? -1 : 1),
      );
      expect(findings, nameOf(loaded)).toEqual(sorted);
      const placeless = findings.filter(({ line, column }) => line === undefined || column === undefined);
      expect(placeless, nameOf(loaded)).toEqual([]);
    }
  });
});
