/** Documents broken at random: the validator always answers, and what it says always holds together. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportDocument } from "../../../../src/documents/export";
import { FINDINGS } from "../../../../src/documents/spec";
import { valueAt } from "../../../../src/documents/text/pointer";
import { readJson } from "../../../../src/documents/text/read-json";
import { type Validation, validateDocument } from "../../../../src/documents/validate";
import { comparePaths } from "../../../../src/documents/validate/report";
import { example, sevenKinds } from "../support/documents";
import { jsonValueOf, mutate, mutation, textOf, treeOf } from "../support/mutations";

/** Fixed, so that a failure comes again; fast-check prints it with the counterexample. */
const SEED = 20_260_101;
const BASES = [example(), sevenKinds()].map(treeOf);
const UNREADABLE = new Set(["E100", "L801", "L802"]);

const SLUGS = new Map<string, string>(Object.entries(FINDINGS).map(([code, { slug }]) => [code, slug]));

/** Of each finding: what does not hold together. Plain comparisons, since there are a hundred thousand findings. */
function complaints(result: Validation, source: string): string[] {
  const { findings, valid, document } = result;
  const reading = readJson(source);
  // Of a name given twice, only the last value can be pointed at.
  const canBeRead = reading.value !== undefined && reading.duplicates.length === 0;
  const wrong: string[] = [];
  for (const [index, { code, slug, path, message, line, column }] of findings.entries()) {
    const about = `${code} "${path}"`;
    if (SLUGS.get(code) !== slug || message === "") wrong.push(`${about}: slug or message`);
    if (canBeRead && valueAt(reading.value ?? null, path) === undefined)
      wrong.push(`${about}: no such place`);
    const isOfWhole = code === "L801" || code === "L802";
    if (canBeRead && !isOfWhole && (line === undefined || column === undefined))
      wrong.push(`${about}: no line`);
    const before = findings[index - 1];
    if (!before) continue;
    const order = comparePaths(before.path, path);
    if (order > 0 || (order === 0 && before.code > code)) wrong.push(`${about}: after ${before.path}`);
  }
  if (valid !== findings.every(({ severity }) => severity === "warning")) wrong.push("valid");
  if (document === null && !findings.some(({ code }) => UNREADABLE.has(code))) wrong.push("no document");
  return wrong;
}

describe("mutated documents", () => {
  it("never crash the validator, and each finding names a place that exists (10,000 documents)", () => {
    let clean = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(0, 0, 0, 1),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (base, mutations) => {
          const tree = structuredClone(BASES[base] ?? null);
          for (const one of mutations) mutate(tree, one);
          const text = textOf(tree);
          const result = validateDocument({ text }, { mode: "publish", others: [] });
          expect(complaints(result, text)).toEqual([]);
          if (!result.valid || !result.document) return;
          clean++;
          const exported = exportDocument(result.document);
          const again = validateDocument({ text: exported }, { mode: "publish" });
          expect(again.valid).toBe(true);
          expect(again.document && exportDocument(again.document)).toBe(exported);
        },
      ),
      { seed: SEED, numRuns: 10_000 },
    );
    // Mutations that harm nothing must stay possible, or nothing is said about exports.
    expect(clean).toBeGreaterThan(300);
  }, 240_000);

  it("are judged alike as a text and as a value", () => {
    fc.assert(
      fc.property(fc.nat(1), mutation, (base, one) => {
        const tree = structuredClone(BASES[base] ?? null);
        mutate(tree, one);
        const value = jsonValueOf(tree);
        const text = validateDocument({ text: JSON.stringify(value) }, { mode: "publish" });
        const codes = ({ findings }: Validation) => findings.map(({ code, path }) => `${code} ${path}`);
        expect(codes(validateDocument({ value }, { mode: "publish" }))).toEqual(codes(text));
      }),
      { seed: SEED, numRuns: 300 },
    );
  }, 60_000);

  it("may be cut, overwritten and doubled anywhere in their text", () => {
    const text = JSON.stringify(sevenKinds());
    const noise = ['"', "{", "}", "[", ",", ":", "\\", "\ud800", "\u0000", "1e999", "//", "\ufeff"];
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), fc.constantFrom(...noise, ""), (at, length, insert) => {
        const broken = text.slice(0, at) + insert + text.slice(at + length);
        expect(complaints(validateDocument({ text: broken }, { mode: "publish" }), broken)).toEqual([]);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  }, 60_000);
});
