/**
 * Time zones by `Intl`: offsets, changes of the clocks, and which instants a local time stands for. A local time is a
 * number here, too: the milliseconds that a clock in UTC would have when it shows the same date and time.
 */

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One formatter a zone, since making one takes a hundred times as long as using it. Names are few, so it stays small. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  // Names of zones do not depend on case, and spellings could be many.
  const key = zone.toLowerCase();
  const known = formatters.get(key);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formatters.set(key, formatter);
  return formatter;
}

/** Whether a name is that of a zone in the IANA database. Offsets such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * What a zone's clocks are ahead of UTC at an instant, in milliseconds.
 * @throws RangeError when there is no such zone
 */
export function offsetMs(zone: string, atMs: number): number {
  const wholeMs = Math.floor(atMs / SECOND_MS) * SECOND_MS;
  // `formatToParts` says the same and takes five times as long; `en-US` writes 3/29/2026, 01:30:00.
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    formatterOf(zone).format(wholeMs).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs;
}

/**
 * The first change of the clocks after `fromMs`, at `toMs` at the latest: the instant from which the new offset counts.
 * `stepMs` must be shorter than the time between two changes that undo each other: weeks, in every zone of this century.
 */
export function firstChange(zone: string, fromMs: number, toMs: number, stepMs = DAY_MS): number | null {
  const offset = offsetMs(zone, fromMs);
  for (let before = fromMs; before < toMs; ) {
    const after = Math.min(before + stepMs, toMs);
    if (offsetMs(zone, after) !== offset) return bisect(zone, before, after);
    before = after;
  }
  return null;
}

/** The instant between two with different offsets at which the second one's offset begins. */
function bisect(zone: string, fromMs: number, toMs: number): number {
  const offset = offsetMs(zone, fromMs);
  let low = Math.floor(fromMs / SECOND_MS);
  let high = Math.floor(toMs / SECOND_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle * SECOND_MS) === offset) low = middle;
    else high = middle;
  }
  return high * SECOND_MS;
}

/** What a local time stands for: one instant, two of them, or the jump of the clocks that leaves it out. */
export type LocalTime =
  | { kind: "once"; atMs: number }
  | { kind: "twice"; atMs: number; againMs: number }
  | { kind: "skipped"; jumpMs: number };

/** Which instants a local time stands for in a zone. */
export function instantsOf(zone: string, localMs: number): LocalTime {
  // No zone is a day or more away from UTC, so the offset at the local time is one of these two.
  const before = offsetMs(zone, localMs - DAY_MS);
  const after = offsetMs(zone, localMs + DAY_MS);
  if (before === after) return { kind: "once", atMs: localMs - before };
  const early = localMs - before;
  const late = localMs - after;
  const isEarly = offsetMs(zone, early) === before;
  const isLate = offsetMs(zone, late) === after;
  if (isEarly && isLate) return { kind: "twice", atMs: early, againMs: late };
  if (isEarly) return { kind: "once", atMs: early };
  if (isLate) return { kind: "once", atMs: late };
  return { kind: "skipped", jumpMs: bisect(zone, late, early) };
}
