/** Revocations beside each other, beside reviewers and beside late messages: each rule is judged as it is, once. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { listRevocations } from "../../../src/revocations/lift";
import { previewRevocation } from "../../../src/revocations/preview";
import { revoke } from "../../../src/revocations/revoke";
import { reviewUserPlaybook } from "../../../src/revocations/user-review";
import { performWork } from "../../../src/work";
import {
  agentsOf,
  count,
  Disturbed,
  db,
  deliver,
  disturbed,
  lineageOf,
  messageOf,
  newRoom,
  revokeNow,
  scopeOf,
  seedAgents,
  seedUsers,
  turnsOf,
  twoRules,
  usersOf,
  wholeUser,
} from "./support";

describe("two revocations at once", () => {
  it("of the same target are one", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const both = await Promise.all([
      revoke(room.scope, wholeUser(), "first", token),
      revoke(scopeOf(room.orgId, room.services, { principalId: "boris" }), wholeUser(), "second", token),
    ]);
    expect(new Set(both.map(({ revocationId }) => revocationId)).size).toBe(1);
    expect(await listRevocations(room.scope)).toHaveLength(1);
    expect(await count(sql`lineage WHERE org_id = ${room.orgId}`)).toBe(3);
    expect((await agentsOf(room.orgId))[0]).toMatchObject({ approval: "pending" });
  });

  it("of targets that overlap both leave their reason, and each rule changes once", async () => {
    const room = await twoRules();
    const previews = await Promise.all(
      [turnsOf([1]), turnsOf([1, 2])].map((target) => previewRevocation(room.scope, target)),
    );
    const slower = disturbed(room, () =>
      revoke(room.scope, turnsOf([1, 2]), "wide", previews[1]?.token ?? ""),
    );
    const narrow = await revoke(slower, turnsOf([1]), "narrow", previews[0]?.token ?? "");
    expect(narrow).toMatchObject({ state: "done", touched: { user_playbooks: 1, agent_playbooks: 1 } });
    expect(await lineageOf(room.orgId, narrow.revocationId)).toMatchObject([
      { type: "agent_playbook", id: "1", from: "pending", to: "pending", reason: "narrow" },
      { type: "user_playbook", id: "1", from: "pending", to: "pending", reason: "narrow" },
    ]);
    expect((await agentsOf(room.orgId))[0]).toMatchObject({
      approval: "pending",
      flags: ["few_distinct_users", "thin_support", "tainted"],
    });
  });

  it("one after the other: the second of the same target adds nothing and answers the first", async () => {
    const room = await twoRules();
    const first = await revokeNow(room.scope, wholeUser(), "first");
    const preview = await previewRevocation(room.scope, wholeUser());
    expect(preview).toMatchObject({
      totals: { user_playbooks: 0, agent_playbooks: 0 },
      in_force: [first.revocationId],
    });
    expect(await revoke(room.scope, wholeUser(), "again", preview.token)).toEqual(first);
    await seedUsers(room.orgId, { userPlaybookId: 9 });
    const more = await revokeNow(room.scope, wholeUser(), "more");
    expect(more.revocationId).not.toBe(first.revocationId);
    expect(more.touched).toMatchObject({ user_playbooks: 1, agent_playbooks: 0 });
  });
});

describe("a reviewer", () => {
  it("who approves right before the first batch is overruled; one who comes right after is told", async () => {
    const room = newRoom();
    await seedUsers(room.orgId, { userPlaybookId: 1 });
    await seedAgents(room.orgId, { agentPlaybookId: 1, sources: [1], playbookStatus: "pending" });
    const { token } = await previewRevocation(room.scope, wholeUser());
    const scope = disturbed(room, () => changeAgentPlaybook(room.scope, 1, { playbookStatus: "approved" }));
    const { revocationId } = await revoke(scope, wholeUser(), "poisoned", token);
    expect(await agentsOf(room.orgId)).toMatchObject([{ approval: "pending", by: "rita" }]);
    expect((await lineageOf(room.orgId, revocationId))[0]).toMatchObject({ from: "approved", to: "pending" });

    const late = newRoom();
    await seedUsers(late.orgId, { userPlaybookId: 1 });
    await seedAgents(late.orgId, { agentPlaybookId: 1, sources: [1], playbookStatus: "pending" });
    const deciding = disturbed(
      late,
      () => revokeNow(late.scope, wholeUser()),
      "UPDATE agent_playbooks SET playbook_name",
    );
    await expect(changeAgentPlaybook(deciding, 1, { playbookStatus: "approved" })).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await agentsOf(late.orgId)).toMatchObject([
      { approval: "pending", flags: expect.arrayContaining(["tainted"]) },
    ]);
  });

  it("who approves a tainted rule takes its flag away", async () => {
    const room = await twoRules();
    await revokeNow(room.scope, wholeUser());
    await changeAgentPlaybook(room.scope, 1, { playbookStatus: "approved" });
    expect(await agentsOf(room.orgId)).toMatchObject([
      { approval: "approved", flags: ["few_distinct_users", "thin_support"] },
    ]);
  });

  it("who keeps a rule while the revocation still runs has the last word", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const failing = new Disturbed(() => Promise.reject(new Error("gone")), "UPDATE outbox SET key");
    const services = { ...room.services, database: () => failing };
    const begun = await revoke(scopeOf(room.orgId, services, { db }), wholeUser(), "poisoned", token);
    expect(begun.state).toBe("running");
    await reviewUserPlaybook(room.scope, 1, "keep");
    await changeAgentPlaybook(room.scope, 1, { playbookStatus: "approved" });
    await deliver(room, "revocation");
    expect(await listRevocations(room.scope)).toMatchObject([{ state: "done" }]);
    expect(await usersOf(room.orgId)).toMatchObject([
      { id: 1, status: null, flags: [] },
      { id: 2, status: "pending", flags: ["tainted"] },
    ]);
    expect(await agentsOf(room.orgId)).toMatchObject([{ approval: "approved" }]);
  });

  it("who changes a rule while its support is counted is not overwritten; the page is done again", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const scope = disturbed(
      room,
      () => changeAgentPlaybook(room.scope, 1, { content: "Rewritten by a person." }),
      "UPDATE outbox SET key",
    );
    const begun = await revoke(scope, wholeUser(), "poisoned", token);
    expect(begun.state).toBe("running");
    await deliver(room, "revocation");
    const [row] =
      (await db.batch([sql`SELECT content, flags FROM agent_playbooks WHERE org_id = ${room.orgId}`]))[0]
        ?.rows ?? [];
    expect(row).toEqual({
      content: "Rewritten by a person.",
      flags: JSON.stringify(["few_distinct_users", "thin_support", "tainted"]),
    });
  });
});

describe("a rule that is made of a tainted one while the revocation runs", () => {
  it("is found before the revocation ends", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const late = () => seedAgents(room.orgId, { agentPlaybookId: 2, sources: [2] });
    const begun = await revoke(disturbed(room, late, "SET state = 'done'"), wholeUser(), "poisoned", token);
    expect(begun.state).toBe("running");
    await deliver(room, "revocation");
    expect((await agentsOf(room.orgId))[1]).toMatchObject({ approval: "pending", by: "rita" });
    expect(await listRevocations(room.scope)).toMatchObject([
      { state: "done", touched: { user_playbooks: 2, agent_playbooks: 2 } },
    ]);
    expect(await count(sql`outbox WHERE org_id = ${room.orgId} AND key = '["agent_playbook",2]'`)).toBe(1);
  });
});

describe("a message", () => {
  it("that comes twice, late or for a revocation that is over changes nothing", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const failing = new Disturbed(() => Promise.reject(new Error("gone")), "UPDATE outbox SET key");
    const services = { ...room.services, database: () => failing };
    await revoke(scopeOf(room.orgId, services), wholeUser(), "poisoned", token);
    const message = await messageOf(room.orgId, "revocation");
    if (message === null) throw new Error("the revocation has work");
    expect(room.services.sent).toContainEqual(message);
    await Promise.all([1, 2, 3].map(() => performWork(room.services, message)));
    await deliver(room, "revocation");
    const after = [await usersOf(room.orgId), await agentsOf(room.orgId)];
    expect(await performWork(room.services, message)).toBe("done");
    expect([await usersOf(room.orgId), await agentsOf(room.orgId)]).toEqual(after);
    expect(await count(sql`lineage WHERE org_id = ${room.orgId}`)).toBe(3);
    expect(await count(sql`audit WHERE org_id = ${room.orgId} AND action = 'reopen.agent_playbook'`)).toBe(1);
  });

  it("that is overtaken while it works on a batch writes none of it", async () => {
    const room = await twoRules();
    const { token } = await previewRevocation(room.scope, wholeUser());
    const failing = new Disturbed(() => Promise.reject(new Error("gone")), "UPDATE outbox SET key");
    await revoke(
      scopeOf(room.orgId, { ...room.services, database: () => failing }),
      wholeUser(),
      "poisoned",
      token,
    );
    await seedUsers(room.orgId, { userPlaybookId: 9 });
    const message = await messageOf(room.orgId, "revocation");
    if (message === null) throw new Error("the revocation has work");
    const slow = new Disturbed(async () => {
      await deliver(room, "revocation");
      await reviewUserPlaybook(room.scope, 9, "keep");
    }, "INSERT INTO lineage");
    await performWork({ ...room.services, database: () => slow }, message);
    expect((await usersOf(room.orgId))[2]).toMatchObject({ id: 9, status: null, flags: [] });
  });
});
