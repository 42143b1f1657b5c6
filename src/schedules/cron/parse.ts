/**
 * The project's cron dialect: five fields `minute hour day-of-month month day-of-week`, each a list of `*`, numbers,
 * ranges and steps. No names, no seconds, no `L W # ? H`, no nicknames, no zone in the text: what other readers take
 * in different ways is refused.
 */

export type CronField = "minute" | "hour" | "day of month" | "month" | "day of week";

/** A pattern that was read. Numbers are sorted and stand once; Sunday is 0. */
export interface Cron {
  /** The fields with one space between them. */
  text: string;
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  months: readonly number[];
  daysOfWeek: readonly number[];
  /** Whether the text is anything but `*`: with both restricted, a day that suits either of them counts. */
  daysOfMonthRestricted: boolean;
  daysOfWeekRestricted: boolean;
  /**
   * How the pattern lives through a change of the clocks. True for patterns that go on by the clock's hand (every
   * hour, or minutes given by `*` or a step): they fire whenever the clock shows a time of theirs, so a repeated hour
   * has all its firings and a skipped one has none. False for fixed local times: each fires once a day, a skipped one
   * at the jump, a repeated one the first time.
   */
  followsElapsedTime: boolean;
}

/** Why a text is no pattern of this dialect. */
export interface CronFault {
  kind: "fields" | "list" | "value" | "range" | "step";
  /** Null when the fields cannot be told apart. */
  field: CronField | null;
  /** What was written. */
  value: string;
  message: string;
  /** What would be right. */
  hint: string;
}

export type CronReading = { ok: true; cron: Cron } | { ok: false; fault: CronFault };

interface Bounds {
  field: CronField;
  min: number;
  max: number;
}
const FIELDS = [
  { field: "minute", min: 0, max: 59 },
  { field: "hour", min: 0, max: 23 },
  { field: "day of month", min: 1, max: 31 },
  { field: "month", min: 1, max: 12 },
  { field: "day of week", min: 0, max: 7 },
] as const satisfies readonly Bounds[];

/** Every minute, hour, day and month written out takes less than half of this. */
const MAX_LENGTH = 1024;
const FIVE_FIELDS = "Cron must contain five fields: minute hour day month weekday.";

class Refusal extends Error {
  constructor(readonly fault: CronFault) {
    super(fault.message);
  }
}

/** Reads a pattern; the fault names the field, what was written and what would be right. */
export function parseCron(text: string): CronReading {
  try {
    return { ok: true, cron: read(text) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, fault: error.fault };
    throw error;
  }
}

