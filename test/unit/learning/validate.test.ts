import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detailsSchema } from "../../../src/interactions/model";
import { chronologyOf } from "../../../src/learning/chronology";
import { echoDetector } from "../../../src/learning/leaks";
import { evidenceKindOf, type RawCandidate, validateCandidates } from "../../../src/learning/validate";
import { raw, turn } from "./fixtures";

const chronology = chronologyOf([
  turn(11, { content: "No, water them at dawn \u2013 it\u2019s cooler." }),
  turn(12, { role: "Assistant", content: "I will." }),
  turn(13, { source: "playmaker:run", content: "From now on, use the hose." }),
  turn(14, {
    role: "Assistant",
    content: " ",
    details: detailsSchema.parse({ tools_used: [{ tool_name: "hygrometer", tool_data: { humidity: 40 } }] }),
  }),
]);
const neverEchoes = () => false;
const judge = (...answer: RawCandidate[]) => validateCandidates(answer, chronology, neverEchoes);
const reasonOf = (over: Partial<RawCandidate>) => judge(raw(over)).dropped[0]?.reason;

describe("a candidate is dropped for the first rule it breaks", () => {
  it.each<[string, Partial<RawCandidate>]>([
    ["missing_content", { content: " \n", trigger: "" }],
    ["missing_trigger", { trigger: "", rationale: "" }],
    ["missing_rationale", { rationale: " ", evidence_kind: "" }],
    ["missing_evidence_kind", { evidence_kind: "", evidence_refs: [] }],
    ["missing_evidence", { evidence_refs: [] }],
    ["missing_evidence", { evidence_refs: [" "] }],
    ["unknown_evidence_kind", { evidence_kind: "hunch" }],
    ["turn_label_leak", { content: "Do as in T3.", evidence_refs: ["T99"] }],
    ["turn_label_leak", { rationale: "see t12" }],
    ["turn_label_leak", { trigger: "As EXISTING-2 says" }],
    ["unknown_turn", { evidence_refs: ["T1", "T99"] }],
    ["span_count", { evidence_refs: ["T1"], evidence_spans: [] }],
    ["empty_span", { evidence_spans: [" "] }],
    ["span_not_verbatim", { evidence_spans: ["water them at noon"] }],
    ["preference_not_users", { evidence_kind: "preference", evidence_refs: ["T2"] }],
    ["preference_not_users", { evidence_kind: "preference", evidence_refs: ["T3"] }],
    ["too_long", { content: "word ".repeat(2_000) }],
  ])("%s", (reason, over) => {
    expect(reasonOf(over)).toBe(reason);
  });

  it("turn_not_stored: a label that no interaction stands behind", () => {
    const unstored = { ...chronology, interactionIdOf: new Map<string, number>() };
    expect(validateCandidates([raw()], unstored, neverEchoes).dropped).toEqual([
      { position: 0, reason: "turn_not_stored" },
    ]);
  });

  it("prompt_echo: ten words in a row of the prompt, or its fence", () => {
    const prompt = "Write the rules that this record proves, as one JSON object, and nothing else around it.";
    const echoes = echoDetector([prompt]);
    const dropped = (content: string) => validateCandidates([raw({ content })], chronology, echoes).dropped;
    expect(dropped(`Always: ${prompt.toUpperCase()}`)).toEqual([{ position: 0, reason: "prompt_echo" }]);
    expect(dropped("Repeat <</data x9>> aloud.")).toEqual([{ position: 0, reason: "prompt_echo" }]);
    expect(dropped("Write the rules that this record proves on a label.")).toEqual([]);
  });

  it("duplicate: the same words for the same situation, whatever their case", () => {
    const { candidates, dropped } = judge(raw(), raw({ content: " ADVISE watering ferns at dawn. " }));
    expect(candidates).toHaveLength(1);
    expect(dropped).toEqual([{ position: 1, reason: "duplicate" }]);
  });

  it("duplicate: what it cites still proves the one that is kept", () => {
    const { candidates } = judge(raw(), raw({ evidence_refs: ["T2", "T1"] }));
    expect(candidates[0]?.evidence.map(({ unit, turn }) => [unit, turn])).toEqual([
      ["C1-E1", "T1"],
      ["C1-E2", "T2"],
    ]);
  });

  it("alone: its siblings are kept (trap 17)", () => {
    const { candidates, dropped } = judge(raw({ content: "" }), raw());
    expect(candidates.map(({ label }) => label)).toEqual(["C1"]);
    expect(dropped).toEqual([{ position: 0, reason: "missing_content" }]);
  });

  it("too_many: what exceeds twenty", () => {
    const answer = Array.from({ length: 25 }, (_, index) =>
      raw({ content: `Advise watering bed ${index} at dawn.` }),
    );
    const { candidates, dropped } = judge(...answer);
    expect(candidates).toHaveLength(20);
    expect(dropped.map(({ reason }) => reason)).toEqual(Array(5).fill("too_many"));
  });
});

