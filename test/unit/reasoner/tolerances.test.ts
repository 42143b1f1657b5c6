import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJson, maxAnswerChars } from "../../../src/platform/reasoner/llm/tolerances/json";
import { foldKey, withProperKeys } from "../../../src/platform/reasoner/llm/tolerances/keys";
import { readLabel, readLabels } from "../../../src/platform/reasoner/llm/tolerances/labels";
import { wellFormedValue } from "../../../src/platform/reasoner/llm/tolerances/well-formed";

/** Sentences with brackets in them, as people write them: never followed at once by another or by a quotation mark. */
const prose = fc
  .array(
    fc.constantFrom("plants", "{set, of}", "[note]", "it's", "]", "}", "{open", "[1", "(x)", "\n", "a: b,"),
    { maxLength: 12 },
  )
  .map((words) => words.join(" "));
const rule = { trigger: "When potting cacti", content: "Use dry soil.", rationale: "Roots rot." };
const candidate = { ...rule, evidence_kind: "correction", evidence_refs: ["T3"] };

describe("finding JSON", () => {
  it("finds any object between sentences that hold brackets of their own", () => {
    fc.assert(
      fc.property(
        prose,
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
        prose,
        (before, value, after) => {
          const found = findJson(`${before}. ${JSON.stringify(value)} ${after}`);
          expect(found).toEqual({
            kind: "found",
            values: expect.arrayContaining([JSON.parse(JSON.stringify(value))]),
          });
        },
      ),
    );
  });

  it("never takes a part of a cut-off value for the answer", () => {
    const whole = JSON.stringify({ playbooks: [candidate, candidate], note: 'a "quoted" {brace}' });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: whole.length - 1 }), (length) => {
        expect(findJson(whole.slice(0, length)).kind).not.toBe("found");
      }),
    );
  });

  it("never takes a part of a malformed value for the answer", () => {
    expect(findJson('{"playbooks": [],}').kind).toBe("none");
    expect(findJson('{\'playbooks\': [{"trigger": "x"}], }').kind).not.toBe("none");
    expect(findJson('{"a": {"playbooks": []}, oops}').kind).toBe("none");
  });

  it("prefers nothing over an earlier draft when the final value is cut off", () => {
    expect(findJson('Draft: {"playbooks": []}\nFinal: {"playbooks": [{"trigger"').kind).toBe("truncated");
  });

  it("ends quickly on hostile brackets and refuses what is too long", () => {
    expect(findJson('{"'.repeat(100_000)).kind).toBe("truncated");
    expect(findJson("[".repeat(100_000)).kind).not.toBe("found");
    expect(findJson(" [1]".repeat(maxAnswerChars)).kind).toBe("none");
  });

  it("throws on no text at all", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void findJson(text)));
  });
});

describe("cleaning values", () => {
  it("leaves every string well-formed and free of NUL, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 4 }), (value) => {
        const text = JSON.stringify(wellFormedValue(value)?.value);
        expect(JSON.stringify(wellFormedValue(JSON.parse(text))?.value)).toBe(text);
        expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }),
    );
  });

  it("refuses nesting that no answer has", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 5_000; depth += 1) deep = [deep];
    expect(wellFormedValue(deep)).toBeNull();
  });
});

describe("labels", () => {
  const known = ["NEW-1", "NEW-2", "NEW-12"];
  const forms: ReadonlyArray<(prefix: string, position: number) => unknown> = [
    (prefix, position) => `${prefix}-${position}`,
    (prefix, position) => `[${prefix}-${position}]`,
    (prefix, position) => `${prefix.toLowerCase()}_${position}`,
    (prefix, position) => `"${prefix} ${position}".`,
    (prefix, position) => `${prefix}${position}`,
    (_prefix, position) => position,
    (_prefix, position) => String(position),
    (prefix, position) => [`${prefix}-${position}`],
    (_prefix, position) => [[position]],
  ];

  it("resolves every tolerated form to the label that was given", () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), fc.constantFrom(1, 2, 12), (form, position) => {
        expect(readLabel(form("NEW", position), known)).toEqual({ ok: true, label: `NEW-${position}` });
      }),
    );
  });

  it.each([
    true,
    false,
    -1,
    "-1",
    "[-2]",
    "–3",
    1.5,
    Number.NaN,
    null,
    undefined,
    "",
    "  ",
    "null",
    "true",
    {},
    [],
    ["NEW-1", "NEW-2"],
  ])("refuses %j", (value) => {
    expect(readLabel(value, known)).toEqual({ ok: false });
  });

  it("hands on a label that was not given, folded, and never guesses another for it", () => {
    expect(readLabel("new_7", known)).toEqual({ ok: true, label: "NEW-7" });
    expect(readLabel(3, known)).toEqual({ ok: true, label: "3" });
    expect(readLabel("1", ["C1-E1", "C2-E1"])).toEqual({ ok: true, label: "1" });
  });

  it("resolves labels that are numbered from nothing but digits and composite ones", () => {
    expect(readLabel("c1 e2", ["C1-E1", "C1-E2"])).toEqual({ ok: true, label: "C1-E2" });
    expect(readLabel("C1E2", ["C1-E1", "C1-E2"])).toEqual({ ok: true, label: "C1-E2" });
    expect(readLabel("t03", ["T3"])).toEqual({ ok: true, label: "T03" });
  });

  it("reads a list, a single label or a sentence of labels, each label once", () => {
    expect(readLabels(["NEW-1", 1, "new_2"], known)).toEqual(["NEW-1", "NEW-2"]);
    expect(readLabels("NEW-1; NEW-2", known)).toEqual(["NEW-1", "NEW-2"]);
    expect(readLabels(12, known)).toEqual(["NEW-12"]);
    expect(readLabels(undefined, known)).toEqual([]);
    expect(readLabels(["NEW-1", false], known)).toBeNull();
  });

  it("ends quickly on a hostile run of signs", () => {
    expect(readLabel(`NEW-1${" ".repeat(2_000_000)}x`, known)).toEqual({ ok: true, label: "NEW-1" });
  });

  it("is a fixed point: a label read twice is the same label", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const once = readLabel(value, known);
        if (once.ok) expect(readLabel(once.label, known)).toEqual(once);
      }),
    );
  });
});

describe("field names", () => {
  it("folds case and separators", () => {
    expect(["evidenceRefs", "Evidence Refs", "EVIDENCE-REFS", "evidence.refs"].map(foldKey)).toEqual(
      new Array(4).fill("evidence_refs"),
    );
  });

  it("prefers a field's own name to its aliases, wherever they stand", () => {
    expect(withProperKeys({ when: "alias", trigger: "own" }, { trigger: ["when"] })).toMatchObject({
      trigger: "own",
    });
  });

  it("survives hostile names", () => {
    const hostile = JSON.parse('{"__proto__": {"content": "x"}, "constructor": 1}');
    expect(withProperKeys(hostile, { content: ["action"] }).content).toBeUndefined();
  });
});
