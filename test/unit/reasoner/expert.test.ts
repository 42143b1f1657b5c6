import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../src/platform/reasoner/llm/answer";
import { renderTask } from "../../../src/platform/reasoner/llm/render";
import { renderExpertPairs } from "../../../src/platform/reasoner/llm/render/expert";
import { createFence } from "../../../src/platform/reasoner/llm/render/fence";
import { expertLimits } from "../../../src/platform/reasoner/llm/render/limits";
import { inputs, pairs, turn } from "./fixtures";

const tag = "tagfortests0001";
const fence = createFence(tag);
const [pair] = pairs;
if (pair === undefined) throw new Error("there is a pair");

describe("experts' answers in a prompt", () => {
  it("are numbered blocks of question, answer and expert's answer, each text fenced", () => {
    const { user } = renderTask("extractExpert", inputs.extractExpert, tag);
    const lines = user.split("\n");
    const places = ["--- 1 ---", "The question", "The agent's answer", "The expert's answer"].map((line) =>
      lines.indexOf(line),
    );
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places[0]).toBeGreaterThan(0);
    expect(lines[(places[3] ?? 0) + 1]).toMatch(/^\[T3\] Expert \| source shop-chat/);
    expect(lines.filter((line) => line === `<<data ${tag}>>`)).toHaveLength(3);
  });

  it("show a question that several answers follow once", () => {
    const again = {
      ...pair,
      answer: turn("T4", "Assistant", "Or mist it."),
      expert: turn("T5", "Expert", "No."),
    };
    const text = renderExpertPairs([pair, again], fence);
    expect(text.split("How do I revive")).toHaveLength(2);
    expect(text).toContain("--- 2 ---\nThe question: as in 1\n");
  });

  it("say where there is no question, or nothing was answered", () => {
    const text = renderExpertPairs(
      [{ ...pair, question: null, answer: turn("T2", "Assistant", " ") }],
      fence,
    );
    expect(text).toContain("The question: not in the record");
    expect(text).toContain(`<<data ${tag}>>\n(nothing)\n<</data ${tag}>>`);
  });

  it("are the latest where there are too many, and what is left out is said", () => {
    const many = Array.from({ length: expertLimits.pairs + 2 }, (_, at) => ({
      ...pair,
      expert: turn(`T${at + 10}`, "Expert", `Advice number ${at}.`),
    }));
    const text = renderExpertPairs(many, fence);
    expect(text).toMatch(/^\(2 earlier are not shown\)\n--- 1 ---\nThe question\n/);
    expect(text).not.toContain("Advice number 1.");
    expect(text).toContain(`Advice number ${expertLimits.pairs + 1}.`);
  });
});

const read = (answer: unknown) =>
  readAnswer("extractExpert", inputs.extractExpert, JSON.stringify(answer), "stop", {
    instructions: "",
    tag,
  });
const rule = { rationale: "r", evidence_kind: "expert-gap", trigger: "t", content: "c" };
const evidenceOf = (answer: unknown) => {
  const outcome = read(answer);
  return outcome.ok ? outcome.output.playbooks.map(({ evidence }) => evidence) : outcome;
};

describe("an answer to extractExpert", () => {
  it.each([
    ["the contract", { ...rule, evidence: [{ turn_ref: "T3", source_span: "a bucket" }] }],
    ["a label in another form", { ...rule, evidence: [{ turn: "[t3]", quote: "a bucket" }] }],
    ["a single object", { ...rule, evidence: { turn_ref: 3, span: "a bucket" } }],
    ["labels beside spans", { ...rule, evidence_refs: ["T3"], evidence_spans: ["a bucket"] }],
  ])("is read in the form of %s", (_what, candidate) => {
    expect(evidenceOf({ playbooks: [candidate] })).toEqual([[{ turn_ref: "T3", source_span: "a bucket" }]]);
  });

  it("may quote one turn at several places", () => {
    const evidence = [
      { turn_ref: "T3", source_span: "a bucket" },
      { turn_ref: "T3", source_span: "an hour" },
    ];
    expect(evidenceOf({ playbooks: [{ ...rule, evidence }] })).toEqual([evidence]);
  });

  it("has an empty span where none was given, for the pipeline to refuse", () => {
    expect(evidenceOf({ rules: [{ ...rule, evidence: ["T3"] }] })).toEqual([
      [{ turn_ref: "T3", source_span: "" }],
    ]);
  });

  it("takes the aliases of the kind, and an empty list", () => {
    const outcome = read([{ ...rule, evidence_kind: "Expert", evidence: [] }]);
    expect(outcome).toMatchObject({ output: { playbooks: [{ evidence_kind: "expert-gap" }] } });
    expect(evidenceOf({ playbooks: [] })).toEqual([]);
  });

  it("without a list of rules is refused", () => {
    expect(read({ verdict: "fine" })).toMatchObject({ ok: false, fault: "invalid_json_shape" });
  });
});

describe("an answer to tag", () => {
  const tags = (answer: unknown) => {
    const outcome = readAnswer("tag", inputs.tag, JSON.stringify(answer), "stop", { instructions: "", tag });
    return outcome.ok ? outcome.output.assignments : outcome.fault;
  };
  const both = [
    { label: "R1", tags: ["shipping"] },
    { label: "R2", tags: [] },
  ];

  it.each([
    ["the contract", { assignments: both }],
    ["a bare list", both],
    [
      "other names",
      {
        results: [
          { rule_id: "[r1]", categories: "shipping" },
          { id: 2, tags: null },
        ],
      },
    ],
    ["an object from label to tags", { R1: ["shipping"], "r 2": [] }],
    ["such an object in a wrapper", { tags: { R1: "shipping", R2: [] } }],
  ])("is read in the form of %s", (_what, answer) => {
    expect(tags(answer)).toEqual(both);
  });

  it.each([
    ["an empty object", {}],
    ["tags that are no text", { assignments: [{ label: "R1", tags: [{ name: "shipping" }] }] }],
    ["a map with strangers", { R1: ["shipping"], note: "done" }],
  ])("is refused where it is %s", (_what, answer) => {
    expect(tags(answer)).toBe("invalid_json_shape");
  });
});
