import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flagsOf, flagsOfRule, refreshedFlags } from "../../../src/playbooks/flags";
import { textFlags } from "../../../src/playbooks/model";
import { benignRules, hostileRules } from "./corpus";

describe("flags of a rule's text", () => {
  it("flags at most 2 % of benign rules", () => {
    const flagged = benignRules.filter((rule) => flagsOf(rule).length > 0);
    expect(benignRules.length).toBeGreaterThanOrEqual(60);
    expect(flagged.map((rule) => [rule, flagsOf(rule)])).toEqual([]);
  });

  it.each(hostileRules)("finds %s in: %s", (flag, rule) => {
    expect(flagsOf(rule)).toContain(flag);
  });
});
