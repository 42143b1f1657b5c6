/** What a person's change leaves in the journal, and what an approval does to the rule it replaces. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { count, principal, rowOf, scopeOf } from "./client";
import { agentRule, clusterOf, DisturbedDatabase, memberOf, newOrg, put, db as room, rowsOf } from "./rules";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const parsed = (text: unknown) => JSON.parse(String(text));

const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

describe("the journal", () => {
  it("holds each change of a person, with the row as it was before", async () => {
    const { orgId, anna, boris } = newOrg();
    await put([agentRule(orgId, 1, { rationale: "They said so.", flags: ["thin_support"] })]);
    await changeAgentPlaybook(scopeOf(principal("eddy", "editor", orgId)), 1, { content: "Do it well." });
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    await changeAgentPlaybook(scopeOf(boris), 1, { playbookStatus: "pending", rationale: null });
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "rejected" });
    const journal = await rowsOf("decisions", orgId, "version");
    expect(journal).toMatchObject([
      { version: 2, kind: "edit", principal_id: "eddy", cluster: null, replaced: null, undone_at_ms: null },
      { version: 3, kind: "approve", principal_id: "anna" },
      { version: 4, kind: "reopen", principal_id: "boris" },
      { version: 5, kind: "reject", principal_id: "anna" },
    ]);
    expect(parsed(journal[0]?.before)).toMatchObject({
      content: "Do thing 1.",
      rationale: "They said so.",
      flags: ["thin_support"],
      playbookStatus: "pending",
      version: 1,
    });
    expect(parsed(journal[2]?.before)).toMatchObject({ playbookStatus: "approved", decidedBy: "anna" });
  });

  it("has nothing of a call that changed nothing or was refused", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1)]);
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "pending" });
    await expect(
      changeAgentPlaybook(scopeOf(principal("eddy", "editor", orgId)), 1, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({ kind: "forbidden" });
    const headers = { "if-match": '"9"' };
    await expect(
      changeAgentPlaybook(scopeOf(anna, { headers }), 1, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({ kind: "precondition_failed" });
    expect(await rowsOf("decisions", orgId, "version")).toEqual([]);
  });

  it.each([
    ["a rejection", { playbookStatus: "rejected" }],
    ["an edit", { content: "Do something else." }],
  ] as const)(
    "keeps the cluster that %s retires, with its members of that very moment",
    async (_, change) => {
      const { orgId, anna } = newOrg();
      await put([agentRule(orgId, 1)], ...clusterOf(orgId, 1, "clu_a", [11, 12]));
      // A member joins after the row was read.
      const db = new DisturbedDatabase(
        1,
        { before: () => room.batch([memberOf(orgId, "clu_a", 13)]) },
        "UPDATE agent_playbooks",
      );
      await changeAgentPlaybook(scopeOf(anna, { db }), 1, change);
      expect(await rowsOf("clusters", orgId, "cluster_id")).toEqual([]);
      expect(await rowsOf("aggregation_items", orgId, "user_playbook_id")).toMatchObject([
        { disposition: "residual", reason: "cluster_retired", cluster_id: null },
        { disposition: "residual" },
        { disposition: "residual" },
      ]);
      const [entry] = await rowsOf("decisions", orgId, "version");
      expect(parsed(entry?.cluster)).toEqual([
        {
          cluster_id: "clu_a",
          agent_version: "v1",
          agent_playbook_id: 1,
          embedding_model: "words-a",
          embedding_dimension: 64,
          state: "active",
          created_at: 5,
          members: [11, 12, 13],
        },
      ]);
    },
  );

  it("keeps no cluster of a change that leaves it", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1)], ...clusterOf(orgId, 1, "clu_a", [11]));
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved", playbookName: "named" });
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([{ kind: "approve", cluster: null }]);
    expect(await rowsOf("clusters", orgId, "cluster_id")).toHaveLength(1);
  });

  it("goes with its rule, and so does what was said of the rule", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2)]);
    for (const id of [1, 2]) {
      await changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "rejected" });
      await room.run({
        text: `INSERT INTO rule_feedback (org_id, kind, entity_id, feedback_id, verdict, principal_id, created_at)
          VALUES (?, 'agent_playbook', ?, 'f', 'harmful', 'p', 1)`,
        params: [orgId, id],
      });
    }
    await removeAgentPlaybook(scopeOf(anna), 1);
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([{ agent_playbook_id: 2 }]);
    expect(await rowsOf("rule_feedback", orgId, "entity_id")).toMatchObject([{ entity_id: 2 }]);
  });
});

describe("an approval", () => {
  it("takes the flag of revoked sources away; a rejection and a reopening leave it", async () => {
    const { orgId, anna } = newOrg();
    const flags = ["few_distinct_users", "tainted"] as const;
    await put([
      agentRule(orgId, 1, { flags: [...flags] }),
      agentRule(orgId, 2, { flags: [...flags] }),
      agentRule(orgId, 3, { flags: [...flags], ...approved }),
      agentRule(orgId, 4, { flags: [...flags], ...approved }),
    ]);
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "rejected" });
    await changeAgentPlaybook(scopeOf(anna), 3, { playbookStatus: "pending" });
    await changeAgentPlaybook(scopeOf(anna), 4, { content: "Read by a person." });
    const rows = await rowsOf("agent_playbooks", orgId, "agent_playbook_id");
    expect(rows.map((row) => parsed(row.flags))).toEqual([
      ["few_distinct_users"],
      [...flags],
      [...flags],
      ["few_distinct_users"],
    ]);
  });

  it("supersedes the approved rule that it replaces, in one batch with lineage, audit and index work", async () => {
    const { orgId, anna } = newOrg();
    await put(
      [agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })],
      ...clusterOf(orgId, 1, "clu_a", [11]),
    );
    const row = await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" });
    expect(row).toMatchObject({ playbookStatus: "approved", version: 2 });
    expect(await ruleRow(orgId, 1)).toMatchObject({
      status: "superseded",
      superseded_by: 2,
      retired_at: 1_700_000_000,
      version: 2,
      playbook_status: "approved",
      decided_by: "olga",
    });
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([
      { agent_playbook_id: 2, kind: "approve", replaced: 1, cluster: expect.stringContaining("clu_a") },
    ]);
    expect(await rowsOf("lineage", orgId, "row")).toMatchObject([
      {
        entity_id: "1",
        to_status: "superseded",
        status_namespace: "lifecycle",
        source_ids: "[2]",
        actor: "anna",
      },
      { entity_id: "2", to_status: "approved", status_namespace: "approval" },
    ]);
    const [entry, ...others] = await rowsOf("audit", orgId, "at");
    expect(others).toEqual([]);
    expect(parsed(entry?.details)).toMatchObject({ to: "approved", superseded: 1 });
    const work = (await rowsOf("outbox", orgId, "key")).filter(({ topic }) => topic === "vector");
    expect(work.map(({ key }) => key)).toEqual(['["agent_playbook",1]', '["agent_playbook",2]']);
  });

  it("leaves both in service where the reviewer says so", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })]);
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved", keepReplaced: true });
    expect(await ruleRow(orgId, 1)).toMatchObject({ status: null, version: 1 });
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([{ replaced: null }]);
  });

  it.each([
    ["is pending again", { playbookStatus: "pending" }],
    ["was rejected", { playbookStatus: "rejected" }],
    ["is archived", { ...approved, status: "archived" }],
    ["belongs to another agent version", { ...approved, agentVersion: "v2" }],
  ] as const)("leaves a rule alone that %s", async (_, overrides) => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1, overrides), agentRule(orgId, 2, { replaces: 1 })]);
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" });
    expect(await ruleRow(orgId, 1)).toMatchObject({ version: 1, superseded_by: null });
    expect(await ruleRow(orgId, 2)).toMatchObject({ playbook_status: "approved" });
  });

  it("stands where the rule it replaces is deleted, or is itself", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 2, { replaces: 1 }), agentRule(orgId, 3, { replaces: 3 })]);
    for (const id of [2, 3]) {
      await changeAgentPlaybook(scopeOf(anna), id, { playbookStatus: "approved" });
      expect(await ruleRow(orgId, id)).toMatchObject({ playbook_status: "approved", status: null });
    }
  });

  it("never lets another decision than an approval supersede anything", async () => {
    const { orgId, anna } = newOrg();
    await put([
      agentRule(orgId, 1, approved),
      agentRule(orgId, 2, { replaces: 1 }),
      agentRule(orgId, 3, { replaces: 1, ...approved }),
    ]);
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "rejected" });
    await changeAgentPlaybook(scopeOf(anna), 3, { content: "Edited." });
    expect(await ruleRow(orgId, 1)).toMatchObject({ version: 1 });
  });

  it("supersedes once where two successors are approved at the same time", async () => {
    const { orgId, anna, boris } = newOrg();
    await put([
      agentRule(orgId, 1, approved),
      agentRule(orgId, 2, { replaces: 1 }),
      agentRule(orgId, 3, { replaces: 1 }),
    ]);
    const db = new DisturbedDatabase(
      1,
      { before: () => changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" }) },
      "UPDATE agent_playbooks",
    );
    await changeAgentPlaybook(scopeOf(boris, { db }), 3, { playbookStatus: "approved" });
    expect(await rowsOf("agent_playbooks", orgId, "agent_playbook_id")).toMatchObject([
      { status: "superseded", superseded_by: 2, version: 2 },
      { status: null, playbook_status: "approved" },
      { status: null, playbook_status: "approved" },
    ]);
    expect(await rowsOf("decisions", orgId, "agent_playbook_id")).toMatchObject([
      { agent_playbook_id: 2, replaced: 1 },
      { agent_playbook_id: 3, replaced: null },
    ]);
    expect(await count("lineage", "org_id = ? AND entity_id = '1'", orgId)).toBe(1);
  });

  it("supersedes a rule whose evidence grew between reading and writing", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })]);
    const grow = {
      text: "UPDATE agent_playbooks SET version = version + 1 WHERE org_id = ? AND agent_playbook_id = 1",
      params: [orgId],
    };
    const db = new DisturbedDatabase(1, { before: () => room.batch([grow]) }, "INSERT INTO decisions");
    await changeAgentPlaybook(scopeOf(anna, { db }), 2, { playbookStatus: "approved" });
    expect(await ruleRow(orgId, 1)).toMatchObject({ status: "superseded", version: 3 });
    expect(await rowsOf("decisions", orgId, "version")).toHaveLength(1);
  });

  it("is overtaken, and supersedes nothing, where the rule itself was edited meanwhile", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })]);
    const eddy = scopeOf(principal("eddy", "editor", orgId));
    const db = new DisturbedDatabase(
      1,
      { before: () => changeAgentPlaybook(eddy, 2, { content: "Wire the money." }) },
      "UPDATE agent_playbooks",
    );
    await expect(
      changeAgentPlaybook(scopeOf(anna, { db }), 2, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({ kind: "conflict" });
    expect(await ruleRow(orgId, 1)).toMatchObject({ status: null, version: 1 });
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([
      { kind: "edit", principal_id: "eddy" },
    ]);
  });

  it("knows its own batch again whose answer was lost, also after somebody changed the rule further", async () => {
    const { orgId, anna, boris } = newOrg();
    await put([agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })]);
    class Lossy extends DisturbedDatabase {
      override async batch(statements: Parameters<DisturbedDatabase["batch"]>[0]) {
        const isWrite = statements.some(({ text }) => text.includes("UPDATE agent_playbooks"));
        const results = await super.batch(statements);
        if (!isWrite) return results;
        await changeAgentPlaybook(scopeOf(boris), 2, { rationale: "As Boris says." });
        throw new Error("connection lost");
      }
    }
    const db = new Lossy(0, {});
    const row = await changeAgentPlaybook(scopeOf(anna, { db }), 2, { playbookStatus: "approved" });
    expect(row).toMatchObject({ version: 2, playbookStatus: "approved" });
    expect(await ruleRow(orgId, 2)).toMatchObject({ version: 3, rationale: "As Boris says." });
    expect(await ruleRow(orgId, 1)).toMatchObject({ status: "superseded", version: 2 });
  });

  it("does not take another's equal change for its own", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1)]);
    const db = new DisturbedDatabase(
      1,
      { before: () => changeAgentPlaybook(scopeOf(anna), 1, { content: "One." }) },
      "UPDATE agent_playbooks",
    );
    await expect(changeAgentPlaybook(scopeOf(anna, { db }), 1, { content: "Two." })).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await ruleRow(orgId, 1)).toMatchObject({ content: "One.", version: 2 });
  });
});
