import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeConsolidation } from "../../../src/learning/consolidation";
import { consolidationInput } from "../../../src/learning/consolidation-input";
import type { ConsolidationDecision } from "../../../src/learning/decisions";
import { evidenceGroups } from "../../../src/learning/evidence-groups";
import { existingPosition, newPosition } from "../../../src/learning/labels";
import type { Lesson, StoredLesson } from "../../../src/learning/model";
import { lesson, stored } from "./fixtures";

const unify = (
  over: Partial<Extract<ConsolidationDecision, { kind: "unify" }>> = {},
): ConsolidationDecision => ({
  kind: "unify",
  new_ids: ["NEW-1"],
  archive_existing_ids: ["EXISTING-1"],
  trigger: "asked about ferns",
  content: "water ferns at dawn",
  rationale: "both say so",
  ...over,
});
const rejectNew = (newIds: string[], existingIds: string[]): ConsolidationDecision => ({
  kind: "reject_new",
  new_ids: newIds,
  superseded_by_existing_ids: existingIds,
});
const independent = (...newIds: string[]): ConsolidationDecision => ({
  kind: "independent",
  new_ids: newIds,
});
const differentiate = (
  over: Partial<Extract<ConsolidationDecision, { kind: "differentiate" }>> = {},
): ConsolidationDecision => ({
  kind: "differentiate",
  new_id: "NEW-1",
  existing_id: "EXISTING-1",
  refined_new_trigger: "asked about ferns indoors",
  refined_existing_trigger: "asked about ferns outdoors",
  ...over,
});

const judge = (decisions: ConsolidationDecision[], fresh = [lesson()], existing = [stored(71)]) =>
  judgeConsolidation(fresh, existing, decisions);
const planOf = (...parameters: Parameters<typeof judge>) => {
  const judged = judge(...parameters);
  if ("problems" in judged) throw new Error(judged.problems.join("; "));
  return judged.plan;
};
const problemsOf = (...parameters: Parameters<typeof judge>) => {
  const judged = judge(...parameters);
  return "problems" in judged ? judged.problems : [];
};

describe("unify", () => {
  it("inserts one row with the union of the evidence and merges the stored ones into it", () => {
    expect(planOf([unify()])).toEqual({
      inserts: [
        {
          trigger: "asked about ferns",
          content: "water ferns at dawn",
          rationale: "both say so",
          readerAngle: "correction",
          sourceInteractionIds: [1, 171],
          sourceSpan: "water them at dawn\n\nat dawn, please",
          notes: null,
          revised: false,
        },
      ],
      retirements: [{ userPlaybookId: 71, status: "merged", into: 0 }],
      keptBy: [],
    });
  });

  it("keeps the angle only where all agree", () => {
    expect(planOf([unify()], [lesson({ readerAngle: "preference" })]).inserts[0]?.readerAngle).toBeNull();
  });

  it("may take in several new lessons and archive nothing (trap 25)", () => {
    const plan = planOf(
      [unify({ new_ids: ["NEW-2", "NEW-1"], archive_existing_ids: [] })],
      [lesson(), lesson({ sourceInteractionIds: [2] })],
    );
    expect(plan.inserts[0]?.sourceInteractionIds).toEqual([2, 1]);
    expect(plan.retirements).toEqual([]);
  });
});

describe("reject_new", () => {
  it("writes nothing and names the rows that made it needless; rejecting all is valid (trap 27)", () => {
    expect(planOf([rejectNew(["NEW-1"], ["EXISTING-1"])])).toEqual({
      inserts: [],
      retirements: [],
      keptBy: [71],
    });
  });
});

describe("differentiate", () => {
  it("supersedes the stored row and inserts two, without a pointer to either (trap 26)", () => {
    const plan = planOf([differentiate()]);
    expect(
      plan.inserts.map(({ trigger, content, sourceInteractionIds }) => ({
        trigger,
        content,
        sourceInteractionIds,
      })),
    ).toEqual([
      { trigger: "asked about ferns indoors", content: lesson().content, sourceInteractionIds: [1] },
      { trigger: "asked about ferns outdoors", content: stored(71).content, sourceInteractionIds: [171] },
    ]);
    expect(plan.retirements).toEqual([{ userPlaybookId: 71, status: "superseded", into: null }]);
  });
});

