/** Differences between two wordings of a rule. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordDiff } from "../../../src/dashboard/review/word-diff";

const without = (kind: string, parts: ReturnType<typeof wordDiff>) =>
  parts
    .filter((part) => part.kind !== kind)
    .map(({ text }) => text)
    .join("");

describe("a word diff", () => {
  it("marks the words that changed and nothing around them", () => {
    expect(wordDiff("Write dates as DD/MM.", "Write all dates as YYYY-MM.")).toEqual([
      { kind: "same", text: "Write " },
      { kind: "added", text: "all " },
      { kind: "same", text: "dates as " },
      { kind: "removed", text: "DD/" },
      { kind: "added", text: "YYYY-" },
      { kind: "same", text: "MM." },
    ]);
  });

  it("finds words where no spaces part them", () => {
    const parts = wordDiff("日付は日月で書く", "日付は年月で書く");
    expect(parts.some(({ kind, text }) => kind === "same" && text.includes("書く"))).toBe(true);
    expect(parts.some(({ kind }) => kind === "added")).toBe(true);
  });

  it("gives both texts back, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (before, after) => {
        const parts = wordDiff(before, after);
        expect(without("added", parts)).toBe(before);
        expect(without("removed", parts)).toBe(after);
      }),
    );
  });

  it("of two long texts that share nothing ends soon, with one after the other", () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `a${index}`).join(" ");
    const after = Array.from({ length: 5_000 }, (_, index) => `b${index}`).join(" ");
    expect(wordDiff(before, after).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});
