/** SQL of idempotency keys. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";

export interface IdempotencyKey {
  orgId: string;
  principalId: string;
  route: string;
  key: string;
}

const storedRow = z.object({
  body_hash: z.string(),
  state: z.enum(["running", "done"]),
  status: z.int().nullable(),
  content_type: z.string().nullable(),
  body: z.string().nullable(),
});
export type StoredAnswer = z.output<typeof storedRow>;

/** A claim is known by its expiry: one that took it over expires later. */
export interface Claim extends IdempotencyKey {
  expiresAtMs: number;
}

/** @returns whether this call now owns the key; an expired claim can be taken over */
export async function claimIdempotencyKey(
  db: Database,
  { expiresAtMs, ...key }: Claim,
  bodyHash: string,
  nowMs: number,
): Promise<boolean> {
  const changed = await db.run(
    sql`INSERT INTO idempotency_keys (org_id, principal_id, route, key, body_hash, state, expires_at_ms)
        VALUES (${key.orgId}, ${key.principalId}, ${key.route}, ${key.key}, ${bodyHash}, 'running', ${expiresAtMs})
        ON CONFLICT (org_id, principal_id, route, key) DO UPDATE
          SET body_hash = excluded.body_hash, state = 'running', status = NULL, content_type = NULL, body = NULL,
              expires_at_ms = excluded.expires_at_ms
          WHERE idempotency_keys.expires_at_ms <= ${nowMs}`,
  );
  return changed > 0;
}

const where = (key: IdempotencyKey): Statement =>
  sql`org_id = ${key.orgId} AND principal_id = ${key.principalId} AND route = ${key.route} AND key = ${key.key}`;

export const findIdempotencyKey = (db: Database, key: IdempotencyKey): Promise<StoredAnswer | null> =>
  db.first(
    storedRow,
    sql`SELECT body_hash, state, status, content_type, body FROM idempotency_keys WHERE ${where(key)}`,
  );

const claimed = (claim: Claim): Statement =>
  sql`${where(claim)} AND state = 'running' AND expires_at_ms = ${claim.expiresAtMs}`;

/** Keeps the answer, unless the claim was taken over meanwhile. */
export const storeAnswer = (
  claim: Claim,
  answer: { status: number; contentType: string; body: string },
  forgetAtMs: number,
): Statement =>
  sql`UPDATE idempotency_keys SET state = 'done', status = ${answer.status}, content_type = ${answer.contentType},
      body = ${answer.body}, expires_at_ms = ${forgetAtMs} WHERE ${claimed(claim)}`;

export const releaseIdempotencyKey = (claim: Claim): Statement =>
  sql`DELETE FROM idempotency_keys WHERE ${claimed(claim)}`;

/** Forgets expired keys, a bounded number at a time. */
export const pruneIdempotencyKeys = (nowMs: number, limit: number): Statement =>
  sql`DELETE FROM idempotency_keys WHERE (org_id, principal_id, route, key) IN
      (SELECT org_id, principal_id, route, key FROM idempotency_keys WHERE expires_at_ms <= ${nowMs} LIMIT ${limit})`;
