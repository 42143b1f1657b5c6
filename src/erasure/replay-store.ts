/** SQL of replaying the log: the users that an org knows, and which of them were forgotten before. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";

/** Tables that name users, each with the index that walks from one user to the next. */
const SOURCES = [
  "interactions INDEXED BY interactions_stream",
  "user_playbooks INDEXED BY user_playbooks_of_user",
  "windows INDEXED BY windows_by_user",
  "revocations INDEXED BY revocations_by_user",
  "session_outcomes INDEXED BY session_outcomes_by_user",
  "cursors",
];

/** Scalar: the org's next user after the operand; one seek in each table. */
const nextAfter = (orgId: string, after: Statement): Statement => {
  const firsts = SOURCES.map(
    (source) => sql`(SELECT user_id FROM ${{ text: source, params: [] }} WHERE org_id = ${orgId}
        AND user_id > ${after} ORDER BY user_id LIMIT 1)`,
  ).reduce((all, first) => sql`${all}, ${first}`);
  // A compound of so many selects is more than the database takes.
  return sql`(SELECT min(value) FROM json_each(json_array(${firsts})))`;
};

export interface KnownUser {
  userId: string;
  /** Seconds; of the oldest turn or rule, 0 where only traces are left. */
  since: number;
}

/** Users in the order of their ids, from after one on. */
export async function usersAfter(
  db: Database,
  orgId: string,
  after: string,
  limit: number,
): Promise<KnownUser[]> {
  const rows = await db.all(
    z.object({ id: z.string(), since: z.int() }),
    sql`WITH RECURSIVE users (id) AS (SELECT ${nextAfter(orgId, sql`${after}`)}
          UNION ALL SELECT ${nextAfter(orgId, { text: "users.id", params: [] })} FROM users
          WHERE users.id IS NOT NULL LIMIT ${limit})
        SELECT id, coalesce((SELECT min(at) FROM (
            SELECT (SELECT created_at FROM interactions WHERE org_id = ${orgId} AND user_id = users.id
              ORDER BY interaction_id LIMIT 1) AS at
            UNION ALL SELECT (SELECT min(created_at) FROM user_playbooks WHERE org_id = ${orgId}
              AND user_id = users.id))), 0) AS since
        FROM users WHERE id IS NOT NULL`,
  );
  return rows.map((row) => ({ userId: row.id, since: row.since }));
}

export async function loadSalts(db: Database, orgId: string): Promise<string[]> {
  const rows = await db.all(
    z.object({ salt: z.string() }),
    sql`SELECT DISTINCT salt FROM erasure_log WHERE org_id = ${orgId}`,
  );
  return rows.map((row) => row.salt);
}

/** When the users of these hashes were erased last, seconds. */
export async function erasedAt(
  db: Database,
  orgId: string,
  userHashes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.all(
    z.object({ user_hash: z.string(), at: z.int() }),
    sql`SELECT user_hash, max(begun_at) AS at FROM erasure_log INDEXED BY erasure_log_by_user
        WHERE org_id = ${orgId} AND ${inList("user_hash", userHashes)} GROUP BY user_hash`,
  );
  return new Map(rows.map((row) => [row.user_hash, row.at]));
}
