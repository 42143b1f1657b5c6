/** API keys: shown once, stored as a hash, cached briefly per isolate. */
import type { Database } from "../db/client";
import type { Clock } from "../platform/clock";
import { base32, sha256Hex } from "../platform/ids";
import type { Principal } from "../platform/principal";
import { findKey, type KeyRow } from "./store";

const PREFIX = "pm_";
const CACHE_MS = 30_000;
const CACHE_SIZE = 1024;

/** A new key of 160 random bits. */
export const newKey = (): string => `${PREFIX}${base32(crypto.getRandomValues(new Uint8Array(20)))}`;

export const hashKey = (key: string): Promise<string> => sha256Hex(key);

/** What a key's hash stood for, and until when this isolate believes it. */
const known = new Map<string, { row: KeyRow | null; untilMs: number }>();

async function lookUp(db: Database, keyHash: string, clock: Clock): Promise<KeyRow | null> {
  const cached = known.get(keyHash);
  if (cached !== undefined && cached.untilMs > clock.nowMs()) return cached.row;
  const row = await findKey(db, keyHash);
  if (known.size >= CACHE_SIZE) known.clear();
  // Unknown keys are not remembered: a key must work the moment it was made.
  if (row !== null) known.set(keyHash, { row, untilMs: clock.nowMs() + CACHE_MS });
  return row;
}

/** Forgets an org's keys here; other isolates follow within 30 s. */
export function forgetKeys(orgId: string): void {
  for (const [hash, { row }] of known) if (row?.org_id === orgId) known.delete(hash);
}

/** @returns the principal a key stands for, or null for an unknown, revoked or expired one */
export async function principalOfKey(db: Database, key: string, clock: Clock): Promise<Principal | null> {
  if (!key.startsWith(PREFIX) || key.length > 100) return null;
  const row = await lookUp(db, await hashKey(key), clock);
  if (row === null || row.revoked_at !== null) return null;
  if (row.expires_at !== null && row.expires_at * 1000 <= clock.nowMs()) return null;
  return { orgId: row.org_id, id: row.principal_id, keyId: row.key_id, roles: row.roles, scopes: row.scopes };
}
