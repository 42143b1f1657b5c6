/** What an approval does to a rule’s flags and to the rule that it replaces, also in a race. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { count, principal, rowOf, scopeOf } from "./client";
import { agentRule, clusterOf, DisturbedDatabase, newOrg, put, db as room, rowsOf } from "./rules";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const parsed = (text: unknown) => JSON.parse(String(text));

const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

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
