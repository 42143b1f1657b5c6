/** Figures of a period and of the one before it, day by day. Pure. */
import type { DailyCounts } from "./stats-store";

const DAY_SEC = 86_400;

export interface PeriodFigures {
  total_profiles: number;
  total_interactions: number;
  total_playbooks: number;
  /** Percent of the sessions with an outcome that ended in success; 0 without any. */
  success_rate: number;
}

export interface Point {
  /** Begin of the UTC day, seconds. */
  timestamp: number;
  value: number;
  /** How many sessions a rate is of. */
  count?: number;
}

export interface Figures {
  current_period: PeriodFigures;
  previous_period: PeriodFigures;
  interactions_time_series: Point[];
  profiles_time_series: Point[];
  playbooks_time_series: Point[];
  evaluations_time_series: Point[];
}

/** The first day that figures of `days` days need: the period ends with today, the previous one before it. */
export const firstDayOf = (today: number, days: number): number => today - 2 * days + 1;

const rate = (successes: number, failures: number): number =>
  successes + failures === 0 ? 0 : (100 * successes) / (successes + failures);

/**
 * @param today days since the epoch
 * @param days length of the period, in UTC days, today included
 */
export function figuresOf({ turns, rules, outcomes }: DailyCounts, today: number, days: number): Figures {
  const turnsOf = new Map(turns.map(({ day, count }) => [day, count]));
  const rulesOf = new Map(rules.map(({ day, count }) => [day, count]));
  const outcomesOf = new Map(outcomes.map((row) => [row.day, row]));
  const daysFrom = (first: number) => Array.from({ length: days }, (_, at) => first + at);
  const total = (counts: ReadonlyMap<number, number>, over: readonly number[]) =>
    over.reduce((sum, day) => sum + (counts.get(day) ?? 0), 0);
  const period = (over: readonly number[]): PeriodFigures => {
    const ended = over.flatMap((day) => outcomesOf.get(day) ?? []);
    const sum = (key: "successes" | "failures") => ended.reduce((all, row) => all + row[key], 0);
    return {
      total_profiles: 0,
      total_interactions: total(turnsOf, over),
      total_playbooks: total(rulesOf, over),
      success_rate: rate(sum("successes"), sum("failures")),
    };
  };
  const current = daysFrom(today - days + 1);
  const series = (counts: ReadonlyMap<number, number>): Point[] =>
    current.map((day) => ({ timestamp: day * DAY_SEC, value: counts.get(day) ?? 0 }));
  return {
    current_period: period(current),
    previous_period: period(daysFrom(firstDayOf(today, days))),
    interactions_time_series: series(turnsOf),
    profiles_time_series: series(new Map()),
    playbooks_time_series: series(rulesOf),
    // A day without outcomes has no rate.
    evaluations_time_series: current.flatMap((day) => {
      const { successes = 0, failures = 0 } = outcomesOf.get(day) ?? {};
      const count = successes + failures;
      return count === 0 ? [] : [{ timestamp: day * DAY_SEC, value: rate(successes, failures), count }];
    }),
  };
}
