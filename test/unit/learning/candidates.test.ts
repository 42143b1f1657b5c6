import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SOURCE_IDS, MAX_SPAN_CHARS } from "../../../src/learning/bounds";
import {
  isEvidenceValidated,
  unionOfIds,
  unionOfNotes,
  unionOfTexts,
} from "../../../src/learning/candidates";
import { lesson } from "./fixtures";

describe("unions", () => {
  it("keep ids distinct, in order of first appearance", () => {
    expect(
      unionOfIds([
        [3, 1],
        [1, 2, 3],
      ]),
    ).toEqual([3, 1, 2]);
  });

  it("keep the newest ids where there are too many", () => {
    const ids = unionOfIds([Array.from({ length: MAX_SOURCE_IDS + 5 }, (_, index) => index + 1)]);
    expect(ids).toHaveLength(MAX_SOURCE_IDS);
    expect(ids).toContain(MAX_SOURCE_IDS + 5);
    expect(ids).not.toContain(5);
  });

  it("join distinct texts by a blank line and leave blank ones out", () => {
    expect(unionOfTexts(["b", "a", "b", " "])).toBe("b\n\na");
  });

  it("never pass their bound and never cut a character in two", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 60 })),
        fc.integer({ min: 1, max: 80 }),
        (texts, limit) => {
          const joined = unionOfTexts(
            texts.map((text) => text.toWellFormed()),
            limit,
          );
          expect(joined.length).toBeLessThanOrEqual(limit);
          expect(joined.isWellFormed()).toBe(true);
        },
      ),
    );
    expect(unionOfTexts(["x".repeat(MAX_SPAN_CHARS + 1)])).toHaveLength(MAX_SPAN_CHARS);
  });

  it("keep each line of notes once; no notes are null", () => {
    expect(unionOfNotes(["a\nb", null, "b"])).toBe("a\nb");
    expect(unionOfNotes([null, ""])).toBeNull();
  });
});

it("evidence counts as validated with ids, span and angle, and not without one of them", () => {
  expect(isEvidenceValidated(lesson())).toBe(true);
  expect(isEvidenceValidated(lesson({ sourceInteractionIds: [] }))).toBe(false);
  expect(isEvidenceValidated(lesson({ sourceSpan: "" }))).toBe(false);
  expect(isEvidenceValidated(lesson({ readerAngle: null }))).toBe(false);
});
