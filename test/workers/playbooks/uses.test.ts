/** What was said of rules, and how often they were applied. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { giveFeedback, usesOf, usesViewOf } from "../../../src/playbooks/uses";
import { AGENT, call, principal, REVIEWER, SELF_HOST_ORG, scopeOf } from "./client";
import { agentRule, DisturbedDatabase, NOW_SEC, newOrg, put, db as room, rowsOf, userRule } from "./rules";
import { roomServices } from "./services";

/** Remembers what each batch was and wrote. */
class WatchedDatabase extends Database {
  statements: string[] = [];
  written = 0;
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    const results = await super.batch(statements);
    this.statements.push(...statements.map(({ text }) => text));
    this.written += results.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    return results;
  }
}

const cite = (kind: string, real_id: number | string, tag = "") => ({ kind, real_id, tag, title: "" });

async function say(
  orgId: string,
  body: { user_id: string; session_id?: string; request_id?: string; citations: object[][] },
  db: Database = room,
) {
  const services = { ...roomServices(), database: () => db };
  const { citations, ...rest } = body;
  return publish(
    services,
    orgId,
    publishBodySchema.parse({
      session_id: `${body.user_id}-session`,
      ...rest,
      interaction_data_list: citations.map((cited) => ({
        role: "Assistant",
        content: "I looked it up.",
        citations: cited,
      })),
    }),
  );
}

describe("feedback", () => {
  const arranged = async () => {
    const org = newOrg();
    await put([agentRule(org.orgId, 1)], ...insertUserPlaybooks([userRule(org.orgId, 1)]));
    await say(org.orgId, { user_id: "ada", citations: [[cite("agent_playbook", 1)], []] });
    await say(org.orgId, { user_id: "ben", citations: [[cite("agent_playbook", 1)]] });
    return org;
  };
  const of = (verdict: "helpful" | "harmful", interactionId: number | null = null) =>
    ({ kind: "agent_playbook", id: 1, verdict, interactionId }) as const;

  it("counts one verdict per principal, rule and turn, the last one", async () => {
    const { orgId } = await arranged();
    const [bot, cat] = [principal("bot", "agent", orgId), principal("cat", "agent", orgId)];
    await giveFeedback(scopeOf(bot), of("helpful", 1));
    await giveFeedback(scopeOf(bot), of("harmful", 1));
    await giveFeedback(scopeOf(bot), of("helpful", 2));
    await giveFeedback(scopeOf(bot), of("helpful"));
    await giveFeedback(scopeOf(cat), of("helpful", 1));
    await giveFeedback(scopeOf(cat), { ...of("harmful", 1), kind: "user_playbook" });
    expect((await usesOf(room, orgId, "agent_playbook", [1])).get(1)).toMatchObject({
      helpful: 3,
      harmful: 1,
    });
    expect((await usesOf(room, orgId, "user_playbook", [1])).get(1)).toMatchObject({
      helpful: 0,
      harmful: 1,
    });
  });

  it("needs a rule and a turn of the org", async () => {
    const { orgId } = await arranged();
    const scope = scopeOf(principal("bot", "agent", orgId));
    await expect(giveFeedback(scope, { ...of("helpful"), id: 2 })).rejects.toMatchObject({
      kind: "not_found",
    });
    for (const turn of [4, 99_999]) {
      await expect(giveFeedback(scope, of("helpful", turn))).rejects.toMatchObject({
        kind: "invalid",
        issues: [{ pointer: "/interaction_id" }],
      });
    }
    const foreign = scopeOf(principal("bot", "agent", newOrg().orgId));
    await expect(giveFeedback(foreign, of("helpful", 1))).rejects.toMatchObject({ kind: "not_found" });
    expect(await rowsOf("rule_feedback", orgId, "feedback_id")).toEqual([]);
  });

  it("finds a turn between deleted ones and none in a gap", async () => {
    const { orgId } = await arranged();
    await room.batch([
      { text: "DELETE FROM interactions WHERE org_id = ? AND interaction_id = 1", params: [orgId] },
    ]);
    const scope = scopeOf(principal("bot", "agent", orgId));
    await expect(giveFeedback(scope, of("helpful", 1))).rejects.toMatchObject({ kind: "invalid" });
    await giveFeedback(scope, of("helpful", 2));
    await giveFeedback(scope, of("helpful", 3));
    expect(await rowsOf("rule_feedback", orgId, "interaction_id")).toMatchObject([
      { interaction_id: 2 },
      { interaction_id: 3 },
    ]);
  });

  it("is given once, whatever fails before or after its effect, and not at all on what vanishes meanwhile", async () => {
    for (const disturb of [{ failBefore: true }, { failAfter: true }] as const) {
      const { orgId } = await arranged();
      const bot = principal("bot", "agent", orgId);
      const db = new DisturbedDatabase(1, disturb, "INSERT INTO rule_feedback");
      await expect(giveFeedback(scopeOf(bot, { db }), of("helpful", 1))).rejects.toThrow("connection lost");
      await giveFeedback(scopeOf(bot), of("helpful", 1));
      expect(await rowsOf("rule_feedback", orgId, "feedback_id")).toHaveLength(1);
    }
    for (const [table, kind] of [
      ["agent_playbooks", "not_found"],
      ["interactions", "invalid"],
    ]) {
      const { orgId } = await arranged();
      const vanish = () => room.batch([{ text: `DELETE FROM ${table} WHERE org_id = ?`, params: [orgId] }]);
      const db = new DisturbedDatabase(1, { before: vanish }, "INSERT INTO rule_feedback");
      const scope = scopeOf(principal("bot", "agent", orgId), { db });
      await expect(giveFeedback(scope, of("helpful", 1))).rejects.toMatchObject({ kind });
      expect(await rowsOf("rule_feedback", orgId, "feedback_id")).toEqual([]);
    }
  });
});

