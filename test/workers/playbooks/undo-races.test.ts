/** Undos beside other changes, and undos whose answer is lost. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { undoDecision } from "../../../src/playbooks/undo";
import { count, rowOf, scopeOf } from "./client";
import { agentRule, clusterOf, DisturbedDatabase, decided, newOrg, put, rowsOf } from "./rules";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

describe("races and lost answers", () => {
  it("lets one of two undos win and answers both whose principal is the same", async () => {
    const { orgId, anna } = await decided({}, { playbookStatus: "approved" });
    const db = new DisturbedDatabase(
      1,
      { before: () => undoDecision(scopeOf(anna), 1, 2) },
      "UPDATE agent_playbooks",
    );
    const undone = await undoDecision(scopeOf(anna, { db }), 1, 2);
    expect(undone).toMatchObject({ row: { version: 3 } });
    expect(await ruleRow(orgId, 1)).toMatchObject({ version: 3 });
    expect(await count("audit", "org_id = ? AND action = 'undo.agent_playbook'", orgId)).toBe(1);
  });

  it("tells the slower of two reviewers that the rule has moved on", async () => {
    const { orgId, anna, boris } = await decided({}, { playbookStatus: "approved" });
    const db = new DisturbedDatabase(
      1,
      { before: () => undoDecision(scopeOf(anna), 1, 2) },
      "UPDATE agent_playbooks",
    );
    await expect(undoDecision(scopeOf(boris, { db }), 1, 2)).rejects.toMatchObject({
      kind: "precondition_failed",
      message: expect.stringContaining("version 3"),
    });
    expect(await ruleRow(orgId, 1)).toMatchObject({ version: 3, playbook_status: "pending" });
  });

  it("lets a decision that came first stand, and an undo that came first make it overtaken", async () => {
    const first = await decided({}, { playbookStatus: "rejected" });
    const db = new DisturbedDatabase(
      1,
      { before: () => changeAgentPlaybook(scopeOf(first.boris), 1, { playbookStatus: "approved" }) },
      "UPDATE agent_playbooks",
    );
    await expect(undoDecision(scopeOf(first.anna, { db }), 1, 2)).rejects.toMatchObject({
      kind: "precondition_failed",
      message: expect.stringContaining("decided by boris"),
    });
    expect(await ruleRow(first.orgId, 1)).toMatchObject({ playbook_status: "approved", version: 3 });

    const second = await decided({}, { playbookStatus: "rejected" });
    const slow = new DisturbedDatabase(
      1,
      { before: () => undoDecision(scopeOf(second.anna), 1, 2) },
      "UPDATE agent_playbooks",
    );
    await expect(
      changeAgentPlaybook(scopeOf(second.boris, { db: slow }), 1, { playbookStatus: "approved" }),
    ).rejects.toMatchObject({ kind: "conflict" });
    expect(await ruleRow(second.orgId, 1)).toMatchObject({ playbook_status: "pending", version: 3 });
  });

  it("ends the same whatever call of the database fails, before or after its effect", async () => {
    const arrange = async () => {
      const org = newOrg();
      await put(
        [agentRule(org.orgId, 1, approved), agentRule(org.orgId, 2, { replaces: 1 })],
        ...clusterOf(org.orgId, 1, "clu_a", [11, 12]),
      );
      await changeAgentPlaybook(scopeOf(org.anna), 2, { playbookStatus: "approved", content: "Better." });
      return org;
    };
    const end = async (orgId: string) => ({
      rules: await rowsOf("agent_playbooks", orgId, "agent_playbook_id"),
      clusters: await rowsOf("clusters", orgId, "cluster_id"),
      items: await rowsOf("aggregation_items", orgId, "user_playbook_id"),
      audit: (await rowsOf("audit", orgId, "action")).map(({ action, details }) => [action, details]),
      lineage: (await rowsOf("lineage", orgId, "row")).map(({ op, entity_id, to_status }) => [
        ...[op, entity_id, to_status],
      ]),
      undone: (await rowsOf("decisions", orgId, "version")).map(({ undone_by }) => undone_by),
    });
    const nameless = (state: unknown, orgId: string) =>
      JSON.parse(
        JSON.stringify(state, (key, value) => (key === "row" || key === "scope" ? null : value)).replaceAll(
          orgId,
          "org",
        ),
      );
    const clean = await arrange();
    await undoDecision(scopeOf(clean.anna), 2, 2);
    const expected = nameless(await end(clean.orgId), clean.orgId);
    expect(expected.undone).toEqual(["anna"]);
    let faults = 0;
    for (let nth = 1; nth <= 4; nth += 1) {
      for (const disturb of [{ failBefore: true }, { failAfter: true }] as const) {
        const org = await arrange();
        const db = new DisturbedDatabase(nth, disturb);
        await undoDecision(scopeOf(org.anna, { db }), 2, 2).catch(() => {
          faults += 1;
        });
        const again = await undoDecision(scopeOf(org.anna), 2, 2);
        expect(again).toMatchObject({ row: { version: 3 }, restoredPredecessorId: 1 });
        expect(nameless(await end(org.orgId), org.orgId)).toEqual(expected);
      }
    }
    // The two reads fail as they are; the batch does where it never arrived.
    expect(faults).toBe(5);
  });
});
