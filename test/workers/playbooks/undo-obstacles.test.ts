/** What was built on a decision stands in the way of its undo, before it and under it. */
import { describe, expect, it } from "vitest";
import type { AgentPlaybookChange } from "../../../src/playbooks/change-agent";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import type { NewAgentPlaybook } from "../../../src/playbooks/model";
import { insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import { undoable, undoDecision } from "../../../src/playbooks/undo";
import { rowOf, scopeOf } from "./client";
import {
  agentRule,
  clusterOf,
  DisturbedDatabase,
  decided,
  NOW_SEC,
  newOrg,
  put,
  db as room,
  rowsOf,
  userRule,
} from "./rules";

const approved = { playbookStatus: "approved", decidedBy: "olga", decidedAt: 1 } as const;
const ruleRow = (orgId: string, id: number) =>
  rowOf("agent_playbooks", "org_id = ? AND agent_playbook_id = ?", orgId, id);

const run = (text: string, ...params: (string | number)[]) => room.batch([{ text, params }]);

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
