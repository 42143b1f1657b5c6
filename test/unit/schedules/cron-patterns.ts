/** Random patterns with what they mean, known without the parser. */
import fc from "fast-check";

export interface Field {
  text: string;
  values: ReadonlySet<number>;
  /** Whether an entry runs to the field's end by itself. */
  runsOn: boolean;
}
export interface Pattern {
  text: string;
  minute: Field;
  hour: Field;
  dayOfMonth: Field;
  month: Field;
  /** Sunday is 0. */
  dayOfWeek: Field;
}

const values = (from: number, to: number, step: number): number[] => {
  const found: number[] = [];
  for (let value = from; value <= to; value += step) found.push(value);
  return found;
};

function entry(min: number, max: number): fc.Arbitrary<Field> {
  const number = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: Math.min(max - min, 30) });
  const of = (text: string, list: readonly number[], runsOn: boolean): Field => ({
    text,
    values: new Set(list),
    runsOn,
  });
  return fc.oneof(
    { weight: 3, arbitrary: number.map((value) => of(`${value}`, [value], false)) },
    fc.tuple(number, number, step).map(([a, b, every]) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      return of(`${from}-${to}/${every}`, values(from, to, every), false);
    }),
    step.map((every) => of(`*/${every}`, values(min, max, every), true)),
    fc.tuple(number, step).map(([from, every]) => of(`${from}/${every}`, values(from, max, every), true)),
  );
}

const field = (min: number, max: number, star: number): fc.Arbitrary<Field> =>
  fc.oneof(
    {
      weight: star,
      arbitrary: fc.constant({ text: "*", values: new Set(values(min, max, 1)), runsOn: true }),
    },
    {
      weight: 10 - star,
      arbitrary: fc.array(entry(min, max), { minLength: 1, maxLength: 3 }).map((entries) => ({
        text: entries.map(({ text }) => text).join(","),
        values: new Set(entries.flatMap((one) => [...one.values])),
        runsOn: entries.some(({ runsOn }) => runsOn),
      })),
    },
  );

/** Patterns whose minutes and hours are few enough to meet a change of the clocks often. */
export const patterns: fc.Arbitrary<Pattern> = fc
  .tuple(field(0, 59, 1), field(0, 23, 4), field(1, 31, 7), field(1, 12, 8), field(0, 7, 6))
  .map(([minute, hour, dayOfMonth, month, week]) => ({
    text: [minute, hour, dayOfMonth, month, week].map(({ text }) => text).join(" "),
    minute,
    hour,
    dayOfMonth,
    month,
    dayOfWeek: { ...week, values: new Set([...week.values].map((day) => day % 7)) },
  }));

/** Whether a local time, as milliseconds of a clock in UTC, is one of the pattern's. */
export function matches(pattern: Pattern, localMs: number): boolean {
  const date = new Date(localMs);
  const byMonth = pattern.dayOfMonth.values.has(date.getUTCDate());
  const byWeek = pattern.dayOfWeek.values.has(date.getUTCDay());
  const either = pattern.dayOfMonth.text !== "*" && pattern.dayOfWeek.text !== "*";
  return (
    pattern.minute.values.has(date.getUTCMinutes()) &&
    pattern.hour.values.has(date.getUTCHours()) &&
    pattern.month.values.has(date.getUTCMonth() + 1) &&
    (either ? byMonth || byWeek : byMonth && byWeek)
  );
}
