/** The list that people page through: newest first, bounded whatever the filter, its own org's rows only. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type BatchResult, Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import {
  MAX_LOOKED_AT,
  searchUserPlaybooks,
  type UserPlaybookSearch,
  versionsOfUserPlaybooks,
} from "../../../src/playbooks/user-list-store";
import {
  loadProvingTurns,
  loadSupportedRules,
  loadUserPlaybookEvents,
} from "../../../src/playbooks/user-proof-store";
import { insertUserPlaybooks } from "../../../src/playbooks/user-store";

const all = { lifecycle: "kept", limit: 25 } as const;

class Watched extends Database {
  readonly statements: Statement[] = [];
  rowsRead = 0;
  override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.statements.push(...statements);
    const results = await super.batch(statements);
    for (const { rowsRead } of results) this.rowsRead += rowsRead;
    return results;
  }
}

interface Planted {
  id: number;
  userId?: string;
  agentVersion?: string;
  content?: string;
  status?: "pending" | "archived" | "merged" | null;
  flags?: ("tainted" | "thin_support")[];
}

const plant = (orgId: string, rules: readonly Planted[]) =>
  new Database(env.DB).batch(
    insertUserPlaybooks(
      rules.map(({ id, userId = "ann", agentVersion = "v", content, status = null, flags = [] }) => ({
        orgId,
        userPlaybookId: id,
        userId,
        agentVersion,
        requestId: "r",
        playbookName: "p",
        createdAt: 1_000,
        updatedAtMs: 1,
        content: content ?? `rule number${id}`,
        trigger: null,
        rationale: null,
        status,
        source: null,
        sourceInteractionIds: [],
        sourceSpan: null,
        tags: null,
        notes: null,
        readerAngle: null,
        expandedTerms: null,
        flags,
        windowId: null,
      })),
    ),
  );

const idsOf = async (orgId: string, search: Partial<UserPlaybookSearch>) =>
  (await searchUserPlaybooks(new Database(env.DB), orgId, { ...all, ...search })).rows.map(
    ({ userPlaybookId }) => userPlaybookId,
  );

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe("every read of the page", () => {
  const org = "org-list-plans";
  it.each<[string, (db: Database) => Promise<unknown>, string]>([
    ["all rules", (db) => searchUserPlaybooks(db, org, all), "user_playbooks_by_id (org_id=? AND user_pl"],
    [
      "a user's rules",
      (db) => searchUserPlaybooks(db, org, { ...all, userId: "u" }),
      "user_playbooks_of_user (org_id=? AND user_id=? AND user_pl",
    ],
    [
      "a version's rules",
      (db) => searchUserPlaybooks(db, org, { ...all, agentVersion: "v" }),
      "user_playbooks_by_version (org_id=? AND agent_version=? AND user_pl",
    ],
    [
      "words",
      (db) => searchUserPlaybooks(db, org, { ...all, query: "tea", before: 9 }),
      "VIRTUAL TABLE INDEX",
    ],
    ["versions", (db) => versionsOfUserPlaybooks(db, org, 9), "user_playbooks_by_version"],
    [
      "proving turns",
      (db) => loadProvingTurns(db, org, { userId: "u", interactionIds: [1], quote: "q", maxChars: 9 }),
      "interactions_stream (org_id=? AND user_id=? AND interaction_id=?)",
    ],
    [
      "supported rules",
      (db) => loadSupportedRules(db, org, 1, 9),
      "agent_playbook_sources_by_user_playbook (org_id=? AND user_playbook_id=?)",
    ],
    ["events", (db) => loadUserPlaybookEvents(db, org, 1, 9), "lineage_by_entity"],
  ])("finds its rows by an index: %s", async (_, read, index) => {
    const db = new Watched(env.DB);
    await read(db);
    const plans = await Promise.all(
      db.statements.map(async ({ text, params }) => {
        const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
          .bind(...params)
          .all<{ detail: string }>();
        return results.map(({ detail }) => detail);
      }),
    );
    expect(plans.flat().join("\n")).toContain(index);
    expect(
      plans.flat().filter((step) => /^SCAN (?:user_playbooks|agent_playbooks|[pistr])\b/.test(step)),
    ).toEqual([]);
  });
});

describe("the list of user playbooks", () => {
  it("pages newest first, without gaps or repeats, while new rules come in", async () => {
    const org = "org-list-pages";
    await plant(
      org,
      range(1, 60).map((id) => ({ id })),
    );
    const db = new Database(env.DB);
    const first = await searchUserPlaybooks(db, org, all);
    await plant(org, [{ id: 61 }]);
    const second = await searchUserPlaybooks(db, org, { ...all, before: first.next ?? 0 });
    const third = await searchUserPlaybooks(db, org, { ...all, before: second.next ?? 0 });
    const seen = [first, second, third].flatMap(({ rows }) => rows.map((row) => row.userPlaybookId));
    expect(seen).toEqual(range(1, 60).reverse());
    expect(third.next).toBeNull();
  });

  it("narrows by state, warning, user and version", async () => {
    const org = "org-list-filters";
    await plant(org, [
      { id: 1, status: "pending", flags: ["tainted"] },
      { id: 2, status: "archived" },
      { id: 3, status: "merged" },
      { id: 4, userId: "bea", flags: ["thin_support"] },
      { id: 5, userId: "bea", agentVersion: "w" },
    ]);
    expect(await idsOf(org, {})).toEqual([5, 4, 2, 1]);
    expect(await idsOf(org, { lifecycle: "current" })).toEqual([5, 4]);
    expect(await idsOf(org, { lifecycle: "pending" })).toEqual([1]);
    expect(await idsOf(org, { lifecycle: "archived" })).toEqual([2]);
    expect(await idsOf(org, { lifecycle: "replaced" })).toEqual([3]);
    expect(await idsOf(org, { lifecycle: "all" })).toEqual([5, 4, 3, 2, 1]);
    expect(await idsOf(org, { flag: "any" })).toEqual([4, 1]);
    expect(await idsOf(org, { flag: "tainted" })).toEqual([1]);
    expect(await idsOf(org, { userId: "bea" })).toEqual([5, 4]);
    expect(await idsOf(org, { userId: "bea", agentVersion: "w" })).toEqual([5]);
    expect(await idsOf(org, { agentVersion: "v" })).toEqual([4, 2, 1]);
    expect(await versionsOfUserPlaybooks(new Database(env.DB), org, 9)).toEqual(["v", "w"]);
    expect(await versionsOfUserPlaybooks(new Database(env.DB), org, 1)).toEqual(["v"]);
  });

  it("finds words, pages through them, and takes no operator from a search box", async () => {
    const org = "org-list-words";
    await plant(
      org,
      range(1, 30).map((id) => ({ id, content: id % 2 === 0 ? `brew tea ${id}` : `roast coffee ${id}` })),
    );
    const db = new Database(env.DB);
    const first = await searchUserPlaybooks(db, org, { ...all, limit: 10, query: "teas" });
    expect(first.rows.map(({ userPlaybookId }) => userPlaybookId)).toEqual(
      range(1, 15)
        .map((half) => half * 2)
        .reverse()
        .slice(0, 10),
    );
    const second = await searchUserPlaybooks(db, org, {
      ...all,
      limit: 10,
      query: "teas",
      before: first.next ?? 0,
    });
    expect(second.rows.map(({ userPlaybookId }) => userPlaybookId)).toEqual([10, 8, 6, 4, 2]);
    expect(second.next).toBeNull();
    expect(await idsOf(org, { query: '" OR scope : "x' })).toEqual([]);
    expect(await idsOf(org, { query: "…" })).toEqual([]);
  });

  it("leaves out no rule whose insertion was overtaken by a later one", async () => {
    const org = "org-list-overtaken";
    await plant(
      org,
      range(13, 16).map((id) => ({ id, content: "brew tea" })),
    );
    await plant(
      org,
      range(10, 12).map((id) => ({ id, content: "brew tea" })),
    );
    const seen: number[] = [];
    for (let before: number | undefined; ; ) {
      const page = await searchUserPlaybooks(new Database(env.DB), org, {
        ...all,
        limit: 1,
        query: "tea",
        before,
      });
      seen.push(...page.rows.map(({ userPlaybookId }) => userPlaybookId));
      if (page.next === null) break;
      before = page.next;
    }
    expect(seen).toEqual(range(10, 16).reverse());
  });

  it("shows nothing of another org, however it is asked", async () => {
    await plant("org-list-mine", [{ id: 1, content: "brew tea" }]);
    await plant("org-list-theirs", [{ id: 2, content: "brew tea" }]);
    for (const search of [{}, { query: "tea" }, { userId: "ann" }, { agentVersion: "v" }]) {
      expect(await idsOf("org-list-mine", search)).toEqual([1]);
    }
  });

  it("looks at 2,000 rules at most when few meet a filter, and goes on from there", async () => {
    const org = "org-list-bounds";
    const ids = range(1, MAX_LOOKED_AT + 100);
    for (let at = 0; at < ids.length; at += 500) {
      await plant(
        org,
        ids.slice(at, at + 500).map((id) => ({ id, flags: id === 50 ? ["tainted"] : [] })),
      );
    }
    for (const search of [{}, { userId: "ann" }, { agentVersion: "v" }, { query: "rule" }]) {
      const db = new Watched(env.DB);
      const first = await searchUserPlaybooks(db, org, { ...all, ...search, flag: "tainted" });
      expect(first).toEqual({ rows: [], next: 101 });
      expect(db.rowsRead).toBeLessThan(6 * MAX_LOOKED_AT);
      const second = await searchUserPlaybooks(db, org, {
        ...all,
        ...search,
        flag: "tainted",
        before: first.next ?? 0,
      });
      expect([second.rows.map(({ userPlaybookId }) => userPlaybookId), second.next]).toEqual([[50], null]);
    }
  });
});
