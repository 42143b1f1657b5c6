/**
 * Topic `extraction`: drains one user's stream, window after window, under the user's lease. A message only
 * says that there may be work; what is to be done, and what was done already, stands in D1.
 */
import { GuardFailed } from "../db/client";
import { claimLease, keepingLease, type Lease, releaseLease } from "../db/leases";
import type { Work } from "../db/outbox";
import { activeKinds } from "../interactions/admission";
import type { ExtractorKind } from "../orgs/config";
import type { Services } from "../services";
import { LeaseLost } from "./faults";
import { loadWindow } from "./store";
import { LEASE_MS, type Step, stepStream, workOnWindow } from "./stream";

export type WorkResult = "done" | { retryInMs: number };

/** Windows of one invocation; a longer backlog comes back at once, so that others get their turn. */
const MAX_WINDOWS = 4;
/** How long to wait for whoever works on the user's stream now. */
const BUSY_RETRY_MS = 2_000;

/** Runs each kind until all wait or rest; a failing one never keeps its sibling from its turn (trap 14). */
async function drain(services: Services, lease: Lease, userId: string): Promise<WorkResult> {
  const delays: number[] = [];
  let active = [...activeKinds];
  for (let done = 0; active.length > 0; ) {
    const still: ExtractorKind[] = [];
    for (const kind of active) {
      if (done === MAX_WINDOWS) return { retryInMs: 0 };
      const step = await stepStream(services, lease, { orgId: lease.orgId, userId, kind });
      if (step.kind === "progressed") {
        still.push(kind);
        done += 1;
      } else if (step.kind === "resting") delays.push(step.retryInMs);
    }
    active = still;
  }
  return delays.length === 0 ? "done" : { retryInMs: Math.min(...delays) };
}

/** One replayed window, apart from the stream: the cursor passed it when it died. */
async function replay(services: Services, lease: Lease, work: Work, windowId: string): Promise<WorkResult> {
  const db = services.database(work.orgId);
  const window = await loadWindow(db, work.orgId, windowId);
  if (window === null || (window.state !== "open" && window.state !== "computed")) return "done";
  const step: Step = await workOnWindow(services, lease, window, {
    viaCursor: false,
    attempts: work.attempts,
  });
  if (step.kind === "resting") return { retryInMs: step.retryInMs };
  return step.kind === "progressed" ? replay(services, lease, work, windowId) : "done";
}

/** Work of topic `extraction`, key `[userId]`, or `[userId, kind, windowId]` for one replayed window. */
export async function runExtraction(services: Services, work: Work): Promise<WorkResult> {
  const [userId, , windowId] = work.key;
  if (typeof userId !== "string") {
    services.log.error("learning.extraction_key", { work: work.id });
    return "done";
  }
  const db = services.database(work.orgId);
  const lease = await claimLease(db, work.orgId, `stream:${userId}`, services.ids.random("own"), LEASE_MS);
  if (lease === null) return { retryInMs: BUSY_RETRY_MS };
  try {
    return await keepingLease(db, lease, LEASE_MS, () =>
      typeof windowId === "string" ? replay(services, lease, work, windowId) : drain(services, lease, userId),
    );
  } catch (error) {
    if (error instanceof LeaseLost || (error instanceof GuardFailed && error.guard === "lease")) {
      return { retryInMs: BUSY_RETRY_MS };
    }
    throw error;
  } finally {
    // A lease that cannot be freed expires.
    await db
      .run(releaseLease(lease))
      .catch(() => services.log.warn("learning.lease_kept", { work: work.id }));
  }
}
