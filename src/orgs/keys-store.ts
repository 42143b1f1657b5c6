/** SQL of an org's keys as its owner manages them. */
import type { Database } from "../db/client";
import { nothing, type Statement, sql } from "../db/sql";
import { KEY_COLUMNS, type KeyRow, keyRow } from "./store";

/** True for a key that is neither revoked nor expired. */
const isLiving = (atSec: number): Statement =>
  sql`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${atSec}))`;

/** True for a key that may manage keys. */
const MANAGES: Statement = {
  text: "EXISTS (SELECT 1 FROM json_each(scopes) WHERE value = 'admin')",
  params: [],
};

/** The place of a key in the list, newest first. */
export interface KeyPlace {
  createdAt: number;
  keyId: string;
}

/** Up to `limit` keys that work (or no longer work) at `atSec`, newest first, those after `after`. */
export function keysPage(
  db: Database,
  orgId: string,
  page: { isLiving: boolean; atSec: number; after: KeyPlace | undefined; limit: number },
): Promise<KeyRow[]> {
  const state = page.isLiving ? isLiving(page.atSec) : sql`NOT ${isLiving(page.atSec)}`;
  const after =
    page.after === undefined
      ? nothing
      : sql`AND (created_at, key_id) < (${page.after.createdAt}, ${page.after.keyId})`;
  return db.all(
    keyRow,
    sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE org_id = ${orgId} AND ${state} ${after}
        ORDER BY created_at DESC, key_id DESC LIMIT ${page.limit}`,
  );
}

export const keyOfId = (db: Database, orgId: string, keyId: string): Promise<KeyRow | null> =>
  db.first(keyRow, sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE org_id = ${orgId} AND key_id = ${keyId}`);

/** Other keys of the org that work at `atSec` and may manage keys, those that live longest first. */
export const otherManagers = (db: Database, orgId: string, keyId: string, atSec: number): Promise<KeyRow[]> =>
  db.all(
    keyRow,
    sql`SELECT ${KEY_COLUMNS} FROM api_keys
        WHERE org_id = ${orgId} AND key_id <> ${keyId} AND ${isLiving(atSec)} AND ${MANAGES}
        ORDER BY expires_at IS NOT NULL, expires_at DESC LIMIT 2`,
  );

/** Changes no row where the key is revoked already, or is the last one that works and may manage keys. */
export const revokeUnlessLast = (orgId: string, keyId: string, atSec: number): Statement =>
  sql`UPDATE api_keys SET revoked_at = ${atSec}
      WHERE org_id = ${orgId} AND key_id = ${keyId} AND revoked_at IS NULL
        AND (NOT ${MANAGES} OR NOT ${isLiving(atSec)} OR EXISTS (
          SELECT 1 FROM api_keys AS other
          WHERE other.org_id = ${orgId} AND other.key_id <> ${keyId} AND other.revoked_at IS NULL
            AND (other.expires_at IS NULL OR other.expires_at > ${atSec})
            AND EXISTS (SELECT 1 FROM json_each(other.scopes) WHERE value = 'admin')))`;
