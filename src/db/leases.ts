/** Leases: one owner at a time, with a fence that grows by one per claim. Losing one rolls back. */
import * as z from "zod";
import type { Database } from "./client";
import { guard, type Statement, sql } from "./sql";

export interface Lease {
  orgId: string;
  key: string;
  owner: string;
  fence: number;
}

/** Database time in milliseconds: the only clock that leases are compared by. */
export const DATABASE_NOW_MS = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const now: Statement = { text: DATABASE_NOW_MS, params: [] };

/** @returns the lease, or null while another owner's is live. The same owner may claim again. */
export async function claimLease(
  db: Database,
  orgId: string,
  key: string,
  owner: string,
  durationMs: number,
): Promise<Lease | null> {
  const row = await db.first(
    z.object({ fence: z.int() }),
    sql`INSERT INTO leases (org_id, key, owner, fence, expires_at_ms)
        VALUES (${orgId}, ${key}, ${owner}, 1, ${now} + ${durationMs})
        ON CONFLICT (org_id, key) DO UPDATE
          SET owner = excluded.owner, fence = fence + 1, expires_at_ms = excluded.expires_at_ms
          WHERE leases.expires_at_ms <= ${now} OR leases.owner = excluded.owner
        RETURNING fence`,
  );
  return row === null ? null : { orgId, key, owner, fence: row.fence };
}

const held = ({ orgId, key, owner, fence }: Lease): Statement =>
  sql`SELECT EXISTS (SELECT 1 FROM leases WHERE org_id = ${orgId} AND key = ${key} AND owner = ${owner}
      AND fence = ${fence} AND expires_at_ms > ${now})`;

/** Put it first (and for long batches last) in every batch written under the lease. */
export const leaseGuard = (lease: Lease): Statement => guard("lease", held(lease));

/** @returns false when the lease was lost; the holder must stop. */
export async function renewLease(db: Database, lease: Lease, durationMs: number): Promise<boolean> {
  const changed = await db.run(
    sql`UPDATE leases SET expires_at_ms = ${now} + ${durationMs} WHERE org_id = ${lease.orgId}
        AND key = ${lease.key} AND owner = ${lease.owner} AND fence = ${lease.fence} AND expires_at_ms > ${now}`,
  );
  return changed === 1;
}

/**
 * Renews the lease every third of its duration while `work` runs, so that a short lease outlives a long
 * call and a crash is noticed soon. A beat that fails is not fatal: every write is fenced.
 */
export async function keepingLease<Value>(
  db: Database,
  lease: Lease,
  durationMs: number,
  work: () => Promise<Value>,
): Promise<Value> {
  const beat = setInterval(() => {
    renewLease(db, lease, durationMs).catch(() => {});
  }, durationMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** Frees the lease and keeps its fence. As a statement, so that it can end a batch. */
export const releaseLease = (lease: Lease): Statement =>
  sql`UPDATE leases SET owner = '', expires_at_ms = 0 WHERE org_id = ${lease.orgId} AND key = ${lease.key}
      AND owner = ${lease.owner} AND fence = ${lease.fence}`;
