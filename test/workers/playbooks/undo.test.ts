/** Taking decisions back: all that comes back, all that stands in the way, races, lost answers. */
import { describe, expect, it } from "vitest";
import type { AgentPlaybookChange } from "../../../src/playbooks/change-agent";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import type { NewAgentPlaybook } from "../../../src/playbooks/model";
import { insertSources, insertUserPlaybooks, loadAgentPlaybooks } from "../../../src/playbooks/store";
import { undoable, undoDecision } from "../../../src/playbooks/undo";
import { count, principal, rowOf, scopeOf } from "./client";
import {
  agentRule,
  clusterOf,
  DisturbedDatabase,
  NOW_MS,
  NOW_SEC,
  newOrg,
  put,
  db as room,
  rowsOf,
  userRule,
} from "./rules";
import { roomServices } from "./services";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const parsed = (text: unknown) => JSON.parse(String(text));

const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

const run = (text: string, ...params: (string | number)[]) => room.batch([{ text, params }]);

/** An org with one rule that anna has decided on; what it was like before. */
async function decided(overrides: Partial<NewAgentPlaybook>, change: AgentPlaybookChange) {
  const org = newOrg();
  await put([agentRule(org.orgId, 1, overrides)]);
  const before = await loadAgentPlaybooks(room, org.orgId, [1]);
  const row = await changeAgentPlaybook(scopeOf(org.anna), 1, change);
  return { ...org, before: before[0], version: row?.version ?? 0 };
}

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

/** What was built since, per case: the arrangement and the words of the refusal. */
const obstacles: [
  string,
  Partial<NewAgentPlaybook>,
  AgentPlaybookChange,
  (orgId: string) => Promise<unknown>,
  RegExp,
][] = [
  [
    "an approval after the rule was served",
    {},
    { playbookStatus: "approved" },
    (orgId) => run("UPDATE decisions SET served_at_ms = 5 WHERE org_id = ?", orgId),
    /served to a prompt/,
  ],
  [
    "an edit of an approved rule after the new text was served",
    approved,
    { content: "Else." },
    (orgId) => run("UPDATE decisions SET served_at_ms = 5 WHERE org_id = ?", orgId),
    /served to a prompt/,
  ],
  [
    "an approval after turns cited the rule",
    {},
    { playbookStatus: "approved" },
    (orgId) =>
      run(
        `INSERT INTO rule_applications (org_id, kind, entity_id, interaction_id, user_id, session_id, created_at)
           VALUES (?, 'agent_playbook', 1, 7, 'u', 's', ?), (?, 'agent_playbook', 1, 8, 'u', 's', ?)`,
        ...[orgId, NOW_SEC, orgId, NOW_SEC + 5],
      ),
    /2 turns cited it/,
  ],
  [
    "an approval after a rule was made to replace the approved one",
    {},
    { playbookStatus: "approved" },
    (orgId) => put([agentRule(orgId, 9, { replaces: 1, createdAt: NOW_SEC + 1 })]),
    /rule #9 was made to replace it/,
  ],
  [
    "a decision after another one",
    {},
    { playbookStatus: "rejected" },
    (orgId) =>
      run(
        "UPDATE agent_playbooks SET version = version + 1 WHERE org_id = ? AND agent_playbook_id = 1",
        orgId,
      ),
    /changed since/,
  ],
  [
    "an approval after the rule was superseded",
    {},
    { playbookStatus: "approved" },
    (orgId) =>
      run("UPDATE agent_playbooks SET status = 'superseded', superseded_by = 9 WHERE org_id = ?", orgId),
    /rule #9 superseded it/,
  ],
  [
    "a rejection of an approved rule after another was approved in its place",
    approved,
    { playbookStatus: "rejected" },
    (orgId) => put([agentRule(orgId, 9, { replaces: 1, ...approved, decidedAt: NOW_SEC + 1 })]),
    /rule #9 was approved in its place/,
  ],
  [
    "a rejection after a source was revoked",
    {},
    { playbookStatus: "rejected" },
    (orgId) =>
      room.batch([
        ...insertUserPlaybooks([userRule(orgId, 11, { flags: ["tainted"], status: "pending" })]),
        ...insertSources(orgId, 1, [{ userPlaybookId: 11, sourceInteractionIds: [] }]),
      ]),
    /was revoked/,
  ],
  [
    "a rejection while a source's user is being revoked",
    {},
    { playbookStatus: "rejected" },
    (orgId) =>
      room.batch([
        ...insertUserPlaybooks([userRule(orgId, 11, { userId: "mallory" })]),
        ...insertSources(orgId, 1, [{ userPlaybookId: 11, sourceInteractionIds: [] }]),
        {
          text: `INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id,
                created_at, state, touched) VALUES (?, 'r', 'user', 'mallory', '[]', 'x', 'p', 1, 'running', '{}')`,
          params: [orgId],
        },
      ]),
    /was revoked/,
  ],
];

