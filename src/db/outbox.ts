/**
 * The outbox: work that must follow a committed change. A row is written in the change's own batch and
 * lives until its work is done, so a lost or doubled queue message loses and doubles nothing.
 */
import * as z from "zod";
import { derivedId } from "../platform/ids";
import type { Database } from "./client";
import { type Statement, sql } from "./sql";

export const topics = [
  "extraction",
  "tagging",
  "aggregation",
  "vector",
  "reembed",
  "retention",
  "reindex",
  "revocation",
  "webhook",
  "contradictions",
  "bulk_delete",
  "generation",
  "erasure",
  "review",
] as const;
export type Topic = (typeof topics)[number];

/** What rides the queue: opaque ids, never payloads or personal data. */
export const workMessageSchema = z.object({ orgId: z.string(), id: z.string() });
export type WorkMessage = z.infer<typeof workMessageSchema>;

export interface Work {
  id: string;
  orgId: string;
  topic: Topic;
  /** Parts of the key, such as `[userId]`. */
  key: (string | number)[];
  attempts: number;
}

const workRow = z
  .object({
    id: z.string(),
    org_id: z.string(),
    topic: z.enum(topics),
    key: z.string().transform((text) => z.array(z.union([z.string(), z.number()])).parse(JSON.parse(text))),
    attempts: z.int(),
  })
  .transform(({ org_id, ...rest }): Work => ({ orgId: org_id, ...rest }));

/** How long the sweep leaves a delivery that somebody else asked for alone before it sends the row itself. */
const GRACE_MS = 30_000;
/** The sweep's back-off between its own re-sends begins here and doubles. */
const FIRST_RESEND_MS = 60_000;
const MAX_RESEND_MS = 600_000;

export interface NewWork {
  orgId: string;
  topic: Topic;
  key: (string | number)[];
  /** What makes this piece of work itself, so that a repeated change enqueues it once. */
  cause: string;
  nowMs: number;
  /** How far in the future it falls due; 0 sends it now. */
  delayMs?: number;
  /** A scalar condition that the batch decides: the row is written only where it is true. */
  onlyIf?: Statement;
}

const always: Statement = { text: "true", params: [] };

/** @returns the row's id and the statement that writes it. */
export async function enqueue(work: NewWork): Promise<{ message: WorkMessage; statement: Statement }> {
  const id = await derivedId("job", [work.orgId, work.topic, work.key, work.cause]);
  const dueAtMs = work.nowMs + (work.delayMs === undefined || work.delayMs === 0 ? GRACE_MS : work.delayMs);
  return {
    message: { orgId: work.orgId, id },
    statement: sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms, created_at_ms)
      SELECT ${id}, ${work.orgId}, ${work.topic}, ${JSON.stringify(work.key)}, 0, ${dueAtMs}, ${work.nowMs}
      WHERE ${work.onlyIf ?? always}
      ON CONFLICT (id) DO NOTHING`,
  };
}

export const findWork = (db: Database, { orgId, id }: WorkMessage): Promise<Work | null> =>
  db.first(
    workRow,
    sql`SELECT id, org_id, topic, key, attempts FROM outbox WHERE id = ${id} AND org_id = ${orgId}`,
  );

/** Ends a piece of work. */
export const completeWork = (work: Pick<Work, "orgId" | "id">): Statement =>
  sql`DELETE FROM outbox WHERE id = ${work.id} AND org_id = ${work.orgId}`;

/**
 * Keeps how far a piece of work has come in its key, and begins its attempts anew. Changes nothing where
 * another delivery of the same message has moved it on.
 */
export const moveWork = (work: Pick<Work, "orgId" | "id" | "key">, key: Work["key"]): Statement =>
  sql`UPDATE outbox SET key = ${JSON.stringify(key)}, attempts = 0
      WHERE id = ${work.id} AND org_id = ${work.orgId} AND key = ${JSON.stringify(work.key)}`;

/** Puts a piece of work off until the sweep sends it. */
export const deferWork = (work: Pick<Work, "orgId" | "id">, dueAtMs: number): Statement =>
  sql`UPDATE outbox SET due_at_ms = ${dueAtMs}, attempts = attempts + 1
      WHERE id = ${work.id} AND org_id = ${work.orgId}`;

/** Puts off work whose next message the queue was asked for: the sweep comes in only if that one is lost. */
export const deferToQueue = (work: Pick<Work, "orgId" | "id">, deliveryAtMs: number): Statement =>
  deferWork(work, deliveryAtMs + GRACE_MS);

/**
 * Takes up to `limit` due rows of every org for re-sending and moves their next due time back by
 * 1, 2, 4 … minutes, at most ten. One of the four statements that find the org.
 */
export async function takeDueWork(db: Database, nowMs: number, limit: number): Promise<WorkMessage[]> {
  const rows = await db.all(
    z.object({ id: z.string(), org_id: z.string() }),
    sql`UPDATE outbox SET attempts = attempts + 1,
          due_at_ms = ${nowMs} + min(${MAX_RESEND_MS}, ${FIRST_RESEND_MS} << min(attempts, 4))
        WHERE id IN (SELECT id FROM outbox WHERE due_at_ms <= ${nowMs} ORDER BY due_at_ms LIMIT ${limit})
        RETURNING id, org_id`,
  );
  return rows.map((row) => ({ orgId: row.org_id, id: row.id }));
}
