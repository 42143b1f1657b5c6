/** The cron dialect: what is read, and what is refused with which words. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neverFires, nextLocalTime, smallestGapMs } from "../../../src/schedules/cron/calendar";
import { type Cron, type CronFault, parseCron } from "../../../src/schedules/cron/parse";

const read = (text: string): Cron => {
  const reading = parseCron(text);
  if (!reading.ok) throw new Error(`${text}: ${reading.fault.message}`);
  return reading.cron;
};
const faultOf = (text: string): CronFault => {
  const reading = parseCron(text);
  if (reading.ok) throw new Error(`${text} was read`);
  return reading.fault;
};

describe("reading a pattern", () => {
  it("reads stars, numbers, lists, ranges and steps", () => {
    expect(read("5,10-12,40-59/10 */6 1,15 1-3 1-5")).toMatchObject({
      minutes: [5, 10, 11, 12, 40, 50],
      hours: [0, 6, 12, 18],
      daysOfMonth: [1, 15],
      months: [1, 2, 3],
      daysOfWeek: [1, 2, 3, 4, 5],
    });
  });

  it("lets a step without an end run to the field's end", () => {
    expect(read("5/10 20/2 25/3 11/1 *").minutes).toEqual([5, 15, 25, 35, 45, 55]);
    expect(read("5/10 20/2 25/3 11/1 *").hours).toEqual([20, 22]);
    expect(read("5/10 20/2 25/3 11/1 *").daysOfMonth).toEqual([25, 28, 31]);
    expect(read("5/10 20/2 25/3 11/1 *").months).toEqual([11, 12]);
  });

  it("takes 0 and 7 for Sunday, in ranges and steps too", () => {
    expect(read("0 0 * * 0").daysOfWeek).toEqual([0]);
    expect(read("0 0 * * 7").daysOfWeek).toEqual([0]);
    expect(read("0 0 * * 0,7").daysOfWeek).toEqual([0]);
    expect(read("0 0 * * 5-7").daysOfWeek).toEqual([0, 5, 6]);
    expect(read("0 0 * * 1/2").daysOfWeek).toEqual([0, 1, 3, 5]);
    expect(read("0 0 * * */2").daysOfWeek).toEqual([0, 2, 4, 6]);
  });

  it("sorts what is named and names nothing twice", () => {
    expect(read("50,5,5,1-6 0 * * *").minutes).toEqual([1, 2, 3, 4, 5, 6, 50]);
  });

  it("takes a day field for open only if it is exactly a star", () => {
    const restricted = (text: string) => {
      const cron = read(text);
      return [cron.daysOfMonthRestricted, cron.daysOfWeekRestricted];
    };
    expect(restricted("0 0 * * *")).toEqual([false, false]);
    expect(restricted("0 0 */1 * *")).toEqual([true, false]);
    expect(restricted("0 0 1-31 * 0-6")).toEqual([true, true]);
    expect(restricted("0 0 *,1 * */1")).toEqual([true, true]);
  });

  it("allows spaces and tabs around and between the fields, and nothing else", () => {
    expect(read("  0\t9  * * 1-5 ").text).toBe("0 9 * * 1-5");
    expect(parseCron("0 9 * *\n1-5").ok).toBe(false);
    expect(parseCron("0 9 * * 1-5\n").ok).toBe(false);
  });

  it.each([
    ["*/15 * * * *", true],
    ["0 * * * *", true],
    ["0 0-23 * * *", true],
    ["0 */1 * * *", true],
    ["*/15 1 * * *", true],
    ["7/10 1 * * *", true],
    ["0-59 1 * * *", true],
    ["30 1 * * *", false],
    ["0,30 1 * * *", false],
    ["0-40/20 1 * * *", false],
    ["0 */2 * * *", false],
    ["0 1-3 * * *", false],
  ])("knows whether %s follows elapsed time: %s", (text, follows) => {
    expect(read(text).followsElapsedTime).toBe(follows);
  });
});

