import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detailsSchema } from "../../../src/interactions/model";
import { chronologyOf, isUserVoice } from "../../../src/learning/chronology";
import { turn } from "./fixtures";

describe("the order of turns", () => {
  it("keeps a request together and orders requests by their earliest turn", () => {
    const { turns } = chronologyOf([
      turn(1, { requestId: "late", createdAt: 20 }),
      turn(2, { requestId: "early", createdAt: 10 }),
      turn(3, { requestId: "late", createdAt: 20 }),
    ]);
    expect(turns.map(({ content }) => content)).toEqual(["turn 2", "turn 1", "turn 3"]);
  });

  it("falls back to the request's time and then to arrival, never to the name of the request", () => {
    const { turns } = chronologyOf([
      turn(3, { requestId: "a" }),
      turn(2, { requestId: "z" }),
      turn(1, { requestId: "m", requestCreatedAt: 2_000 }),
    ]);
    expect(turns.map(({ content }) => content)).toEqual(["turn 2", "turn 3", "turn 1"]);
  });

  it("does not depend on the order in which turns were loaded", () => {
    const anyTurns = fc
      .uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
      .chain((ids) =>
        fc.tuple(
          ...ids.map((id) =>
            fc
              .record({
                requestId: fc.constantFrom("a", "b", "c"),
                createdAt: fc.integer({ min: 1, max: 3 }),
              })
              .map((over) => turn(id, over)),
          ),
        ),
      );
    fc.assert(
      fc.property(anyTurns, fc.func(fc.integer()), (turns, weight) => {
        const shuffled = [...turns].sort(
          (left, right) => weight(left.interactionId) - weight(right.interactionId),
        );
        expect(chronologyOf(shuffled)).toEqual(chronologyOf(turns));
      }),
    );
  });
});

describe("labels", () => {
  it("number the turns from one and map back to every interaction", () => {
    const { turns, interactionIdOf } = chronologyOf([turn(7), turn(9)]);
    expect(turns.map(({ label }) => label)).toEqual(["T1", "T2"]);
    expect([...interactionIdOf]).toEqual([
      ["T1", 7],
      ["T2", 9],
    ]);
  });

  it("give an expert's answer a turn of its own that proves the same interaction", () => {
    const details = detailsSchema.parse({ expert_content: "Repot it in spring." });
    const { turns, interactionIdOf } = chronologyOf([turn(7, { role: "Assistant", details }), turn(8)]);
    expect(turns.map(({ label, role, content }) => [label, role, content])).toEqual([
      ["T1", "Assistant", "turn 7"],
      ["T2", "Expert", "Repot it in spring."],
      ["T3", "User", "turn 8"],
    ]);
    expect(interactionIdOf.get("T2")).toBe(7);
    expect(turns[1]?.isUserVoice).toBe(false);
  });
});

describe("the user's voice", () => {
  it("is a turn with role user, whatever its case, and with an outside source", () => {
    expect(isUserVoice(turn(1, { role: "USER" }))).toBe(true);
    expect(isUserVoice(turn(1, { role: " user " }))).toBe(true);
    expect(isUserVoice(turn(1, { role: "Assistant" }))).toBe(false);
  });

  it("is never an internal source, even with role User (trap 18)", () => {
    expect(isUserVoice(turn(1, { source: "playmaker:run" }))).toBe(false);
    expect(isUserVoice(turn(1, { source: "my-playmaker" }))).toBe(true);
  });
});
