/** When a pattern's local times are, whatever the zone: croner counts the calendar, from explicit lists alone. */
import { Cron as Calculator } from "croner";
import type { Cron } from "./parse";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** One calculator a pattern; it goes when the pattern goes. */
const calculators = new WeakMap<Cron, Calculator>();

function calculatorOf(cron: Cron): Calculator {
  const known = calculators.get(cron);
  if (known) return known;
  // The user's text never gets here. croner, too, ORs the day fields unless one of them is exactly `*`.
  const pattern = [
    cron.minutes.join(","),
    cron.hours.join(","),
    cron.daysOfMonthRestricted ? cron.daysOfMonth.join(",") : "*",
    cron.months.join(","),
    cron.daysOfWeekRestricted ? cron.daysOfWeek.join(",") : "*",
  ].join(" ");
  const calculator = new Calculator(pattern, { paused: true, mode: "5-part", utcOffset: 0 });
  calculators.set(cron, calculator);
  return calculator;
}

/**
 * The first local time of a pattern at or after a local time, both as milliseconds of a clock in UTC.
 * @returns null when there is none before the year 3000
 */
export function nextLocalTime(cron: Cron, localMs: number): number | null {
  if (neverFires(cron)) return null;
  const next = calculatorOf(cron).nextRun(new Date(Math.ceil(localMs) - 1));
  return next === null || next.getTime() < localMs ? null : next.getTime();
}

/** The most days that each month ever has. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Whether no day is ever one of the pattern's, as with 30 February. 29 February is one every four years, and a
 * restricted day of the week always brings a day.
 */
export function neverFires(cron: Cron): boolean {
  const [firstDay = 1] = cron.daysOfMonth;
  return !cron.daysOfWeekRestricted && cron.months.every((month) => firstDay > (LONGEST[month - 1] ?? 31));
}

const CALENDAR_START_MS = Date.UTC(2000, 0, 1);

/**
 * The shortest time between two firings by the local calendar, in milliseconds; changes of the clocks are left out.
 * Infinity for a pattern that never fires.
 */
export function smallestGapMs(cron: Cron): number {
  if (neverFires(cron)) return Number.POSITIVE_INFINITY;
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => (hour * 60 + minute) * MINUTE_MS));
  const withinDay = Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
  // From the last time of a day to the first one of the next day that has any.
  const overnight = (times[0] ?? 0) - (times.at(-1) ?? 0);
  return withinDay <= overnight + DAY_MS
    ? withinDay
    : Math.min(withinDay, overnight + smallestDayGap(cron) * DAY_MS);
}

/** Days after which the pattern's days come again: of the week, of four years, of the Gregorian calendar till 2099. */
function periodDays(cron: Cron): number {
  if (!cron.daysOfMonthRestricted && cron.months.length === 12) return 7;
  return cron.daysOfWeekRestricted ? 28 * 365 + 7 : 4 * 365 + 1;
}

function smallestDayGap(cron: Cron): number {
  const period = periodDays(cron);
  const days: number[] = [];
  for (let day = 0; day < period; day++) {
    if (isDayOf(cron, new Date(CALENDAR_START_MS + day * DAY_MS))) days.push(day);
  }
  const overTheEnd = (days[0] ?? 0) + period - (days.at(-1) ?? 0);
  return days.slice(1).reduce((least, day, index) => Math.min(least, day - (days[index] ?? 0)), overTheEnd);
}

function isDayOf(cron: Cron, date: Date): boolean {
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const byMonth = cron.daysOfMonth.includes(date.getUTCDate());
  const byWeek = cron.daysOfWeek.includes(date.getUTCDay());
  return cron.daysOfMonthRestricted && cron.daysOfWeekRestricted ? byMonth || byWeek : byMonth && byWeek;
}
