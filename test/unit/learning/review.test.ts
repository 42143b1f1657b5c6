import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasonCodeOf } from "../../../src/learning/reason-codes";
import { applyReview, type ReviewDecision } from "../../../src/learning/review";
import { reviewReasonCodes } from "../../../src/platform/reasoner/port";
import { candidate } from "./fixtures";

const accept = (label: string, over: Partial<ReviewDecision> = {}): ReviewDecision => ({
  candidate_id: label,
  decision: "accept",
  reason_code: "grounded_useful",
  reason: "proved",
  evidence_ids: [`${label}-E1`, `${label}-E2`],
  revision: null,
  ...over,
});
const reject = (label: string, over: Partial<ReviewDecision> = {}): ReviewDecision =>
  accept(label, { decision: "reject", reason_code: "generic", evidence_ids: [], ...over });
const narrower = {
  trigger: "Asked when to water the ferns",
  content: "Advise watering ferns at dawn.",
  rationale: "The gardener said so.",
};
const revise = (label: string, over: Partial<ReviewDecision> = {}): ReviewDecision =>
  accept(label, {
    decision: "revise",
    reason_code: "compound",
    evidence_ids: [`${label}-E1`],
    revision: narrower,
    ...over,
  });

const outcome = (decisions: ReviewDecision[], candidates = [candidate("C1")]) =>
  applyReview(candidates, decisions);
const problems = (decisions: ReviewDecision[], candidates = [candidate("C1")]) => {
  const applied = outcome(decisions, candidates);
  return "problems" in applied ? applied.problems : [];
};

describe("decisions that are applied", () => {
  it("accept keeps the rule with all its evidence and a note", () => {
    expect(outcome([accept("C1")])).toMatchObject({
      reviewed: {
        lessons: [
          {
            content: "Advise watering ferns at dawn, and never at noon.",
            readerAngle: "correction",
            sourceInteractionIds: [11, 12],
            sourceSpan: "No, water them at dawn.\n\nNoon burns the leaves.",
            notes: "review:accept:grounded_useful",
            revised: false,
          },
        ],
      },
    });
  });

  it("revise takes the narrower wording and recomputes ids and span from what was kept (trap 22)", () => {
    expect(outcome([revise("C1")])).toMatchObject({
      reviewed: {
        lessons: [
          { ...narrower, sourceInteractionIds: [11], sourceSpan: "No, water them at dawn.", revised: true },
        ],
      },
    });
  });

  it("reject drops the rule and says why; rejecting all is a valid outcome", () => {
    expect(outcome([reject("C1")])).toEqual({
      reviewed: { lessons: [], rejected: [{ label: "C1", reasonCode: "generic" }] },
    });
  });

  it.each([
    [accept("C1", { reason_code: "" }), "review:accept:grounded_useful"],
    [revise("C1", { reason_code: " " }), "review:revise:grounded_useful"],
  ])("a missing reason means the usual one", (decision, notes) => {
    expect(outcome([decision])).toMatchObject({ reviewed: { lessons: [{ notes }] } });
  });
});

describe("an answer that breaks its contract stores nothing (trap 21)", () => {
  it.each<[string, ReviewDecision[]]>([
    ["no decision", []],
    ["a decision twice", [accept("C1"), accept("C1")]],
    ["an unknown candidate", [accept("C1"), accept("C2")]],
    ["absence_inference that accepts", [accept("C1", { reason_code: "absence_inference" })]],
    ["not_agent_decision that revises", [revise("C1", { reason_code: "not_agent_decision" })]],
    ["an unknown reason", [reject("C1", { reason_code: "dislike" })]],
    ["an acceptance that drops evidence", [accept("C1", { evidence_ids: ["C1-E1"] })]],
    ["an acceptance with a revision", [accept("C1", { revision: narrower })]],
    ["an acceptance for a fault", [accept("C1", { reason_code: "generic" })]],
    ["a foreign piece of evidence", [accept("C1", { evidence_ids: ["C1-E1", "C1-E2", "C2-E1"] })]],
    ["a revision without evidence", [revise("C1", { evidence_ids: [] })]],
    ["a revision without words", [revise("C1", { revision: null })]],
    ["a revision with a blank text", [revise("C1", { revision: { ...narrower, rationale: " " } })]],
    ["a revision that leaks a label", [revise("C1", { revision: { ...narrower, trigger: "As in T1" } })]],
    ["a rejection with evidence", [reject("C1", { evidence_ids: ["C1-E1"] })]],
    ["a rejection with a revision", [reject("C1", { revision: narrower })]],
    ["a rejection for being good", [reject("C1", { reason_code: "grounded_useful" })]],
  ])("%s", (_, decisions) => {
    expect(problems(decisions)).not.toEqual([]);
  });

  it("one bad decision fails the whole batch", () => {
    const both = [candidate("C1"), candidate("C2")];
    expect(problems([accept("C1"), accept("C2", { evidence_ids: [] })], both)).toHaveLength(1);
  });
});

