/** Figures of a period and of the one before it. */
import { describe, expect, it } from "vitest";
import { figuresOf, firstDayOf } from "../../../src/playbooks/stats";

const TODAY = 20_000;

describe("figures of a period", () => {
  it("are of whole days, the present one included, and of as many before them", () => {
    const at = (day: number, count: number) => ({ day, count });
    const counts = {
      turns: [at(TODAY, 4), at(TODAY - 1, 3), at(TODAY - 2, 20), at(TODAY - 3, 10)],
      rules: [at(TODAY - 1, 2), at(TODAY - 2, 1)],
      outcomes: [
        { day: TODAY, successes: 3, failures: 1 },
        { day: TODAY - 1, successes: 0, failures: 4 },
        { day: TODAY - 3, successes: 1, failures: 0 },
      ],
    };
    expect(firstDayOf(TODAY, 2)).toBe(TODAY - 3);
    expect(figuresOf(counts, TODAY, 2)).toEqual({
      current_period: {
        ...{ total_profiles: 0, total_interactions: 7, total_playbooks: 2, success_rate: 37.5 },
      },
      previous_period: {
        ...{ total_profiles: 0, total_interactions: 30, total_playbooks: 1, success_rate: 100 },
      },
      interactions_time_series: [
        { timestamp: (TODAY - 1) * 86_400, value: 3 },
        { timestamp: TODAY * 86_400, value: 4 },
      ],
      profiles_time_series: [
        { timestamp: (TODAY - 1) * 86_400, value: 0 },
        { timestamp: TODAY * 86_400, value: 0 },
      ],
      playbooks_time_series: [
        { timestamp: (TODAY - 1) * 86_400, value: 2 },
        { timestamp: TODAY * 86_400, value: 0 },
      ],
      evaluations_time_series: [
        { timestamp: (TODAY - 1) * 86_400, value: 0, count: 4 },
        { timestamp: TODAY * 86_400, value: 75, count: 4 },
      ],
    });
  });

  it("without anything are zeros, and a rate of nothing is no point", () => {
    const nothing = figuresOf({ turns: [], rules: [], outcomes: [] }, TODAY, 1);
    expect(nothing.current_period.success_rate).toBe(0);
    expect(nothing.evaluations_time_series).toEqual([]);
    expect(nothing.interactions_time_series).toHaveLength(1);
  });
});