describe("evidence", () => {
  it("maps labels of any shape to interactions and collapses repeated ones (trap 16)", () => {
    const { candidates } = judge(raw({ evidence_refs: ["[t1]", " T1 ", "T2"] }));
    expect(candidates[0]?.evidence.map(({ unit, interactionId }) => [unit, interactionId])).toEqual([
      ["C1-E1", 11],
      ["C1-E2", 12],
    ]);
  });

  it("keeps two spans of one turn apart and in the turn's own typography", () => {
    const { candidates } = judge(
      raw({ evidence_refs: ["T1", "T1"], evidence_spans: ["at dawn", "- it's cooler"] }),
    );
    expect(candidates[0]?.evidence.map(({ text }) => text)).toEqual(["at dawn", "\u2013 it\u2019s cooler"]);
  });

  it("may be what a tool was given", () => {
    const { candidates } = judge(raw({ evidence_kind: "observed-failure", evidence_refs: ["T4"] }));
    expect(candidates[0]?.evidence[0]?.text).toBe('hygrometer {"humidity":40}');
  });

  it("lets a preference stand on the user's own words", () => {
    expect(judge(raw({ evidence_kind: "preference", evidence_refs: ["T2", "T1"] })).candidates).toHaveLength(
      1,
    );
  });

  it("cuts an endless turn and stays verbatim", () => {
    const content = `${"x".repeat(999)}\u{1f33f}${"y".repeat(1_000_000)}`;
    const long = chronologyOf([turn(1, { content })]);
    const text = validateCandidates([raw()], long, neverEchoes).candidates[0]?.evidence[0]?.text ?? "";
    expect(text).toBe("x".repeat(999));
    expect(content.startsWith(text)).toBe(true);
  });
});

describe("evidence kinds", () => {
  it.each([
    ["Verified_Success", "verified-success"],
    ["observed failure", "observed-failure"],
    ["rejection", "rejected-approach"],
    ["constructor", undefined],
  ])("%s is read as %s", (text, kind) => {
    expect(evidenceKindOf(text)).toBe(kind);
  });
});

it("answers for every rule exactly once, and no survivor leaks a label or cites nothing", () => {
  const word = fc.constantFrom("water", "T1", "t22", "", " ", "dawn", "<<data", "NEW-1", "\u2019");
  const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "));
  const rule = fc.record(
    {
      rationale: text,
      trigger: text,
      content: text,
      evidence_kind: fc.constantFrom("correction", "preference", "", "x"),
      evidence_refs: fc.array(fc.constantFrom("T1", "T2", "T9", "")),
      evidence_spans: fc.array(fc.constantFrom("dawn", "", "it's")),
    },
    { requiredKeys: ["rationale", "trigger", "content", "evidence_kind", "evidence_refs"] },
  );
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), (answer) => {
      const { candidates, dropped } = judge(...answer);
      expect(candidates.length + dropped.length).toBe(answer.length);
      for (const { trigger, content, rationale, evidence } of candidates) {
        expect(`${trigger} ${content} ${rationale}`).not.toMatch(/\bT\d+\b/i);
        expect(evidence.length).toBeGreaterThan(0);
      }
    }),
  );
});
