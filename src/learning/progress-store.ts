/** SQL of how far learning has come in an org: what was published lately, what is under way, what fails. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { revokedTurns, userIsRevoked } from "../interactions/revoked-store";

/** Publishes that are looked at, the newest; and unfinished windows, the oldest. */
export const MAX_REQUESTS = 2_000;
export const MAX_WINDOWS = 1_000;

/** What a user's stream waits for. */
export const streamStates = ["done", "filling", "queued", "working", "failing"] as const;
export type StreamState = (typeof streamStates)[number];

/** Streams of one state, over the turns that were published lately. */
export interface StreamCount {
  state: StreamState;
  /** One per user. */
  streams: number;
  turns: number;
  /** Those of `turns` that learning has not come to. */
  waiting: number;
  /** Seconds; of the oldest publish with such a turn. */
  oldestAt: number | null;
}

/** Unfinished windows of one state and last fault. */
export interface WindowCount {
  state: "open" | "computed";
  /** A closed code; null where nothing failed. */
  lastError: string | null;
  windows: number;
  /** Seconds. */
  oldestAt: number;
  /** The soonest next attempt, milliseconds; 0 where nothing failed. */
  nextAttemptAtMs: number;
}

export interface LearningProgress {
  streams: StreamCount[];
  windows: WindowCount[];
  /** True where more was published since than is looked at. */
  isCut: boolean;
}

const column = (text: string): Statement => ({ text, params: [] });

/**
 * One row per stream. Only of publishes beyond the cursor are turns counted one by one, since only those can have
 * been deleted or revoked before they were learned from.
 */
const streamsSince = (
  orgId: string,
  sinceSec: number,
  policy: { windowSize: number; strideSize: number },
): Statement =>
  sql`WITH recent AS (
        SELECT latest.user_id, latest.min_seq, latest.max_seq, latest.created_at, latest.force_extraction,
          coalesce(c.completed_seq, 0) AS completed_seq, coalesce(c.started, 0) AS started,
          c.window_id IS NOT NULL AS has_window, coalesce(c.attempts, 0) AS attempts
        FROM (SELECT user_id, min_seq, max_seq, created_at, force_extraction, playbook_eligible FROM requests
          WHERE org_id = ${orgId} ORDER BY max_seq DESC LIMIT ${MAX_REQUESTS}) latest
        LEFT JOIN cursors c ON c.org_id = ${orgId} AND c.user_id = latest.user_id AND c.kind = 'playbook'
        WHERE latest.created_at >= ${sinceSec} AND latest.playbook_eligible = 1
          AND NOT ${userIsRevoked(orgId, column("latest.user_id"))}),
      counted AS (
        SELECT *, max_seq - min_seq + 1 AS turns, iif(completed_seq >= max_seq, 0, (SELECT count(*)
            FROM interactions i WHERE i.org_id = ${orgId} AND i.user_id = recent.user_id
              AND i.interaction_id BETWEEN max(recent.min_seq, recent.completed_seq + 1) AND recent.max_seq
              AND i.interaction_id NOT IN (${revokedTurns(orgId, column("recent.user_id"))}))) AS waiting
        FROM recent),
      streams AS (
        SELECT sum(turns) AS turns, sum(waiting) AS waiting, min(iif(waiting > 0, created_at, NULL)) AS oldest_at,
          CASE WHEN sum(waiting) = 0 THEN 'done'
            WHEN max(attempts) > 0 THEN 'failing'
            WHEN max(has_window) = 1 THEN 'working'
            WHEN max(waiting > 0 AND force_extraction = 1) = 1
              OR sum(waiting) >= iif(max(started) = 1, ${policy.strideSize}, ${policy.windowSize}) THEN 'queued'
            ELSE 'filling' END AS state
        FROM counted GROUP BY user_id)
      SELECT state, count(*) AS streams, sum(turns) AS turns, sum(waiting) AS waiting, min(oldest_at) AS oldest_at
      FROM streams GROUP BY state`;

const streamRow = z
  .object({
    state: z.enum(streamStates),
    streams: z.int(),
    turns: z.int(),
    waiting: z.int(),
    oldest_at: z.int().nullable(),
  })
  .transform(({ oldest_at: oldestAt, ...row }): StreamCount => ({ ...row, oldestAt }));

const windowRow = z
  .object({
    state: z.enum(["open", "computed"]),
    last_error: z.string().nullable(),
    windows: z.int(),
    oldest_at: z.int(),
    next_attempt_at_ms: z.int(),
  })
  .transform(
    (row): WindowCount => ({
      state: row.state,
      lastError: row.last_error,
      windows: row.windows,
      oldestAt: row.oldest_at,
      nextAttemptAtMs: row.next_attempt_at_ms,
    }),
  );

/**
 * @param sinceSec how far back publishes count
 * @param policy the org's present window and stride: a stream with fewer new turns waits for more
 */
export async function readLearningProgress(
  db: Database,
  orgId: string,
  sinceSec: number,
  policy: { windowSize: number; strideSize: number },
): Promise<LearningProgress> {
  const [streams, windows, oldest] = await db.batch([
    streamsSince(orgId, sinceSec, policy),
    sql`SELECT unfinished.state, iif(c.attempts > 0, c.last_error, NULL) AS last_error, count(*) AS windows,
          min(unfinished.created_at) AS oldest_at, min(iif(c.attempts > 0, c.retry_at_ms, 0)) AS next_attempt_at_ms
        FROM (SELECT window_id, user_id, kind, state, created_at FROM windows INDEXED BY windows_unfinished
          WHERE org_id = ${orgId} AND state IN ('open', 'computed')
          ORDER BY created_at LIMIT ${MAX_WINDOWS}) unfinished
        LEFT JOIN cursors c ON c.org_id = ${orgId} AND c.user_id = unfinished.user_id
          AND c.kind = unfinished.kind AND c.window_id = unfinished.window_id
        GROUP BY 1, 2 ORDER BY oldest_at`,
    sql`SELECT created_at FROM requests WHERE org_id = ${orgId} ORDER BY max_seq DESC
        LIMIT 1 OFFSET ${MAX_REQUESTS - 1}`,
  ]);
  const last = z.array(z.object({ created_at: z.int() })).parse(oldest?.rows ?? [])[0];
  return {
    streams: z.array(streamRow).parse(streams?.rows ?? []),
    windows: z.array(windowRow).parse(windows?.rows ?? []),
    isCut: last !== undefined && last.created_at > sinceSec,
  };
}
