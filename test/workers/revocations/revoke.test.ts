/** What a revocation does to each rule derived from its target. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { parseConfig } from "../../../src/orgs/config";
import { useConfig } from "../../../src/orgs/config-store";
import {
  agentsOf,
  count,
  db,
  lineageOf,
  NOW_MS,
  newRoom,
  revokeNow,
  seedAgents,
  seedUsers,
  turnsOf,
  usersOf,
  wholeUser,
} from "./support";

describe("revoking a user", () => {
  it("sends CURRENT and approved rules back to review with the reason, and only marks the others", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1 },
      { userPlaybookId: 2, status: "pending" },
      { userPlaybookId: 3, status: "archived" },
      { userPlaybookId: 4, status: "superseded" },
      { userPlaybookId: 5, userId: "ada" },
    );
    await seedAgents(
      orgId,
      { agentPlaybookId: 1, sources: [1, 5] },
      { agentPlaybookId: 2, sources: [1], playbookStatus: "pending" },
      { agentPlaybookId: 3, sources: [4], playbookStatus: "rejected", decidedBy: "zoe" },
      { agentPlaybookId: 4, sources: [5] },
    );
    const revocation = await revokeNow(scope, wholeUser(), "an attacker");
    expect(revocation).toMatchObject({
      state: "done",
      touched: { turns: 0, windows: 0, user_playbooks: 3, agent_playbooks: 3 },
    });
    expect((await usersOf(orgId)).map(({ id, status, flags }) => [id, status, flags])).toEqual([
      [1, "pending", ["tainted"]],
      [2, "pending", ["tainted"]],
      [3, "archived", ["tainted"]],
      [4, "superseded", []],
      [5, null, []],
    ]);
    expect(await agentsOf(orgId)).toMatchObject([
      {
        id: 1,
        approval: "pending",
        flags: ["few_distinct_users", "thin_support", "tainted"],
        by: "rita",
        status: null,
      },
      { id: 2, approval: "pending", flags: ["few_distinct_users", "thin_support", "tainted"], by: null },
      { id: 3, approval: "rejected", flags: ["few_distinct_users", "thin_support", "tainted"], by: "zoe" },
      { id: 4, approval: "approved", flags: [], version: 1 },
    ]);
    const told = { actor: "rita", reason: "an attacker" };
    expect(await lineageOf(orgId, revocation.revocationId)).toEqual([
      { type: "agent_playbook", id: "1", from: "approved", to: "pending", space: "approval", ...told },
      { type: "agent_playbook", id: "2", from: "pending", to: "pending", space: "approval", ...told },
      { type: "agent_playbook", id: "3", from: "rejected", to: "rejected", space: "approval", ...told },
      { type: "user_playbook", id: "1", from: null, to: "pending", space: "lifecycle", ...told },
      { type: "user_playbook", id: "2", from: "pending", to: "pending", space: "lifecycle", ...told },
      { type: "user_playbook", id: "3", from: "archived", to: "archived", space: "lifecycle", ...told },
    ]);
    const audited = await db.batch([
      sql`SELECT action, principal_id AS who, entity_id AS id FROM audit WHERE org_id = ${orgId} ORDER BY action, id`,
    ]);
    expect(audited[0]?.rows).toEqual([
      { action: "reopen.agent_playbook", who: "rita", id: "1" },
      { action: "revoke.user", who: "rita", id: revocation.revocationId },
      { action: "taint.agent_playbook", who: "rita", id: "2" },
      { action: "taint.agent_playbook", who: "rita", id: "3" },
    ]);
  });

  it("leaves other orgs, other users and their rules as they are", async () => {
    const mine = newRoom();
    const other = newRoom();
    for (const { orgId } of [mine, other]) {
      await seedUsers(orgId, { userPlaybookId: 1 }, { userPlaybookId: 2, userId: "ada" });
      await seedAgents(orgId, { agentPlaybookId: 1, sources: [1, 2] });
    }
    const before = [await usersOf(other.orgId), await agentsOf(other.orgId)];
    await revokeNow(mine.scope, wholeUser());
    expect([await usersOf(other.orgId), await agentsOf(other.orgId)]).toEqual(before);
    expect((await usersOf(mine.orgId))[1]).toMatchObject({ status: null, flags: [], updated: NOW_MS });
  });

  it("counts again what an agent rule rests on, and flags it where too few users remain", async () => {
    const { orgId, scope } = newRoom();
    const metadata = JSON.stringify({ source_count: 4, distinct_users: 3, provider: "p", model: "m" });
    await seedUsers(
      orgId,
      { userPlaybookId: 1 },
      { userPlaybookId: 2, userId: "ada" },
      { userPlaybookId: 3, userId: "ben" },
      { userPlaybookId: 4, userId: "ben" },
    );
    await seedAgents(
      orgId,
      { agentPlaybookId: 1, sources: [1, 2, 3, 4], playbookMetadata: metadata },
      { agentPlaybookId: 2, sources: [1, 3, 4], playbookMetadata: "written by hand" },
    );
    await revokeNow(scope, wholeUser());
    const [broad, narrow] = await agentsOf(orgId);
    expect(JSON.parse(broad?.metadata ?? "")).toEqual({
      ...{ source_count: 3, distinct_users: 2, provider: "p", model: "m" },
    });
    expect(broad?.flags).toEqual(["tainted"]);
    expect(narrow).toMatchObject({
      metadata: "written by hand",
      flags: ["few_distinct_users", "tainted"],
    });
  });

  it("asks for as many users as the org does", async () => {
    const { orgId, scope } = newRoom();
    const config = parseConfig({ review_gate: { min_distinct_users: 3, min_distinct_users_sensitive: 3 } });
    await db.batch((await useConfig(orgId, config, 1)).statements);
    await seedUsers(
      orgId,
      { userPlaybookId: 1 },
      { userPlaybookId: 2, userId: "ada", content: "Name the carrier first." },
      { userPlaybookId: 3, userId: "ben", content: "Tell which depot has it." },
    );
    await seedAgents(orgId, { agentPlaybookId: 1, sources: [1, 2, 3] });
    await revokeNow(scope, wholeUser());
    expect((await agentsOf(orgId))[0]?.flags).toEqual(["few_distinct_users", "tainted"]);
  });

  it("tells aggregation of each of its rules that was taken up, and has it look again", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1 },
      { userPlaybookId: 2, userId: "ada" },
      { userPlaybookId: 3 },
      { userPlaybookId: 4 },
    );
    await seedAgents(orgId, { agentPlaybookId: 1, sources: [1, 2] });
    const item = (id: number, disposition: string, clusterId: string | null) =>
      sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
            attempt_count, last_attempt_at_ms)
          VALUES (${orgId}, 'v1', ${id}, ${disposition}, ${clusterId}, 'new', 0, 0)`;
    await db.batch([
      sql`INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
            embedding_dimension, state, created_at) VALUES (${orgId}, 'c1', 'v1', 1, 2, 'm', 8, 'active', 1)`,
      item(1, "cluster_member", "c1"),
      item(2, "cluster_member", "c1"),
      item(3, "residual", null),
      item(4, "terminal_noop", null),
    ]);
    await revokeNow(scope, wholeUser());
    const [invalidations, states] = await db.batch([
      sql`SELECT user_playbook_id AS id, operation FROM invalidations WHERE org_id = ${orgId}
          AND processed_at_ms IS NULL ORDER BY id`,
      sql`SELECT agent_version, pending FROM aggregation_states WHERE org_id = ${orgId}`,
    ]);
    expect(invalidations?.rows).toEqual([1, 3, 4].map((id) => ({ id, operation: "status_change" })));
    expect(states?.rows).toEqual([{ agent_version: "v1", pending: 1 }]);
  });

  it("tells the index of every rule it touched, once", async () => {
    const room = newRoom();
    const { orgId, scope } = room;
    await seedUsers(orgId, { userPlaybookId: 1 }, { userPlaybookId: 2 });
    await seedAgents(orgId, { agentPlaybookId: 7, sources: [1] });
    await revokeNow(scope, wholeUser());
    const [work] = await db.batch([
      sql`SELECT key FROM outbox WHERE org_id = ${orgId} AND topic = 'vector' ORDER BY key`,
    ]);
    expect(work?.rows).toEqual([
      { key: '["agent_playbook",7]' },
      { key: '["user_playbook",1]' },
      { key: '["user_playbook",2]' },
    ]);
    expect(await count(sql`outbox WHERE org_id = ${orgId} AND topic = 'revocation'`)).toBe(0);
  });

  it("is refused nothing where the user has no rules yet: nobody learns from them later", async () => {
    const { scope } = newRoom();
    expect(await revokeNow(scope, wholeUser("nobody yet"))).toMatchObject({
      state: "done",
      touched: { turns: 0, windows: 0, user_playbooks: 0, agent_playbooks: 0 },
    });
  });
});

describe("revoking turns", () => {
  it("touches the rules that cite one of them and no others of the user's", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10, 11] },
      { userPlaybookId: 2, sourceInteractionIds: [12] },
      { userPlaybookId: 3, sourceInteractionIds: [11], userId: "ada" },
      { userPlaybookId: 4, sourceInteractionIds: [110, 1] },
    );
    await seedAgents(orgId, { agentPlaybookId: 1, sources: [1] }, { agentPlaybookId: 2, sources: [2, 4] });
    await revokeNow(scope, turnsOf([11, 99]));
    expect((await usersOf(orgId)).filter(({ status }) => status !== null).map(({ id }) => id)).toEqual([1]);
    expect((await agentsOf(orgId)).map(({ approval }) => approval)).toEqual(["pending", "approved"]);
  });

  it("is refused where the user has none of them and no rule cites one", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(orgId, { userPlaybookId: 1, sourceInteractionIds: [10], userId: "ada" });
    await expect(revokeNow(scope, turnsOf([10]))).rejects.toMatchObject({ kind: "not_found" });
    expect(await count(sql`revocations WHERE org_id = ${orgId}`)).toBe(0);
  });
});
