/** What starts a rebuild, and how long a failed attempt waits. */
import { expect, test } from "vitest";
import { backOffMs } from "../../../src/aggregation/rebuild-back-off";
import { neededRules } from "../../../src/aggregation/rebuild-gate";

test.each([
  [-3, 2],
  [0, 2],
  [1, 1],
  [2, 2],
  [7, 7],
])("trap 52: a trigger count of %i needs %i rules", (count, rules) => {
  expect(neededRules({ reaggregation_trigger_count: count })).toBe(rules);
});

test("attempts wait 1, 2, 4 … minutes, at most an hour", () => {
  expect([1, 2, 3, 4, 5, 7, 40].map((attempts) => backOffMs(attempts) / 1000)).toEqual([
    60, 120, 240, 480, 960, 3600, 3600,
  ]);
});
