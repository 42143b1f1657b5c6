/** When a pattern fires next: rows of the specification, changes of the clocks, the ends of the calendar. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dstNotes } from "../../../src/schedules/cron/dst-notes";
import { nextFiring } from "../../../src/schedules/cron/next";
import { type Cron, parseCron } from "../../../src/schedules/cron/parse";
import { firstChange, instantsOf, isTimeZone, offsetMs } from "../../../src/schedules/cron/zone";

const read = (text: string): Cron => {
  const reading = parseCron(text);
  if (!reading.ok) throw new Error(`${text}: ${reading.fault.message}`);
  return reading.cron;
};
const short = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString().slice(0, 16));

/** The next firings after an instant, as `2026-03-28T01:30` in UTC. */
function firings(text: string, zone: string, after: string, count: number): (string | null)[] {
  const cron = read(text);
  const found: (string | null)[] = [];
  let atMs: number | null = Date.parse(after);
  while (found.length < count && atMs !== null) {
    atMs = nextFiring(cron, zone, atMs);
    found.push(short(atMs));
  }
  return found;
}

describe("the next firing", () => {
  it.each([
    [
      "45 8 * * 1-5",
      "Europe/London",
      "2026-03-27T08:45:00Z",
      ["2026-03-30T07:45", "2026-03-31T07:45", "2026-04-01T07:45"],
    ],
    ["0 17 * * *", "Africa/Nairobi", "2026-08-15T12:00:00Z", ["2026-08-15T14:00", "2026-08-16T14:00"]],
    ["0 9 * * *", "UTC", "2026-05-05T09:00:00.000Z", ["2026-05-06T09:00"]],
    ["0 9 * * *", "UTC", "2026-05-05T08:59:59.999Z", ["2026-05-05T09:00"]],
    ["* * * * *", "UTC", "2026-05-05T09:00:30.500Z", ["2026-05-05T09:01", "2026-05-05T09:02"]],
    ["0 9 * * *", "UTC", "2026-05-05T09:00:59.999Z", ["2026-05-06T09:00"]],
    [
      "0 0 13 * 5",
      "UTC",
      "2026-01-31T00:00:00Z",
      ["2026-02-06T00:00", "2026-02-13T00:00", "2026-02-20T00:00", "2026-02-27T00:00", "2026-03-06T00:00"],
    ],
    [
      "0 0 */1 * 5",
      "UTC",
      "2026-02-01T12:00:00Z",
      ["2026-02-02T00:00", "2026-02-03T00:00", "2026-02-04T00:00"],
    ],
    ["0 0 * * */1", "UTC", "2026-02-01T12:00:00Z", ["2026-02-02T00:00", "2026-02-03T00:00"]],
    ["0 0 29 2 *", "UTC", "2026-02-01T00:00:00Z", ["2028-02-29T00:00", "2032-02-29T00:00"]],
    [
      "0 0 29 2 1",
      "UTC",
      "2028-02-22T00:00:00Z",
      ["2028-02-28T00:00", "2028-02-29T00:00", "2029-02-05T00:00"],
    ],
    ["15,45 */8 31 * *", "Asia/Kathmandu", "2026-01-31T18:00:00Z", ["2026-03-30T18:30", "2026-03-30T19:00"]],
    ["0 0 1 1 *", "Pacific/Kiritimati", "2026-06-01T00:00:00Z", ["2026-12-31T10:00", "2027-12-31T10:00"]],
  ])("%s in %s after %s", (text, zone, after, expected) => {
    expect(firings(text, zone, after, expected.length)).toEqual(expected);
  });

  it.each([
    // A fixed time that is skipped fires at the jump.
    [
      "30 1 * * *",
      "Europe/London",
      "2026-03-28T00:00:00Z",
      ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"],
    ],
    ["30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:00:00Z", ["2026-10-03T15:30", "2026-10-04T15:15"]],
    // The jump is on the next day, or at midnight.
    ["30 23 * * *", "America/Nuuk", "2026-03-28T02:00:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    ["0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", ["2026-04-23T22:00", "2026-04-24T21:00"]],
    // Several skipped times, and the time of the jump itself, are one firing.
    ["0,15,30 1-2 * * *", "Europe/London", "2026-03-28T23:00:00Z", ["2026-03-29T01:00", "2026-03-29T01:15"]],
    ["0 2,3 * * *", "America/New_York", "2026-03-08T06:00:00Z", ["2026-03-08T07:00", "2026-03-09T06:00"]],
    // A whole day was skipped.
    [
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-29T00:00:00Z",
      ["2011-12-29T22:00", "2011-12-30T10:00", "2011-12-30T22:00"],
    ],
    // A fixed time that comes twice fires the first time.
    ["30 1 * * *", "Europe/London", "2026-10-24T12:00:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-03T15:00:00Z", ["2026-04-04T14:45", "2026-04-05T15:15"]],
    ["0,30 1 * * *", "Europe/London", "2026-10-25T00:00:00Z", ["2026-10-25T00:30", "2026-10-26T01:00"]],
    ["0 */6 * * *", "America/Havana", "2026-11-01T03:00:00Z", ["2026-11-01T04:00", "2026-11-01T11:00"]],
    // Asked between the two, or at the second.
    ["30 1 * * *", "Europe/London", "2026-10-25T00:45:00Z", ["2026-10-26T01:30"]],
    ["30 1 * * *", "Europe/London", "2026-10-25T01:30:00Z", ["2026-10-26T01:30"]],
    ["50 1 * * *", "Europe/London", "2026-10-25T01:10:00Z", ["2026-10-26T01:50"]],
  ])(
    "a fixed time fires once a day through a change of the clocks: %s in %s after %s",
    (text, zone, after, expected) => {
      expect(firings(text, zone, after, expected.length)).toEqual(expected);
    },
  );

  it.each([
    [
      "*/15 * * * *",
      "Australia/Lord_Howe",
      "2026-04-04T14:30:00Z",
      ["2026-04-04T14:45", "2026-04-04T15:00", "2026-04-04T15:15", "2026-04-04T15:30", "2026-04-04T15:45"],
    ],
    [
      "*/30 * * * *",
      "Europe/London",
      "2026-10-25T00:00:00Z",
      ["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00"],
    ],
    [
      "5 * * * *",
      "Europe/London",
      "2026-03-29T00:00:00Z",
      ["2026-03-29T00:05", "2026-03-29T01:05", "2026-03-29T02:05"],
    ],
    [
      "5 * * * *",
      "Europe/London",
      "2026-10-25T00:00:00Z",
      ["2026-10-25T00:05", "2026-10-25T01:05", "2026-10-25T02:05"],
    ],
    [
      "*/30 1 * * *",
      "Europe/London",
      "2026-10-25T00:15:00Z",
      ["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-26T01:00"],
    ],
    ["*/30 1 * * *", "Europe/London", "2026-03-28T12:00:00Z", ["2026-03-30T00:00", "2026-03-30T00:30"]],
    // From far away, to a day after a change that lies between.
    ["*/20 * 1 7 *", "America/New_York", "2026-01-15T00:00:00Z", ["2026-07-01T04:00", "2026-07-01T04:20"]],
    [
      "*/30 1 25 10 *",
      "Europe/London",
      "2026-01-15T00:00:00Z",
      ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00"],
    ],
  ])("a pattern that runs on follows elapsed time: %s in %s after %s", (text, zone, after, expected) => {
    expect(firings(text, zone, after, expected.length)).toEqual(expected);
  });

  it("has no gap and no double in the quarter hours of a year, in zones that change by 30, 60 and 120 minutes", () => {
    const cron = read("*/15 * * * *");
    for (const zone of ["Australia/Lord_Howe", "America/St_Johns", "Antarctica/Troll"]) {
      for (const day of [
        "2026-03-08",
        "2026-03-29",
        "2026-04-05",
        "2026-10-04",
        "2026-10-25",
        "2026-11-01",
      ]) {
        let atMs = Date.parse(`${day}T00:00:00Z`) - 86_400_000;
        for (let quarter = 0; quarter < 200; quarter++) {
          const next = nextFiring(cron, zone, atMs);
          expect(next).toBe(atMs + 15 * 60_000);
          atMs = next ?? 0;
        }
      }
    }
  });

  it("is null for days that never come, beyond the year 2999, and for instants that are none", () => {
    expect(nextFiring(read("0 0 30 2 *"), "UTC", 0)).toBeNull();
    expect(nextFiring(read("0 0 1 1 *"), "Europe/London", Date.UTC(2999, 0, 1, 1))).toBeNull();
    for (const afterMs of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      8.64e15,
      -8.64e15,
    ]) {
      expect(nextFiring(read("* * * * *"), "Europe/London", afterMs)).toBeNull();
      expect(nextFiring(read("0 1 * * *"), "Europe/London", afterMs)).toBeNull();
    }
  });

  it("refuses a zone that does not exist", () => {
    expect(() => nextFiring(read("* * * * *"), "Mars/Base", 0)).toThrow(RangeError);
  });

  it("lies after the instant, the sooner the earlier the instant", () => {
    const zone = fc.constantFrom(
      "UTC",
      "Europe/London",
      "Australia/Lord_Howe",
      "America/Nuuk",
      "Asia/Kolkata",
    );
    const text = fc.constantFrom(
      "30 1 * * *",
      "*/7 * * * *",
      "0,30 0-3 * * 0",
      "0 */2 * * *",
      "5 1 1,15 * 6",
    );
    const instant = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2036, 0, 1) });
    fc.assert(
      fc.property(zone, text, instant, fc.nat(40 * 86_400_000), (name, pattern, afterMs, laterMs) => {
        const cron = read(pattern);
        const first = nextFiring(cron, name, afterMs) ?? 0;
        const second = nextFiring(cron, name, afterMs + laterMs) ?? 0;
        expect(first).toBeGreaterThan(afterMs);
        expect(second).toBeGreaterThanOrEqual(first);
        // Nothing fires between an instant and its next firing.
        expect(nextFiring(cron, name, first - 1)).toBe(first);
        expect(nextFiring(cron, name, Math.floor((afterMs + first) / 2))).toBe(first);
      }),
      { numRuns: 300 },
    );
  });
});

