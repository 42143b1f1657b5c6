import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import type { ConsolidationDecision } from "../../../src/learning/decisions";
import {
  chatter,
  consumeAll,
  countOf,
  currentOf,
  db,
  freshOrg,
  learningServices,
  rulesOf,
  say,
} from "./support";

const FIRST = "RULE stacking books in the reading room | stack books by size";
const SECOND = "RULE stacking books in the reading room at night | stack books by author";

/** Learns one rule, then another near it that a model decides about. */
async function decided(decision: ConsolidationDecision) {
  const org = freshOrg();
  const { services, reasoner, clock } = learningServices({
    answers: { consolidate: () => ({ decisions: [decision] }) },
  });
  // Enough talk in between that the last window no longer shows the first rule's turn.
  for (const turns of [[FIRST], chatter(9), [SECOND]]) {
    await say(services, org, { turns, force: true });
    await consumeAll(services, org);
    clock.advance(1_000);
  }
  expect(reasoner.calls.filter((task) => task === "consolidate")).toHaveLength(1);
  return { org, rules: await rulesOf(org) };
}

const lineageOf = (org: string) =>
  db.all(
    z.object({
      op: z.string(),
      entity_id: z.string(),
      source_ids: z.string(),
      to_status: z.string().nullable(),
    }),
    sql`SELECT op, entity_id, source_ids, to_status FROM lineage WHERE org_id = ${org} ORDER BY row`,
  );
const copiesOf = (org: string, id: number) =>
  countOf(
    sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${org} AND topic = 'vector'
        AND key = ${JSON.stringify(["user_playbook", id])}`,
  );

describe("what a decision leaves in the database", () => {
  it("unify: one rule, and a merged tombstone that points to it (trap 30)", async () => {
    const { org, rules } = await decided({
      kind: "unify",
      new_ids: ["NEW-1"],
      archive_existing_ids: ["EXISTING-1"],
      trigger: "stacking books",
      content: "stack books by size, at night by author",
      rationale: "both hold",
    });
    expect(await currentOf(org)).toEqual(["stack books by size, at night by author"]);
    expect(rules).toMatchObject([
      { id: 1, status: "merged", merged_into: 2, superseded_by: null },
      { id: 2, status: null },
    ]);
    expect((await lineageOf(org)).slice(1)).toEqual([
      { op: "create", entity_id: "2", source_ids: "[]", to_status: null },
      { op: "merge", entity_id: "2", source_ids: "[1]", to_status: null },
      { op: "status_change", entity_id: "1", source_ids: "[]", to_status: "merged" },
    ]);
    expect(await copiesOf(org, 1)).toBe(2);
  });

  it("reject_new: nothing new", async () => {
    const { rules } = await decided({
      kind: "reject_new",
      new_ids: ["NEW-1"],
      superseded_by_existing_ids: ["EXISTING-1"],
    });
    expect(rules).toMatchObject([{ id: 1, status: null, content: "stack books by size" }]);
  });

  it("differentiate: two rules, and a superseded tombstone without a pointer (trap 26)", async () => {
    const { rules } = await decided({
      kind: "differentiate",
      new_id: "NEW-1",
      existing_id: "EXISTING-1",
      refined_new_trigger: "stacking books after closing",
      refined_existing_trigger: "stacking books while visitors read",
    });
    expect(rules).toMatchObject([
      { status: "superseded", merged_into: null, superseded_by: null },
      { status: null, trigger: "stacking books after closing", content: "stack books by author" },
      { status: null, trigger: "stacking books while visitors read", content: "stack books by size" },
    ]);
  });

  it("independent: both stand", async () => {
    const { org } = await decided({ kind: "independent", new_ids: ["NEW-1"] });
    expect(await currentOf(org)).toEqual(["stack books by size", "stack books by author"]);
  });
});

it("rules of another user or agent version are never compared with", async () => {
  const org = freshOrg();
  const { services, reasoner } = learningServices();
  await say(services, org, { turns: [FIRST], force: true, userId: "ada" });
  await say(services, org, { turns: [SECOND], force: true, userId: "bob" });
  await consumeAll(services, org);
  expect(reasoner.calls).not.toContain("consolidate");
  expect(await currentOf(org, "ada")).toHaveLength(1);
  expect(await currentOf(org, "bob")).toHaveLength(1);
});
