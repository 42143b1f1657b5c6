import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonPages } from "../../../src/playbooks/bulk";

const bytesOf = (text: string) => new TextEncoder().encode(text).byteLength;

describe("pages of rows", () => {
  it("hold every row once, in order, and fit one database value", () => {
    const row = fc.record({
      id: fc.integer(),
      text: fc.string({ unit: "grapheme" }),
      times: fc.constantFrom(1, 40_000),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
        const values = rows.map(({ id, text, times }) => ({
          id,
          text: text.repeat(Math.min(times, 400_000 / (text.length + 1))),
        }));
        const pages = jsonPages(values);
        expect(pages.flatMap((page): unknown => JSON.parse(page))).toEqual(values);
        expect(pages.every((page) => bytesOf(page) <= 1_800_000)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("are none for no rows, and refuse a row that fits nowhere", () => {
    expect(jsonPages([])).toEqual([]);
    expect(() => jsonPages(["x".repeat(1_800_000)])).toThrow(RangeError);
  });
});
