import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConsolidation } from "../../../src/platform/reasoner/llm/tolerances/consolidate";
import { readEvidenceKind, readExtraction } from "../../../src/platform/reasoner/llm/tolerances/extract";
import { readReformulation } from "../../../src/platform/reasoner/llm/tolerances/reformulate";
import { readReview, readStoredReview } from "../../../src/platform/reasoner/llm/tolerances/review";
import { readSynthesis } from "../../../src/platform/reasoner/llm/tolerances/synthesise";
import { evidenceKinds } from "../../../src/platform/reasoner/port";
import { goodAnswers, inputs } from "./fixtures";

const rule = { trigger: "When potting cacti", content: "Use dry soil.", rationale: "Roots rot." };
const candidate = { ...rule, evidence_kind: "correction", evidence_refs: ["T3"] };

describe("extract", () => {
  const wrap = (depth: number): unknown => {
    let value: unknown = { playbooks: [candidate] };
    for (let level = 1; level < depth; level += 1) value = { [`layer${level}`]: value };
    return value;
  };

  it.each([1, 2, 3, 4])("finds candidates under %i wrappers", (depth) => {
    expect(readExtraction(wrap(depth), inputs.extract)).toMatchObject({
      ok: true,
      output: { playbooks: [candidate] },
    });
  });

  it("does not look deeper than that", () => {
    expect(readExtraction(wrap(7), inputs.extract).ok).toBe(false);
  });

  it.each([{ playbooks: [] }, [], { result: { playbooks: [] } }])(
    "takes an explicit empty list as nothing to learn: %j",
    (value) => {
      expect(readExtraction(value, inputs.extract)).toEqual({ ok: true, output: { playbooks: [] } });
    },
  );

  it.each([
    {},
    { notes: [] },
    { playbooks: null },
    { playbooks: "none" },
    [1, 2],
    { playbooks: [{ turn_ref: "T1", source_span: "x" }] },
  ])("takes no answer from %j", (value) => {
    expect(readExtraction(value, inputs.extract).ok).toBe(false);
  });

  it("passes over bare evidence objects beside candidates", () => {
    const value = { playbooks: [candidate, { turn_ref: "T1", source_span: "ferns" }] };
    expect(readExtraction(value, inputs.extract)).toMatchObject({
      ok: true,
      output: { playbooks: [candidate] },
    });
  });

  it("reads aliases of every field", () => {
    const value = { rules: [{ why: "r", When: "t", Action: "c", citations: "T3", type: "Rejection" }] };
    expect(readExtraction(value, inputs.extract)).toEqual({
      ok: true,
      output: {
        playbooks: [
          {
            rationale: "r",
            trigger: "t",
            content: "c",
            evidence_refs: ["T3"],
            evidence_kind: "rejected-approach",
          },
        ],
      },
    });
  });

  it("reads evidence given as turn and span", () => {
    const evidence = [{ turn_ref: "T3", source_span: "ferns never travel" }];
    const read = readExtraction(
      { playbooks: [{ ...rule, evidence_kind: "correction", evidence }] },
      inputs.extract,
    );
    expect(read).toMatchObject({
      ok: true,
      output: { playbooks: [{ evidence_refs: ["T3"], evidence_spans: ["ferns never travel"] }] },
    });
  });

  it("leaves a field of a wrong type missing, for the pipeline to name, and coerces nothing", () => {
    const value = { playbooks: [{ ...candidate, content: 42, rationale: ["a"], evidence_refs: [true, -3] }] };
    expect(readExtraction(value, inputs.extract)).toMatchObject({
      ok: true,
      output: { playbooks: [{ content: "", rationale: "", evidence_refs: [] }] },
    });
  });

  it("knows every kind in any spelling and keeps unknown ones as they are", () => {
    for (const kind of evidenceKinds)
      expect(readEvidenceKind(kind.toUpperCase().replace("-", "_"))).toBe(kind);
    expect(["failure", "Success", "rejected alternative"].map(readEvidenceKind)).toEqual([
      "observed-failure",
      "verified-success",
      "rejected-approach",
    ]);
    expect(readEvidenceKind("toString")).toBe("to-string");
  });

  it("throws on no JSON at all", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void readExtraction(value, inputs.extract)));
  });
});

describe("reviewStored", () => {
  const verdict = {
    decision: "Edit",
    code: "compound",
    evidence: "c1_e1",
    edit: { when: "a", do: "b", why: "c" },
  };
  const read = (value: unknown) => readStoredReview(value, inputs.reviewStored);

  it.each([
    ["bare", verdict],
    ["in a list of one", { decisions: [verdict] }],
    ["in a wrapper", { review: { result: verdict } }],
  ])("reads a decision that stands %s", (_, value) => {
    expect(read(value)).toEqual({
      ok: true,
      output: {
        decision: "revise",
        reason_code: "compound",
        reason: "",
        evidence_ids: ["C1-E1"],
        revision: { trigger: "a", content: "b", rationale: "c" },
      },
    });
  });

  it("takes neither two decisions nor none for an answer", () => {
    for (const value of [{ decisions: [verdict, verdict] }, { decisions: [] }, {}, [], "accept"]) {
      expect(read(value)).toMatchObject({ ok: false });
    }
  });

  it("names the place of what cannot be read", () => {
    expect(read({ decision: "perhaps", evidence_ids: [-1] })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("/decision"), expect.stringContaining("/evidence_ids")],
    });
  });
});

