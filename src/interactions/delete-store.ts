/** Deleting turns, requests and sessions, and what that does to windows that were under way. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import type { DeletionPage, StoredRange } from "./deletion-pages";

/**
 * Drops unfinished windows: their outcome quotes turns that must not be quoted. The cursor stays, so that the
 * other turns are selected anew. The last statement changes the windows.
 * @param users rows of user ids
 * @param touched rows of ids of those users' unfinished windows
 */
export const dropWindows = (
  orgId: string,
  users: Statement,
  touched: Statement,
  atSec: number,
): Statement[] => [
  sql`UPDATE cursors SET window_id = NULL, attempts = 0, retry_at_ms = 0, last_error = NULL
      WHERE org_id = ${orgId} AND user_id IN (${users}) AND window_id IN (${touched})`,
  sql`UPDATE windows SET state = 'invalidated', outcome = NULL, finished_at = ${atSec}
      WHERE org_id = ${orgId} AND window_id IN (${touched})`,
];

/** Drops unfinished windows that show one of the turns. */
function invalidateWindows(orgId: string, ranges: DeletionPage["ranges"], atSec: number): Statement[] {
  const touched = sql`SELECT w.window_id FROM json_each(${JSON.stringify(ranges)}) t
      CROSS JOIN windows w INDEXED BY windows_by_user ON w.org_id = ${orgId} AND w.user_id = t.value->>0
        AND w.kind IN ('playbook', 'profile', 'rerun', 'manual') AND w.end_seq >= t.value->>1
      WHERE w.state IN ('open', 'computed') AND EXISTS (SELECT 1 FROM json_each(w.manifest) m
        WHERE m.value BETWEEN t.value->>1 AND t.value->>2)`;
  const users = sql`SELECT value->>0 FROM json_each(${JSON.stringify(ranges)})`;
  return dropWindows(orgId, users, touched, atSec);
}

/**
 * One page of a deletion. The last but one statement returns a row per turn, the last one a row per
 * request: the database's own count of changes includes what triggers did.
 */
export const deletePage = (orgId: string, page: DeletionPage, atSec: number): Statement[] => [
  ...invalidateWindows(orgId, page.ranges, atSec),
  sql`DELETE FROM interactions WHERE row IN (SELECT i.row FROM json_each(${JSON.stringify(page.ranges)}) t
      CROSS JOIN interactions i ON i.org_id = ${orgId} AND i.user_id = t.value->>0
        AND i.interaction_id BETWEEN t.value->>1 AND t.value->>2) RETURNING 1`,
  sql`DELETE FROM requests WHERE org_id = ${orgId} AND ${inList("max_seq", page.requestSeqs)} RETURNING 1`,
];

/** One turn. The last statement changes it. */
export const deleteTurn = (
  orgId: string,
  userId: string,
  interactionId: number,
  atSec: number,
): Statement[] => [
  ...invalidateWindows(orgId, [[userId, interactionId, interactionId]], atSec),
  sql`DELETE FROM interactions WHERE org_id = ${orgId} AND user_id = ${userId}
      AND interaction_id = ${interactionId}`,
];

const rangeRow = z
  .object({ user_id: z.string(), min_seq: z.int(), max_seq: z.int() })
  .transform((row): StoredRange => ({ userId: row.user_id, minSeq: row.min_seq, maxSeq: row.max_seq }));

/** What of an org is to be deleted. */
export type DeletionTarget =
  | { kind: "requests"; requestIds: readonly string[] }
  | { kind: "session"; sessionId: string }
  | { kind: "all" };

/** The planner knows no sizes and would read the whole org, so each target names its index. */
const requestsOf = (orgId: string, target: DeletionTarget): Statement => {
  switch (target.kind) {
    case "requests":
      return sql`requests INDEXED BY requests_by_id
          WHERE org_id = ${orgId} AND ${inList("request_id", target.requestIds)}`;
    case "session":
      return sql`requests INDEXED BY requests_by_session
          WHERE org_id = ${orgId} AND session_id = ${target.sessionId}`;
    case "all":
      return sql`requests WHERE org_id = ${orgId}`;
  }
};

/** The oldest requests of a target up to `lastSeq`, at most `limit`. */
export const findTargets = (
  db: Database,
  orgId: string,
  target: DeletionTarget,
  lastSeq: number,
  limit: number,
): Promise<StoredRange[]> =>
  db.all(
    rangeRow,
    sql`SELECT user_id, min_seq, max_seq FROM ${requestsOf(orgId, target)} AND max_seq <= ${lastSeq}
        ORDER BY max_seq LIMIT ${limit}`,
  );

/** The last id that the org's stream has given out; later turns are not of a deletion begun now. */
export async function lastInteractionId(db: Database, orgId: string): Promise<number> {
  const row = await db.first(
    z.object({ next: z.int() }),
    sql`SELECT next FROM sequences WHERE org_id = ${orgId} AND name = 'interaction'`,
  );
  return row === null ? 0 : row.next - 1;
}
