/** Deleting many rules: true counts, everything that hangs on them, approved rules, faults and large orgs. */
import { describe, expect, it } from "vitest";
import { findWork } from "../../../src/db/outbox";
import { deleteAllRules, deleteRulesByIds, runBulkDelete } from "../../../src/playbooks/bulk-delete";
import { insertSources, insertUserPlaybooks, writeVector } from "../../../src/playbooks/store";
import { giveFeedback } from "../../../src/playbooks/uses";
import { syncVector } from "../../../src/playbooks/vectors";
import { AGENT, call, count, EDITOR, principal, SELF_HOST_ORG, scopeOf } from "./client";
import { agentRule, clusterOf, DisturbedDatabase, newOrg, put, db as room, rowsOf, userRule } from "./rules";
import { roomServices } from "./services";

const vectorOf = (orgId: string, kind: "user_playbook" | "agent_playbook", entityId: number) =>
  writeVector({
    ...{ orgId, kind, entityId, nowMs: 1 },
    vector: { model: "words-a", dimension: 2, bytes: new Uint8Array([1, 2]), scale: 1 },
  });

const usersOf = (orgId: string, ids: readonly number[]) =>
  insertUserPlaybooks(ids.map((id) => userRule(orgId, id)));

const idsOf = async (orgId: string, table: "user_playbooks" | "agent_playbooks") => {
  const id = table === "user_playbooks" ? "user_playbook_id" : "agent_playbook_id";
  return (await rowsOf(table, orgId, id)).map((row) => row[id]);
};

const workOf = async (orgId: string, topic: string) =>
  (await rowsOf("outbox", orgId, "id")).filter((row) => row.topic === topic);

describe("deleting user playbooks by id", () => {
  it("counts what was there, and takes vectors, words and aggregation along", async () => {
    const { orgId } = newOrg();
    await put([], ...usersOf(orgId, [1, 2, 3]), vectorOf(orgId, "user_playbook", 1));
    await put([], vectorOf(orgId, "user_playbook", 3));
    const scope = scopeOf(principal("eddy", "editor", orgId));
    expect(await deleteRulesByIds(scope, "user_playbook", [2, 1, 1, 99])).toBe(2);
    expect(await idsOf(orgId, "user_playbooks")).toEqual([3]);
    expect((await rowsOf("vectors", orgId, "entity_id")).map((row) => row.entity_id)).toEqual([3]);
    const events = await rowsOf("lineage", orgId, "entity_id");
    expect(events.map((row) => [row.entity_id, row.op, row.actor])).toEqual([
      ["1", "hard_delete", "eddy"],
      ["2", "hard_delete", "eddy"],
    ]);
    expect(await workOf(orgId, "vector")).toMatchObject([{ key: '["user_playbook",1,2]' }]);
    expect(await workOf(orgId, "aggregation")).toMatchObject([{ key: '["v1"]' }]);
    expect(await rowsOf("audit", orgId, "row")).toMatchObject([
      { action: "delete.user_playbooks", principal_id: "eddy", details: '{"rules":2}' },
    ]);
  });

  it("writes nothing where nothing is there", async () => {
    const { orgId } = newOrg();
    expect(await deleteRulesByIds(scopeOf(principal("e", "editor", orgId)), "user_playbook", [1])).toBe(0);
    expect(await rowsOf("audit", orgId, "row")).toEqual([]);
  });

  it("makes the index forget every one of a page", async () => {
    const { orgId } = newOrg();
    await put([], ...usersOf(orgId, [1, 2]));
    const services = roomServices();
    const work = { id: "w", orgId, topic: "vector", attempts: 0 } as const;
    await syncVector(services, { ...work, key: ["user_playbook", 1, 2] });
    expect(services.vectors.entries.size).toBe(2);
    await deleteRulesByIds(scopeOf(principal("e", "editor", orgId)), "user_playbook", [1, 2]);
    await syncVector(services, { ...work, key: ["user_playbook", 1, 2] });
    expect(services.vectors.entries.size).toBe(0);
  });

  it.each(["failBefore", "failAfter"] as const)("says the truth when the call fails: %s", async (when) => {
    const { orgId } = newOrg();
    await put([], ...usersOf(orgId, [1, 2]));
    const db = new DisturbedDatabase(1, { [when]: true }, "DELETE FROM user_playbooks");
    const deleting = deleteRulesByIds(
      scopeOf(principal("e", "editor", orgId), { db }),
      "user_playbook",
      [1, 2],
    );
    if (when === "failBefore") await expect(deleting).rejects.toThrow("connection lost");
    else expect(await deleting).toBe(2);
    expect(await idsOf(orgId, "user_playbooks")).toEqual(when === "failBefore" ? [1, 2] : []);
  });
});

