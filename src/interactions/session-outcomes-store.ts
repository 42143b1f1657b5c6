/** All SQL of how sessions ended. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { and, inList, type Statement, sql } from "../db/sql";

export const outcomeKinds = ["success", "failure", "unknown"] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface SessionOutcome {
  sessionId: string;
  userId: string;
  source: string;
  outcome: OutcomeKind;
  /** Seconds, as the caller says. */
  occurredAt: number;
  label: string | null;
  value: number | null;
  /** Canonical JSON of an object. */
  metadata: string | null;
  /** Seconds. */
  createdAt: number;
}

const columns: Statement = {
  text: "session_id, user_id, source, outcome, occurred_at, label, value, metadata, created_at",
  params: [],
};

const outcomeRow = z
  .object({
    session_id: z.string(),
    user_id: z.string(),
    source: z.string(),
    outcome: z.enum(outcomeKinds),
    occurred_at: z.int(),
    label: z.string().nullable(),
    value: z.number().nullable(),
    metadata: z.string().nullable(),
    created_at: z.int(),
  })
  .transform(
    (row): SessionOutcome => ({
      sessionId: row.session_id,
      userId: row.user_id,
      source: row.source,
      outcome: row.outcome,
      occurredAt: row.occurred_at,
      label: row.label,
      value: row.value,
      metadata: row.metadata,
      createdAt: row.created_at,
    }),
  );

const sessionRow = z
  .object({ user_id: z.string(), source: z.string(), created_at: z.int(), is_erased: z.int() })
  .transform((row) => ({
    userId: row.user_id,
    source: row.source,
    /** Seconds. */
    startedAt: row.created_at,
    isBeingErased: row.is_erased === 1,
  }));
export type OutcomeSession = z.output<typeof sessionRow>;

/** Whose a session is and when it began, by its earliest request; null where nothing of it is stored. */
export const sessionOf = (db: Database, orgId: string, sessionId: string): Promise<OutcomeSession | null> =>
  db.first(
    sessionRow,
    sql`SELECT user_id, source, created_at, ${isBeingErased(orgId, { text: "requests.user_id", params: [] })} AS is_erased
        FROM requests INDEXED BY requests_by_session
        WHERE org_id = ${orgId} AND session_id = ${sessionId} ORDER BY max_seq LIMIT 1`,
  );

/**
 * Stores the first outcome of a session that is still there.
 * @returns the outcome that stands now, and whether this call stored it; null where the session is gone
 */
export async function storeOutcome(
  db: Database,
  orgId: string,
  outcome: SessionOutcome,
  principalId: string,
): Promise<{ stored: SessionOutcome; isNew: boolean } | null> {
  const { sessionId, userId } = outcome;
  const results = await db.batch([
    sql`INSERT INTO session_outcomes (org_id, session_id, user_id, source, outcome, occurred_at, label, value, metadata,
          principal_id, created_at)
        SELECT ${orgId}, ${sessionId}, ${userId}, ${outcome.source}, ${outcome.outcome}, ${outcome.occurredAt},
          ${outcome.label}, ${outcome.value}, ${outcome.metadata}, ${principalId}, ${outcome.createdAt}
        WHERE EXISTS (SELECT 1 FROM requests INDEXED BY requests_by_session WHERE org_id = ${orgId}
            AND session_id = ${sessionId} AND user_id = ${userId})
          AND NOT ${isBeingErased(orgId, userId)}
        ON CONFLICT (org_id, session_id) DO NOTHING RETURNING 1`,
    sql`SELECT ${columns} FROM session_outcomes WHERE org_id = ${orgId} AND session_id = ${sessionId}`,
  ]);
  const stored = results[1]?.rows[0];
  return stored === undefined
    ? null
    : { stored: outcomeRow.parse(stored), isNew: (results[0]?.rows.length ?? 0) > 0 };
}

export interface OutcomeFilter {
  sessionIds?: readonly string[] | undefined;
  userId?: string | undefined;
  source?: string | undefined;
  outcome?: OutcomeKind | undefined;
  label?: string | undefined;
  /** Inclusive bounds of when it occurred, seconds. */
  fromSec?: number | undefined;
  toSec?: number | undefined;
  limit: number;
  offset: number;
}

const optional = <Value>(value: Value | undefined, clause: (value: Value) => Statement): Statement[] =>
  value === undefined ? [] : [clause(value)];

/** Newest first by when they occurred. */
export const listOutcomes = (db: Database, orgId: string, filter: OutcomeFilter): Promise<SessionOutcome[]> =>
  db.all(
    outcomeRow,
    sql`SELECT ${columns} FROM session_outcomes WHERE org_id = ${orgId}${and([
      ...optional(filter.sessionIds, (values) => inList("session_id", values)),
      ...optional(filter.userId, (value) => sql`user_id = ${value}`),
      ...optional(filter.source, (value) => sql`source = ${value}`),
      ...optional(filter.outcome, (value) => sql`outcome = ${value}`),
      ...optional(filter.label, (value) => sql`label = ${value}`),
      ...optional(filter.fromSec, (value) => sql`occurred_at >= ${value}`),
      ...optional(filter.toSec, (value) => sql`occurred_at <= ${value}`),
      sql`NOT ${isBeingErased(orgId, { text: "session_outcomes.user_id", params: [] })}`,
    ])} ORDER BY occurred_at DESC, session_id DESC LIMIT ${filter.limit} OFFSET ${filter.offset}`,
  );

/** Successes and failures of each UTC day from `fromDay` on, days counted since the epoch. */
export const outcomesByDay = (orgId: string, fromDay: number): Statement =>
  sql`SELECT occurred_at / 86400 AS day, sum(outcome = 'success') AS successes, sum(outcome = 'failure') AS failures
      FROM session_outcomes INDEXED BY session_outcomes_recent
      WHERE org_id = ${orgId} AND occurred_at >= ${fromDay * 86_400} GROUP BY day`;
