/** What window selection and coverage read of a user's stream, in statements of bounded size. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import type { ExtractorKind } from "../orgs/config";
import type { CoverageFacts } from "./coverage";
import { mayLearnFrom, revokedTurns, userIsRevoked } from "./revoked-store";
import type { FreshTurn } from "./windows";

/**
 * How far after the cursor a forced request is looked for. It bounds the reads of a long backlog; a
 * barrier further off changes no window before it, only whether those count as forced.
 */
const BARRIER_LOOKAHEAD_TURNS = 1_000;

/** Columns cannot be bound, so each kind has its own clause. */
const eligible: Record<ExtractorKind, Statement> = {
  playbook: { text: "r.playbook_eligible = 1", params: [] },
  profile: { text: "r.profile_eligible = 1", params: [] },
};

/** Turns of a user beside their requests; the stream's index decides the order. */
const STREAM: Statement = {
  text: "interactions i CROSS JOIN requests r ON r.org_id = i.org_id AND r.request_id = i.request_id",
  params: [],
};

const column = (text: string): Statement => ({ text, params: [] });

export interface Cursor {
  completedSeq: number;
  started: boolean;
  windowId: string | null;
}

const cursorRow = z
  .object({ completed_seq: z.int(), started: z.int(), window_id: z.string().nullable() })
  .transform(
    (row): Cursor => ({
      completedSeq: row.completed_seq,
      started: row.started === 1,
      windowId: row.window_id,
    }),
  );

const firstRow = z.object({ seq: z.int(), config_hash: z.string() });

/** Where the extractor stands, and the first turn after it with the config it was admitted under. */
export async function readStreamHead(
  db: Database,
  orgId: string,
  userId: string,
  kind: ExtractorKind,
): Promise<{ cursor: Cursor; first: { seq: number; configHash: string } | null }> {
  const cursorOf = sql`FROM cursors WHERE org_id = ${orgId} AND user_id = ${userId} AND kind = ${kind}`;
  const learnable = sql`${eligible[kind]} AND ${mayLearnFrom(orgId, userId, column("i.interaction_id"))}`;
  const [cursors, firsts] = await db.batch([
    sql`SELECT completed_seq, started, window_id ${cursorOf}`,
    sql`SELECT i.interaction_id AS seq, r.config_hash FROM ${STREAM}
        WHERE i.org_id = ${orgId} AND i.user_id = ${userId}
          AND i.interaction_id > coalesce((SELECT completed_seq ${cursorOf}), 0) AND ${learnable}
        ORDER BY i.interaction_id LIMIT 1`,
  ]);
  const cursor = cursors?.rows[0];
  const first = firsts?.rows[0];
  const head = first === undefined ? null : firstRow.parse(first);
  return {
    cursor:
      cursor === undefined ? { completedSeq: 0, started: false, windowId: null } : cursorRow.parse(cursor),
    first: head === null ? null : { seq: head.seq, configHash: head.config_hash },
  };
}

/** A fresh turn with what its request says. */
export interface FreshStreamTurn extends FreshTurn {
  requestId: string;
  agentVersion: string;
  source: string;
}

const freshRow = z
  .object({
    seq: z.int(),
    skip_aggregation: z.int(),
    request_id: z.string(),
    agent_version: z.string(),
    source: z.string(),
  })
  .transform(
    (row): FreshStreamTurn => ({
      seq: row.seq,
      skipAggregation: row.skip_aggregation === 1,
      requestId: row.request_id,
      agentVersion: row.agent_version,
      source: row.source,
    }),
  );

/** The turns around a cursor: at most W before it, at most W after it, and the next forced request. */
export async function readWindowFacts(
  db: Database,
  scope: { orgId: string; userId: string; kind: ExtractorKind; afterSeq: number; windowSize: number },
): Promise<{ context: number[]; fresh: FreshStreamTurn[]; barrierSeq: number | null }> {
  const { orgId, userId, kind, afterSeq, windowSize } = scope;
  const learnable = (seq: string): Statement =>
    sql`${eligible[kind]} AND ${mayLearnFrom(orgId, userId, column(seq))}`;
  const [context, fresh, barrier] = await db.batch([
    sql`SELECT i.interaction_id AS seq FROM ${STREAM}
        WHERE i.org_id = ${orgId} AND i.user_id = ${userId} AND i.interaction_id <= ${afterSeq}
          AND ${learnable("i.interaction_id")} ORDER BY i.interaction_id DESC LIMIT ${windowSize}`,
    sql`SELECT i.interaction_id AS seq, r.skip_aggregation, r.request_id, r.agent_version, r.source
        FROM ${STREAM} WHERE i.org_id = ${orgId} AND i.user_id = ${userId} AND i.interaction_id > ${afterSeq}
          AND ${learnable("i.interaction_id")} ORDER BY i.interaction_id LIMIT ${windowSize}`,
    sql`SELECT r.max_seq AS seq FROM (SELECT org_id, request_id, interaction_id FROM interactions
          WHERE org_id = ${orgId} AND user_id = ${userId} AND interaction_id > ${afterSeq}
          ORDER BY interaction_id LIMIT ${BARRIER_LOOKAHEAD_TURNS}) ahead
        CROSS JOIN requests r ON r.org_id = ahead.org_id AND r.request_id = ahead.request_id
        WHERE r.force_extraction = 1 AND ${learnable("ahead.interaction_id")}
        ORDER BY ahead.interaction_id LIMIT 1`,
  ]);
  const seqs = z.array(z.object({ seq: z.int() }));
  return {
    context: seqs
      .parse(context?.rows ?? [])
      .map(({ seq }) => seq)
      .reverse(),
    fresh: z.array(freshRow).parse(fresh?.rows ?? []),
    barrierSeq: seqs.parse(barrier?.rows ?? [])[0]?.seq ?? null,
  };
}

