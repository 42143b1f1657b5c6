/** What a person's change leaves in the journal, and with what of the row and its cluster. */
import { describe, expect, it } from "vitest";
import { changeAgentPlaybook, removeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { principal, scopeOf } from "./client";
import { agentRule, clusterOf, DisturbedDatabase, memberOf, newOrg, put, db as room, rowsOf } from "./rules";

const parsed = (text: unknown) => JSON.parse(String(text));

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
