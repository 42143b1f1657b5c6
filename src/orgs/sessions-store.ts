/** SQL of sign-ins. A session without a living key is none. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { type KeyRow, keyRow } from "./store";

/** Finds the org, as the key's own hash does. */
export const findSessionKey = (db: Database, sessionHash: string, atSec: number): Promise<KeyRow | null> =>
  db.first(
    keyRow,
    sql`SELECT k.org_id, k.key_id, k.name, k.principal_id, k.roles, k.scopes, k.created_at, k.expires_at, k.revoked_at
        FROM desk_sessions s JOIN api_keys k ON k.org_id = s.org_id AND k.key_id = s.key_id
        WHERE s.session_hash = ${sessionHash} AND s.expires_at > ${atSec} AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > ${atSec})`,
  );

export const insertSession = (session: {
  orgId: string;
  keyId: string;
  sessionHash: string;
  createdAt: number;
  expiresAt: number;
}): Statement =>
  sql`INSERT INTO desk_sessions (session_hash, org_id, key_id, created_at, expires_at)
      VALUES (${session.sessionHash}, ${session.orgId}, ${session.keyId}, ${session.createdAt}, ${session.expiresAt})`;

export const deleteSession = (orgId: string, sessionHash: string): Statement =>
  sql`DELETE FROM desk_sessions WHERE org_id = ${orgId} AND session_hash = ${sessionHash}`;

/** Forgets up to `limit` sessions of every org that have expired. */
export const pruneSessions = (atSec: number, limit: number): Statement =>
  sql`DELETE FROM desk_sessions WHERE session_hash IN
      (SELECT session_hash FROM desk_sessions WHERE expires_at <= ${atSec} ORDER BY expires_at LIMIT ${limit})`;

/** How many browsers are signed in with each key. */
export async function countSessions(
  db: Database,
  orgId: string,
  atSec: number,
): Promise<Map<string, number>> {
  const rows = await db.all(
    z.object({ key_id: z.string(), sessions: z.int() }),
    sql`SELECT key_id, count(*) AS sessions FROM desk_sessions WHERE org_id = ${orgId} AND expires_at > ${atSec}
        GROUP BY key_id`,
  );
  return new Map(rows.map((row) => [row.key_id, row.sessions]));
}
