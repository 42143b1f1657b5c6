/** Instants as RFC 3339 writes them. `Date.parse` takes far more, and reads some of it in the zone of the machine. */

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,32}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Milliseconds since 1970 of an RFC 3339 text (`2026-01-01T00:00:00Z`, offset required, digits past the millisecond
 * cut off); null for anything else, dates that do not exist and leap seconds included.
 */
export function parseInstant(text: string): number | null {
  const parts = RFC_3339.exec(text);
  if (!parts) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  if (second === undefined || hour === undefined || minute === undefined) return null;
  if (!isDate(year ?? 0, month ?? 0, day ?? 0) || hour > 23 || minute > 59 || second > 59) return null;
  const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  date.setUTCHours(hour, minute, second, Number((parts[7] ?? "0").slice(0, 3).padEnd(3, "0")));
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (parts[8] === "-" ? -1 : 1);
  return date.getTime() - offsetMs;
}

/** Whether the day exists in the (proleptic) Gregorian calendar; `month` from 1. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

/** The instant as RFC 3339 in UTC, with milliseconds; null outside the years 0 to 9999. */
export function formatInstant(atMs: number): string | null {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return null;
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : null;
}
