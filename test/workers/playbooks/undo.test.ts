/** Taking decisions back: all that comes back, and what can be taken back. */
import { describe, expect, it } from "vitest";
import type { AgentPlaybookChange } from "../../../src/playbooks/change-agent";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import type { NewAgentPlaybook } from "../../../src/playbooks/model";
import { loadAgentPlaybooks } from "../../../src/playbooks/store";
import { undoable, undoDecision } from "../../../src/playbooks/undo";
import { count, principal, rowOf, scopeOf } from "./client";
import {
  agentRule,
  clusterOf,
  DisturbedDatabase,
  decided,
  NOW_MS,
  newOrg,
  put,
  db as room,
  rowsOf,
} from "./rules";
import { roomServices } from "./services";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const parsed = (text: unknown) => JSON.parse(String(text));

const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

const run = (text: string, ...params: (string | number)[]) => room.batch([{ text, params }]);

describe("an undo", () => {
  it.each<[string, Partial<NewAgentPlaybook>, AgentPlaybookChange]>([
    ["an approval", { flags: ["tainted", "link"] }, { playbookStatus: "approved" }],
    ["a rejection", { ...approved, tags: ["tone"], expandedTerms: "voice" }, { playbookStatus: "rejected" }],
    ["a reopening", approved, { playbookStatus: "pending" }],
    [
      "an edit",
      { ...approved, rationale: "Why.", tags: ["tone"], expandedTerms: "voice", playbookName: "old" },
      { content: "Mail it to x@example.com.", trigger: null, rationale: null, playbookName: "new" },
    ],
    [
      "an edit and an approval in one",
      { playbookStatus: "rejected", decidedBy: "olga", decidedAt: 3 },
      { content: "Better.", playbookStatus: "approved" },
    ],
  ])("brings back all that %s changed, at a newer version", async (_, overrides, change) => {
    const { orgId, boris, before, version } = await decided(overrides, change);
    const undone = await undoDecision(scopeOf(boris), 1, version);
    expect(undone?.decision).toMatchObject({ version, by: "anna", atMs: NOW_MS });
    const [now] = await loadAgentPlaybooks(room, orgId, [1]);
    expect(now).toEqual({ ...before, version: version + 1, updatedAtMs: NOW_MS + 1 });
    expect(undone?.row).toEqual(now);
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([
      { version, undone_at_ms: NOW_MS + 1, undone_by: "boris" },
    ]);
  });

  it("is written to lineage, audit and the index's work in its batch", async () => {
    const { orgId, boris } = await decided({}, { playbookStatus: "approved", content: "Better." });
    await run("DELETE FROM outbox WHERE org_id = ?", orgId);
    const services = roomServices();
    await undoDecision(scopeOf(boris, { services }), 1, 2);
    expect((await rowsOf("lineage", orgId, "row")).slice(2)).toMatchObject([
      { op: "revise", reason: "undo", actor: "boris" },
      { op: "status_change", reason: "undo", from_status: "approved", to_status: "pending" },
    ]);
    const entry = await rowOf("audit", "org_id = ? AND action = 'undo.agent_playbook'", orgId);
    expect(entry).toMatchObject({ principal_id: "boris", entity_id: "1" });
    expect(parsed(entry?.details)).toMatchObject({ undone: "approve", undone_version: 2, to: "pending" });
    const work = (await rowsOf("outbox", orgId, "key")).filter(({ topic }) => topic === "vector");
    expect(work.map(({ key }) => key)).toEqual(['["agent_playbook",1]']);
    expect(services.sent.map(({ id }) => id)).toContain(work[0]?.id);
  });

  it("restores the word index and the vector with the text", async () => {
    const { orgId, anna } = await decided(
      { trigger: "When parcels are late", content: "Say sorry." },
      { trigger: "When invoices are wrong" },
    );
    const [edited] = await rowsOf("vectors", orgId, "entity_id");
    expect(await ruleRow(orgId, 1)).toMatchObject({ search_text: expect.stringContaining("invoic") });
    await undoDecision(scopeOf(anna), 1, 2);
    expect(await ruleRow(orgId, 1)).toMatchObject({
      search_text: expect.not.stringContaining("invoic"),
    });
    const [restored, ...more] = await rowsOf("vectors", orgId, "entity_id");
    expect(more).toEqual([]);
    expect(restored?.vector).not.toEqual(edited?.vector);
  });

  it("brings the superseded rule and its cluster back into service", async () => {
    const { orgId, anna } = newOrg();
    await put(
      [agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })],
      ...clusterOf(orgId, 1, "clu_a", [11, 12]),
      ...clusterOf(orgId, 2, "clu_b", [13]),
    );
    const [clusterBefore] = await rowsOf("clusters", orgId, "cluster_id");
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" });
    expect(await rowsOf("clusters", orgId, "cluster_id")).toMatchObject([{ cluster_id: "clu_b" }]);
    const undone = await undoDecision(scopeOf(anna), 2, 2);
    expect(undone?.restoredPredecessorId).toBe(1);
    expect(await rowsOf("agent_playbooks", orgId, "agent_playbook_id")).toMatchObject([
      { status: null, superseded_by: null, retired_at: null, playbook_status: "approved", version: 3 },
      { status: null, playbook_status: "pending", replaces: 1, version: 3 },
    ]);
    const clusters = await rowsOf("clusters", orgId, "cluster_id");
    expect(clusters).toMatchObject([clusterBefore, { cluster_id: "clu_b", agent_playbook_id: 2 }]);
    expect(await rowsOf("aggregation_items", orgId, "user_playbook_id")).toMatchObject([
      { user_playbook_id: 11, disposition: "cluster_member", cluster_id: "clu_a" },
      { user_playbook_id: 12, disposition: "cluster_member", cluster_id: "clu_a" },
      { user_playbook_id: 13, disposition: "cluster_member", cluster_id: "clu_b" },
    ]);
    expect(await rowOf("lineage", "org_id = ? AND entity_id = '1' AND reason = 'undo'", orgId)).toMatchObject(
      {
        from_status: "superseded",
        to_status: null,
        status_namespace: "lifecycle",
      },
    );
    // And a second approval finds it there to supersede again.
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" });
    expect(await ruleRow(orgId, 1)).toMatchObject({ status: "superseded" });
  });

  it.each([
    ["a rejection", { playbookStatus: "rejected" }],
    ["an edit", { content: "Else." }],
    ["a rejection with an edit", { content: "Else.", playbookStatus: "rejected" }],
  ] as const)("founds the cluster anew that %s retired, without members that are gone", async (_, change) => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1)], ...clusterOf(orgId, 1, "clu_a", [11, 12, 13]));
    await changeAgentPlaybook(scopeOf(anna), 1, change);
    // A turn of aggregation looked at them in vain and forgot the one whose rule was deleted.
    await run(
      "UPDATE aggregation_items SET reason = 'waiting_for_company', attempt_count = 2 WHERE org_id = ?",
      orgId,
    );
    await run("DELETE FROM aggregation_items WHERE org_id = ? AND user_playbook_id = 12", orgId);
    await undoDecision(scopeOf(anna), 1, 2);
    expect(await rowsOf("clusters", orgId, "cluster_id")).toMatchObject([
      { cluster_id: "clu_a", agent_playbook_id: 1, member_count: 2, state: "active", created_at: 5 },
    ]);
    expect(await rowsOf("aggregation_items", orgId, "user_playbook_id")).toMatchObject([
      { user_playbook_id: 11, disposition: "cluster_member", cluster_id: "clu_a", attempt_count: 0 },
      { user_playbook_id: 13, disposition: "cluster_member", cluster_id: "clu_a" },
    ]);
  });

  it("answers the same to the one whose answer was lost, and changes nothing again", async () => {
    const { orgId, anna } = await decided({}, { playbookStatus: "approved" });
    const first = await undoDecision(scopeOf(anna), 1, 2);
    const second = await undoDecision(scopeOf(anna), 1, 2);
    expect(second).toEqual(first);
    expect(await ruleRow(orgId, 1)).toMatchObject({ version: 3 });
    expect(await count("audit", "org_id = ? AND action = 'undo.agent_playbook'", orgId)).toBe(1);
  });

  it("of an undo there is none, and the next decision can be undone", async () => {
    const { orgId, anna } = await decided({}, { playbookStatus: "approved" });
    await undoDecision(scopeOf(anna), 1, 2);
    await expect(undoDecision(scopeOf(anna), 1, 3)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("was undone already"),
    });
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "rejected" });
    expect(await undoDecision(scopeOf(anna), 1, 4)).toMatchObject({ row: { version: 5 } });
    expect(await ruleRow(orgId, 1)).toMatchObject({ playbook_status: "pending" });
  });

  it("needs the scope review, the rule's very version and a decision", async () => {
    const { orgId, anna } = await decided({}, { content: "Else." });
    await expect(undoDecision(scopeOf(principal("eddy", "editor", orgId)), 1, 2)).rejects.toMatchObject({
      kind: "forbidden",
    });
    await expect(undoDecision(scopeOf(anna), 1, 1)).rejects.toMatchObject({ kind: "precondition_failed" });
    await put([agentRule(orgId, 5)]);
    await expect(undoDecision(scopeOf(anna), 5, 1)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("nothing to undo"),
    });
    expect(await undoDecision(scopeOf(anna), 99, 1)).toBeNull();
    const other = newOrg();
    expect(await undoDecision(scopeOf(other.anna), 1, 2)).toBeNull();
  });
});

describe("what can be undone", () => {
  it("is told of many rules in one statement: decisions, reasons, and nothing of undecided or foreign rules", async () => {
    const { orgId, anna } = newOrg();
    const other = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2), agentRule(orgId, 3)]);
    await put([agentRule(other.orgId, 1), agentRule(other.orgId, 3)]);
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "rejected" });
    await undoDecision(scopeOf(anna), 2, 2);
    await changeAgentPlaybook(scopeOf(other.anna), 3, { playbookStatus: "rejected" });
    let statements = 0;
    const counting = new (class extends DisturbedDatabase {
      override batch(all: Parameters<DisturbedDatabase["batch"]>[0]) {
        statements += all.length;
        return super.batch(all);
      }
    })(0, {});
    const found = await undoable(counting, orgId, [1, 2, 3, 99]);
    expect(statements).toBe(1);
    expect([...found.keys()].sort()).toEqual([1, 2]);
    expect(found.get(1)).toEqual({ version: 2, kind: "approve", by: "anna", atMs: NOW_MS });
    expect(found.get(2)).toContain("undone already");
    expect(await undoable(room, orgId, [])).toEqual(new Map());
  });
});
