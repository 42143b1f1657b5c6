/** Verdicts are counted as they come, replace each other and go, and flag a rule that harms. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { giveFeedback } from "../../../src/playbooks/uses";
import { hybridSearch } from "../../../src/search/hybrid";
import { newWorld, seedUser } from "../search/seed";
import { principal, scopeOf } from "./client";
import { agentRule, newOrg, put, db as room, rowsOf, userRule } from "./rules";

const say = (
  orgId: string,
  who: string,
  verdict: "helpful" | "harmful",
  kind: "agent_playbook" | "user_playbook" = "agent_playbook",
) => giveFeedback(scopeOf(principal(who, "agent", orgId)), { kind, id: 1, verdict, interactionId: null });

const ruleOf = async (orgId: string) => {
  const [row] = await rowsOf("agent_playbooks", orgId, "agent_playbook_id");
  return { flags: JSON.parse(String(row?.flags)), version: row?.version, changed: row?.updated_at_ms };
};

const arranged = async (overrides: Parameters<typeof agentRule>[2] = {}) => {
  const org = newOrg();
  await put([agentRule(org.orgId, 1, overrides)], ...insertUserPlaybooks([userRule(org.orgId, 1)]));
  return org;
};

describe("counts of verdicts", () => {
  it("follow verdicts that come, are replaced and are erased", async () => {
    const { orgId } = await arranged();
    const counts = async () =>
      (await rowsOf("rule_verdicts", orgId, "kind")).map(({ kind, helpful, harmful }) => [
        kind,
        helpful,
        harmful,
      ]);
    await say(orgId, "a", "helpful");
    await say(orgId, "a", "helpful");
    await say(orgId, "b", "harmful");
    await say(orgId, "b", "harmful", "user_playbook");
    expect(await counts()).toEqual([
      ["agent_playbook", 1, 1],
      ["user_playbook", 0, 1],
    ]);
    await say(orgId, "a", "harmful");
    expect(await counts()).toEqual([
      ["agent_playbook", 0, 2],
      ["user_playbook", 0, 1],
    ]);
    await room.run({
      text: "DELETE FROM rule_feedback WHERE org_id = ? AND kind = 'agent_playbook'",
      params: [orgId],
    });
    expect(await counts()).toEqual([["user_playbook", 0, 1]]);
  });
});

describe("the flag harmful", () => {
  it("comes with the third harmful verdict and goes when it is outweighed or taken back", async () => {
    const { orgId } = await arranged({ flags: ["thin_support"] });
    for (const who of ["a", "b"]) await say(orgId, who, "harmful");
    expect((await ruleOf(orgId)).flags).toEqual(["thin_support"]);
    await say(orgId, "c", "harmful");
    expect((await ruleOf(orgId)).flags).toEqual(["thin_support", "harmful"]);
    await say(orgId, "d", "harmful");
    expect((await ruleOf(orgId)).flags).toEqual(["thin_support", "harmful"]);
    for (const who of ["e", "f", "g", "h"]) await say(orgId, who, "helpful");
    expect((await ruleOf(orgId)).flags).toEqual(["thin_support"]);
  });

  it("is not set where as many found the rule helpful", async () => {
    const { orgId } = await arranged();
    for (const who of ["a", "b", "c"]) await say(orgId, who, "helpful");
    for (const who of ["d", "e", "f"]) await say(orgId, who, "harmful");
    expect((await ruleOf(orgId)).flags).toEqual([]);
  });

  it("makes a reviewer who has the unflagged rule before them look again", async () => {
    const { orgId, anna } = await arranged();
    const before = await ruleOf(orgId);
    for (const who of ["a", "b", "c"]) await say(orgId, who, "harmful");
    const after = await ruleOf(orgId);
    expect(after.version).toBe(Number(before.version) + 1);
    const headers = { "if-match": `"${before.version}"` };
    await expect(
      changeAgentPlaybook(scopeOf(anna, { headers }), 1, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({ kind: "precondition_failed" });
  });

  it("leaves the version of a decided rule alone, so that the decision can be undone, and survives an approval", async () => {
    const { orgId, anna } = await arranged();
    for (const who of ["a", "b", "c"]) await say(orgId, who, "harmful");
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    const approved = await ruleOf(orgId);
    expect(approved.flags).toEqual(["harmful"]);
    for (const who of ["e", "f", "g"]) await say(orgId, who, "helpful");
    expect(await ruleOf(orgId)).toEqual({ ...approved, flags: [] });
  });
});

describe("a search", () => {
  it("ranks a harmful rule lower in the same statements, and one that nobody rated as ever", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher lost", degrees: null },
      { userPlaybookId: 2, content: "voucher lost", degrees: null },
      { userPlaybookId: 3, content: "voucher lost", degrees: null },
    );
    const ask = async (query: string | null) => {
      world.d1.batches.length = 0;
      const { userPlaybooks } = await hybridSearch(world.services, world.d1.db, {
        ...{ orgId: world.orgId, query, mode: "fts", topK: 3, threshold: null },
        ...{ userPlaybooks: {}, agentPlaybooks: null },
      });
      return { ids: userPlaybooks.map(({ id }) => id), batches: [...world.d1.batches] };
    };
    expect(await ask("lost voucher")).toEqual({ ids: [1, 2, 3], batches: [1] });
    const newest = await ask(null);
    for (const who of ["a", "b", "c"]) await say(world.orgId, who, "harmful", "user_playbook");
    expect(await ask("lost voucher")).toEqual({ ids: [2, 3, 1], batches: [1] });
    expect(await ask(null)).toEqual(newest);
  });
});
