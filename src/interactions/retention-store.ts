/** SQL of retention: when it is due, what an org holds, and what of its users' streams is still needed. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import type { ExtractorKind } from "../orgs/config";
import type { Needed, OldRequest } from "./retention";
import { userIsRevoked } from "./revoked-store";

/** An org is counted each time its ids pass a multiple of this. A literal: a bound number divides as a float. */
const STEP_TURNS: Statement = { text: "1000", params: [] };

/** Columns cannot be bound, so each kind has its own. */
const eligible: Record<ExtractorKind, Statement> = {
  playbook: { text: "r.playbook_eligible", params: [] },
  profile: { text: "r.profile_eligible", params: [] },
};

const isLearnable = (kinds: readonly ExtractorKind[]): Statement =>
  kinds.map((kind) => eligible[kind]).reduce((any, column) => sql`${any} OR ${column}`);

const OWNER = { orgId: { text: "r.org_id", params: [] }, userId: { text: "r.user_id", params: [] } };

/**
 * Whether the block of ids that the batch has just taken passes a step of an org that may hold `threshold`
 * turns. A scalar condition for the batch that stores `count` turns: one seek.
 */
export const retentionIsDue = (orgId: string, count: number, threshold: number): Statement =>
  sql`EXISTS (SELECT 1 FROM sequences WHERE org_id = ${orgId} AND name = 'interaction' AND next > ${threshold}
      AND (next - 1) / ${STEP_TURNS} > CAST(next - 1 - ${count} AS INTEGER) / ${STEP_TURNS})`;

/** Whether an org holds so many turns; counts no further. */
export async function holdsTurns(db: Database, orgId: string, threshold: number): Promise<boolean> {
  const row = await db.first(
    z.object({ turns: z.int() }),
    sql`SELECT count(*) AS turns FROM (SELECT 1 FROM interactions WHERE org_id = ${orgId} LIMIT ${threshold})`,
  );
  return row !== null && row.turns >= threshold;
}

const requestRow = z
  .object({ user_id: z.string(), min_seq: z.int(), max_seq: z.int(), is_learnable: z.int() })
  .transform(
    (row): OldRequest => ({
      userId: row.user_id,
      minSeq: row.min_seq,
      maxSeq: row.max_seq,
      isLearnable: row.is_learnable === 1,
    }),
  );

/** Requests in arrival order that have turns after `afterSeq`, with those turns; none that end after `lastSeq`. */
export const oldestRequests = (
  db: Database,
  orgId: string,
  kinds: readonly ExtractorKind[],
  { afterSeq, lastSeq, limit }: { afterSeq: number; lastSeq: number; limit: number },
): Promise<OldRequest[]> =>
  db.all(
    requestRow,
    sql`SELECT r.user_id, max(r.min_seq, ${afterSeq} + 1) AS min_seq, r.max_seq,
          (${isLearnable(kinds)}) AND NOT ${userIsRevoked(OWNER.orgId, OWNER.userId)} AS is_learnable FROM requests r
        WHERE r.org_id = ${orgId} AND r.max_seq > ${afterSeq} AND r.max_seq <= ${lastSeq}
        ORDER BY r.max_seq LIMIT ${limit}`,
  );

/** A user without a cursor was never read, and one with less than a window of context keeps all of it: 0. */
const keepFrom = (orgId: string, kind: ExtractorKind, windowSize: number, users: string): Statement =>
  sql`SELECT u.value AS user_id, coalesce((SELECT i.interaction_id
        FROM cursors c CROSS JOIN interactions i ON i.org_id = c.org_id AND i.user_id = c.user_id
          AND i.interaction_id <= c.completed_seq
        CROSS JOIN requests r ON r.org_id = i.org_id AND r.request_id = i.request_id
        WHERE c.org_id = ${orgId} AND c.user_id = u.value AND c.kind = ${kind} AND ${eligible[kind]} = 1
        ORDER BY i.interaction_id DESC LIMIT 1 OFFSET ${windowSize - 1}), 0) AS keep_from_seq
      FROM json_each(${users}) u`;

/** Spans of windows under way. A replayed one may show turns far behind the cursor. */
const openWindows = (orgId: string, users: string): Statement =>
  sql`SELECT w.user_id, min(m.value) AS first_seq, max(m.value) AS last_seq FROM json_each(${users}) u
      CROSS JOIN windows w INDEXED BY windows_by_user ON w.org_id = ${orgId} AND w.user_id = u.value
        AND w.kind IN ('playbook', 'profile', 'rerun', 'manual')
      CROSS JOIN json_each(w.manifest) m
      WHERE w.state IN ('open', 'computed') GROUP BY w.window_id, w.user_id`;

const keepRow = z.object({ user_id: z.string(), keep_from_seq: z.int() });
const windowRow = z.object({ user_id: z.string(), first_seq: z.int(), last_seq: z.int() });

/**
 * What each user's stream must keep.
 * @param windowSizes turns of a window of each active kind
 */
export async function readNeeded(
  db: Database,
  orgId: string,
  windowSizes: ReadonlyMap<ExtractorKind, number>,
  userIds: readonly string[],
): Promise<Map<string, Needed>> {
  const users = JSON.stringify(userIds);
  const [open, ...kept] = await db.batch([
    openWindows(orgId, users),
    ...[...windowSizes].map(([kind, size]) => keepFrom(orgId, kind, size, users)),
  ]);
  const windows = Map.groupBy(z.array(windowRow).parse(open?.rows ?? []), (row) => row.user_id);
  const keepFromSeq = new Map<string, number>();
  for (const { rows } of kept) {
    for (const row of z.array(keepRow).parse(rows)) {
      keepFromSeq.set(
        row.user_id,
        Math.min(row.keep_from_seq, keepFromSeq.get(row.user_id) ?? row.keep_from_seq),
      );
    }
  }
  return new Map(
    userIds.map((userId) => [
      userId,
      {
        keepFromSeq: keepFromSeq.get(userId) ?? 0,
        windows: (windows.get(userId) ?? []).map((row) => [row.first_seq, row.last_seq] as const),
      },
    ]),
  );
}
