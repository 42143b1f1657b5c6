import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Lesson } from "../../../src/learning/model";
import { replayMerge } from "../../../src/learning/replay-merge";
import { lesson, stored } from "./fixtures";

describe("the deterministic merge", () => {
  it("keeps every new lesson where nothing is stored near it, validated or not", () => {
    const fresh = [lesson(), lesson({ readerAngle: null })];
    expect(replayMerge(fresh, [])).toEqual({ inserts: fresh, retirements: [], keptBy: [] });
  });

  it("makes a conversation that is published again one successor, not a second rule (trap 28)", () => {
    expect(replayMerge([lesson({ sourceInteractionIds: [7] })], [stored(4)])).toEqual({
      inserts: [
        {
          trigger: stored(4).trigger,
          content: stored(4).content,
          rationale: "an earlier talk",
          readerAngle: "correction",
          sourceInteractionIds: [104, 7],
          sourceSpan: "at dawn, please\n\nwater them at dawn",
          notes: null,
          revised: false,
        },
      ],
      retirements: [{ userPlaybookId: 4, status: "merged", into: 0 }],
      keptBy: [],
    });
  });

  it("writes nothing where the stored rule rests on the same turns already", () => {
    const known = stored(4, { sourceInteractionIds: [1, 2] });
    expect(replayMerge([lesson({ sourceInteractionIds: [2] })], [known])).toEqual({
      inserts: [],
      retirements: [],
      keptBy: [4],
    });
  });

  it("takes a reviewer's wording where there is exactly one", () => {
    const revised = lesson({
      content: "advise watering ferns at dawn and mention the misting schedule today",
      revised: true,
    });
    const content = (fresh: Lesson[]) => replayMerge(fresh, [stored(4)])?.inserts[0]?.content;
    expect(content([revised, lesson()])).toBe(revised.content);
    expect(content([revised, { ...revised, content: `${revised.content} again` }])).toBe(stored(4).content);
  });
});

describe("goes to the model", () => {
  it.each<[string, Lesson, ReturnType<typeof stored>[]]>([
    ["another angle", lesson({ readerAngle: "preference" }), [stored(1)]],
    ["another situation", lesson({ trigger: "packing orchids for a long journey" }), [stored(1)]],
    ["two rows that fit", lesson(), [stored(1), stored(2)]],
    ["a neighbour that says something else", lesson({ content: "offer to repot orchids" }), [stored(1)]],
    ["evidence that was not validated", lesson({ sourceSpan: "" }), [stored(1)]],
  ])("%s", (_, fresh, existing) => {
    expect(replayMerge([fresh], existing)).toBeNull();
  });

  it("a lesson in which one word took another's place, on other turns", () => {
    const [size, author] = ["size", "author"].map(
      (order) => `stack all the books of the reading room by ${order}`,
    );
    const known = stored(1, { content: size ?? "" });
    expect(replayMerge([lesson({ content: author ?? "" })], [known])).toBeNull();
    expect(replayMerge([lesson({ content: `${size}, please` })], [known])).not.toBeNull();
  });

  it("a lesson turned around by one word, however many words they share", () => {
    const turned = lesson({ content: `never ${lesson().content}` });
    expect(replayMerge([turned], [stored(1)])).toBeNull();
    const [five, six] = [5, 6].map((cups) => `give every fern in the greenhouse ${cups} cups of rain water`);
    expect(replayMerge([lesson({ content: six ?? "" })], [stored(1, { content: five ?? "" })])).toBeNull();
  });
});

describe("thresholds", () => {
  const half = "advise watering ferns at home noon or later today maybe";
  it("half of the words is enough on shared turns and too little on others", () => {
    const fresh = lesson({ content: "advise watering ferns at home dusk but sparingly please friend" });
    expect(replayMerge([fresh], [stored(1, { content: half })])).toBeNull();
    expect(replayMerge([fresh], [stored(1, { content: half, sourceInteractionIds: [1] })])).not.toBeNull();
  });
});

it("never loses a lesson and never retires a row twice", () => {
  const word = fc.constantFrom("water", "ferns", "dawn", "noon", "mist", "never", "orchids");
  const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 });
  const parts = fc.record({ trigger: text, content: text, sourceInteractionIds: ids });
  fc.assert(
    fc.property(
      fc.array(parts, { minLength: 1, maxLength: 4 }),
      fc.array(parts, { maxLength: 4 }),
      (news, olds) => {
        const existing = olds.map((over, index) => stored(index + 1, over));
        const plan = replayMerge(
          news.map((over) => lesson(over)),
          existing,
        );
        if (plan === null) return;
        const retired = plan.retirements.map(({ userPlaybookId }) => userPlaybookId);
        expect(new Set(retired).size).toBe(retired.length);
        if (existing.length === 0) expect(plan.inserts).toHaveLength(news.length);
        else expect(plan.retirements).toHaveLength(plan.inserts.length);
        const proofs = new Set([
          ...plan.inserts.flatMap((row) => row.sourceInteractionIds),
          ...existing
            .filter((row) => plan.keptBy.includes(row.userPlaybookId))
            .flatMap((row) => row.sourceInteractionIds),
        ]);
        for (const { sourceInteractionIds } of news) {
          for (const id of sourceInteractionIds) expect(proofs.has(id)).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});
