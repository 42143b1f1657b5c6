/** Pages of sessions find their rows by more than the org, and look at a bounded number of them. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type BatchResult, Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { countLessons, loadSessionFacts } from "../../../src/interactions/session-facts-store";
import { MAX_LOOKED_AT, searchSessions, summariseSessions } from "../../../src/interactions/session-store";
import { loadSessionTurns } from "../../../src/interactions/session-turns-store";
import { loadTurnLearning } from "../../../src/interactions/turn-learning-store";

const ORG = "org-session-plans";
const stretch = { group: "s", userId: "ann", firstSeq: 1, lastSeq: 9 };

/** Remembers its statements and what they read. */
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

/** Steps that walk a table, or all of an org's rows in it. */
const WALKS =
  /^SCAN (?:interactions|requests|windows|cursors|user_playbooks|revocations|[rniwcpqvf])\b(?! VIRTUAL)|\(org_id=\?\)$/;

const walksOf = async (statement: Statement): Promise<string[]> => {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement.text}`)
    .bind(...statement.params)
    .all<{ detail: string }>();
  return (
    results
      .map(({ detail }) => detail)
      .filter((detail) => WALKS.test(detail))
      // The newest call is one seek, which the plan does not tell from a walk; the counts below do.
      .filter((detail) => !(statement.text.includes("max(max_seq)") && detail.startsWith("SEARCH requests")))
  );
};

describe("every read of a session page", () => {
  it.each<[string, (db: Database) => Promise<unknown>]>([
    ["sessions", (db) => searchSessions(db, ORG, { limit: 5 })],
    ["sessions of a version", (db) => searchSessions(db, ORG, { limit: 5, agentVersion: "v", before: 9 })],
    ["sessions of a user", (db) => searchSessions(db, ORG, { limit: 5, userId: "ann" })],
    ["summaries", (db) => summariseSessions(db, ORG, ["s", "t"])],
    ["facts", (db) => loadSessionFacts(db, ORG, [{ ...stretch, lastCallMinSeq: 5 }])],
    ["lessons", (db) => countLessons(db, ORG, [stretch])],
    ["turns", (db) => loadSessionTurns(db, ORG, "s", { from: 3, around: null }, 5)],
    ["turns around one", (db) => loadSessionTurns(db, ORG, "s", { from: null, around: 3 }, 5)],
    [
      "what was learned from turns",
      (db) => loadTurnLearning(db, ORG, [{ userId: "ann", interactionId: 1 }], [stretch]),
    ],
  ])("finds its rows by more than the org: %s", async (_, read) => {
    const db = new Watched(env.DB);
    await read(db);
    expect(db.statements.length).toBeGreaterThan(0);
    for (const statement of db.statements) {
      expect({ text: statement.text, walks: await walksOf(statement) }).toEqual({
        text: statement.text,
        walks: [],
      });
    }
  });
});

/** One-turn calls, each a session of its own, from turn 1 on. */
const plantCalls = (orgId: string, count: number, userOf: string) =>
  env.DB.batch([
    env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO requests (org_id, max_seq, min_seq, request_id, user_id, session_id, source, agent_version,
         created_at, evaluation_only, force_extraction, skip_aggregation, config_hash, playbook_eligible,
         profile_eligible, body_hash, warnings)
       SELECT ?1, i, i, 'r' || i, ${userOf}, 's' || i, '', CASE i WHEN 1 THEN 'rare' ELSE 'v' END, 1000 + i, 0, 0, 0,
         'c', 1, 0, 'b', '[]' FROM n`,
    ).bind(orgId, count),
    env.DB.prepare(
      `INSERT INTO interactions (org_id, user_id, interaction_id, request_id, created_at, role, content, details)
       SELECT org_id, user_id, max_seq, request_id, created_at, 'User', 'hello', '{}' FROM requests WHERE org_id = ?1`,
    ).bind(orgId),
  ]);

describe("a page of sessions", () => {
  it("looks 20,000 turns back at most, and the next one goes on from there", async () => {
    const orgId = "org-session-bounds";
    await plantCalls(orgId, MAX_LOOKED_AT + 500, "'ann'");
    const db = new Watched(env.DB);
    const first = await searchSessions(db, orgId, { agentVersion: "rare", limit: 25 });
    expect(first).toEqual({ calls: [], next: 501 });
    expect(db.rowsRead).toBeLessThan(2 * MAX_LOOKED_AT);
    const second = await searchSessions(db, orgId, {
      agentVersion: "rare",
      limit: 25,
      before: first.next ?? 0,
    });
    expect([second.calls.map(({ sessionId }) => sessionId), second.next]).toEqual([["s1"], null]);
  });

  it("finds a user's sessions without reading the others'", async () => {
    const orgId = "org-session-user";
    await plantCalls(orgId, 500, "CASE i WHEN 1 THEN 'bea' ELSE 'ann' END");
    const db = new Watched(env.DB);
    const { calls, next } = await searchSessions(db, orgId, { userId: "bea", limit: 25 });
    expect([calls.map(({ sessionId }) => sessionId), next]).toEqual([["s1"], null]);
    expect(db.rowsRead).toBeLessThan(50);
  });

  it("reads what it shows when nothing is filtered, however long the list", async () => {
    const orgId = "org-session-plain";
    await plantCalls(orgId, 1_000, "'ann'");
    const db = new Watched(env.DB);
    const { calls } = await searchSessions(db, orgId, { limit: 25 });
    expect(calls).toHaveLength(25);
    const summaries = await summariseSessions(
      db,
      orgId,
      calls.map(({ sessionId }) => sessionId),
    );
    expect(summaries).toHaveLength(25);
    expect(db.rowsRead).toBeLessThan(500);
  });
});