describe("the uses of a rule", () => {
  it("are counted by turn, session and user, and name people to reviewers only", async () => {
    const { orgId } = newOrg();
    await put([agentRule(orgId, 1), agentRule(orgId, 2)]);
    const cited = [cite("agent_playbook", 1)];
    await say(orgId, { user_id: "ada", session_id: "one", citations: [cited, cited] });
    await say(orgId, { user_id: "ada", session_id: "two", citations: [cited] });
    await say(orgId, { user_id: "ben", session_id: "one", citations: [cited] });
    const forReviewer = await usesViewOf(room, orgId, "agent_playbook", 1, true);
    expect(forReviewer).toMatchObject({
      applied_count: 4,
      session_count: 3,
      user_count: 2,
      last_applied_at: NOW_SEC,
      helpful_count: 0,
      harmful_count: 0,
      applications: [
        { interaction_id: 4, user_id: "ben", session_id: "one", created_at: NOW_SEC },
        { interaction_id: 3, user_id: "ada", session_id: "two" },
        { interaction_id: 2 },
        { interaction_id: 1 },
      ],
    });
    const forAgent = await usesViewOf(room, orgId, "agent_playbook", 1, false);
    expect(JSON.stringify(forAgent)).not.toMatch(/ada|ben|one|two/);
    expect(forAgent?.user_count).toBe(2);
    expect(await usesViewOf(room, orgId, "agent_playbook", 2, true)).toMatchObject({
      applied_count: 0,
      session_count: 0,
      user_count: 0,
      last_applied_at: null,
      applications: [],
    });
    expect(await usesViewOf(room, orgId, "agent_playbook", 3, true)).toBeNull();
    expect(await usesViewOf(room, orgId, "user_playbook", 1, true)).toBeNull();
  });

  it("show the newest twenty turns and count all", async () => {
    const { orgId } = newOrg();
    await put([agentRule(orgId, 1)]);
    await say(orgId, {
      user_id: "ada",
      citations: Array.from({ length: 30 }, () => [cite("agent_playbook", 1)]),
    });
    const uses = await usesViewOf(room, orgId, "agent_playbook", 1, true);
    expect(uses?.applied_count).toBe(30);
    expect(uses?.applications.map((each) => each.interaction_id)).toEqual(
      Array.from({ length: 20 }, (_, at) => 30 - at),
    );
  });

  it("of many rules are one statement, and nothing of another org", async () => {
    const [first, second] = [newOrg(), newOrg()];
    for (const { orgId } of [first, second]) {
      await put([agentRule(orgId, 1), agentRule(orgId, 2)]);
      await say(orgId, { user_id: "ada", citations: [[cite("agent_playbook", 1)]] });
    }
    const db = new WatchedDatabase();
    const uses = await usesOf(db, first.orgId, "agent_playbook", [2, 1, 1]);
    expect(db.statements).toHaveLength(1);
    expect([...uses.entries()].map(([id, { applied }]) => [id, applied])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(await usesOf(db, first.orgId, "agent_playbook", [])).toEqual(new Map());
    expect(db.statements).toHaveLength(1);
  });
});

describe("over HTTP", () => {
  it("an agent gives feedback and reads counts", async () => {
    await put([agentRule(SELF_HOST_ORG, 8301)]);
    const body = { kind: "agent_playbook", id: 8301, verdict: "helpful" };
    expect(await call("POST", "/api/rule_feedback", body, { as: AGENT })).toMatchObject({
      status: 200,
      answer: { ...body, interaction_id: null },
    });
    const uses = await call("GET", "/api/rules/agent_playbook/8301/uses", undefined, { as: AGENT });
    expect(uses).toMatchObject({ status: 200, answer: { helpful_count: 1, applied_count: 0 } });
  });

  it.each([
    [{ kind: "profile", id: 1, verdict: "helpful" }, "/kind"],
    [{ kind: "agent_playbook", id: "1", verdict: "helpful" }, "/id"],
    [{ kind: "agent_playbook", id: 1, verdict: "fine" }, "/verdict"],
    [{ kind: "agent_playbook", id: 1, verdict: "helpful", interaction_id: 0 }, "/interaction_id"],
  ])("feedback %j is refused at %s", async (body, pointer) => {
    const { status, answer } = await call("POST", "/api/rule_feedback", body);
    expect(status).toBe(422);
    expect(answer.errors).toMatchObject([{ pointer }]);
  });

  it("needs the scope publish for feedback, and a rule for uses", async () => {
    const body = { kind: "agent_playbook", id: 8301, verdict: "helpful" };
    expect((await call("POST", "/api/rule_feedback", body, { as: REVIEWER })).status).toBe(403);
    expect((await call("GET", "/api/rules/agent_playbook/89999/uses", undefined)).status).toBe(404);
    expect((await call("GET", "/api/rules/profile/1/uses", undefined)).status).toBe(422);
    expect((await call("GET", "/api/rules/agent_playbook/1e3/uses", undefined)).status).toBe(422);
  });
});
