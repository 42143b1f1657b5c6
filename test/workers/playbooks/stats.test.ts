/** What there is and what happened lately: true figures, out of rows of the period only. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { firstIdSince } from "../../../src/db/first-since";
import { type Statement, sql } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { countDeleted, deleteRules, doomedRules, lastRuleId } from "../../../src/playbooks/bulk-delete-store";
import { countRulesOf, loadApplicationStats, loadDailyCounts } from "../../../src/playbooks/stats-store";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { call, SELF_HOST_ORG } from "./client";
import { agentRule, newOrg, put, db as room, userRule } from "./rules";
import { roomServices } from "./services";

const DAY_SEC = 86_400;
const TODAY = 19_600;

/** Counts what it reads. */
class ReadingDatabase extends Database {
  rowsRead = 0;
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    const results = await super.batch(statements);
    this.rowsRead += results.reduce((sum, result) => sum + result.rowsRead, 0);
    return results;
  }
}

async function say(orgId: string, day: number, userId: string, cited: readonly [string, number][][]) {
  const services = roomServices();
  services.nowMs = day * DAY_SEC * 1000 + 1000;
  await publish(
    services,
    orgId,
    publishBodySchema.parse({
      ...{ user_id: userId, session_id: userId, agent_version: "v1" },
      interaction_data_list: cited.map((rules) => ({
        ...{ role: "Assistant", content: "Done." },
        citations: rules.map(([kind, id]) => ({ kind, real_id: String(id), tag: "", title: "" })),
      })),
    }),
  );
}

describe("application stats", () => {
  it("count the turns that cite a rule since, most first, and name what is left of it", async () => {
    const { orgId } = newOrg();
    await put(
      [agentRule(orgId, 1, { trigger: "  ", content: "Wrap it." }), agentRule(orgId, 2)],
      ...insertUserPlaybooks([userRule(orgId, 1, { trigger: "Asked for a parcel" })]),
    );
    await say(orgId, TODAY - 40, "old", [[["agent_playbook", 1]]]);
    await say(orgId, TODAY - 2, "ada", [
      [
        ["agent_playbook", 1],
        ["user_playbook", 1],
      ],
      [["agent_playbook", 1]],
    ]);
    await say(orgId, TODAY, "ben", [
      [
        ["agent_playbook", 2],
        ["agent_playbook", 1],
      ],
    ]);
    await room.run(sql`DELETE FROM agent_playbooks WHERE org_id = ${orgId} AND agent_playbook_id = 2`);
    const stats = await loadApplicationStats(room, orgId, (TODAY - 30) * DAY_SEC);
    expect(stats.map(({ kind, entityId, title, applied }) => [kind, entityId, title, applied])).toEqual([
      ["agent_playbook", 1, "Wrap it.", 3],
      ["agent_playbook", 2, null, 1],
      ["user_playbook", 1, "Asked for a parcel", 1],
    ]);
    expect(stats[0]).toMatchObject({ lastAppliedAt: TODAY * DAY_SEC + 1, lastInteractionId: 4 });
  });

  it("are answered as Reflexio's client parses them", async () => {
    await put([agentRule(SELF_HOST_ORG, 1)]);
    const services = roomServices();
    await say(SELF_HOST_ORG, Math.floor(services.nowMs / 86_400_000), "ada", [[["agent_playbook", 1]]]);
    const { answer } = await call("POST", "/api/get_playbook_application_stats", {});
    expect(answer).toMatchObject({
      success: true,
      stats: [{ real_id: "1", kind: "agent_playbook", applied_count: 1, title: "When thing 1 comes up" }],
    });
  });

  it.each([0, -1, 367, 1.5])("refuse a period of %s days", async (days_back) => {
    for (const path of ["get_playbook_application_stats", "get_dashboard_stats"]) {
      expect((await call("POST", `/api/${path}`, { days_back })).status).toBe(422);
    }
  });
});

