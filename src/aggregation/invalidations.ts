/** Tells aggregation, a page a turn, what changed under it since the last one. */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { applyPage, type Invalidation, loadInvalidations } from "./invalidations-store";

/** Invalidations that one turn applies; when there is one more, the turn asks no model (trap 40). */
export const INVALIDATION_PAGE = 100;

/** The page's invalidations: those of one successor stay together, as far as one page holds them. */
export function pageOf(found: readonly Invalidation[], limit = INVALIDATION_PAGE): Invalidation[] {
  const page = found.slice(0, limit);
  const successorId = found[limit]?.successorId ?? null;
  if (successorId === null) return page;
  const whole = page.findLastIndex((row) => row.successorId !== successorId) + 1;
  return whole === 0 ? page : page.slice(0, whole);
}

/**
 * Applies one page in one batch.
 * @returns whether there is more, and nothing else may be done in this turn
 * @throws GuardFailed("lease")
 */
export async function applyInvalidations(
  scope: { db: Database; lease: Lease; orgId: string; agentVersion: string },
  nowMs: number,
): Promise<{ applied: number; isMore: boolean }> {
  const { db, lease, orgId, agentVersion } = scope;
  const found = await loadInvalidations(db, orgId, agentVersion, INVALIDATION_PAGE + 1);
  if (found.length === 0) return { applied: 0, isMore: false };
  const page = pageOf(found);
  await db.batch([leaseGuard(lease), ...applyPage(orgId, agentVersion, page, nowMs), leaseGuard(lease)]);
  return { applied: page.length, isMore: found.length > page.length };
}
