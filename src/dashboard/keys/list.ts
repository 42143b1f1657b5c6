/** One page of the org's keys, with how many browsers are signed in with each. */
import type { RequestScope } from "../../http/route";
import { type KeyPlace, keysPage } from "../../orgs/keys-store";
import { countSessions } from "../../orgs/sessions-store";
import type { KeyRow } from "../../orgs/store";
import { nowSec } from "../../platform/clock";

export type KeyState = "works" | "revoked" | "expired";

export interface ListedKey {
  row: KeyRow;
  state: KeyState;
  browsers: number;
  /** The reader is signed in with it. */
  isMine: boolean;
}

export interface KeyList {
  keys: ListedKey[];
  /** The place after which the next page begins. */
  next: KeyPlace | undefined;
}

const PAGE_SIZE = 50;

/** What became of a key. */
export function keyState(row: Pick<KeyRow, "revoked_at" | "expires_at">, atSec: number): KeyState {
  if (row.revoked_at !== null) return "revoked";
  return row.expires_at !== null && row.expires_at <= atSec ? "expired" : "works";
}

export async function listedKeys(
  { db, orgId, principal, services }: RequestScope,
  { isLiving, after }: { isLiving: boolean; after: KeyPlace | undefined },
): Promise<KeyList> {
  const atSec = nowSec(services.clock);
  const [rows, browsers] = await Promise.all([
    keysPage(db, orgId, { isLiving, atSec, after, limit: PAGE_SIZE + 1 }),
    countSessions(db, orgId, atSec),
  ]);
  const shown = rows.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  return {
    keys: shown.map((row) => ({
      row,
      state: keyState(row, atSec),
      browsers: browsers.get(row.key_id) ?? 0,
      isMine: row.key_id === principal.keyId,
    })),
    next:
      rows.length > PAGE_SIZE && last !== undefined
        ? { createdAt: last.created_at, keyId: last.key_id }
        : undefined,
  };
}