describe("reviewCandidates", () => {
  const decisionOf = (fields: object) => readReview({ decisions: [fields] }, inputs.reviewCandidates);

  it("reads other words for the three decisions", () => {
    for (const [word, decision] of [
      ["Approve", "accept"],
      ["edit", "revise"],
      ["DROP", "reject"],
    ] as const) {
      expect(decisionOf({ candidate: "[c1]", verdict: word, evidence: ["c1_e1"] })).toMatchObject({
        ok: true,
        output: { decisions: [{ candidate_id: "C1", decision, evidence_ids: ["C1-E1"] }] },
      });
    }
  });

  it("gives a missing reason code its default by decision", () => {
    expect(decisionOf({ candidate_id: 1, decision: "reject" })).toMatchObject({
      output: { decisions: [{ reason_code: "unsupported_evidence" }] },
    });
    expect(decisionOf({ candidate_id: 1, decision: "accept" })).toMatchObject({
      output: { decisions: [{ reason_code: "grounded_useful" }] },
    });
  });

  it("keeps every one of several reason codes, however they are given", () => {
    for (const codes of ["Generic, late trigger", ["generic", "late-trigger"], "generic|LATE_TRIGGER"]) {
      expect(decisionOf({ candidate_id: 1, decision: "reject", reason_code: codes })).toMatchObject({
        output: { decisions: [{ reason_code: "generic,late_trigger" }] },
      });
    }
  });

  it("names the place of what cannot be read", () => {
    const read = decisionOf({ candidate_id: true, decision: "perhaps", evidence_ids: [-1] });
    expect(read).toMatchObject({
      ok: false,
      problems: [/candidate_id/, /decision/, /evidence_ids/].map((part) => expect.stringMatching(part)),
    });
  });
});

describe("consolidate", () => {
  const read = (...decisions: object[]) => readConsolidation({ decisions }, inputs.consolidate);

  it("reads single and listed labels in any form, and kind aliases", () => {
    expect(
      read(
        { kind: "Merge", new_id: "new 1", archive_existing_ids: [1], ...rule },
        { kind: "keep", new_ids: 2 },
      ),
    ).toEqual({
      ok: true,
      output: {
        decisions: [
          { kind: "unify", new_ids: ["NEW-1"], archive_existing_ids: ["EXISTING-1"], ...rule },
          { kind: "independent", new_ids: ["NEW-2"] },
        ],
      },
    });
  });

  it("infers a missing kind from the fields that only one kind has", () => {
    expect(
      read({
        new_id: "NEW-1",
        existing_id: "EXISTING-2",
        refined_new_trigger: "a",
        refined_existing_trigger: "b",
      }),
    ).toMatchObject({
      output: { decisions: [{ kind: "differentiate", new_id: "NEW-1", existing_id: "EXISTING-2" }] },
    });
    expect(read({ new_ids: ["NEW-1"], superseded_by: "existing_1" })).toMatchObject({
      output: { decisions: [{ kind: "reject_new", superseded_by_existing_ids: ["EXISTING-1"] }] },
    });
    expect(read({ new_ids: ["NEW-1"], ...rule })).toMatchObject({
      output: { decisions: [{ kind: "unify", archive_existing_ids: [] }] },
    });
  });

  it.each([
    { kind: "unify", new_ids: [true], ...rule },
    { kind: "independent", new_ids: [-1] },
    { kind: "independent", new_ids: [] },
    { kind: "frobnicate", new_ids: ["NEW-1"] },
    {
      kind: "differentiate",
      new_ids: ["NEW-1", "NEW-2"],
      existing_id: "EXISTING-1",
      refined_new_trigger: "a",
      refined_existing_trigger: "b",
    },
    { kind: "reject_new", new_ids: ["NEW-1"], superseded_by_existing_ids: [false] },
  ])("refuses %j and says where", (decision) => {
    expect(read(decision)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^\/decisions\/0\//)],
    });
  });
});

describe("synthesise", () => {
  it("reads a rule in wrappers and in lists of one", () => {
    for (const value of [
      { playbook: rule },
      { result: { agent_playbook: rule } },
      [{ playbook: rule }],
      rule,
    ]) {
      expect(readSynthesis(value)).toEqual({ ok: true, output: { playbook: rule } });
    }
  });

  it("takes only an explicit null as having nothing to say", () => {
    expect(readSynthesis({ playbook: null })).toEqual({ ok: true, output: { playbook: null } });
    expect(readSynthesis({ data: { playbook: null } })).toEqual({ ok: true, output: { playbook: null } });
    for (const value of [
      {},
      [],
      { playbook: "null" },
      { playbook: {} },
      { playbook: { content: " " } },
      { note: null },
    ]) {
      expect(readSynthesis(value).ok).toBe(false);
    }
  });
});

describe("reformulate", () => {
  it("takes the first line, without quotation marks", () => {
    expect(readReformulation('\n  "ship ferns on Fridays"\nBecause …', "q")).toBe("ship ferns on Fridays");
  });

  it.each([
    "",
    "  \n ",
    "…!?",
    '{"query": "x"}',
    "see [1]",
    "I'm sorry, I cannot do that",
    "Here is the query: ferns",
    "Search query: ferns",
    "x".repeat(513),
  ])("keeps the original for %j", (text) => {
    expect(readReformulation(text, "the original")).toBe("the original");
  });

  it("never gives more than 512 characters or a line break", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
        const query = readReformulation(text, "q");
        expect(query.length).toBeLessThanOrEqual(512);
        expect(query).not.toMatch(/\n/);
      }),
    );
  });
});

describe("good answers", () => {
  it("are read without loss", () => {
    expect(readConsolidation(JSON.parse(goodAnswers.consolidate), inputs.consolidate)).toEqual({
      ok: true,
      output: JSON.parse(goodAnswers.consolidate),
    });
    expect(readReview(JSON.parse(goodAnswers.reviewCandidates), inputs.reviewCandidates)).toEqual({
      ok: true,
      output: JSON.parse(goodAnswers.reviewCandidates),
    });
  });
});
