/** Lists revocations and lifts those that were a mistake. */
import { GuardFailed } from "../db/client";
import { enqueue } from "../db/outbox";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import { Failure } from "../platform/failure";
import type { Revocation } from "./model";
import { findRevocation, liftRevocationRow, listRevocationRows } from "./store";

/** Revocations of one list at most. */
export const MAX_LISTED = 100;

/** Newest first; those before `beforeId`, where it is given. */
export const listRevocations = (
  { db, orgId }: Pick<RequestScope, "db" | "orgId">,
  page: { beforeId?: string | undefined; limit?: number | undefined } = {},
): Promise<Revocation[]> =>
  listRevocationRows(db, orgId, { beforeId: page.beforeId ?? null, limit: page.limit ?? MAX_LISTED });

/** @throws Failure("not_found") */
export async function getRevocation(
  { db, orgId }: Pick<RequestScope, "db" | "orgId">,
  revocationId: string,
): Promise<Revocation> {
  const found = await findRevocation(db, orgId, revocationId);
  if (found === null) throw new Failure("not_found", "There is no such revocation.");
  return found;
}

/**
 * Lets learning have the turns again: those that were published before the revocation, and what comes from now
 * on. What a revoked user published meanwhile was never admitted and stays out. Rules stay in review until a
 * person decides about each; what the turns teach again is a rule of its own. Lifting twice is lifting once.
 * @throws Failure("not_found"); Failure("conflict") while it still runs
 */
export async function liftRevocation(scope: RequestScope, revocationId: string): Promise<Revocation> {
  const { services, db, orgId, principal, requestId } = scope;
  const before = await getRevocation(scope, revocationId);
  if (before.state === "lifted") return before;
  if (before.state === "running") {
    throw new Failure("conflict", "The revocation is still running; lift it when it is done.");
  }
  const nowMs = services.clock.nowMs();
  const work = await enqueue({
    ...{ orgId, topic: "extraction" as const, key: [before.userId], nowMs },
    cause: `lift:${revocationId}`,
  });
  try {
    await db.batch([
      ...liftRevocationRow(orgId, revocationId),
      work.statement,
      recordAudit({
        principal,
        action: "lift.revocation",
        entityType: "revocation",
        entityId: revocationId,
        requestId,
        at: nowSec(services.clock),
      }),
    ]);
  } catch (error) {
    // A twin may have lifted it, or this batch is in and its answer was lost.
    const now = await getRevocation(scope, revocationId);
    if (now.state !== "lifted") throw error;
    if (error instanceof GuardFailed) return now;
  }
  services.defer(
    services
      .send([work.message])
      .catch(() => services.log.warn("revocation.send_failed", { orgId, count: 1 })),
  );
  return { ...before, state: "lifted" };
}