describe("notes on changes of the clocks", () => {
  const notes = (text: string, zone: string, from: string) =>
    dstNotes(read(text), zone, Date.parse(from)).map(
      ({ kind, localTime, changeMs }) => `${kind} ${localTime} ${short(changeMs)}`,
    );

  it("names each skipped and repeated time of the two years to come", () => {
    expect(notes("30 1 * * *", "Europe/London", "2026-01-01T00:00:00Z")).toEqual([
      "skipped 2026-03-29T01:30 2026-03-29T01:00",
      "repeated 2026-10-25T01:30 2026-10-25T01:00",
      "skipped 2027-03-28T01:30 2027-03-28T01:00",
      "repeated 2027-10-31T01:30 2027-10-31T01:00",
    ]);
  });

  it("begins with the instant, not with the year", () => {
    expect(notes("30 1 * * *", "Europe/London", "2026-03-29T01:00:00Z")[0]).toContain("repeated 2026-10-25");
    expect(notes("30 1 * * *", "Europe/London", "2026-03-29T00:59:59Z")[0]).toContain("skipped 2026-03-29");
  });

  it.each([
    ["30 3 * * *", "Europe/London"],
    ["0 2 * * *", "Europe/London"],
    ["*/15 * * * *", "Europe/London"],
    ["30 1 * * 1-5", "Europe/London"],
    ["30 1 * 6 *", "Europe/London"],
    ["30 1 * * *", "UTC"],
    ["30 1 * * *", "Asia/Kolkata"],
    ["30 1 30 2 *", "Europe/London"],
  ])("says nothing of %s in %s", (text, zone) => {
    expect(notes(text, zone, "2026-01-01T00:00:00Z")).toEqual([]);
  });

  it("knows half-hour changes, and changes at midnight", () => {
    expect(notes("15 2 * * *", "Australia/Lord_Howe", "2026-05-01T00:00:00Z")[0]).toContain(
      "skipped 2026-10-04T02:15",
    );
    expect(notes("29 2 * * *", "Australia/Lord_Howe", "2026-05-01T00:00:00Z")).not.toEqual([]);
    expect(notes("30 2 * * *", "Australia/Lord_Howe", "2026-05-01T00:00:00Z")).toEqual([]);
    expect(notes("30 23 * * *", "America/Nuuk", "2026-01-01T00:00:00Z")[0]).toContain(
      "skipped 2026-03-28T23:30",
    );
  });
});

