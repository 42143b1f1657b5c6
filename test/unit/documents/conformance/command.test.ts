/** `npm run conformance` as people run it: folders anywhere, a count as the last line, and an exit code. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type LEVELS, summarize } from "../../../../src/documents/conformance/levels";
import type { VectorResult } from "../../../../src/documents/conformance/run-vector";
import { APPROVAL_EXPIRY, expiryWith } from "./support/vectors";

const ROOT = resolve(import.meta.dirname, "../../../..");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder outside the repository. */
function folderOf(files: Readonly<Record<string, object | string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "vectors-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

function conformance(...given: string[]): { code: number | null; lines: string[]; error: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "scripts/conformance.ts", ...given],
    { cwd: ROOT, encoding: "utf8" },
  );
  return { code: status, lines: stdout.trimEnd().split("\n"), error: stderr };
}

const minimal = { vector: "minimal", level: 1, group: "valid", document: { base: "approval-expiry" } };

describe("npm run conformance", { timeout: 60_000 }, () => {
  it("runs every vector under foreign folders, at any depth, over one set of names", () => {
    const one = folderOf({
      "a/b/expiry.vector.json": APPROVAL_EXPIRY,
      "minimal.vector.json": minimal,
      "notes.json": "not a vector",
    });
    const two = folderOf({
      "on.vector.json": { ...minimal, vector: "on-minimal", document: { base: "minimal" } },
      "file.vector.json": { ...minimal, vector: "file", document: "beside/it.json" },
      "beside/it.json": "[]",
    });
    const result = conformance(one, two);
    expect(result.lines.join("\n")).toContain('FAIL file [document] not expected: E100 ""');
    expect(result.lines.at(-1)).toBe("3 passed, 1 failed");
    expect(result.lines).toContain("No level is reached.");
    expect(result.code).toBe(1);
  });

  it("says which level is reached, by group and level, and exits with 0", () => {
    const result = conformance(folderOf({ "e.vector.json": APPROVAL_EXPIRY, "m.vector.json": minimal }));
    expect(result.lines.slice(-7)).toEqual([
      "level  group    passed  failed",
      "L1     valid         1       0",
      "L2     runtime       1       0",
      "",
      "Level 2 is reached.",
      "12 runs were made.",
      "2 passed, 0 failed",
    ]);
    expect(result.code).toBe(0);
  });

  it("counts a broken vector as a failure and says what is wrong with it", () => {
    const result = conformance(folderOf({ "x.vector.json": expiryWith({ extra: 1 }), "y.vector.json": "{" }));
    expect(result.lines[0]).toContain(
      'FAIL approval-expiry-again [vector] broken: /: Unrecognized key: "extra"',
    );
    expect(result.lines.at(-1)).toBe("0 passed, 2 failed");
    expect(result.code).toBe(1);
  });

  it("runs only what is asked for, and prints its trace with virtual times", () => {
    const folder = folderOf({ "e.vector.json": APPROVAL_EXPIRY, "bad.vector.json": "{" });
    const only = conformance(folder, "--only", "approval-expiry-again");
    expect(only.lines.at(-1)).toBe("1 passed, 0 failed");
    const traced = conformance(folder, "--trace", "approval-expiry-again");
    expect(traced.lines.join("\n")).toMatch(/^2026-01-08T00:00:01\.200Z gate\.expired:gate/m);
  });

  it("prints one JSON object for programs", () => {
    const result = conformance(folderOf({ "e.vector.json": APPROVAL_EXPIRY }), "--json");
    expect(JSON.parse(result.lines.join("\n"))).toMatchObject({
      passed: 1,
      failed: 0,
      level: 2,
      runs: 12,
      vectors: [{ name: "approval-expiry-again", failures: [] }],
    });
  });

  it("exits with 2 on wrong usage", () => {
    const folder = folderOf({ "e.vector.json": APPROVAL_EXPIRY });
    const wrong = [
      ["/no/such/folder"],
      [folder, "--only", "nobody"],
      [folder, "--fast"],
      [folderOf({ "a.json": "" })],
    ];
    for (const given of wrong) {
      const { code, error } = conformance(...given);
      expect([given, code]).toEqual([given, 2]);
      expect(error).toContain("usage: npm run conformance");
    }
  });
});

describe("the level that is reached", () => {
  const result = (level: (typeof LEVELS)[number], fails: boolean): VectorResult => ({
    name: "x",
    file: "x",
    level,
    group: "runtime",
    failures: fails ? [{ way: "straight", message: "no" }] : [],
    runs: 3,
    notes: [],
    straight: null,
  });
  const reached = (...results: VectorResult[]) => summarize(results).level;

  it("is the highest with no failure at it or below", () => {
    expect(reached(result(1, false), result(2, false), result(3, false))).toBe(3);
    expect(reached(result(1, false), result(2, true), result(3, false))).toBe(1);
    expect(reached(result(1, true), result(2, false))).toBe(0);
    expect(reached(result(2, false))).toBe(2);
    expect(reached()).toBe(0);
  });

  it("counts vectors, and says how many runs were made", () => {
    expect(summarize([result(1, false), result(1, true), result(2, false)])).toEqual({
      groups: [
        { level: 1, group: "runtime", passed: 1, failed: 1 },
        { level: 2, group: "runtime", passed: 1, failed: 0 },
      ],
      passed: 2,
      failed: 1,
      runs: 9,
      level: 0,
    });
  });
});
