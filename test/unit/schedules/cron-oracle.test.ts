/** The next firing held against a clock that is read minute by minute, around changes of the clocks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextFiring } from "../../../src/schedules/cron/next";
import { parseCron } from "../../../src/schedules/cron/parse";
import { matches, type Pattern, patterns } from "./cron-patterns";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Zones and days on which their clocks change, or did: by half an hour, by two, at midnight, over a day's end, by a day. */
const CHANGES = [
  ["Europe/London", "2026-03-29"],
  ["Europe/London", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Nuuk", "2026-03-29"],
  ["America/Nuuk", "2026-10-25"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Cairo", "2026-10-29"],
  ["America/Havana", "2026-11-01"],
  ["America/Santiago", "2026-09-06"],
  ["America/Santiago", "2026-04-05"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Africa/Casablanca", "2026-03-22"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Antarctica/Troll", "2026-10-25"],
  ["Pacific/Chatham", "2026-04-05"],
  ["America/St_Johns", "2026-11-01"],
  ["Asia/Pyongyang", "2015-08-15"],
  ["Asia/Pyongyang", "2018-05-05"],
  ["America/Caracas", "2016-05-01"],
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Kwajalein", "1993-08-21"],
  ["Asia/Kolkata", "2026-01-01"],
] as const;

/** What the clock shows in each minute from `beginMs` on, as milliseconds of a clock in UTC. */
function clockOf(zone: string, beginMs: number, minutes: number): number[] {
  const formatter = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  return Array.from({ length: minutes }, (_, minute) =>
    Date.parse(`${formatter.format(beginMs + minute * MINUTE_MS).replace(" ", "T")}Z`),
  );
}

/** The minutes in which a pattern fires, by the policy's own words. */
function firingMinutes(pattern: Pattern, clock: readonly number[]): number[] {
  const follows =
    pattern.minute.runsOn || pattern.minute.values.size === 60 || pattern.hour.values.size === 24;
  const seen = new Set<number>();
  const firing: number[] = [];
  for (const [minute, shown] of clock.entries()) {
    let fires = matches(pattern, shown) && (follows || !seen.has(shown));
    const before = clock[minute - 1] ?? shown;
    for (let skipped = before + MINUTE_MS; skipped < shown && !follows && !fires; skipped += MINUTE_MS) {
      fires = matches(pattern, skipped);
    }
    if (fires) firing.push(minute);
    seen.add(shown);
  }
  return firing;
}

describe("the next firing around a change of the clocks", () => {
  const WARM_UP = 36 * 60;
  const windows = CHANGES.map(([zone, day]) => {
    const beginMs = Date.parse(`${day}T00:00:00Z`) - 3 * DAY_MS;
    return { zone, beginMs, clock: clockOf(zone, beginMs, 6 * 24 * 60) };
  });

  it("is what a clock read minute by minute shows", () => {
    let compared = 0;
    fc.assert(
      fc.property(patterns, (pattern) => {
        const reading = parseCron(pattern.text);
        if (!reading.ok) throw new Error(reading.fault.message);
        for (const { zone, beginMs, clock } of windows) {
          // The first minutes only say which times were shown before.
          const expected = firingMinutes(pattern, clock).filter((minute) => minute > WARM_UP);
          const sampled = expected.length > 60 ? expected.filter((_, index) => index % 17 < 3) : expected;
          for (const minute of sampled) {
            const previous = expected[expected.indexOf(minute) - 1] ?? WARM_UP;
            const found = nextFiring(reading.cron, zone, beginMs + previous * MINUTE_MS);
            compared++;
            if (found !== beginMs + minute * MINUTE_MS) {
              throw new Error(
                `"${pattern.text}" in ${zone} after ${new Date(beginMs + previous * MINUTE_MS).toISOString()}: ` +
                  `${new Date(found ?? 0).toISOString()} in place of ${new Date(beginMs + minute * MINUTE_MS).toISOString()}`,
              );
            }
          }
          const last = expected.at(-1) ?? WARM_UP;
          const after =
            nextFiring(reading.cron, zone, beginMs + last * MINUTE_MS) ?? Number.POSITIVE_INFINITY;
          expect(after).toBeGreaterThanOrEqual(beginMs + clock.length * MINUTE_MS);
        }
      }),
      { numRuns: 40 },
    );
    expect(compared).toBeGreaterThan(1000);
  }, 60_000);
});
