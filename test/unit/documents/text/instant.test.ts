/** RFC 3339, and nothing that only looks like it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInstant, parseInstant } from "../../../../src/documents/text/instant";

describe("an instant", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01t00:00:00z", 0],
    ["1970-01-01T01:00:00+01:00", 0],
    ["1969-12-31T23:30:00-00:30", 0],
    ["1970-01-01T00:00:00.1Z", 100],
    ["1970-01-01T00:00:00.123456789Z", 123],
    ["2024-02-29T00:00:00Z", 1709164800000],
    ["0001-01-01T00:00:00Z", -62135596800000],
    ["9999-12-31T23:59:59.999Z", 253402300799999],
  ])("%s is %i", (text, atMs) => {
    expect(parseInstant(text)).toBe(atMs);
  });

  it.each([
    "",
    "2026",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00Z",
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+01:60",
    "2026-01-01T00:00:00+0100",
    "+002026-01-01T00:00:00Z",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z ",
    "２０２６-01-01T00:00:00Z",
    `2026-01-01T00:00:00.${"1".repeat(40)}Z`,
  ])("is not %j", (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it("comes back from what is written", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62167219200000, max: 253402300799999 }), (atMs) => {
        const text = formatInstant(atMs);
        expect(text && parseInstant(text)).toBe(atMs);
      }),
    );
    expect(formatInstant(253402300800000)).toBeNull();
    expect(formatInstant(Number.NaN)).toBeNull();
  });
});