describe("independent", () => {
  it("inserts the lessons unchanged", () => {
    const other = lesson({ trigger: "selling orchids", content: "offer a receipt" });
    expect(planOf([independent("NEW-1")], [other]).inserts).toEqual([other]);
  });
});

describe("an answer that breaks its contract", () => {
  const two = [lesson({ content: "offer tea" }), lesson({ content: "sweep the floor" })];
  it.each<[string, ConsolidationDecision[], Lesson[]?, StoredLesson[]?]>([
    ["an empty list", []],
    ["a lesson that is not decided", [independent("NEW-1")], two],
    ["a lesson decided twice", [independent("NEW-1", "NEW-1")], [two[0] ?? lesson()]],
    ["a lesson that does not exist", [independent("NEW-1", "NEW-3")], two],
    ["a decision about nothing", [independent("NEW-1", "NEW-2"), independent()], two],
    ["an unknown stored row", [unify({ archive_existing_ids: ["EXISTING-9"] })]],
    ["a rejection in favour of nothing", [rejectNew(["NEW-1"], [])]],
    ["a rejection in favour of an unknown row", [rejectNew(["NEW-1"], ["EXISTING-2"])]],
    ["a blank wording", [unify({ content: " " })]],
    ["a blank trigger", [differentiate({ refined_existing_trigger: "" })]],
    ["a label inside a text", [unify({ content: "do what EXISTING-1 says" })]],
    ["a stored row replaced twice", [unify(), unify({ new_ids: ["NEW-2"], content: "sweep" })], two],
    [
      "a replaced row that supersedes",
      [unify({ content: "sweep" }), rejectNew(["NEW-2"], ["EXISTING-1"])],
      two,
    ],
  ])("%s", (_, decisions, fresh = [lesson()], existing = [stored(71)]) => {
    expect(problemsOf(decisions, fresh, existing)).not.toEqual([]);
  });
});

describe("overlap guards (trap 29)", () => {
  const long =
    "always water the ferns in the northern greenhouse with rain water at dawn before the gates open";
  it("refuse two survivors that say the same", () => {
    const twins = [lesson({ content: long }), lesson({ content: `${long} daily` })];
    expect(problemsOf([independent("NEW-1", "NEW-2")], twins)).toContain("two resulting rules say the same");
  });

  it("refuse a survivor that repeats a row that stays", () => {
    expect(
      problemsOf([independent("NEW-1")], [lesson({ content: long })], [stored(71, { content: long })]),
    ).toContain("a resulting rule says the same as an EXISTING row that stays");
  });

  it("let the same words stand in another situation on other turns", () => {
    const elsewhere = stored(71, { content: long, trigger: "a storm warning is out" });
    expect(problemsOf([independent("NEW-1")], [lesson({ content: long })], [elsewhere])).toEqual([]);
  });

  it("do not mind stored rows that overlap with each other", () => {
    const rows = [stored(71, { content: long }), stored(72, { content: long })];
    expect(problemsOf([independent("NEW-1")], [lesson({ content: "offer tea" })], rows)).toEqual([]);
  });

  it("refuse a unify that took in a lesson of the same turns which is kept elsewhere", () => {
    const pair = [lesson({ content: "offer tea" }), lesson({ content: "sweep the floor" })];
    expect(
      problemsOf([unify({ content: "offer tea, sweep the floor" }), independent("NEW-2")], pair),
    ).not.toEqual([]);
  });

  it("refuse two unify results over the same turns that say the same", () => {
    const pair = [lesson({ content: "offer tea" }), lesson({ content: "pour tea" })];
    const decisions = [
      unify({ content: "offer hot tea", archive_existing_ids: [] }),
      unify({ new_ids: ["NEW-2"], content: "offer hot tea now", archive_existing_ids: [] }),
    ];
    expect(problemsOf(decisions, pair)).not.toEqual([]);
  });
});

