/** Every way in which a rule descends from another, and what is no descent. */
import { describe, expect, it } from "vitest";
import { recordLineage } from "../../../src/db/lineage";
import { sql } from "../../../src/db/sql";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { removeUserPlaybook } from "../../../src/playbooks/change-user";
import { previewRevocation } from "../../../src/revocations/preview";
import {
  agentsOf,
  db,
  newRoom,
  revokeNow,
  seedAgents,
  seedUsers,
  turnsOf,
  usersOf,
  wholeUser,
} from "./support";

const AT = 1_900_000_000;

/** What consolidation writes of a row that ended in window `win`. */
const ended = async (orgId: string, id: number, win: string, status: "merged" | "superseded") => [
  await recordLineage({
    ...{ orgId, entityType: "user_playbook", entityId: id, op: "status_change", actor: "consolidation" },
    ...{ requestId: win, createdAt: AT, fromStatus: null, toStatus: status, statusNamespace: "lifecycle" },
  }),
];

const merged = async (orgId: string, from: number, into: number, win: string) =>
  db.batch([
    sql`UPDATE user_playbooks SET status = 'merged', merged_into = ${into}
        WHERE org_id = ${orgId} AND user_playbook_id = ${from}`,
    ...(await ended(orgId, from, win, "merged")),
    await recordLineage({
      ...{ orgId, entityType: "user_playbook", entityId: into, op: "merge", sourceIds: [from] },
      ...{ actor: "consolidation", requestId: win, createdAt: AT, provRelation: "wasDerivedFrom" },
    }),
  ]);

/** A window of the user that made rules, as extraction leaves it. */
async function window(orgId: string, windowId: string, manifest: number[], made: number[]): Promise<void> {
  await db.batch([
    sql`INSERT INTO windows (org_id, window_id, user_id, kind, manifest, first_new_seq, end_seq, force, skip_aggregation,
          config_hash, agent_version, request_id, source, state, outcome, error, created_at, finished_at)
        VALUES (${orgId}, ${windowId}, 'mallory', 'playbook', ${JSON.stringify(manifest)}, ${manifest[0] ?? 0},
          ${manifest.at(-1) ?? 0}, 0, 0, 'h', 'v1', 'r', '', 'applied', NULL, NULL, ${AT}, ${AT})`,
    ...(await Promise.all(
      made.map((entityId) =>
        recordLineage({
          ...{ orgId, entityType: "user_playbook", entityId, op: "create", actor: "extraction" },
          ...{ requestId: windowId, createdAt: AT },
        }),
      ),
    )),
  ]);
}

const touchedUsers = async (orgId: string) =>
  (await usersOf(orgId)).filter(({ flags }) => JSON.stringify(flags).includes("tainted")).map(({ id }) => id);
const touchedAgents = async (orgId: string) =>
  (await agentsOf(orgId))
    .filter(({ flags }) => JSON.stringify(flags).includes("tainted"))
    .map(({ id }) => id);

describe("a user playbook is derived", () => {
  it("from every rule that was merged into it, over any number of merges, whatever it still cites", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10] },
      { userPlaybookId: 2, sourceInteractionIds: [20] },
      { userPlaybookId: 3, sourceInteractionIds: [30] },
      { userPlaybookId: 4, sourceInteractionIds: [40] },
      { userPlaybookId: 5, sourceInteractionIds: [50] },
    );
    await merged(orgId, 1, 2, "w1");
    await merged(orgId, 2, 3, "w2");
    await merged(orgId, 4, 3, "w2");
    await revokeNow(scope, turnsOf([10]));
    expect(await touchedUsers(orgId)).toEqual([3]);
  });

  it("also where the rule in between was deleted for good", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10] },
      { userPlaybookId: 2, sourceInteractionIds: [20] },
      { userPlaybookId: 3, sourceInteractionIds: [30] },
    );
    await merged(orgId, 1, 2, "w1");
    await merged(orgId, 2, 3, "w2");
    await removeUserPlaybook(scope, 2);
    await revokeNow(scope, turnsOf([10]));
    expect(await touchedUsers(orgId)).toEqual([3]);
  });

  it("from the rule that it is the narrowed copy of, though nothing points to it", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10] },
      { userPlaybookId: 2, sourceInteractionIds: [20] },
      { userPlaybookId: 3, sourceInteractionIds: [20], windowId: "w2", trigger: "narrowed" },
      { userPlaybookId: 4, sourceInteractionIds: [21], windowId: "w2", trigger: "the new one" },
    );
    await merged(orgId, 1, 2, "w1");
    await db.batch([
      sql`UPDATE user_playbooks SET status = 'superseded' WHERE org_id = ${orgId} AND user_playbook_id = 2`,
      ...(await ended(orgId, 2, "w2", "superseded")),
    ]);
    await revokeNow(scope, turnsOf([10]));
    expect(await touchedUsers(orgId)).toEqual([3]);
  });

  it("and a circle of pointers ends", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10] },
      { userPlaybookId: 2, sourceInteractionIds: [20] },
    );
    await merged(orgId, 1, 2, "w1");
    await merged(orgId, 2, 1, "w2");
    expect(await previewRevocation(scope, turnsOf([10]))).toMatchObject({ totals: { user_playbooks: 0 } });
  });
});

