/** The corpus of runs and triggers: what it must hold to be worth running. That it passes, `npm run conformance` says. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readVector } from "../../../../src/documents/conformance/read-vectors";

const FOLDER = resolve(import.meta.dirname, "../../../conformance");

/** The specification's own rows R01 to R81, but for R78 and R80, which no vector can say. */
const ROWS = `
  approval-expiry approval-just-in-time approval-at-deadline approval-after-expiry reject-no-edge reject-edge
  double-approve-same-key approve-then-reject-race approve-uses-snapshot wrong-approver self-approval anonymous
  manual-then-timer gates-in-map cancel-while-open webhook-cannot-approve zero-cap-free-call zero-cap-paid-call
  cap-exact cap-crossed-by-actual duration-excludes-parking duration-trips wait-duration wait-until-past
  wait-condition-timeout wait-300-days decision-first-match decision-default decision-error decision-short-circuit
  decision-numbers-integer decision-numbers-fraction decision-numbers-text map-empty map-singleton map-null map-object
  map-order map-concurrency-peak map-default-serial map-over-cap map-fail-fast map-subplaybook-cancel
  tool-crash-after-effect tool-input-types retry-backoff failure-continue failure-halt agent-forbidden-tool
  agent-output-invalid implicit-gate-covered terminator-outcome webhook-filter webhook-duplicate-delivery
  webhook-same-body-new-id webhook-bad-signature schedule-dst schedule-lord-howe schedule-lord-howe-fold
  schedule-missed-ticks dependency-once dependency-not-on-parked finding-starts-run finding-flood
  draft-not-triggerable secret-redaction secret-missing replay-no-effects late-result-after-cancel data-is-not-code`;

/** Rulings that a run or a trigger can show; the others speak of findings. */
const RULINGS = [
  1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 24, 25, 26, 27, 28, 29, 30, 31, 32,
  34, 35, 36, 37, 39,
];
const SECTIONS = ["c.1", "c.2", "c.3", "c.4", "c.5", "c.6", "c.7", "c.8", "c.9", "c.10"];

const vectors = ["runtime", "triggers"].flatMap((group) => {
  const folder = join(FOLDER, group);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".vector.json"))
    .map((name) => {
      const file = join(folder, name);
      const reading = readVector({ file, folder, text: readFileSync(file, "utf8") });
      if (!reading.ok) throw new Error(`${file}: ${reading.broken.faults.join("; ")}`);
      return { group, ...reading.loaded };
    });
});
/** What stands in brackets at the end. */
const citedIn = (describes: string | undefined): string =>
  / \(([^()]+)\)\.$/.exec(describes ?? "")?.[1] ?? "";
const cited = vectors.map(({ vector }) => citedIn(vector.describes));

describe("the corpus of runs", () => {
  it("names each file for its vector, in the folder of its group, and says where it is written", () => {
    for (const { file, group, vector } of vectors) {
      expect(basename(file, ".vector.json")).toBe(vector.vector);
      expect(vector.group, file).toBe(group);
      expect(citedIn(vector.describes), file).toMatch(/\b[a-e]\.\d|\brulings? \d/);
    }
  });

  it("says each thing once", () => {
    const said = vectors.map(({ vector }) => vector.describes);
    expect(said.filter((text, at) => said.indexOf(text) !== at)).toEqual([]);
  });

  it("holds every row of the specification that a vector can say", () => {
    const names = new Set(vectors.map(({ vector }) => vector.vector));
    expect(
      ROWS.trim()
        .split(/\s+/)
        .filter((name) => !names.has(name)),
    ).toEqual([]);
  });

  it("has a vector for every section on running and every ruling on it", () => {
    const rulings = new Set(
      cited.flatMap((text) => (/rulings? (.*)$/.exec(text)?.[1] ?? "").match(/\d+/g) ?? []).map(Number),
    );
    expect(RULINGS.filter((ruling) => !rulings.has(ruling))).toEqual([]);
    expect(SECTIONS.filter((section) => !cited.some((text) => text.split(", ").includes(section)))).toEqual(
      [],
    );
  });

  it("expects something of every run: how it ended, what stands in its trace, or how many there were", () => {
    const vague = vectors.filter(
      ({ vector: { expect: expected } }) =>
        !("status" in expected || "trace" in expected || "runs" in expected || "never" in expected),
    );
    expect(vague.map(({ vector }) => vector.vector)).toEqual([]);
  });
});
