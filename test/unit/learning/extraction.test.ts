import { describe, expect, it } from "vitest";
import { detailsSchema } from "../../../src/interactions/model";
import { chronologyOf } from "../../../src/learning/chronology";
import { readingOf } from "../../../src/learning/extraction";
import { loadPrompt } from "../../../src/platform/prompts";
import type { Reasoner, TaskInput, TaskName, TaskOutput } from "../../../src/platform/reasoner/port";
import { turn } from "./fixtures";

const guidance = { agentContext: "", extractionDefinition: "Lessons about plants.", tools: [] };
const expertText =
  "Don’t water at noon. Repot in spring – never in autumn. Mist it. Later, mist it again: Mist it.";
const window = chronologyOf([
  turn(1, { content: "My fern droops, what now?" }),
  turn(2, {
    role: "Assistant",
    content: "Water it at noon.",
    details: detailsSchema.parse({ expert_content: expertText }),
  }),
  turn(3, { content: "From now on answer in Dutch." }),
]);

type Rule = TaskOutput<"extractExpert">["playbooks"][number];
const rule = (over: Partial<Rule> = {}): Rule => ({
  rationale: "The agent's advice burns the leaves.",
  evidence_kind: "expert-gap",
  trigger: "Asked what to do about a drooping fern.",
  content: "Advise against watering a fern at noon.",
  evidence: [{ turn_ref: "T3", source_span: "Don't water at noon." }],
  ...over,
});

/** Answers one list of rules after another. */
function expertReasoner(...answers: Rule[][]) {
  const asked: { task: TaskName; repair: string[] | undefined }[] = [];
  const reasoner: Reasoner = {
    async run<T extends TaskName>(task: T, input: TaskInput<T>) {
      const { repair }: { repair?: { problems: string[] } | undefined } = { repair: undefined, ...input };
      asked.push({ task, repair: repair?.problems });
      const outputs: Partial<{ [K in TaskName]: TaskOutput<K> }> = {
        shouldExtractExpert: { shouldExtract: true },
        extractExpert: { playbooks: answers.shift() ?? [] },
      };
      const output = outputs[task];
      if (output === undefined) throw new Error(`${task} is not asked of experts' answers`);
      return { output, rawText: "{}", model: "m", provider: "p", inputTokens: 1, outputTokens: 1 };
    },
  };
  return { reasoner, asked };
}

const extract = (...answers: Rule[][]) =>
  readingOf(window, guidance).extract(expertReasoner(...answers).reasoner);

describe("a window that holds an expert's answer", () => {
  it("asks the gate and the extraction for experts, and is not reviewed", async () => {
    const reading = readingOf(window, guidance);
    const { reasoner, asked } = expertReasoner([rule()]);
    expect(reading.isReviewed).toBe(false);
    expect(await reading.shouldExtract(reasoner)).toBe(true);
    await reading.extract(reasoner);
    expect(asked.map(({ task }) => task)).toEqual(["shouldExtractExpert", "extractExpert"]);
  });

  it("keeps the span as the expert wrote it, whatever the quotation marks and dashes of the citation", async () => {
    const { candidates } = await extract([
      rule({
        evidence: [
          { turn_ref: "[t3]", source_span: "Don't water at noon." },
          { turn_ref: "T3", source_span: "Repot in spring - never in autumn." },
          { turn_ref: "T2", source_span: "Water it at noon." },
        ],
      }),
    ]);
    expect(
      candidates.map(({ evidence }) => evidence.map(({ interactionId, text }) => [interactionId, text])),
    ).toEqual([
      [
        [2, "Don’t water at noon."],
        [2, "Repot in spring – never in autumn."],
        [2, "Water it at noon."],
      ],
    ]);
  });

  it.each([
    [
      "a span that the turn does not have",
      { evidence: [{ turn_ref: "T3", source_span: "Water at dawn." }] },
      "span_not_verbatim",
    ],
    [
      "a span of another turn",
      { evidence: [{ turn_ref: "T3", source_span: "Water it at noon." }] },
      "span_not_verbatim",
    ],
    ["no span", { evidence: [{ turn_ref: "T3", source_span: " " }] }, "empty_span"],
    ["no evidence", { evidence: [] }, "missing_evidence"],
    [
      "no turn of an expert",
      { evidence: [{ turn_ref: "T2", source_span: "Water it at noon." }] },
      "expert_not_cited",
    ],
    [
      "a turn that was not shown",
      { evidence: [{ turn_ref: "T4", source_span: "From now on answer in Dutch." }] },
      "unknown_turn",
    ],
    ["another kind of evidence", { evidence_kind: "correction" }, "not_expert_gap"],
    ["a turn label in its prose", { content: "Do as in T3." }, "turn_label_leak"],
  ])("drops a rule with %s", async (_what, over, reason) => {
    const { candidates, dropped } = await extract([rule(), rule({ trigger: "Another time.", ...over })]);
    expect(candidates).toHaveLength(1);
    expect(dropped).toEqual([reason]);
  });

  it("refuses a typographic variant that fits several places", async () => {
    const doubled = chronologyOf([
      turn(1, {
        role: "Assistant",
        content: "Anything goes.",
        details: detailsSchema.parse({ expert_content: "Don’t. I said don’t, and Don’t." }),
      }),
    ]);
    const { reasoner } = expertReasoner([rule({ evidence: [{ turn_ref: "T2", source_span: "Don't" }] })], []);
    const { candidates, dropped } = await readingOf(doubled, guidance).extract(reasoner);
    expect([candidates, dropped]).toEqual([[], ["span_ambiguous"]]);
  });

  it("drops a rule that repeats the prompt", async () => {
    const line = loadPrompt("extract-expert").systemTemplate.split("\n")[0] ?? "";
    const { dropped } = await extract([rule(), rule({ content: line.slice(0, 300) })]);
    expect(dropped).toEqual(["prompt_echo"]);
  });

  it("sends an answer back once when every rule of it is dropped, and then gives up", async () => {
    const bad = rule({ evidence_kind: "correction" });
    const { reasoner, asked } = expertReasoner([bad], [bad]);
    await expect(readingOf(window, guidance).extract(reasoner)).rejects.toMatchObject({
      fault: "unusable",
      code: "candidates_invalid",
    });
    expect(asked.map(({ repair }) => repair)).toEqual([undefined, ["rule 1: not_expert_gap"]]);
  });

  it("may teach nothing", async () => {
    expect(await extract([])).toMatchObject({ candidates: [], dropped: [] });
  });
});

it("a window without one is read as a conversation and reviewed", () => {
  expect(readingOf(chronologyOf([turn(1)]), guidance).isReviewed).toBe(true);
});