describe("daily counts", () => {
  it("are of the days asked for", async () => {
    const { orgId } = newOrg();
    for (const [day, turns] of [
      [TODAY - 9, 5],
      [TODAY - 1, 2],
      [TODAY, 1],
    ] as const) {
      await say(orgId, day, `user ${day}`, Array(turns).fill([]));
    }
    const at = (id: number, day: number) => userRule(orgId, id, { createdAt: day * DAY_SEC });
    await put([], ...insertUserPlaybooks([at(1, TODAY - 9), at(2, TODAY - 1), at(3, TODAY - 1)]));
    expect(await loadDailyCounts(room, orgId, TODAY - 1)).toEqual({
      turns: [
        { day: TODAY - 1, count: 2 },
        { day: TODAY, count: 1 },
      ],
      rules: [{ day: TODAY - 1, count: 2 }],
      outcomes: [],
    });
  });

  it("read few rows of an org with a long past", async () => {
    const { orgId } = newOrg();
    const past = Array.from({ length: 4_000 }, (_, at) => userRule(orgId, at + 1, { createdAt: at + 1 }));
    for (let at = 0; at < past.length; at += 1_000) {
      await put([], ...insertUserPlaybooks(past.slice(at, at + 1_000)));
    }
    await put([], ...insertUserPlaybooks([userRule(orgId, 4_001, { createdAt: TODAY * DAY_SEC })]));
    const db = new ReadingDatabase();
    expect((await loadDailyCounts(db, orgId, TODAY)).rules).toEqual([{ day: TODAY, count: 1 }]);
    expect(db.rowsRead).toBeLessThan(100);
  });

  it("the first id since an instant is found wherever it lies", async () => {
    const { orgId } = newOrg();
    const first = async (sinceSec: number) =>
      (
        await room.first(
          z.object({ id: z.int() }),
          sql`SELECT ${firstIdSince("user_playbooks", orgId, sinceSec)} AS id`,
        )
      )?.id;
    expect(await first(5)).toBe(0);
    // Ids with gaps, several in one second.
    const ids = [3, 4, 9, 10, 11, 40];
    await put(
      [],
      ...insertUserPlaybooks(
        ids.map((id, at) => userRule(orgId, id, { createdAt: 10 + 5 * Math.floor(at / 2) })),
      ),
    );
    for (const [since, id] of [
      [0, 3],
      [10, 3],
      [11, 9],
      [15, 9],
      [20, 11],
      [21, 41],
    ] as const) {
      const found = (await first(since)) ?? 0;
      expect(
        ids.filter((each) => each >= found),
        String(since),
      ).toEqual(ids.filter((each) => each >= id));
    }
  });
});

describe("storage stats", () => {
  it("count a user's rules in every state, and none of others", async () => {
    const { orgId } = newOrg();
    await put(
      [],
      ...insertUserPlaybooks([
        userRule(orgId, 1, { userId: "ada" }),
        userRule(orgId, 2, { userId: "ada", status: "archived" }),
        userRule(orgId, 3, { userId: "ben" }),
      ]),
    );
    expect(await countRulesOf(room, orgId, "ada")).toBe(2);
    expect(await countRulesOf(room, newOrg().orgId, "ada")).toBe(0);
  });

  it("need a user, and answer counts", async () => {
    expect((await call("GET", "/api/storage_stats", undefined)).status).toBe(422);
    expect((await call("GET", "/api/storage_stats?user_id=nobody", undefined)).answer).toEqual({
      ...{ success: true, profile_count: 0, playbook_count: 0 },
    });
  });
});

/** Asks for the plan of what it is given instead of running it. */
class ExplainingDatabase extends Database {
  plan: string[] = [];
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]) {
    for (const statement of statements) {
      const [result] = await super.batch([sql`EXPLAIN QUERY PLAN ${statement}`]);
      const rows = z.array(z.object({ detail: z.string() })).parse(result?.rows ?? []);
      this.plan.push(...rows.map(({ detail }) => detail));
    }
    return [];
  }
}

const page = { after: 5, upTo: 9, approvedToo: false };

describe("what these and bulk deletions read", () => {
  it.each<[string, (db: Database) => Promise<unknown>, string]>([
    ["daily counts", (db) => loadDailyCounts(db, "o", 1), "SEARCH requests USING"],
    ["application stats", (db) => loadApplicationStats(db, "o", 1), "rule_applications_by_turn (org_id=?"],
    ["a user's rules", (db) => countRulesOf(db, "o", "u"), "(org_id=? AND user_id=?)"],
    [
      "a page to delete",
      (db) => doomedRules(db, "o", "agent_playbook", { ...page, ids: null }, 500),
      "agent_playbooks_by_id (org_id=? AND agent_playbook_id>?",
    ],
    [
      "rules to delete by id",
      (db) => doomedRules(db, "o", "user_playbook", { ...page, ids: [6, 7] }, 500),
      "user_playbooks_by_id (org_id=?",
    ],
    ["the last rule", (db) => lastRuleId(db, "o", "user_playbook"), "user_playbooks_by_id (org_id=?)"],
    [
      "deletions that are in",
      (db) => countDeleted(db, "o", [{ eventId: "e", entityId: 1 }]),
      "lineage_by_event (org_id=? AND event_id=?)",
    ],
    [
      "what is deleted",
      (db) =>
        db.batch(
          deleteRules({
            ...{ orgId: "o", kind: "agent_playbook", events: [{ eventId: "e", entityId: 1 }] },
            ...{ approvedToo: false, actor: "a", requestId: "r", at: 1 },
          }),
        ),
      "agent_playbooks_by_id (org_id=? AND agent_playbook_id=?)",
    ],
  ])("finds its org by an index: %s", async (_, ask, index) => {
    const db = new ExplainingDatabase();
    await ask(db);
    expect(db.plan.join("\n")).toContain(index);
    const walks =
      /^SCAN (?:requests|user_playbooks|agent_playbooks|session_outcomes|rule_\w+|lineage|vectors|decisions|p)\b/;
    expect(db.plan.filter((step) => walks.test(step))).toEqual([]);
  });
});
