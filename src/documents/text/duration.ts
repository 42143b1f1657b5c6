/**
 * Durations of documents: `1w2d3h4m5s`, elapsed time that no calendar bends. ISO 8601 is read and written back short.
 * Months and years have no fixed length and are refused.
 */
import { LIMITS } from "../spec";

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/** Why a text is no duration. `malformed` is S451, `out_of_range` is S452. */
export interface DurationFault {
  kind: "malformed" | "out_of_range";
  message: string;
  /** What would be right. */
  hint: string;
}

export type DurationReading = { ok: true; ms: number } | { ok: false; fault: DurationFault };

const SHORT = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const ISO_WEEKS = /^P(\d+)W$/;
const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
/** An offset may also count milliseconds, be zero and reach past what a document may wait. */
const OFFSET = /^\+(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Long texts are refused unread; the longest sensible duration has 30 characters. */
const MAX_LENGTH = 64;
const MAX_OFFSET_MS = 100 * 366 * DAY_MS;
const EXAMPLES = "whole numbers with w, d, h, m and s in this order, such as 90s, 1h30m or 7d";

const total = (match: RegExpMatchArray, unitsMs: readonly number[]): number =>
  unitsMs.reduce((sum, unitMs, index) => sum + Number(match[index + 1] ?? 0) * unitMs, 0);

function elapsedMs(text: string): number | null {
  const short = text === "" ? null : SHORT.exec(text);
  if (short) return total(short, [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS]);
  const weeks = ISO_WEEKS.exec(text);
  if (weeks) return total(weeks, [WEEK_MS]);
  const iso = text === "P" ? null : ISO.exec(text);
  return iso ? total(iso, [DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS]) : null;
}

/**
 * Reads a duration of a document, in milliseconds: more than zero, at most 366 days. A number of too many digits is
 * out of range, not malformed.
 */
export function parseDuration(text: string): DurationReading {
  const ms = text.length > MAX_LENGTH ? null : elapsedMs(text);
  if (ms === null) {
    const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
    return refuse("malformed", `"${shown}" is not a duration.`, hintFor(text));
  }
  if (ms === 0) return refuse("out_of_range", `"${text}" lasts no time at all.`, "at least 1s");
  const maxMs = LIMITS.durationSeconds * SECOND_MS;
  if (ms > maxMs) {
    return refuse("out_of_range", `"${text}" is too long.`, `at most ${formatDuration(maxMs)}`);
  }
  return { ok: true, ms };
}

const refuse = (kind: DurationFault["kind"], message: string, hint: string): DurationReading => ({
  ok: false,
  fault: { kind, message, hint },
});

/** Names the mistakes that other duration grammars accept. */
function hintFor(text: string): string {
  if (/^\d+$/.test(text))
    return `a unit after the number, such as ${text.slice(0, 8)}s or ${text.slice(0, 8)}m`;
  if (/^P.*[YM]/.test(text) && !/^P[^T]*T/.test(text)) {
    return "no months or years, whose length depends on the calendar: use days, such as 30d";
  }
  if (/^\d+M$/.test(text)) return "m for minutes; months are not accepted, 30d is";
  if (/^[\dwdhms]+$/i.test(text) && /[A-Z]/.test(text)) return "units in lower case, such as 7d";
  if (/\s/.test(text)) return "no spaces, such as 7d";
  if (/[.,]/.test(text)) return "whole numbers, such as 1h30m in place of 1.5h";
  if (/^[+-]/.test(text)) return "no sign, such as 5m";
  return EXAMPLES;
}

/**
 * The short form of a length in milliseconds, in days, hours, minutes and seconds: `1d12h`. Weeks are written as
 * days, as the format's own example does.
 * @throws RangeError unless it is a positive number of whole seconds
 */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms <= 0 || ms % SECOND_MS !== 0) {
    throw new RangeError(`A duration is a positive number of whole seconds; ${ms} ms is none.`);
  }
  let rest = ms;
  let text = "";
  for (const [unitMs, letter] of [
    [DAY_MS, "d"],
    [HOUR_MS, "h"],
    [MINUTE_MS, "m"],
    [SECOND_MS, "s"],
  ] as const) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${letter}`;
    rest -= count * unitMs;
  }
  return text;
}

/**
 * Reads a place on a script's clock, `+7d1200ms`: milliseconds after the start, from `+0s` to a hundred years.
 * @returns null for anything else
 */
export function parseClockOffset(text: string): number | null {
  const match = text.length > MAX_LENGTH || text === "+" ? null : OFFSET.exec(text);
  if (!match) return null;
  const ms = total(match, [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, 1]);
  return ms <= MAX_OFFSET_MS ? ms : null;
}
