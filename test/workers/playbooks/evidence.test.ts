import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import { evidenceOf } from "../../../src/playbooks/evidence";
import { insertAgentPlaybook, insertSources, insertUserPlaybooks } from "../../../src/playbooks/store";
import { AGENT, call, REVIEWER, SELF_HOST_ORG } from "./client";
import { agentRule, newOrg, put } from "./rules";

const db = new Database(env.DB);

const turn = (userId: string, id: number, content: string) => ({
  text: `INSERT INTO interactions (org_id, user_id, interaction_id, request_id, created_at, role, content, details)
    VALUES (?, ?, ?, 'req', 100, 'User', ?, '{}')`,
  params: [SELF_HOST_ORG, userId, id, content],
});

const userRule = (userPlaybookId: number, userId: string, sourceInteractionIds: number[]) => ({
  orgId: SELF_HOST_ORG,
  userPlaybookId,
  userId,
  agentVersion: "e",
  requestId: "req",
  playbookName: "",
  createdAt: 100,
  updatedAtMs: 100_000,
  content: `Rule of ${userPlaybookId}.`,
  trigger: null,
  rationale: null,
  status: null,
  source: null,
  sourceInteractionIds,
  sourceSpan: null,
  tags: null,
  notes: null,
  readerAngle: null,
  expandedTerms: null,
  flags: [],
  windowId: null,
});

async function arrange() {
  await db.batch([
    turn("maria", 5001, "Please always name the branch."),
    turn("maria", 5002, "Not that one."),
    turn("jonas", 5003, "Name the branch, please."),
    ...insertUserPlaybooks([
      userRule(6001, "maria", [5001]),
      userRule(6002, "jonas", [5003, 5001, 5999]),
      userRule(6003, "maria", []),
    ]),
    ...insertAgentPlaybook({
      orgId: SELF_HOST_ORG,
      agentPlaybookId: 7001,
      playbookName: "",
      agentVersion: "e",
      createdAt: 100,
      updatedAtMs: 100_000,
      content: "Name the branch.",
      trigger: null,
      rationale: null,
      playbookStatus: "pending",
      playbookMetadata: "",
      status: null,
      tags: null,
      expandedTerms: null,
      flags: ["few_distinct_users"],
      decidedBy: null,
      decidedAt: null,
      replaces: null,
    }),
    ...insertSources(SELF_HOST_ORG, 7001, [
      { userPlaybookId: 6001, sourceInteractionIds: [5001] },
      { userPlaybookId: 6002, sourceInteractionIds: [5003, 5001, 5999] },
      { userPlaybookId: 6003, sourceInteractionIds: [] },
      { userPlaybookId: 6999, sourceInteractionIds: [5002] },
    ]),
  ]);
}

describe("the evidence of an agent playbook", () => {
  it("shows each source with its own cited turns, counts users, and names them only to reviewers", async () => {
    await arrange();
    await call("PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id: 7001,
      playbook_status: "approved",
    });
    const agent = await call("GET", "/api/agent_playbooks/7001/evidence", undefined, { as: AGENT });
    expect(agent.etag).toBe('"2"');
    expect(agent.answer).toMatchObject({
      agent_playbook: {
        agent_playbook_id: 7001,
        version: 2,
        flags: ["few_distinct_users"],
        decided_by: "owner-1",
        status: null,
      },
      user_count: 2,
      source_count: 4,
      sources_left_out: 0,
      sources: [
        {
          user_playbook_id: 6001,
          state: "current",
          user: "user 1",
          user_id: null,
          turns: [{ interaction_id: 5001, content: "Please always name the branch." }],
          turns_left_out: 0,
        },
        // A citation of somebody else's turn, and of one that is gone, shows nothing.
        {
          user_playbook_id: 6002,
          user: "user 2",
          user_id: null,
          turns: [{ interaction_id: 5003 }],
          turns_left_out: 2,
        },
        { user_playbook_id: 6003, user: "user 1", turns: [] },
        { user_playbook_id: 6999, state: "deleted", user: null, turns: [], turns_left_out: 1 },
      ],
      history: [{ op: "status_change", actor: "owner-1", from_status: "pending", to_status: "approved" }],
    });
    expect(JSON.stringify(agent.answer)).not.toMatch(/maria|jonas/);
    const reviewer = await call("GET", "/api/agent_playbooks/7001/evidence", undefined, { as: REVIEWER });
    expect(JSON.stringify(reviewer.answer)).toContain('"user_id":"maria"');
  });

  it("refuses an id that is no number by pointer", async () => {
    const { status, answer } = await call("GET", "/api/agent_playbooks/7e3/evidence", undefined);
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ pointer: "/path/id" }]);
  });
});

describe("what a reviewer reads beside the evidence", () => {
  it("marks the very words of each turn that prove its source", async () => {
    const { orgId } = newOrg();
    const said = "Hi 👋. Please always   name the “branch”. Thanks!";
    await db.batch([
      {
        text: `INSERT INTO interactions (org_id, user_id, interaction_id, request_id, created_at, role, content, details)
          VALUES (?, 'maria', 1, 'req', 100, 'User', ?, '{}'), (?, 'maria', 2, 'req', 100, 'User', 'Not that one.', '{}'),
          (?, 'maria', 3, 'req', 100, 'User', 'Good morning.', '{}')`,
        params: [orgId, said, orgId, orgId],
      },
      ...insertUserPlaybooks([
        {
          ...userRule(6001, "maria", [1, 2, 3]),
          orgId,
          sourceSpan: 'Please always name the "branch".\n\nNot that one.',
        },
      ]),
      ...insertAgentPlaybook(agentRule(orgId, 1)),
      ...insertSources(orgId, 1, [{ userPlaybookId: 6001, sourceInteractionIds: [1, 2, 3] }]),
    ]);
    const turns = (await evidenceOf(db, orgId, 1, false))?.sources[0]?.turns ?? [];
    expect(turns.map(({ content, marks }) => marks.map(([start, end]) => content.slice(start, end)))).toEqual(
      [["Please always   name the “branch”."], ["Not that one."], []],
    );
  });

  it("shows the rule that an approval would supersede as it is now, or null", async () => {
    const { orgId } = newOrg();
    await put([
      agentRule(orgId, 1, { playbookStatus: "approved", rationale: "Why." }),
      agentRule(orgId, 2, { replaces: 1 }),
      agentRule(orgId, 3, { replaces: 99 }),
      agentRule(orgId, 4),
    ]);
    expect((await evidenceOf(db, orgId, 2, false))?.replaces).toEqual({
      agent_playbook_id: 1,
      trigger: "When thing 1 comes up",
      content: "Do thing 1.",
      rationale: "Why.",
      version: 1,
      playbook_status: "approved",
      status: null,
    });
    expect((await evidenceOf(db, orgId, 3, false))?.replaces).toBeNull();
    expect((await evidenceOf(db, orgId, 4, false))?.replaces).toBeNull();
  });
});
