import { describe, expect, it } from "vitest";
import { detailsSchema } from "../../../src/interactions/model";
import { chronologyOf } from "../../../src/learning/chronology";
import { expertPairsOf, turnsOfPairs } from "../../../src/learning/expert-pairs";
import { turn } from "./fixtures";

const withExpert = (text: string) => ({ details: detailsSchema.parse({ expert_content: text }) });
const labels = (turns: Parameters<typeof chronologyOf>[0]) =>
  expertPairsOf(chronologyOf(turns)).map(({ question, answer, expert }) => [
    question?.label ?? null,
    answer.label,
    expert.label,
  ]);

describe("experts' answers of a window", () => {
  it("stand beside the answer they improve on and the user's turn before it", () => {
    const turns = [
      turn(1),
      turn(2, { role: "Assistant" }),
      turn(3),
      turn(4, { role: "Assistant", ...withExpert("Repot it in spring.") }),
    ];
    expect(labels(turns)).toEqual([["T3", "T4", "T5"]]);
  });

  it("share a question that several answers follow", () => {
    const turns = [
      turn(1),
      turn(2, { role: "Assistant", ...withExpert("First.") }),
      turn(3, { role: "Assistant", ...withExpert("Second.") }),
    ];
    expect(labels(turns)).toEqual([
      ["T1", "T2", "T3"],
      ["T1", "T4", "T5"],
    ]);
    expect(turnsOfPairs(expertPairsOf(chronologyOf(turns))).map(({ label }) => label)).toEqual([
      "T1",
      "T2",
      "T3",
      "T4",
      "T5",
    ]);
  });

  it("take no question from another session", () => {
    const turns = [
      turn(1, { requestId: "r0", sessionId: "s0" }),
      turn(2, { role: "Assistant", ...withExpert("Repot it in spring.") }),
    ];
    expect(labels(turns)).toEqual([[null, "T2", "T3"]]);
  });

  it("are told from turns that a publisher gave the role Expert", () => {
    expect(labels([turn(1), turn(2, { role: "Expert" })])).toEqual([]);
  });
});
