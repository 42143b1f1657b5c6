/** How aggregation is started: by queued work, and by the sweep that re-arms what an alarm lost. */
import type { Work } from "../db/outbox";
import type { Services } from "../services";
import { markForgottenVersions } from "./repair-store";
import { dueVersions } from "./store";

/** Versions one sweep wakes; the rest stay due for the next. */
const SWEEP_LIMIT = 500;
/** Minutes from one look at idle versions to the next, and versions of one look; each costs three seeks. */
const REPAIR_EVERY_MIN = 5;
const REPAIR_LIMIT = 100;
/** A wake is one sub-request; six may run at once. */
const PARALLEL_WAKES = 5;

/** Topic `aggregation`, key `[agentVersion]`: tells the coordinator; the version's own row holds the work. */
export async function runAggregationWork(
  services: Services,
  work: Work,
): Promise<"done" | { retryInMs: number }> {
  const agentVersion = String(work.key[0] ?? "");
  if (agentVersion.trim() !== "") await services.wakeAggregation(work.orgId, agentVersion);
  return "done";
}

/**
 * Wakes the coordinators of due versions of every org, those included that had lost their mark.
 * @returns how many were woken
 */
export async function sweepAggregation(services: Services, nowMs: number): Promise<number> {
  if (Math.floor(nowMs / 60_000) % REPAIR_EVERY_MIN === 0) {
    const forgotten = await markForgottenVersions(services.database(""), nowMs, REPAIR_LIMIT);
    if (forgotten.length > 0) services.log.warn("aggregation.repaired", { versions: forgotten.length });
  }
  const due = await dueVersions(services.database(""), nowMs, SWEEP_LIMIT);
  let woken = 0;
  for (let first = 0; first < due.length; first += PARALLEL_WAKES) {
    const wakes = due
      .slice(first, first + PARALLEL_WAKES)
      .map((row) => services.wakeAggregation(row.org_id, row.agent_version));
    for (const result of await Promise.allSettled(wakes)) {
      if (result.status === "fulfilled") woken += 1;
      else services.log.warn("aggregation.wake_failed", {});
    }
  }
  return woken;
}
