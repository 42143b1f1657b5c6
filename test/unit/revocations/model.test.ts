/** Targets, reasons and support: the pure parts of a revocation. */
import { describe, expect, it } from "vitest";
import { reasonSchema, revokeBody, targetBody, targetOf } from "../../../src/revocations/model";
import { firstToLeave } from "../../../src/revocations/run";
import { supportAfter } from "../../../src/revocations/support";

describe("a target", () => {
  it("is the same whatever the order and number of its turns", () => {
    const of = (interaction_ids: number[]) =>
      targetOf(targetBody.parse({ kind: "interaction", user_id: "ada", interaction_ids }));
    expect(of([10, 9, 2, 9])).toEqual({ kind: "interaction", userId: "ada", interactionIds: [2, 9, 10] });
    expect(of([2, 9, 10])).toEqual(of([10, 2, 9]));
  });

  it("of a whole user names no turns", () => {
    const body = revokeBody.parse({ kind: "user", user_id: "ada", reason: "r", token: "t" });
    expect(targetOf(body)).toEqual({ kind: "user", userId: "ada", interactionIds: [] });
  });
});

describe("a reason", () => {
  it.each([
    ["  spaced  ", "spaced"],
    ["two\r\nlines", "two\nlines"],
    ["bell\u0007 and tab\there", "bell  and tab here"],
    ["turned \u202eround\u2066", "turned  round"],
  ])("is cleaned: %j", (given, kept) => {
    expect(reasonSchema.parse(given)).toBe(kept);
  });

  it.each([[""], [" \n "], ["\u0000\u001b"], ["a".repeat(1_001)]])("is refused: %j", (given) => {
    expect(reasonSchema.safeParse(given).success).toBe(false);
  });
});

describe("support that remains", () => {
  const remaining = { sources: 3, users: 1, flags: ["few_distinct_users", "tainted"] as const };

  it("is written into what aggregation noted, and what else stands there stays", () => {
    const playbookMetadata = JSON.stringify({ source_count: 5, distinct_users: 4, model: "m" });
    expect(supportAfter({ flags: ["tainted"], playbookMetadata }, remaining)).toEqual({
      flags: ["few_distinct_users", "tainted"],
      metadata: JSON.stringify({ source_count: 3, distinct_users: 1, model: "m" }),
    });
  });

  it.each([[""], ["by hand"], ["[1]"], ['{"source_count":"many"}'], ["null"]])(
    "is written nowhere else: %j",
    (playbookMetadata) => {
      expect(supportAfter({ flags: [], playbookMetadata }, remaining)?.metadata).toBe(playbookMetadata);
    },
  );

  it("changes nothing where the rule says so already, in whatever order", () => {
    const playbookMetadata = JSON.stringify({ source_count: 3, distinct_users: 1 });
    const told = { flags: ["tainted", "few_distinct_users"] as const, playbookMetadata };
    expect(supportAfter({ ...told, flags: [...told.flags] }, remaining)).toBeNull();
    expect(supportAfter({ ...told, flags: ["tainted", "thin_support"] }, remaining)).not.toBeNull();
  });
});

describe("the rules of one batch", () => {
  const row = (id: number, is_served: boolean) => ({ id, version: 1, is_served });

  it("are those in service first, agents' before users', however many others there are", () => {
    const agentPlaybooks = [row(1, true), ...Array.from({ length: 3_000 }, (_, at) => row(at + 2, false))];
    const userPlaybooks = [row(1, true), row(2, true), row(3, false)];
    const first = firstToLeave({ agentPlaybooks, userPlaybooks });
    expect(first.userPlaybookIds).toEqual([1, 2]);
    expect(first.agentPlaybookIds.slice(0, 3)).toEqual([1, 2, 3]);
    expect(first.userPlaybookIds.length + first.agentPlaybookIds.length).toBe(2_000);
  });
});