describe("time zones", () => {
  it.each([
    "UTC",
    "Europe/London",
    "europe/london",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
    "EST5EDT",
    "GB",
  ])("knows %s", (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    "",
    "Mars/Base",
    "+01:00",
    "-05",
    "Europe/London ",
    " UTC",
    "Europe/Lond\u00f3n",
    "constructor",
    "__proto__",
    "A".repeat(10_000),
    "UTC\0",
  ])("does not know %j", (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it("knows offsets of hours, half and quarter hours, before and after a change, and before 1970", () => {
    const minutes = (zone: string, at: string) => offsetMs(zone, Date.parse(at)) / 60_000;
    expect(minutes("Europe/London", "2026-03-29T00:59:59.999Z")).toBe(0);
    expect(minutes("Europe/London", "2026-03-29T01:00:00.000Z")).toBe(60);
    expect(minutes("Asia/Kathmandu", "2026-01-01T00:00:00Z")).toBe(345);
    expect(minutes("Pacific/Marquesas", "2026-01-01T00:00:00Z")).toBe(-570);
    expect(minutes("Europe/London", "1969-06-01T12:34:56.789Z")).toBe(60);
  });

  it("finds a change of the clocks to the second", () => {
    const at = (zone: string, from: string, to: string) =>
      short(firstChange(zone, Date.parse(from), Date.parse(to)));
    expect(at("Europe/London", "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z")).toBe("2026-03-29T01:00");
    expect(at("Europe/London", "2026-03-29T01:00:00Z", "2026-12-31T00:00:00Z")).toBe("2026-10-25T01:00");
    expect(at("Europe/London", "2026-01-01T00:00:00Z", "2026-03-29T00:59:59Z")).toBeNull();
    expect(at("Europe/London", "2026-01-01T00:00:00Z", "2026-03-29T01:00:00Z")).toBe("2026-03-29T01:00");
    expect(at("Asia/Kolkata", "2026-01-01T00:00:00Z", "2036-01-01T00:00:00Z")).toBeNull();
  });

  it("knows which local times come once, twice and never", () => {
    const of = (local: string) => instantsOf("Europe/London", Date.parse(`${local}Z`));
    expect(of("2026-03-29T00:59")).toEqual({ kind: "once", atMs: Date.parse("2026-03-29T00:59Z") });
    expect(of("2026-03-29T01:00")).toEqual({ kind: "skipped", jumpMs: Date.parse("2026-03-29T01:00Z") });
    expect(of("2026-03-29T01:59")).toEqual({ kind: "skipped", jumpMs: Date.parse("2026-03-29T01:00Z") });
    expect(of("2026-03-29T02:00")).toEqual({ kind: "once", atMs: Date.parse("2026-03-29T01:00Z") });
    expect(of("2026-10-25T00:59")).toEqual({ kind: "once", atMs: Date.parse("2026-10-24T23:59Z") });
    expect(of("2026-10-25T01:00")).toEqual({
      kind: "twice",
      atMs: Date.parse("2026-10-25T00:00Z"),
      againMs: Date.parse("2026-10-25T01:00Z"),
    });
    expect(of("2026-10-25T02:00")).toEqual({ kind: "once", atMs: Date.parse("2026-10-25T02:00Z") });
  });
});
