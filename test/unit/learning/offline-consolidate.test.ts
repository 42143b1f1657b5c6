import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeConsolidation } from "../../../src/learning/consolidation";
import { consolidationInput } from "../../../src/learning/consolidation-input";
import type { Lesson, StoredLesson } from "../../../src/learning/model";
import { consolidateOffline } from "../../../src/platform/reasoner/offline/consolidate";
import { lesson, stored } from "./fixtures";

const RUN = { source: "", nowSec: 100_000 };
const decide = (fresh: Lesson[], existing: StoredLesson[]) =>
  consolidateOffline(consolidationInput(fresh, existing, RUN)).decisions;
const planOf = (fresh: Lesson[], existing: StoredLesson[]) => {
  const judged = judgeConsolidation(fresh, existing, decide(fresh, existing));
  if ("problems" in judged) throw new Error(judged.problems.join("; "));
  return judged.plan;
};

interface Said {
  trigger: string;
  content: string;
  sourceSpan?: string;
}

describe("a rule that reverses an older one takes its place", () => {
  it.each<[string, Said, Said]>([
    [
      "a number changes",
      { trigger: "writing a product caption", content: "Keep product captions under 40 words." },
      { trigger: "writing a product caption", content: "Keep product captions under 15 words." },
    ],
    [
      "a demand is negated",
      {
        trigger: "sending the weekly stock report",
        content: "Attach a spreadsheet to the weekly stock report.",
      },
      {
        trigger: "sending the weekly stock report",
        content: "Do not attach a spreadsheet to the weekly stock report.",
      },
    ],
    [
      "an order is turned around",
      {
        trigger: "explaining a chess opening",
        content: "Show the moves before the explanation of the chess opening.",
      },
      {
        trigger: "explaining a chess opening",
        content: "Show the moves after the explanation of the chess opening.",
      },
    ],
    [
      "a manner becomes its opposite",
      { trigger: "answering a letter from a parent", content: "Write to parents in a formal tone." },
      { trigger: "answering a letter from a parent", content: "Write to parents in an informal tone." },
    ],
    [
      "a word takes another's place",
      {
        trigger: "stacking books in the reading room",
        content: "Stack books of the reading room on the oak shelves by size.",
      },
      {
        trigger: "stacking books in the reading room",
        content: "Stack books of the reading room on the oak shelves by author.",
      },
    ],
    [
      "an order of two steps is swapped",
      { trigger: "explaining a proof", content: "Explain the idea in words before showing the formula." },
      { trigger: "explaining a proof", content: "Show the formula before explaining the idea in words." },
    ],
    [
      "an unbounded rule is bounded",
      {
        trigger: "planning any hiking route",
        content: "Always check avalanche bulletins first for every hiking route.",
        sourceSpan: "Always check avalanche bulletins, no exceptions.",
      },
      {
        trigger: "planning a hiking route",
        content: "Check avalanche bulletins for a hiking route only when it goes above the snow line.",
      },
    ],
    [
      "the user takes it back",
      {
        trigger: "suggesting a recipe for dinner",
        content: "Suggest dinner recipes that use the pressure cooker.",
      },
      {
        trigger: "suggesting a recipe for dinner",
        content: "Suggest dinner recipes that need one oven tray.",
        sourceSpan: "I changed my mind about the pressure cooker, use one oven tray.",
      },
    ],
  ])("%s", (_, before, after) => {
    const plan = planOf([lesson({ ...after })], [stored(5, { ...before })]);
    expect(plan.inserts.map(({ content }) => content)).toEqual([after.content]);
    expect(plan.retirements).toEqual([{ userPlaybookId: 5, status: "merged", into: 0 }]);
  });
});

describe("the same lesson", () => {
  const known = stored(5, {
    trigger: "booking a hotel for a business trip",
    content: "Compare three hotels near the venue before booking, and name the cancellation terms.",
  });

  it("adds nothing where the stored rule says it already", () => {
    const again = lesson({
      trigger: "booking a hotel for a business trip",
      content: "Compare three hotels near the venue before booking.",
    });
    expect(decide([again], [known])).toEqual([
      { kind: "reject_new", new_ids: ["NEW-1"], superseded_by_existing_ids: ["EXISTING-1"] },
    ]);
  });

  it("grows by what the new rule says beyond it", () => {
    const more = lesson({
      trigger: "booking a hotel for a business trip",
      content:
        "Compare three hotels near the venue before booking, and name the cancellation terms. Ask whether breakfast is included.",
    });
    const plan = planOf([more], [known]);
    expect(plan.inserts.map(({ content }) => content)).toEqual([
      `${known.content}\nAsk whether breakfast is included.`,
    ]);
    expect(plan.retirements).toHaveLength(1);
  });

  it("told twice in one window becomes one rule", () => {
    const twice = [
      lesson({ trigger: "naming a spreadsheet column", content: "Name spreadsheet columns in snake case." }),
      lesson({
        trigger: "naming a spreadsheet column",
        content: "Spreadsheet columns: name them in snake case.",
      }),
    ];
    expect(planOf(twice, []).inserts).toHaveLength(1);
  });
});

describe("everything else stands by itself", () => {
  it.each<[string, Said, Said]>([
    [
      "another subject",
      { trigger: "editing a video", content: "Cut silences longer than two seconds." },
      { trigger: "mixing a podcast", content: "Normalise loudness for stereo." },
    ],
    [
      "numbers about different things",
      { trigger: "formatting JSON files", content: "Use 2 spaces in JSON." },
      { trigger: "formatting Python files", content: "Use 4 spaces in Python." },
    ],
    [
      "one taboo beside another",
      { trigger: "replying to a reviewer", content: "Never promise a release date." },
      { trigger: "replying to a reviewer", content: "Mention the milestone instead." },
    ],
  ])("%s", (_, before, after) => {
    const plan = planOf([lesson({ ...after, sourceInteractionIds: [9] })], [stored(5, { ...before })]);
    expect(plan).toMatchObject({ retirements: [], keptBy: [] });
    expect(plan.inserts).toHaveLength(1);
  });
});

it("always answers what the pipeline accepts, and the same each time", () => {
  const word = fc.constantFrom(
    ..."water ferns orchids before after dawn noon never always only when not 5 7 greenhouse mist prune shears bench label tray compost".split(
      " ",
    ),
  );
  const text = fc.array(word, { minLength: 1, maxLength: 24 }).map((words) => words.join(" "));
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 });
  const parts = fc.record({ trigger: text, content: text, sourceSpan: text, sourceInteractionIds: ids });
  fc.assert(
    fc.property(
      fc.array(parts, { minLength: 1, maxLength: 5 }),
      fc.array(parts, { maxLength: 5 }),
      (news, olds) => {
        const fresh = news.map((over) => lesson(over));
        const existing = olds.map((over, index) => stored(index + 40, over));
        const decisions = decide(fresh, existing);
        expect(judgeConsolidation(fresh, existing, decisions)).not.toHaveProperty("problems");
        expect(decide(fresh, existing)).toEqual(decisions);
      },
    ),
    { numRuns: 300 },
  );
});