describe("refusing a text", () => {
  const FIVE = "Cron must contain five fields: minute hour day month weekday.";

  it.each([
    ["", FIVE, "five fields"],
    ["* * * *", FIVE, "five fields"],
    ["0 0 0 * * *", FIVE, "no seconds"],
    ["0 0 0 1 1 * 2026", FIVE, "five fields"],
    ["@daily", FIVE, "0 0 * * * in place of @daily"],
    ["@reboot", FIVE, "five fields"],
    ["TZ=Europe/London 0 9 * * *", FIVE, "the zone in a field of its own"],
    ["CRON_TZ=UTC 0 9 * * *", FIVE, "the zone in a field of its own"],
  ])("%j: not five fields", (text, message, hint) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ kind: "fields", field: null, message });
    expect(fault.hint).toContain(hint);
  });

  it.each([
    ["60 * * * *", "minute", 'Cron value "60" is outside 0-59.', "0-59"],
    ["* 24 * * *", "hour", 'Cron value "24" is outside 0-23.', "0-23"],
    ["* * 0 * *", "day of month", 'Cron value "0" is outside 1-31.', "1-31"],
    ["* * * 13 *", "month", 'Cron value "13" is outside 1-12.', "1-12"],
    ["* * * * 8", "day of week", 'Cron value "8" is outside 0-7.', "0-7"],
    ["* * * * MON-FRI", "day of week", 'Cron value "MON" is outside 0-7.', "1 in place of MON"],
    ["* * * dec *", "month", 'Cron value "dec" is outside 1-12.', "12 in place of dec"],
    ["H * * * *", "minute", 'Cron value "H" is outside 0-59.', "H is a different one each time"],
    ["* * L * *", "day of month", 'Cron value "L" is outside 1-31.', "not part of this dialect"],
    ["* * 15W * *", "day of month", 'Cron value "15W" is outside 1-31.', "not part of this dialect"],
    ["* * * * 5#2", "day of week", 'Cron value "5#2" is outside 0-7.', "not part of this dialect"],
    ["* * ? * *", "day of month", 'Cron value "?" is outside 1-31.', "* in place of ?"],
    ["*-5 * * * *", "minute", 'Cron value "*" is outside 0-59.', "0-59"],
    ["+5 * * * *", "minute", 'Cron value "+5" is outside 0-59.', "0-59"],
    ["1.5 * * * *", "minute", 'Cron value "1.5" is outside 0-59.', "0-59"],
    ["٣ * * * *", "minute", 'Cron value "٣" is outside 0-59.', "0-59"],
    ["1- * * * *", "minute", 'Cron value "" is outside 0-59.', "0-59"],
    ["5-200 * * * *", "minute", 'Cron value "200" is outside 0-59.', "0-59"],
  ])("%j: a value that the field does not have", (text, field, message, hint) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ kind: "value", field, message });
    expect(fault.hint).toContain(hint);
  });

  it.each([
    ["1,,2 * * * *", "list", "minute", 'The minute "1,,2" has an empty list entry.'],
    [", * * * *", "list", "minute", 'The minute "," has an empty list entry.'],
    ["* 1, * * *", "list", "hour", 'The hour "1," has an empty list entry.'],
    ["5-1 * * * *", "range", "minute", 'The range "5-1" runs backwards.'],
    ["* * * * 6-0", "range", "day of week", 'The range "6-0" runs backwards.'],
    ["1-2-3 * * * *", "range", "minute", '"1-2-3" is not a range.'],
    ["*/0 * * * *", "step", "minute", 'Invalid step in the minute "*/0".'],
    ["*/90 * * * *", "step", "minute", 'Invalid step in the minute "*/90".'],
    ["*/ * * * *", "step", "minute", 'Invalid step in the minute "*/".'],
    ["*/-5 * * * *", "step", "minute", 'Invalid step in the minute "*/-5".'],
    ["*/5/5 * * * *", "step", "minute", 'Invalid step in the minute "*/5/5".'],
    ["* 0-4/25 * * *", "step", "hour", 'Invalid step in the hour "0-4/25".'],
    ["* * * * */8", "step", "day of week", 'Invalid step in the day of week "*/8".'],
  ])("%j: %s", (text, kind, field, message) => {
    expect(faultOf(text)).toMatchObject({ kind, field, message });
  });

  it("names the wrong entry of a long list, cut to a readable length", () => {
    const fault = faultOf(`${"9".repeat(500)} * * * *`);
    expect(fault.value.length).toBeLessThan(40);
    expect(fault.message.length).toBeLessThan(100);
  });

  it("refuses a text too long to be a pattern unread", () => {
    expect(faultOf(`${"0,".repeat(5000)}0 * * * *`)).toMatchObject({ kind: "fields", field: null });
  });

  it("never throws, whatever is written", () => {
    const word = fc.stringMatching(/^[0-9*,/\-LW#?HA-Za-z@= ]{0,12}$/);
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 7 }), (words) => {
        const reading = parseCron(words.join(" "));
        if (!reading.ok) {
          expect(reading.fault.message).not.toBe("");
          expect(reading.fault.hint).not.toBe("");
        }
      }),
    );
  });

  it("reads again what it has read, to the same pattern", () => {
    const field = (min: number, max: number) => {
      const value = fc.integer({ min, max });
      const step = fc.integer({ min: 1, max: max - min });
      return fc
        .array(
          fc.oneof(
            fc.constant("*"),
            value.map(String),
            fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
            step.map((every) => `*/${every}`),
            fc.tuple(value, step).map(([from, every]) => `${from}/${every}`),
          ),
          { minLength: 1, maxLength: 4 },
        )
        .map((entries) => entries.join(","));
    };
    const pattern = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7));
    fc.assert(
      fc.property(pattern, (fields) => {
        const cron = read(fields.join(" "));
        expect(read(cron.text)).toEqual(cron);
        for (const values of [cron.minutes, cron.hours, cron.daysOfMonth, cron.months, cron.daysOfWeek]) {
          expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
          expect(values.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("days that never come", () => {
  it.each([
    ["0 0 30 2 *", true],
    ["0 0 31 2,4,6,9,11 *", true],
    ["0 0 30,31 2 *", true],
    ["* * 31 4-4 *", true],
    ["0 0 29 2 *", false],
    ["0 0 31 4,5 *", false],
    ["0 0 30 2 1", false],
    ["0 0 29 2 1", false],
    ["0 0 30 2 */1", false],
    ["0 0 */1 2 *", false],
  ])("%s never fires: %s", (text, never) => {
    const cron = read(text);
    expect(neverFires(cron)).toBe(never);
    expect(nextLocalTime(cron, Date.UTC(2096, 2, 1)) === null).toBe(never);
  });

  it("finds the leap day even where it is eight years away", () => {
    expect(nextLocalTime(read("0 0 29 2 *"), Date.UTC(2096, 2, 1))).toBe(Date.UTC(2104, 1, 29));
  });
});

describe("the smallest gap between firings", () => {
  const minutes = (text: string) => smallestGapMs(read(text)) / 60_000;
  const DAY = 24 * 60;
  it.each([
    ["* * * * *", 1],
    ["*/15 * * * *", 15],
    ["0,7,50 * * * *", 7],
    ["50,59 0,1 * * *", 9],
    ["0,59 0,23 * * *", 1],
    ["0 0,23 * * *", 60],
    ["0 0,23 * * 1", 23 * 60],
    ["0 9 * * *", DAY],
    ["0 9 * * 1", 7 * DAY],
    ["0 9 * * 1,3", 2 * DAY],
    ["0 9 1 * *", 28 * DAY],
    ["0 9 31 * *", 31 * DAY],
    ["0 9 1 1 *", 365 * DAY],
    ["0 9 29 2 *", 1461 * DAY],
    ["0 9 13 * 5", DAY],
    ["0 9 31 12 *", 365 * DAY],
    ["0 9 1,31 * *", DAY],
  ])("%s: %d minutes", (text, expected) => {
    expect(minutes(text)).toBe(expected);
  });

  it("is endless for what never fires", () => {
    expect(smallestGapMs(read("0 0,12 30 2 *"))).toBe(Number.POSITIVE_INFINITY);
    expect(smallestGapMs(read("0 0 30 2 *"))).toBe(Number.POSITIVE_INFINITY);
  });

  it("is never longer than a gap that the calendar shows", () => {
    const few = (min: number, max: number) =>
      fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(few(0, 59), few(0, 23), few(1, 28), few(1, 12), (minute, hour, day, month) => {
        const cron = read(`${minute} ${hour} ${day} ${month} *`);
        const gap = smallestGapMs(cron);
        let shortest = Number.POSITIVE_INFINITY;
        let last = nextLocalTime(cron, Date.UTC(2025, 0, 1));
        for (let i = 0; i < 40 && last !== null; i++) {
          const next = nextLocalTime(cron, last + 60_000);
          if (next !== null) shortest = Math.min(shortest, next - last);
          last = next;
        }
        expect(shortest).toBeGreaterThanOrEqual(gap);
      }),
      { numRuns: 50 },
    );
  });
});