describe("what was built on a decision", () => {
  it.each(obstacles)("is named in the refusal to undo %s", async (_, overrides, change, build, words) => {
    const { orgId, anna } = await decided(overrides, change);
    await build(orgId);
    const before = await rowsOf("agent_playbooks", orgId, "agent_playbook_id");
    const version = Number(before[0]?.version);
    const shown = (await undoable(room, orgId, [1])).get(1);
    expect(shown).toMatch(words);
    await expect(undoDecision(scopeOf(anna), 1, version)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(words),
    });
    expect(await rowsOf("agent_playbooks", orgId, "agent_playbook_id")).toEqual(before);
    expect(await rowsOf("decisions", orgId, "version")).toMatchObject([{ undone_at_ms: null }]);
  });

  it.each(obstacles.filter(([name]) => !/another one|superseded$/.test(name)))(
    "is noticed in the undo's own batch: %s",
    async (_, overrides, change, build, words) => {
      const { orgId, anna } = await decided(overrides, change);
      const before = await ruleRow(orgId, 1);
      const db = new DisturbedDatabase(1, { before: () => build(orgId) }, "UPDATE agent_playbooks");
      await expect(undoDecision(scopeOf(anna, { db }), 1, 2)).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringMatching(words),
      });
      expect(await ruleRow(orgId, 1)).toEqual(before);
      expect(await rowsOf("decisions", orgId, "version")).toMatchObject([{ undone_at_ms: null }]);
    },
  );

  it.each([
    ["was given to another cluster", "disposition = 'cluster_member', cluster_id = 'clu_z'"],
    ["was ended", "disposition = 'terminal_noop'"],
  ])("is a former member that %s, before the undo and under it", async (_, set) => {
    for (const isRace of [false, true]) {
      const { orgId, anna } = newOrg();
      await put([agentRule(orgId, 1)], ...clusterOf(orgId, 1, "clu_a", [11, 12]));
      await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "rejected" });
      const build = () =>
        run(`UPDATE aggregation_items SET ${set} WHERE org_id = ? AND user_playbook_id = 11`, orgId);
      if (!isRace) await build();
      const db = new DisturbedDatabase(1, isRace ? { before: build } : {}, "UPDATE agent_playbooks");
      await expect(undoDecision(scopeOf(anna, { db }), 1, 2)).rejects.toMatchObject({
        message: expect.stringContaining("1 rule of its cluster elsewhere"),
      });
      expect(await rowsOf("clusters", orgId, "cluster_id")).toEqual([]);
      expect(await ruleRow(orgId, 1)).toMatchObject({ playbook_status: "rejected", version: 2 });
    }
  });

  it("is the loss of the rule that an approval superseded", async () => {
    const { orgId, anna } = newOrg();
    await put([agentRule(orgId, 1, approved), agentRule(orgId, 2, { replaces: 1 })]);
    await changeAgentPlaybook(scopeOf(anna), 2, { playbookStatus: "approved" });
    await removeAgentPlaybook(scopeOf(anna), 1);
    await expect(undoDecision(scopeOf(anna), 2, 2)).rejects.toMatchObject({
      message: expect.stringContaining("rule #1, which it replaced, is gone"),
    });
  });

  it("is no citation, rule or serving of before the decision", async () => {
    const { orgId, anna } = newOrg();
    await put([
      agentRule(orgId, 1),
      agentRule(orgId, 9, { replaces: 1, createdAt: NOW_SEC - 10 }),
      agentRule(orgId, 8, { replaces: 1, ...approved, decidedAt: NOW_SEC - 10 }),
    ]);
    await run(
      `INSERT INTO rule_applications (org_id, kind, entity_id, interaction_id, user_id, session_id, created_at)
       VALUES (?, 'agent_playbook', 1, 7, 'u', 's', ?), (?, 'user_playbook', 1, 8, 'u', 's', ?)`,
      ...[orgId, NOW_SEC - 1, orgId, NOW_SEC + 1],
    );
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    expect(await undoDecision(scopeOf(anna), 1, 2)).toMatchObject({ row: { playbookStatus: "pending" } });
  });

  it("is no serving where the decision took the rule out of service", async () => {
    const { orgId, anna } = await decided(approved, { playbookStatus: "rejected" });
    await run(
      `INSERT INTO rule_applications (org_id, kind, entity_id, interaction_id, user_id, session_id, created_at)
       VALUES (?, 'agent_playbook', 1, 7, 'u', 's', ?)`,
      ...[orgId, NOW_SEC + 1],
    );
    expect(await undoDecision(scopeOf(anna), 1, 2)).toMatchObject({ row: { playbookStatus: "approved" } });
  });

  it("is no revoked source where the rule comes back with the flag that says so", async () => {
    const { orgId, anna } = newOrg();
    await put(
      [agentRule(orgId, 1, { flags: ["tainted"] })],
      ...insertUserPlaybooks([userRule(orgId, 11, { flags: ["tainted"] })]),
      ...insertSources(orgId, 1, [{ userPlaybookId: 11, sourceInteractionIds: [] }]),
    );
    await changeAgentPlaybook(scopeOf(anna), 1, { playbookStatus: "approved" });
    await undoDecision(scopeOf(anna), 1, 2);
    expect(await ruleRow(orgId, 1)).toMatchObject({ flags: '["tainted"]', playbook_status: "pending" });
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
