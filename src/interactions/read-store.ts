/** Reading turns and sessions back: newest first, and never more bytes than one answer may hold. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { and, type Statement, sql } from "../db/sql";
import { type InteractionView, interactionRow, type RequestView, requestRow } from "./views";

/** Bytes of turns in one answer. */
export const MAX_ANSWER_BYTES = 16_000_000;

/** Both ends in epoch seconds, inclusive; null is open. */
export interface TimeRange {
  startSec: number | null;
  endSec: number | null;
}

const within = (column: string, { startSec, endSec }: TimeRange): Statement[] => {
  const name: Statement = { text: column, params: [] };
  return [
    ...(startSec === null ? [] : [sql`${name} >= ${startSec}`]),
    ...(endSec === null ? [] : [sql`${name} <= ${endSec}`]),
  ];
};

const COLUMNS: Statement = {
  text: "interaction_id, user_id, request_id, created_at, role, content, details",
  params: [],
};

/** The newest of the selected turns that fit into one answer; the first always does. */
const fitting = (selected: Statement): Statement =>
  sql`SELECT ${COLUMNS} FROM (SELECT *, sum(octet_length(content) + octet_length(details))
        OVER (ORDER BY interaction_id DESC) AS bytes FROM (${selected}))
      WHERE bytes <= ${MAX_ANSWER_BYTES} ORDER BY interaction_id DESC`;

/** A user's newest turns. */
export const listInteractions = (
  db: Database,
  orgId: string,
  query: { userId: string; limit: number } & TimeRange,
): Promise<InteractionView[]> =>
  db.all(
    interactionRow,
    fitting(sql`SELECT ${COLUMNS} FROM interactions WHERE org_id = ${orgId} AND user_id = ${query.userId}
        AND NOT ${isBeingErased(orgId, query.userId)} ${and(within("created_at", query))} ORDER BY interaction_id DESC LIMIT ${query.limit}`),
  );

/** The org's newest turns. Requests lie in arrival order, so only the newest are read. */
export const listAllInteractions = (db: Database, orgId: string, limit: number): Promise<InteractionView[]> =>
  db.all(
    interactionRow,
    fitting(sql`SELECT i.interaction_id, i.user_id, i.request_id, i.created_at, i.role, i.content, i.details
        FROM requests r CROSS JOIN interactions i ON i.org_id = r.org_id AND i.user_id = r.user_id
          AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
        WHERE r.org_id = ${orgId} AND NOT ${isBeingErased(orgId, { text: "r.user_id", params: [] })}
        ORDER BY r.max_seq DESC, i.interaction_id DESC LIMIT ${limit}`),
  );

export interface SessionQuery extends TimeRange {
  userId: string | null;
  requestId: string | null;
  sessionId: string | null;
  source: string | null;
  limit: number;
  offset: number;
}

const filtersOf = (orgId: string, alias: "r" | "n", query: SessionQuery): Statement => {
  const equal = (column: string, value: string | null): Statement[] =>
    value === null ? [] : [sql`${{ text: `${alias}.${column}`, params: [] }} = ${value}`];
  return and([
    sql`NOT ${isBeingErased(orgId, { text: `${alias}.user_id`, params: [] })}`,
    ...equal("user_id", query.userId),
    ...equal("request_id", query.requestId),
    ...equal("session_id", query.sessionId),
    ...equal("source", query.source),
    ...within(`${alias}.created_at`, query),
  ]);
};

export interface SessionHead {
  sessionId: string;
  /** Bytes of the session's selected turns. */
  bytes: number;
}

/**
 * Sessions by their newest selected request, with the size of what they hold. A request stands for
 * its session when no newer one of the session is selected, so a page reads only what it passes.
 */
export async function listSessions(db: Database, orgId: string, query: SessionQuery): Promise<SessionHead[]> {
  const rows = await db.all(
    z.object({ session_id: z.string(), bytes: z.int() }),
    sql`SELECT s.session_id, coalesce((SELECT sum(octet_length(i.content) + octet_length(i.details))
          FROM requests r INDEXED BY requests_by_session CROSS JOIN interactions i ON i.org_id = r.org_id
            AND i.user_id = r.user_id AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
          WHERE r.org_id = ${orgId} AND r.session_id = s.session_id ${filtersOf(orgId, "r", query)}), 0) AS bytes
        FROM (SELECT r.session_id, r.max_seq FROM requests r WHERE r.org_id = ${orgId} ${filtersOf(orgId, "r", query)}
          AND NOT EXISTS (SELECT 1 FROM requests n WHERE n.org_id = r.org_id AND n.session_id = r.session_id
            AND n.max_seq > r.max_seq ${filtersOf(orgId, "n", query)})
          ORDER BY r.max_seq DESC LIMIT ${query.limit} OFFSET ${query.offset}) s
        ORDER BY s.max_seq DESC`,
  );
  return rows.map((row) => ({ sessionId: row.session_id, bytes: row.bytes }));
}

/** The selected requests of sessions and all their turns, oldest first. */
export async function loadSessions(
  db: Database,
  orgId: string,
  sessionIds: readonly string[],
  query: SessionQuery,
): Promise<{ requests: RequestView[]; interactions: InteractionView[] }> {
  const chosen = sql`json_each(${JSON.stringify(sessionIds)}) s CROSS JOIN requests r INDEXED BY requests_by_session
      ON r.org_id = ${orgId} AND r.session_id = s.value ${filtersOf(orgId, "r", query)}`;
  const [requests, interactions] = await db.batch([
    sql`SELECT r.request_id, r.user_id, r.created_at, r.source, r.agent_version, r.session_id, r.evaluation_only,
          r.experiment_id, r.experiment_arm FROM ${chosen} ORDER BY r.max_seq`,
    sql`SELECT i.interaction_id, i.user_id, i.request_id, i.created_at, i.role, i.content, i.details
        FROM ${chosen} CROSS JOIN interactions i ON i.org_id = r.org_id AND i.user_id = r.user_id
          AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
        ORDER BY i.interaction_id`,
  ]);
  return {
    requests: z.array(requestRow).parse(requests?.rows ?? []),
    interactions: z.array(interactionRow).parse(interactions?.rows ?? []),
  };
}