describe("a revision may only narrow", () => {
  it.each([
    ["a number of its own", "Advise watering ferns at dawn for 20 minutes."],
    ["a link of its own", "Advise watering ferns at dawn, see https://ferns.example/water."],
    ["another subject", "Recommend replacing every cactus with plastic flowers immediately."],
    [
      "much more text",
      `Advise watering ferns at dawn. ${"Advise watering ferns at dawn, never noon. ".repeat(5)}`,
    ],
  ])("%s is refused", (_, content) => {
    expect(problems([revise("C1", { revision: { ...narrower, content } })])).not.toEqual([]);
  });

  it("numbers that the evidence holds may stay", () => {
    const evidence = [
      { unit: "C1-E1", turn: "T1", interactionId: 11, text: "Water them at 6.", isUserVoice: true },
    ];
    const revision = { ...narrower, content: "Advise watering ferns at dawn, at 6." };
    expect(problems([revise("C1", { revision })], [candidate("C1", { evidence })])).toEqual([]);
  });

  it("a preference keeps the user's own words", () => {
    const preference = candidate("C1", { evidenceKind: "preference" });
    expect(problems([revise("C1", { evidence_ids: ["C1-E2"] })], [preference])).not.toEqual([]);
    expect(problems([revise("C1", { evidence_ids: ["C1-E1"] })], [preference])).toEqual([]);
  });
});

it("whatever is answered, each candidate ends once: kept, rejected, or the batch fails", () => {
  const labels = ["C1", "C2", "C3"];
  const decision = fc.constantFrom(...labels, "C9").chain((label) =>
    fc.record({
      candidate_id: fc.constant(label),
      decision: fc.constantFrom("accept" as const, "revise" as const, "reject" as const),
      reason_code: fc.constantFrom("grounded_useful", "generic", "absence_inference", ""),
      reason: fc.constant(""),
      evidence_ids: fc.subarray([`${label}-E1`, `${label}-E2`]),
      revision: fc.option(fc.constant(narrower)),
    }),
  );
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 5 }), (decisions) => {
      const applied = applyReview(
        labels.map((label) => candidate(label)),
        decisions,
      );
      if ("problems" in applied) expect(applied.problems.length).toBeGreaterThan(0);
      else expect(applied.reviewed.lessons.length + applied.reviewed.rejected.length).toBe(labels.length);
    }),
    { numRuns: 500 },
  );
});

describe("several reason codes", () => {
  const order = reviewReasonCodes.filter((code) => code !== "grounded_useful");

  it("give way to the first by precedence, in whatever order they are named", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(order, { minLength: 1 }), (codes) => {
        const wins = order.find((code) => codes.includes(code));
        expect(reasonCodeOf({ decision: "reject", reason_code: codes.join(", ") })).toBe(wins);
      }),
    );
  });

  it("may only reject where one of them may", () => {
    expect(problems([revise("C1", { reason_code: "compound,not_agent_decision" })])).toEqual([
      expect.stringContaining("not_agent_decision may only reject"),
    ]);
    expect(problems([revise("C1", { reason_code: "late_trigger,compound" })])).toEqual([]);
  });

  it("are refused where one of them is unknown, and an acceptance has no other than its own", () => {
    expect(problems([reject("C1", { reason_code: "generic,because" })])).toHaveLength(1);
    expect(problems([accept("C1", { reason_code: "grounded_useful,generic" })])).toHaveLength(1);
  });
});