const coverageRow = z.object({
  user_id: z.string(),
  playbook_eligible: z.int(),
  profile_eligible: z.int(),
  user_is_revoked: z.int(),
  first_seq: z.int().nullable(),
  last_seq: z.int().nullable(),
  completed_seq: z.int().nullable(),
  window_id: z.string().nullable(),
  attempts: z.int().nullable(),
  retry_at_ms: z.int().nullable(),
});

export interface RequestFacts extends Omit<CoverageFacts, "nowMs"> {
  userId: string;
}

/** The windows that took in turns `first` to `last` of a stream: up to the first final one at or after `last`. */
export const windowsOver = (scope: Statement, firstSeq: Statement, lastSeq: Statement): Statement =>
  sql`${scope} AND w.first_new_seq <= ${lastSeq} AND w.end_seq >= ${firstSeq}
      AND w.end_seq <= coalesce((SELECT min(f.end_seq) FROM windows f WHERE f.org_id = w.org_id
        AND f.user_id = w.user_id AND f.kind = w.kind AND f.end_seq >= ${lastSeq}
        AND f.state IN ('applied', 'dead')), 9007199254740991)`;

const FIRST_OF_REQUEST: Statement = { text: "q.first_seq", params: [] };
const LAST_OF_REQUEST: Statement = { text: "q.last_seq", params: [] };

/**
 * Facts about one request and one kind, in two statements; null where there is no such request. For learning, a
 * revoked turn is as good as erased.
 */
export async function readRequestFacts(
  db: Database,
  orgId: string,
  requestId: string,
  kind: ExtractorKind,
): Promise<RequestFacts | null> {
  const survivor = (edge: Statement): Statement =>
    sql`(SELECT ${edge}(i.interaction_id) FROM interactions i WHERE i.org_id = r.org_id AND i.user_id = r.user_id
        AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
        AND i.interaction_id NOT IN (${revokedTurns(column("r.org_id"), column("r.user_id"))}))`;
  const first = survivor({ text: "min", params: [] });
  const last = survivor({ text: "max", params: [] });
  const here = sql`r.org_id = ${orgId} AND r.request_id = ${requestId}`;
  const [requests, windows] = await db.batch([
    sql`SELECT r.user_id, r.playbook_eligible, r.profile_eligible, ${first} AS first_seq, ${last} AS last_seq,
          ${userIsRevoked(column("r.org_id"), column("r.user_id"))} AS user_is_revoked,
          c.completed_seq, c.window_id, c.attempts, c.retry_at_ms
        FROM requests r LEFT JOIN cursors c ON c.org_id = r.org_id AND c.user_id = r.user_id AND c.kind = ${kind}
        WHERE ${here}`,
    sql`SELECT DISTINCT w.state FROM (SELECT r.org_id, r.user_id, ${first} AS first_seq, ${last} AS last_seq
          FROM requests r WHERE ${here}) q
        CROSS JOIN windows w ON w.org_id = q.org_id AND w.user_id = q.user_id AND w.kind = ${kind}
        WHERE ${windowsOver(sql`w.state IN ('open', 'computed', 'dead')`, FIRST_OF_REQUEST, LAST_OF_REQUEST)}`,
  ]);
  const found = requests?.rows[0];
  if (found === undefined) return null;
  const row = coverageRow.parse(found);
  return {
    userId: row.user_id,
    eligible:
      (kind === "playbook" ? row.playbook_eligible : row.profile_eligible) === 1 && row.user_is_revoked === 0,
    lastSeq: row.last_seq,
    windowStates: new Set(
      z
        .array(z.object({ state: z.string() }))
        .parse(windows?.rows ?? [])
        .map(({ state }) => state),
    ),
    cursor:
      row.completed_seq === null
        ? null
        : {
            completedSeq: row.completed_seq,
            hasWindow: row.window_id !== null,
            attempts: row.attempts ?? 0,
            retryAtMs: row.retry_at_ms ?? 0,
          },
  };
}

/** How many user playbooks the windows over a request's turns have made. */
export async function countLearned(
  db: Database,
  orgId: string,
  request: { userId: string; minSeq: number; maxSeq: number },
  kind: ExtractorKind,
): Promise<number> {
  const scope = sql`w.org_id = ${orgId} AND w.user_id = ${request.userId} AND w.kind = ${kind}`;
  const row = await db.first(
    z.object({ learned: z.int() }),
    sql`SELECT count(*) AS learned FROM windows w CROSS JOIN user_playbooks p
          ON p.org_id = w.org_id AND p.window_id = w.window_id
        WHERE ${windowsOver(scope, sql`${request.minSeq}`, sql`${request.maxSeq}`)}`,
  );
  return row?.learned ?? 0;
}
