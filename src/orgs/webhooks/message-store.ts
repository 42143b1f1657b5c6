/** SQL of messages: what an org is told, and how far each of them has come. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { type Statement, sql } from "../../db/sql";
import { endpointOf, endpointRow } from "./endpoint-store";
import type { Endpoint, WebhookMessage } from "./model";

const messageRow = z
  .object({
    org_id: z.string(),
    message_id: z.string(),
    type: z.string(),
    data: z.string().transform((text) => z.record(z.string(), z.unknown()).parse(JSON.parse(text))),
    created_at_ms: z.int(),
    attempts: z.int(),
    next_attempt_at_ms: z.int(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    delivered_at_ms: z.int().nullable(),
    failed_at_ms: z.int().nullable(),
  })
  .transform(
    (row): WebhookMessage => ({
      orgId: row.org_id,
      messageId: row.message_id,
      type: row.type,
      data: row.data,
      createdAtMs: row.created_at_ms,
      attempts: row.attempts,
      nextAttemptAtMs: row.next_attempt_at_ms,
      lastStatus: row.last_status,
      lastError: row.last_error,
      deliveredAtMs: row.delivered_at_ms,
      failedAtMs: row.failed_at_ms,
    }),
  );

const COLUMNS: Statement = {
  text: `org_id, message_id, type, data, created_at_ms, attempts, next_attempt_at_ms, last_status, last_error,
    delivered_at_ms, failed_at_ms`,
  params: [],
};

export interface NewMessage {
  orgId: string;
  messageId: string;
  type: string;
  data: object;
  createdAtMs: number;
}

/** Writes a message where `condition` holds and it was not written before; `changes()` tells which. */
export const insertMessage = (message: NewMessage, condition: Statement): Statement =>
  sql`INSERT INTO webhook_messages (org_id, message_id, type, data, created_at_ms, attempts, next_attempt_at_ms)
      SELECT ${message.orgId}, ${message.messageId}, ${message.type}, ${JSON.stringify(message.data)},
        ${message.createdAtMs}, 0, 0 WHERE ${condition}
      ON CONFLICT (org_id, message_id) DO NOTHING`;

const messageOf = (orgId: string, messageId: string): Statement =>
  sql`SELECT ${COLUMNS} FROM webhook_messages WHERE org_id = ${orgId} AND message_id = ${messageId}`;

export const findMessage = (db: Database, orgId: string, messageId: string): Promise<WebhookMessage | null> =>
  db.first(messageRow, messageOf(orgId, messageId));

/** A message and where it goes, each null where it is not there. */
export async function loadDelivery(
  db: Database,
  orgId: string,
  messageId: string,
): Promise<{ message: WebhookMessage | null; endpoint: Endpoint | null }> {
  const [messages, endpoints] = await db.batch([messageOf(orgId, messageId), endpointOf(orgId)]);
  const [message] = messages?.rows ?? [];
  const [endpoint] = endpoints?.rows ?? [];
  return {
    message: message === undefined ? null : messageRow.parse(message),
    endpoint: endpoint === undefined ? null : endpointRow.parse(endpoint),
  };
}

/** Newest first. */
export const listMessages = (db: Database, orgId: string, limit: number): Promise<WebhookMessage[]> =>
  db.all(
    messageRow,
    sql`SELECT ${COLUMNS} FROM webhook_messages WHERE org_id = ${orgId}
        ORDER BY created_at_ms DESC, message_id LIMIT ${limit}`,
  );

/** A message as one delivery saw it: of two deliveries at once, and after a resend, only one still holds. */
const asSeen = ({
  orgId,
  messageId,
  nextAttemptAtMs,
}: Pick<WebhookMessage, "orgId" | "messageId" | "nextAttemptAtMs">): Statement =>
  sql`org_id = ${orgId} AND message_id = ${messageId} AND next_attempt_at_ms = ${nextAttemptAtMs}
      AND delivered_at_ms IS NULL AND failed_at_ms IS NULL`;

/** Claims the next attempt until `untilMs`; an attempt that was lost can be made again after it. */
export const claimAttempt = (message: WebhookMessage, untilMs: number): Statement =>
  sql`UPDATE webhook_messages SET next_attempt_at_ms = ${untilMs} WHERE ${asSeen(message)}`;

/** How an attempt ended. At most one of `nextAttemptAtMs`, `deliveredAtMs` and `failedAtMs` is set. */
export interface Recorded {
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAtMs?: number;
  deliveredAtMs?: number;
  failedAtMs?: number;
}

export const recordAttempt = (message: WebhookMessage, end: Recorded): Statement =>
  sql`UPDATE webhook_messages SET attempts = ${end.attempts}, last_status = ${end.lastStatus},
        last_error = ${end.lastError}, next_attempt_at_ms = ${end.nextAttemptAtMs ?? message.nextAttemptAtMs},
        delivered_at_ms = ${end.deliveredAtMs ?? null}, failed_at_ms = ${end.failedAtMs ?? null}
      WHERE ${asSeen(message)}`;

/** Begins a message anew, where `condition` holds. */
export const restartMessage = (
  orgId: string,
  messageId: string,
  nowMs: number,
  condition: Statement,
): Statement =>
  sql`UPDATE webhook_messages SET attempts = 0, next_attempt_at_ms = ${nowMs}, delivered_at_ms = NULL,
        failed_at_ms = NULL WHERE org_id = ${orgId} AND message_id = ${messageId} AND ${condition}`;

/** Forgets old messages of every org, a bounded number at a time. */
export const pruneMessages = (beforeMs: number, limit: number): Statement =>
  sql`DELETE FROM webhook_messages WHERE (org_id, message_id) IN (SELECT org_id, message_id FROM webhook_messages
      WHERE created_at_ms < ${beforeMs} ORDER BY created_at_ms LIMIT ${limit})`;
