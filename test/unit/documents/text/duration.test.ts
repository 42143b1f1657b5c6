/** Durations of documents: the grammar, what others accept and this one refuses, and the way back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseClockOffset, parseDuration } from "../../../../src/documents/text/duration";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const msOf = (text: string): number => {
  const reading = parseDuration(text);
  if (!reading.ok) throw new Error(reading.fault.message);
  return reading.ms;
};
const faultOf = (text: string) => {
  const reading = parseDuration(text);
  if (reading.ok) throw new Error(`${text} is ${reading.ms} ms`);
  return reading.fault;
};

describe("reading a duration", () => {
  it.each([
    ["7d", 604_800_000],
    ["1s", SECOND],
    ["90m", 90 * MINUTE],
    ["1w2d3h4m5s", 9 * DAY + 3 * HOUR + 4 * MINUTE + 5 * SECOND],
    ["1d5s", DAY + 5 * SECOND],
    ["007d", 7 * DAY],
    ["0d1s", SECOND],
    ["366d", 366 * DAY],
    ["31622400s", 366 * DAY],
    ["52w2d", 366 * DAY],
  ])("%s", (text, ms) => {
    expect(msOf(text)).toBe(ms);
  });

  it.each([
    ["P7D", 7 * DAY],
    ["P2W", 14 * DAY],
    ["PT90M", 90 * MINUTE],
    ["P1DT12H", 36 * HOUR],
    ["PT1H30M15S", HOUR + 30 * MINUTE + 15 * SECOND],
    ["PT1M", MINUTE],
  ])("%s, as ISO 8601 writes it", (text, ms) => {
    expect(msOf(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "7",
    "7D",
    "1.5h",
    "1,5h",
    "-5m",
    "+5m",
    "1M",
    "7 d",
    " 7d",
    "7d ",
    "7d\n",
    "1h1d",
    "5m5m",
    "1mo",
    "1y",
    "500ms",
    "d",
    "1e3s",
    "٣d",
    "forever",
    "P1M",
    "P1Y",
    "P1Y2D",
    "P",
    "PT",
    "P1DT",
    "P1W1D",
    "PT1.5H",
    "P-1D",
    "p1d",
    "P1H",
    "PT1D",
    "P1D1H",
    `${"0".repeat(100)}1d`,
  ])("refuses %j as malformed", (text) => {
    expect(faultOf(text).kind).toBe("malformed");
  });

  it.each(["0s", "0d0h", "PT0S", "0w", "367d", "53w", "366d1s", "99999999d", `${"9".repeat(60)}s`, "P400D"])(
    "refuses %j as out of range",
    (text) => {
      expect(faultOf(text).kind).toBe("out_of_range");
    },
  );

  it.each([
    ["7", "a unit after the number"],
    ["7D", "lower case"],
    ["12", "such as 12s or 12m"],
    ["1.5h", "in place of 1.5h"],
    ["12M", "months are not accepted"],
    ["P12M", "no months or years"],
    ["PT1.5M", "in place of 1.5h"],
    ["x7", "in this order"],
    ["-5m", "no sign"],
    ["1M", "months are not accepted"],
    ["7 d", "no spaces"],
    ["P1M", "no months or years"],
    ["1h1d", "in this order"],
    ["0s", "at least 1s"],
    ["367d", "at most 366d"],
  ])("says of %j what would be right: %s", (text, hint) => {
    expect(faultOf(text).hint).toContain(hint);
  });

  it("shows a long text cut", () => {
    expect(faultOf("x".repeat(100_000)).message.length).toBeLessThan(120);
    expect(faultOf("x7").message).toBe('"x7" is not a duration.');
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^P?[0-9wdhmsDTHMS.]{0,12}$/)), (text) => {
        const reading = parseDuration(text);
        if (reading.ok) {
          expect(reading.ms).toBeGreaterThan(0);
          expect(reading.ms).toBeLessThanOrEqual(366 * DAY);
        } else expect(reading.fault.hint).not.toBe("");
      }),
      { numRuns: 1000 },
    );
  });
});

describe("writing a duration", () => {
  it.each([
    [7 * DAY, "7d"],
    [14 * DAY, "14d"],
    [36 * HOUR, "1d12h"],
    [90 * SECOND, "1m30s"],
    [DAY + SECOND, "1d1s"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("is read back as the same length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 * 86_400 }), (seconds) => {
        expect(msOf(formatDuration(seconds * SECOND))).toBe(seconds * SECOND);
      }),
    );
  });

  it.each([0, -1000, 1500, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d ms", (ms) => {
    expect(() => formatDuration(ms)).toThrow(RangeError);
  });
});

describe("an offset on a script's clock", () => {
  it.each([
    ["+7d1200ms", 7 * DAY + 1200],
    ["+6d23h59m59s", 7 * DAY - SECOND],
    ["+0s", 0],
    ["+0ms", 0],
    ["+1ms", 1],
    ["+400d", 400 * DAY],
    ["+1m1ms", MINUTE + 1],
  ])("%s", (text, ms) => {
    expect(parseClockOffset(text)).toBe(ms);
  });

  it.each([
    "",
    "+",
    "7d",
    "+7",
    "+1ms1s",
    "+-1s",
    "++1s",
    "+1.5s",
    "-1s",
    "+99999999999d",
    "+1d\n",
    "2026-01-01T00:00:00Z",
  ])("%j is none", (text) => {
    expect(parseClockOffset(text)).toBeNull();
  });
});