describe("deleting agent playbooks", () => {
  const arranged = async () => {
    const org = newOrg();
    await put(
      [
        agentRule(org.orgId, 1),
        agentRule(org.orgId, 2, { playbookStatus: "approved" }),
        agentRule(org.orgId, 3, { playbookStatus: "rejected" }),
      ],
      ...insertSources(org.orgId, 3, [{ userPlaybookId: 9, sourceInteractionIds: [] }]),
      ...clusterOf(org.orgId, 1, "c1", [7, 8]),
    );
    await giveFeedback(scopeOf(org.anna), {
      ...{ kind: "agent_playbook", id: 1, verdict: "helpful", interactionId: null },
    });
    return { ...org, editor: principal("eddy", "editor", org.orgId) };
  };

  it("trap 44: dissolves their clusters, whose members are looked at again", async () => {
    const { orgId, editor } = await arranged();
    expect(await deleteRulesByIds(scopeOf(editor), "agent_playbook", [1, 3])).toBe(2);
    expect(await idsOf(orgId, "agent_playbooks")).toEqual([2]);
    expect(await rowsOf("clusters", orgId, "cluster_id")).toEqual([]);
    expect(await rowsOf("aggregation_items", orgId, "user_playbook_id")).toMatchObject([
      { disposition: "residual", cluster_id: null, attempt_count: 0 },
      { disposition: "residual", cluster_id: null, attempt_count: 0 },
    ]);
    for (const table of ["agent_playbook_sources", "rule_feedback", "rule_verdicts"]) {
      expect(await rowsOf(table, orgId, "org_id"), table).toEqual([]);
    }
    expect(await workOf(orgId, "contradictions")).toMatchObject([{ key: "[1,3]" }]);
  });

  it("of which one is approved needs the scope review, else none is deleted", async () => {
    const { orgId, editor, anna } = await arranged();
    await expect(deleteRulesByIds(scopeOf(editor), "agent_playbook", [1, 2])).rejects.toMatchObject({
      kind: "forbidden",
    });
    await expect(deleteAllRules(scopeOf(editor), ["agent_playbook"])).rejects.toMatchObject({
      kind: "forbidden",
    });
    expect(await idsOf(orgId, "agent_playbooks")).toEqual([1, 2, 3]);
    expect(await deleteAllRules(scopeOf(anna), ["agent_playbook"])).toEqual({ deleted: 3, isFinished: true });
  });

  it("leaves one with all that hangs on it that was approved while the call ran", async () => {
    const { orgId, editor } = await arranged();
    await put([], vectorOf(orgId, "agent_playbook", 3), vectorOf(orgId, "agent_playbook", 1));
    const approve = () =>
      room.run({
        text: "UPDATE agent_playbooks SET playbook_status = 'approved' WHERE org_id = ? AND agent_playbook_id = 3",
        params: [orgId],
      });
    const db = new DisturbedDatabase(1, { before: approve }, "DELETE FROM agent_playbooks");
    expect(await deleteRulesByIds(scopeOf(editor, { db }), "agent_playbook", [1, 3])).toBe(1);
    expect(await idsOf(orgId, "agent_playbooks")).toEqual([2, 3]);
    expect((await rowsOf("vectors", orgId, "entity_id")).map((row) => row.entity_id)).toEqual([3]);
    expect(await rowsOf("agent_playbook_sources", orgId, "agent_playbook_id")).toHaveLength(1);
    expect((await rowsOf("lineage", orgId, "row")).map((row) => row.entity_id)).toEqual(["1"]);
  });
});

