/** The calendar fields of CEL's timestamps, in a named zone or at a fixed offset. */

const FIXED_OFFSET = /^([+-])(\d{2}):(\d{2})$/;
const DAY_MS = 86_400_000;

/** Methods of timestamps that read a calendar field, and how: of a UTC date that shows the zone's wall clock. */
const FIELDS: Readonly<Record<string, (wall: Date) => number>> = {
  getFullYear: (wall) => wall.getUTCFullYear(),
  getMonth: (wall) => wall.getUTCMonth(),
  getDate: (wall) => wall.getUTCDate(),
  getDayOfMonth: (wall) => wall.getUTCDate() - 1,
  getDayOfWeek: (wall) => wall.getUTCDay(),
  getDayOfYear: (wall) =>
    Math.floor((wall.getTime() - new Date(0).setUTCFullYear(wall.getUTCFullYear(), 0, 1)) / DAY_MS),
  getHours: (wall) => wall.getUTCHours(),
  getMinutes: (wall) => wall.getUTCMinutes(),
  getSeconds: (wall) => wall.getUTCSeconds(),
  getMilliseconds: (wall) => wall.getUTCMilliseconds(),
};
export const CALENDAR_FIELDS: readonly string[] = Object.keys(FIELDS);

/**
 * A field of an instant as a wall clock in `zone` (IANA name or `+02:00`) shows it; months, days of month, week and
 * year count from 0 and `getDate` from 1, as CEL has it.
 * @throws Error when there is no such zone or field
 */
export function calendarField(atMs: number, field: string, zone: string): number {
  const read = FIELDS[field];
  if (!read) throw new Error(`a timestamp has no ${field}()`);
  return read(new Date(atMs + offsetMs(atMs, zone)));
}

function offsetMs(atMs: number, zone: string): number {
  if (zone === "UTC") return 0;
  const fixed = FIXED_OFFSET.exec(zone);
  if (fixed) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  const wall = new Map(
    formatter(zone)
      .formatToParts(new Date(atMs))
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => wall.get(type) ?? 0;
  const shown = new Date(0);
  shown.setUTCFullYear(part("year"), part("month") - 1, part("day"));
  shown.setUTCHours(part("hour") % 24, part("minute"), part("second"));
  return shown.getTime() - Math.floor(atMs / 1000) * 1000;
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    throw new Error(`"${timeZone.slice(0, 60)}" is no time zone`);
  }
}