function read(text: string): Cron {
  const fields = text.length > MAX_LENGTH ? [] : text.split(/[ \t]+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (
    fields.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined
  ) {
    const value = text.slice(0, 64);
    throw new Refusal({
      kind: "fields",
      field: null,
      value,
      message: FIVE_FIELDS,
      hint: shapeHint(text, fields),
    });
  }
  const minutes = readField(minute, FIELDS[0]);
  const hours = readField(hour, FIELDS[1]);
  return {
    text: fields.join(" "),
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: readField(dayOfMonth, FIELDS[2]).values,
    months: readField(month, FIELDS[3]).values,
    daysOfWeek: sortedOnce(readField(dayOfWeek, FIELDS[4]).values.map((day) => day % 7)),
    daysOfMonthRestricted: dayOfMonth !== "*",
    daysOfWeekRestricted: dayOfWeek !== "*",
    followsElapsedTime: minutes.runsOn || minutes.values.length === 60 || hours.values.length === 24,
  };
}

const sortedOnce = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

/** `runsOn`: some entry reaches to the field's end, by `*` or by a step without an end. */
interface FieldReading {
  values: number[];
  runsOn: boolean;
}

function readField(text: string, bounds: Bounds): FieldReading {
  const entries = text.split(",").map((entry) => readEntry(entry, text, bounds));
  return {
    values: sortedOnce(entries.flatMap(({ values }) => values)),
    runsOn: entries.some(({ runsOn }) => runsOn),
  };
}

function readEntry(entry: string, field: string, bounds: Bounds): FieldReading {
  if (entry === "") {
    refuse(
      "list",
      bounds,
      field,
      `The ${bounds.field} "${cut(field)}" has an empty list entry.`,
      "no comma too many",
    );
  }
  const [span = "", step, ...rest] = entry.split("/");
  const every = step === undefined ? 1 : readStep(step, rest, entry, bounds);
  const [first = "", last, ...more] = span.split("-");
  if (more.length > 0) {
    refuse(
      "range",
      bounds,
      entry,
      `"${cut(entry)}" is not a range.`,
      `two numbers, such as ${bounds.min}-${bounds.max}`,
    );
  }
  const wild = span === "*";
  const from = wild ? bounds.min : readNumber(first, bounds);
  const single = !wild && last === undefined && step === undefined;
  const to = last !== undefined && !wild ? readNumber(last, bounds) : single ? from : bounds.max;
  if (from > to) {
    const wrap = `two ranges, such as ${from}-${bounds.max},${bounds.min}-${to}`;
    refuse("range", bounds, entry, `The range "${cut(entry)}" runs backwards.`, wrap);
  }
  const values: number[] = [];
  for (let value = from; value <= to; value += every) values.push(value);
  return { values, runsOn: wild || (last === undefined && step !== undefined) };
}

function readNumber(text: string, bounds: Bounds): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= bounds.min && value <= bounds.max) return value;
  const message = `Cron value "${cut(text)}" is outside ${bounds.min}-${bounds.max}.`;
  return refuse("value", bounds, text, message, valueHint(text, bounds));
}

/** A step greater than the field would only ever give its first value: a mistake. */
function readStep(step: string, rest: readonly string[], entry: string, bounds: Bounds): number {
  const most = bounds.field === "day of week" ? 7 : bounds.max - bounds.min + 1;
  const value = rest.length === 0 && /^\d{1,4}$/.test(step) ? Number(step) : 0;
  if (value >= 1 && value <= most) return value;
  const message = `Invalid step in the ${bounds.field} "${cut(entry)}".`;
  return refuse("step", bounds, entry, message, `a step from 1 to ${most}, such as */${Math.min(5, most)}`);
}

function refuse(
  kind: CronFault["kind"],
  { field }: Bounds,
  value: string,
  message: string,
  hint: string,
): never {
  throw new Refusal({ kind, field, value: cut(value), message, hint });
}

const cut = (text: string): string => (text.length > 32 ? `${text.slice(0, 32)}…` : text);

const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/** What the writer of another dialect should write here. */
function valueHint(text: string, { field, min, max }: Bounds): string {
  const name = text.slice(0, 3).toUpperCase();
  if (field === "day of week" && DAYS.includes(name)) return `${DAYS.indexOf(name)} in place of ${text}`;
  if (field === "month" && MONTHS.includes(name)) return `${MONTHS.indexOf(name) + 1} in place of ${text}`;
  if (text === "?") return "* in place of ?";
  if (/^H/.test(text)) return `a number from ${min} to ${max}: H is a different one each time`;
  if (/[LW#]/i.test(text)) return `numbers from ${min} to ${max}: L, W and # are not part of this dialect`;
  return `numbers from ${min} to ${max}, ranges such as ${min}-${max}, steps such as */2, or *`;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function shapeHint(text: string, fields: readonly string[]): string {
  const [first = ""] = fields;
  if (text.length > MAX_LENGTH) return `at most ${MAX_LENGTH} characters`;
  const nickname = Object.hasOwn(NICKNAMES, first) ? NICKNAMES[first] : undefined;
  if (nickname !== undefined) return `${nickname} in place of ${first}`;
  if (/^(CRON_)?TZ=/.test(first)) return "the zone in a field of its own, not in the pattern";
  if (fields.length === 6) return "no seconds and no year: five fields, such as 0 9 * * 1-5";
  return "five fields with spaces between them, such as 0 9 * * 1-5";
}
