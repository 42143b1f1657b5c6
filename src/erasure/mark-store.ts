/** SQL of the mark of an erasure and of its line in the log. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { completeWork, type Work } from "../db/outbox";
import { guard, nothing, type Statement, sql } from "../db/sql";
import { type Counts, countsSchema, type Erasure, type LogEntry, logStates, noCounts } from "./model";

const counts = z.string().transform((text) => countsSchema.parse(JSON.parse(text)));

const erasureRow = z
  .object({
    erasure_id: z.string(),
    user_id: z.string(),
    principal_id: z.string(),
    counts,
    begun_at: z.int(),
  })
  .transform(
    (row): Erasure => ({
      erasureId: row.erasure_id,
      userId: row.user_id,
      principalId: row.principal_id,
      counts: row.counts,
      begunAt: row.begun_at,
    }),
  );

const ERASURE: Statement = { text: "erasure_id, user_id, principal_id, counts, begun_at", params: [] };

export const findErasureOf = (db: Database, orgId: string, userId: string): Promise<Erasure | null> =>
  db.first(erasureRow, sql`SELECT ${ERASURE} FROM erasures WHERE org_id = ${orgId} AND user_id = ${userId}`);

export const findErasure = (db: Database, orgId: string, erasureId: string): Promise<Erasure | null> =>
  db.first(
    erasureRow,
    sql`SELECT ${ERASURE} FROM erasures INDEXED BY erasures_by_id WHERE org_id = ${orgId}
        AND erasure_id = ${erasureId}`,
  );

const logRow = z
  .object({
    erasure_id: z.string(),
    salt: z.string(),
    user_hash: z.string(),
    state: z.enum(logStates),
    counts,
    begun_at: z.int(),
    finished_at: z.int().nullable(),
  })
  .transform(
    (row): LogEntry => ({
      erasureId: row.erasure_id,
      salt: row.salt,
      userHash: row.user_hash,
      state: row.state,
      counts: row.counts,
      begunAt: row.begun_at,
      finishedAt: row.finished_at,
    }),
  );

/** While an erasure runs, its counts stand with its mark. */
const LOG: Statement = {
  text: `l.erasure_id, l.salt, l.user_hash, l.state, coalesce((SELECT e.counts FROM erasures e INDEXED BY erasures_by_id
    WHERE e.org_id = l.org_id AND e.erasure_id = l.erasure_id), l.counts) AS counts, l.begun_at, l.finished_at`,
  params: [],
};

export const findLogEntry = (db: Database, orgId: string, erasureId: string): Promise<LogEntry | null> =>
  db.first(
    logRow,
    sql`SELECT ${LOG} FROM erasure_log l WHERE l.org_id = ${orgId} AND l.erasure_id = ${erasureId}`,
  );

/** Newest first, from after a line on. */
export const listLog = (
  db: Database,
  orgId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<LogEntry[]> =>
  db.all(
    logRow,
    sql`SELECT ${LOG} FROM erasure_log l INDEXED BY erasure_log_recent WHERE l.org_id = ${orgId}${
      page.beforeId === undefined
        ? nothing
        : sql` AND (l.begun_at, l.erasure_id) < (SELECT b.begun_at, b.erasure_id FROM erasure_log b
            WHERE b.org_id = ${orgId} AND b.erasure_id = ${page.beforeId})`
    } ORDER BY l.begun_at DESC, l.erasure_id DESC LIMIT ${page.limit}`,
  );

/** The org's salt; null before its first erasure. */
export async function findSalt(db: Database, orgId: string): Promise<string | null> {
  const row = await db.first(
    z.object({ salt: z.string() }),
    sql`SELECT salt FROM erasure_log WHERE org_id = ${orgId} AND state <> 'imported' LIMIT 1`,
  );
  return row?.salt ?? null;
}

/** Guard `operation`: the user is not being erased yet. */
export const insertMark = (orgId: string, erasure: Erasure): Statement[] => [
  guard("operation", sql`SELECT NOT ${isBeingErased(orgId, erasure.userId)}`),
  sql`INSERT INTO erasures (org_id, user_id, erasure_id, principal_id, counts, begun_at)
      VALUES (${orgId}, ${erasure.userId}, ${erasure.erasureId}, ${erasure.principalId},
        ${JSON.stringify(erasure.counts)}, ${erasure.begunAt})`,
];

/** A line that is there already stays as it is. */
export const insertLog = (
  orgId: string,
  line: Pick<LogEntry, "erasureId" | "salt" | "userHash" | "state" | "begunAt">,
): Statement =>
  sql`INSERT INTO erasure_log (org_id, erasure_id, salt, user_hash, state, counts, begun_at, finished_at)
      VALUES (${orgId}, ${line.erasureId}, ${line.salt}, ${line.userHash}, ${line.state},
        ${JSON.stringify(noCounts)}, ${line.begunAt}, NULL)
      ON CONFLICT (org_id, erasure_id) DO NOTHING`;

/** Adds the rows that the statement just before it changed; a page that is done twice finds nothing to add. */
export const countChanged = (orgId: string, erasureId: string, name: keyof Counts): Statement => {
  const path = `$.${name}`;
  return sql`UPDATE erasures SET counts = json_set(counts, ${path}, (counts ->> ${path}) + changes())
      WHERE org_id = ${orgId} AND erasure_id = ${erasureId}`;
};

/** Ends an erasure. Guard `erasure`: nothing of the user came back meanwhile. */
export const finishErasure = (orgId: string, erasure: Erasure, work: Work, atSec: number): Statement[] => {
  const { userId, erasureId } = erasure;
  const none = (table: string): Statement =>
    sql`NOT EXISTS (SELECT 1 FROM ${{ text: table, params: [] }} WHERE org_id = ${orgId} AND user_id = ${userId})`;
  return [
    guard(
      "erasure",
      sql`SELECT ${none("interactions")} AND ${none("user_playbooks")} AND ${none("cursors")}
        AND ${none("windows INDEXED BY windows_by_user")} AND NOT EXISTS (SELECT 1 FROM erasure_targets
          WHERE org_id = ${orgId} AND erasure_id = ${erasureId})`,
    ),
    sql`UPDATE erasure_log SET state = 'done', finished_at = ${atSec}, counts = (SELECT counts FROM erasures
          WHERE org_id = ${orgId} AND user_id = ${userId})
        WHERE org_id = ${orgId} AND erasure_id = ${erasureId}`,
    sql`DELETE FROM erasures WHERE org_id = ${orgId} AND erasure_id = ${erasureId}`,
    completeWork(work),
  ];
};
