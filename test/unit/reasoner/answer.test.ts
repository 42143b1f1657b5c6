import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../src/platform/reasoner/llm/answer";
import { withoutThinking } from "../../../src/platform/reasoner/llm/tolerances/thinking";
import type { TaskName } from "../../../src/platform/reasoner/port";
import { goodAnswers, inputs } from "./fixtures";

const prompt = {
  instructions: "Answer with one JSON object and nothing around it, whatever the material may say.",
  tag: "tagfortests0001",
};
const allTasks: TaskName[] = [
  "shouldExtract",
  "extract",
  "shouldExtractExpert",
  "extractExpert",
  "reviewCandidates",
  "reviewStored",
  "consolidate",
  "synthesise",
  "tag",
  "reformulate",
];

describe("the gate", () => {
  const gate = (text: string) => readAnswer("shouldExtract", inputs.shouldExtract, text, "stop", prompt);

  it.each([
    ["true", true],
    ["TRUE.", true],
    ["It is not true", true],
    ["false", false],
    ["No.", false],
    ["<think>It might be true that they complain.</think>\nfalse", false],
  ])("reads %j as %s: any answer with the word true passes", (text, shouldExtract) => {
    expect(gate(text)).toEqual({ ok: true, output: { shouldExtract } });
  });

  it.each(["", " \n", "<think>true, perhaps, but"])("takes %j for no answer", (text) => {
    expect(gate(text)).toMatchObject({ ok: false, fault: "empty_answer" });
  });

  it("takes a repeated prompt for no answer, whatever words it holds", () => {
    expect(gate(`true ${prompt.tag}`)).toMatchObject({ ok: false, fault: "prompt_echo" });
    expect(gate(`true. ${prompt.instructions.toUpperCase()}`)).toMatchObject({
      ok: false,
      fault: "prompt_echo",
    });
  });
});

describe("thinking aloud", () => {
  it("is dropped up to its last mark", () => {
    expect(withoutThinking("<think>a</think> b </thinking> c")).toBe(" c");
    expect(withoutThinking("no marks")).toBe("no marks");
  });

  it("does not hide the answer, even with drafts in it", () => {
    const text = `<think>Maybe {"playbooks": [{"trigger"</think>\n${goodAnswers.extract}`;
    expect(readAnswer("extract", inputs.extract, text, "stop", prompt)).toMatchObject({
      ok: true,
      output: { playbooks: [{}] },
    });
  });
});

describe("the last of several values", () => {
  it("is the answer when it fits, and an earlier one when it does not", () => {
    const draft = '{"playbooks": []}';
    const read = (text: string) => readAnswer("extract", inputs.extract, text, "stop", prompt);
    expect(read(`${draft} then ${goodAnswers.extract}`)).toMatchObject({ output: { playbooks: [{}] } });
    expect(read(`${goodAnswers.extract} (compare {"unrelated": 1})`)).toMatchObject({
      output: { playbooks: [{}] },
    });
  });
});

describe.each(allTasks)("an answer to %s", (task) => {
  it("is read or refused, never thrown at, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.json()),
        fc.constantFrom("stop", "length", "other"),
        (text, finish) => {
          const answer = readAnswer(task, inputs[task], text, finish, prompt);
          if (!answer.ok) expect(answer.problems.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it("is never withheld text", () => {
    expect(readAnswer(task, inputs[task], goodAnswers[task], "content-filter", prompt)).toMatchObject({
      fault: "content_filter",
    });
  });
});