describe("deleting every rule", () => {
  it("takes both kinds, leaves other orgs alone, and leaves no work behind", async () => {
    const [org, other] = [newOrg(), newOrg()];
    for (const { orgId } of [org, other]) await put([agentRule(orgId, 1)], ...usersOf(orgId, [1, 2]));
    const done = await deleteAllRules(scopeOf(org.anna), ["agent_playbook", "user_playbook"]);
    expect(done).toEqual({ deleted: 3, isFinished: true });
    expect(await workOf(org.orgId, "bulk_delete")).toEqual([]);
    expect(await idsOf(other.orgId, "user_playbooks")).toEqual([1, 2]);
    expect(await idsOf(other.orgId, "agent_playbooks")).toEqual([1]);
  });

  it("of more rules than a call may take goes on in the background, and spares what was made later", async () => {
    const { orgId, anna } = newOrg();
    const all = Array.from({ length: 10_020 }, (_, at) => at + 1);
    for (let at = 0; at < all.length; at += 2_000)
      await put([], ...usersOf(orgId, all.slice(at, at + 2_000)));
    const services = roomServices();
    expect(await deleteAllRules(scopeOf(anna, { services }), ["user_playbook"])).toEqual({
      ...{ deleted: 10_000, isFinished: false },
    });
    await put([], ...usersOf(orgId, [20_000]));
    const [row] = await workOf(orgId, "bulk_delete");
    const work = await findWork(room, { orgId, id: String(row?.id) });
    if (work === null) throw new Error("the work is gone");
    expect(services.sent).toContainEqual({ orgId, id: work.id });
    expect(await runBulkDelete(services, work)).toBe("done");
    expect(await idsOf(orgId, "user_playbooks")).toEqual([20_000]);
    expect(await count("lineage", "org_id = ? AND op = 'hard_delete' AND actor = 'anna'", orgId)).toBe(
      10_020,
    );
  });

  it("leaves work that finishes it where the call breaks off", async () => {
    const { orgId, anna } = newOrg();
    await put([], ...usersOf(orgId, [1, 2]));
    const db = new DisturbedDatabase(1, { failBefore: true }, "DELETE FROM user_playbooks");
    await expect(deleteAllRules(scopeOf(anna, { db }), ["user_playbook"])).rejects.toThrow("connection lost");
    const [row] = await workOf(orgId, "bulk_delete");
    const work = await findWork(room, { orgId, id: String(row?.id) });
    if (work === null) throw new Error("the work is gone");
    expect(await runBulkDelete(roomServices(), work)).toBe("done");
    expect(await runBulkDelete(roomServices(), work)).toBe("done");
    expect(await idsOf(orgId, "user_playbooks")).toEqual([]);
  });
});

describe("the routes", () => {
  it("trap 70: read their ids from the body of a DELETE, and answer true counts", async () => {
    await put([agentRule(SELF_HOST_ORG, 501)], ...usersOf(SELF_HOST_ORG, [501, 502]));
    const users = { user_playbook_ids: [501, 999] };
    expect(await call("DELETE", "/api/delete_user_playbooks_by_ids", users)).toMatchObject({
      ...{ status: 200, answer: { success: true, deleted_count: 1, message: "Deleted 1 rule." } },
    });
    const agents = { agent_playbook_ids: [501, 999] };
    expect((await call("DELETE", "/api/delete_agent_playbooks_by_ids", agents)).answer).toMatchObject({
      ...{ success: true, deleted_count: 1 },
    });
    expect((await call("DELETE", "/api/delete_all_playbooks", {}, { as: EDITOR })).answer).toMatchObject({
      ...{ success: true, deleted_count: 1 },
    });
    expect((await call("DELETE", "/api/delete_all_user_playbooks", {})).answer).toMatchObject({
      ...{ deleted_count: 0 },
    });
    expect((await call("DELETE", "/api/delete_all_agent_playbooks", {})).answer).toMatchObject({
      ...{ deleted_count: 0 },
    });
  });

  it.each([[[]], [[0]], [["1"]], [Array.from({ length: 10_001 }, (_, at) => at + 1)], [null]])(
    "refuse ids that are none",
    async (ids) => {
      const { status, answer } = await call("DELETE", "/api/delete_user_playbooks_by_ids", {
        user_playbook_ids: ids,
      });
      expect(status).toBe(422);
      expect(answer.detail).toMatchObject([{ pointer: expect.stringMatching(/^\/user_playbook_ids/) }]);
    },
  );

  it("refuse keys of agents", async () => {
    for (const path of ["delete_all_user_playbooks", "delete_all_agent_playbooks", "delete_all_playbooks"]) {
      expect((await call("DELETE", `/api/${path}`, {}, { as: AGENT })).status).toBe(403);
    }
  });
});