describe("an agent playbook is derived", () => {
  it("from a tainted source, also one that was merged away since", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [10] },
      { userPlaybookId: 2, sourceInteractionIds: [20] },
    );
    await merged(orgId, 1, 2, "w1");
    await seedAgents(
      orgId,
      { agentPlaybookId: 1, sources: [1] },
      { agentPlaybookId: 2, sources: [2] },
      { agentPlaybookId: 3 },
    );
    await revokeNow(scope, turnsOf([10]));
    expect(await touchedAgents(orgId)).toEqual([1, 2]);
  });

  it("from the pending rule that it refreshed, and from the one before", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(orgId, { userPlaybookId: 1 }, { userPlaybookId: 2, userId: "ada" });
    await seedAgents(
      orgId,
      { agentPlaybookId: 1, sources: [1], made: "incremental", playbookStatus: "pending", supersededBy: 2 },
      {
        ...{ agentPlaybookId: 2, sources: [2], made: "incremental_refresh", playbookStatus: "pending" },
        supersededBy: 3,
      },
      { agentPlaybookId: 3, sources: [2], made: "incremental_refresh" },
      { agentPlaybookId: 4, sources: [2], made: "incremental" },
    );
    await revokeNow(scope, wholeUser());
    expect(await touchedAgents(orgId)).toEqual([3]);
    expect((await agentsOf(orgId)).map(({ status }) => status)).toEqual([
      "superseded",
      "superseded",
      null,
      null,
    ]);
  });

  it("from the approved rule whose cluster it refreshed, before and after it takes its place", async () => {
    for (const isApproved of [false, true]) {
      const { orgId, scope } = newRoom();
      await seedUsers(orgId, { userPlaybookId: 1 }, { userPlaybookId: 2, userId: "ada" });
      await seedAgents(
        orgId,
        { agentPlaybookId: 1, sources: [1], made: "incremental" },
        {
          ...{ agentPlaybookId: 2, sources: [2], made: "incremental_refresh", playbookStatus: "pending" },
          replaces: 1,
        },
      );
      if (isApproved) await changeAgentPlaybook(scope, 2, { playbookStatus: "approved" });
      await revokeNow(scope, wholeUser());
      expect(await touchedAgents(orgId)).toEqual(isApproved ? [2] : [1, 2]);
      expect((await agentsOf(orgId))[1]).toMatchObject({ approval: "pending" });
    }
  });

  it("not from the rule that it replaces because it says the opposite", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(orgId, { userPlaybookId: 1 }, { userPlaybookId: 2, userId: "ada" });
    await seedAgents(
      orgId,
      { agentPlaybookId: 1, sources: [1], made: "incremental" },
      { agentPlaybookId: 2, sources: [2], made: "incremental", playbookStatus: "pending", replaces: 1 },
    );
    await changeAgentPlaybook(scope, 2, { playbookStatus: "approved" });
    await revokeNow(scope, wholeUser());
    expect(await touchedAgents(orgId)).toEqual([]);
    expect((await agentsOf(orgId))[1]).toMatchObject({ approval: "approved" });
  });

  it("from rules of the user that somebody deleted before the user was revoked", async () => {
    const { orgId, scope } = newRoom();
    await seedUsers(
      orgId,
      { userPlaybookId: 1, sourceInteractionIds: [1], windowId: "w1" },
      { userPlaybookId: 2, sourceInteractionIds: [2], windowId: "w1" },
    );
    await window(orgId, "w1", [1, 2], [1, 2]);
    await seedAgents(orgId, { agentPlaybookId: 1, sources: [1] }, { agentPlaybookId: 2, sources: [2] });
    await removeUserPlaybook(scope, 1);
    await removeUserPlaybook(scope, 2);
    await revokeNow(scope, turnsOf([1]));
    expect(await touchedAgents(orgId)).toEqual([1]);
    await revokeNow(scope, wholeUser());
    expect(await touchedAgents(orgId)).toEqual([1, 2]);
  });
});
