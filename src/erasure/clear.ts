/** Erases a user as far as one call may wait; the queue and the sweep go on from there. */
import { GuardFailed } from "../db/client";
import type { WorkMessage } from "../db/outbox";
import { describeFault } from "../http/fault";
import type { RequestScope } from "../http/route";
import type { Services } from "../services";
import { beginErasure, workOf } from "./begin";
import { findLogEntry } from "./mark-store";
import type { LogEntry } from "./model";
import { advance } from "./run";

/** A caller is answered after this long at the latest, and costs at most so many pages. */
const MAX_WAIT_MS = 60_000;
const MAX_PAGES = 2_000;
/** Times that a page may find its rules changed. */
const MAX_BUSY = 5;

/** Page after page until the end, the time is up or something fails; then the message is sent. */
async function carryOn(services: Services, message: WorkMessage): Promise<void> {
  const endMs = services.clock.nowMs() + MAX_WAIT_MS;
  let busy = 0;
  for (let page = 0; page < MAX_PAGES && services.clock.nowMs() < endMs; page += 1) {
    try {
      if (!(await advance(services, message))) return;
    } catch (error) {
      busy += 1;
      if (!(error instanceof GuardFailed) || busy > MAX_BUSY) {
        services.log.warn("erasure.interrupted", { orgId: message.orgId, ...describeFault(error) });
        break;
      }
    }
  }
  services.defer(services.send([message]));
}

/**
 * Erases everything there is of a user, or goes on with the erasure that is under way.
 * @returns its line in the log; `running` where the call could not wait for the end
 */
export async function clearUser(
  {
    services,
    db,
    orgId,
    principal,
    requestId,
  }: Pick<RequestScope, "services" | "db" | "orgId" | "principal" | "requestId">,
  userId: string,
): Promise<LogEntry> {
  const { erasureId } = await beginErasure(services, { orgId, principalId: principal.id, requestId }, userId);
  const { message } = await workOf(orgId, erasureId, services.clock.nowMs());
  await carryOn(services, message);
  const entry = await findLogEntry(db, orgId, erasureId);
  if (entry === null) throw new Error(`erasure ${erasureId} has no line in the log`);
  return entry;
}
