/** A person's word on a user playbook that was sent back to review. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { changeUserPlaybook } from "../../../src/playbooks/change-user";
import { reviewUserPlaybook } from "../../../src/revocations/user-review";
import { count, db, newRoom, type Room, revokeNow, scopeOf, seedUsers, usersOf, wholeUser } from "./support";

async function revoked(): Promise<Room> {
  const room = newRoom();
  await seedUsers(room.orgId, { userPlaybookId: 1, flags: ["thin_support"] });
  await revokeNow(room.scope, wholeUser());
  await db.run(sql`DELETE FROM outbox WHERE org_id = ${room.orgId}`);
  return room;
}

const eventsOf = async (orgId: string) =>
  (
    await db.batch([
      sql`SELECT from_status AS "from", to_status AS "to", actor FROM lineage WHERE org_id = ${orgId} ORDER BY row`,
    ])
  )[0]?.rows;

describe("a rule in review", () => {
  it("is CURRENT again once it is kept, without the flag, back in the index and in aggregation", async () => {
    const { orgId, scope } = await revoked();
    const row = await reviewUserPlaybook(scope, 1, "keep");
    expect(row).toMatchObject({ status: null, flags: ["thin_support"] });
    expect(await usersOf(orgId)).toMatchObject([
      { status: null, flags: ["thin_support"], updated: row.updatedAtMs },
    ]);
    expect(await eventsOf(orgId)).toEqual([
      { from: null, to: "pending", actor: "rita" },
      { from: "pending", to: null, actor: "rita" },
    ]);
    const [work, states, audit] = await db.batch([
      sql`SELECT topic, key FROM outbox WHERE org_id = ${orgId} ORDER BY topic`,
      sql`SELECT pending FROM aggregation_states WHERE org_id = ${orgId}`,
      sql`SELECT action FROM audit WHERE org_id = ${orgId} ORDER BY row DESC LIMIT 1`,
    ]);
    expect(work?.rows).toEqual([
      { topic: "aggregation", key: '["v1"]' },
      { topic: "vector", key: '["user_playbook",1]' },
    ]);
    expect(states?.rows).toEqual([{ pending: 1 }]);
    expect(audit?.rows).toEqual([{ action: "keep.user_playbook" }]);
  });

  it("is archived with its flag, and stays out of use", async () => {
    const { orgId, scope } = await revoked();
    await reviewUserPlaybook(scope, 1, "archive");
    expect(await usersOf(orgId)).toMatchObject([{ status: "archived", flags: ["thin_support", "tainted"] }]);
    expect(await count(sql`outbox WHERE org_id = ${orgId} AND topic = 'aggregation'`)).toBe(0);
    await expect(reviewUserPlaybook(scope, 1, "keep")).rejects.toMatchObject({ kind: "conflict" });
  });

  it("is decided once: the same word again changes nothing, another one is told", async () => {
    const { orgId, scope } = await revoked();
    const first = await reviewUserPlaybook(scope, 1, "keep");
    expect(await reviewUserPlaybook(scope, 1, "keep")).toEqual(first);
    await expect(reviewUserPlaybook(scope, 1, "archive")).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("not in review"),
    });
    expect(await eventsOf(orgId)).toHaveLength(2);
  });

  it("is decided by one of two who come at once", async () => {
    const { orgId, scope, services } = await revoked();
    const other = scopeOf(orgId, services, { principalId: "boris" });
    const results = await Promise.allSettled([
      reviewUserPlaybook(scope, 1, "keep"),
      reviewUserPlaybook(other, 1, "archive"),
    ]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await eventsOf(orgId)).toHaveLength(2);
  });

  it("is not decided by who read an older version, in the body or in If-Match", async () => {
    const { orgId, scope, services } = await revoked();
    const [{ updated = 0 } = {}] = await usersOf(orgId);
    await changeUserPlaybook(scope, 1, { content: "Wire the money." });
    await expect(reviewUserPlaybook(scope, 1, "keep", updated)).rejects.toMatchObject({
      kind: "precondition_failed",
    });
    const late = scopeOf(orgId, services, { headers: { "if-match": `"${updated}"` } });
    await expect(reviewUserPlaybook(late, 1, "keep")).rejects.toMatchObject({ kind: "precondition_failed" });
    expect((await usersOf(orgId))[0]).toMatchObject({ status: "pending" });
    const [{ updated: now = 0 } = {}] = await usersOf(orgId);
    await expect(reviewUserPlaybook(scope, 1, "keep", now)).resolves.toMatchObject({ status: null });
  });

  it("is not found where it is a tombstone, another org's or not there", async () => {
    const { orgId, scope } = await revoked();
    const stranger = newRoom();
    await seedUsers(orgId, { userPlaybookId: 2, status: "merged" });
    for (const [who, id] of [
      [scope, 2],
      [scope, 3],
      [stranger.scope, 1],
    ] as const) {
      await expect(reviewUserPlaybook(who, id, "archive")).rejects.toMatchObject({ kind: "not_found" });
    }
  });
});