describe("labels", () => {
  it.each(["NEW-2", "new_2", "[New 2]", "2", '"NEW-2"'])("%s is the second new row", (label) => {
    expect(newPosition(label, 3)).toBe(1);
  });

  it.each(["0", "-1", "NEW--1", "true", "EXISTING-1", "NEW-4", "1.5", ""])("%s is none", (label) => {
    expect(newPosition(label, 3)).toBeUndefined();
  });

  it("are positions first and stored ids second", () => {
    expect(existingPosition("EXISTING-2", [9, 2])).toBe(1);
    expect(existingPosition("9", [9, 2])).toBe(0);
    expect(existingPosition("8", [9, 2])).toBeUndefined();
  });
});

it("rows are shown by position, with anonymous groups for shared turns and a date to the minute", () => {
  const shown = consolidationInput(
    [lesson({ sourceInteractionIds: [1, 2] }), lesson({ sourceInteractionIds: [9] })],
    [stored(71, { sourceInteractionIds: [2], createdAtSec: 86_399 })],
    { source: "chat", nowSec: 172_800 },
  );
  expect(shown.fresh.map((row) => [row.label, row.evidenceGroup, row.dateToMinute, row.source])).toEqual([
    ["NEW-1", "G1", "1970-01-03T00:00Z", "chat"],
    ["NEW-2", "G2", "1970-01-03T00:00Z", "chat"],
  ]);
  expect(shown.existing.map((row) => [row.label, row.evidenceGroup, row.dateToMinute])).toEqual([
    ["EXISTING-1", "G1", "1970-01-01T23:59Z"],
  ]);
});

it("evidence groups are the connected components of shared interactions", () => {
  const lists = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }), { maxLength: 8 });
  const reachable = (all: number[][], start: number): Set<number> => {
    const seen = new Set([start]);
    for (const at of seen) {
      all.forEach((ids, other) => {
        if (ids.some((id) => all[at]?.includes(id))) seen.add(other);
      });
    }
    return seen;
  };
  fc.assert(
    fc.property(lists, (all) => {
      const groups = evidenceGroups(all);
      all.forEach((_, one) => {
        const near = reachable(all, one);
        all.forEach((_list, other) => {
          expect(groups[one] === groups[other]).toBe(near.has(other));
        });
      });
    }),
  );
});

it("an accepted answer accounts for every new lesson and ends every stored row at most once", () => {
  const newIds = fc.subarray(["NEW-1", "NEW-2", "NEW-3"]);
  const existingIds = fc.subarray(["EXISTING-1", "EXISTING-2"]);
  const decision = fc.oneof(
    fc.tuple(newIds, existingIds).map(([fresh, old]) =>
      unify({
        new_ids: fresh,
        archive_existing_ids: old,
        content: `tea ${fresh.join("")}`.replaceAll("NEW-", ""),
      }),
    ),
    fc.tuple(newIds, existingIds).map(([fresh, old]) => rejectNew(fresh, old)),
    newIds.map((fresh) => independent(...fresh)),
    fc
      .tuple(fc.constantFrom("NEW-1", "NEW-2"), fc.constantFrom("EXISTING-1", "EXISTING-2"))
      .map(([new_id, existing_id]) => differentiate({ new_id, existing_id })),
  );
  const fresh = ["offer tea", "sweep floors", "close gates"].map((content, index) =>
    lesson({ content, sourceInteractionIds: [index + 1] }),
  );
  const existing = ["feed cats", "count pots"].map((content, index) => stored(index + 1, { content }));
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(decision, { minLength: 1, maxLength: 3 }), (decisions) => {
      const judged = judgeConsolidation(fresh, existing, decisions);
      if ("problems" in judged) return;
      accepted += 1;
      const named = decisions.flatMap((one) => (one.kind === "differentiate" ? [one.new_id] : one.new_ids));
      expect([...named].sort()).toEqual(["NEW-1", "NEW-2", "NEW-3"]);
      const retired = judged.plan.retirements.map(({ userPlaybookId }) => userPlaybookId);
      expect(new Set(retired).size).toBe(retired.length);
      for (const { into, status } of judged.plan.retirements) {
        expect(into === null).toBe(status === "superseded");
        if (into !== null) expect(judged.plan.inserts[into]).toBeDefined();
      }
    }),
    { numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(10);
});
