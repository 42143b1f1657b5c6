/** Windows that were given up: buried with a reason, so that the stream goes on, and replayed on demand. */
import { GuardFailed } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { enqueue } from "../db/outbox";
import { recordAudit } from "../orgs/audit";
import { dayOf } from "../orgs/usage";
import { announce } from "../orgs/webhooks/announce";
import { nowSec } from "../platform/clock";
import { Failure } from "../platform/failure";
import { derivedId } from "../platform/ids";
import type { Principal } from "../platform/principal";
import type { Services } from "../services";
import {
  type DeadLetter,
  findDeadLetter,
  markReplayed,
  reopenWindow,
  writeDeadLetter,
} from "./dead-letter-store";
import type { ExtractionWindow } from "./model";
import { addCounts, advanceCursor, finishWindow } from "./store";

/** Ends a window that cannot be finished and moves its cursor past it. `message` must be content-free. */
export async function buryWindow(
  services: Pick<Services, "database" | "clock" | "send" | "defer" | "log">,
  lease: Lease,
  window: ExtractionWindow,
  death: { viaCursor: boolean; attempts: number; reason: string; message: string },
): Promise<void> {
  const { orgId, userId, kind, windowId } = window;
  const nowMs = services.clock.nowMs();
  const deadLetterId = await derivedId("dead", [orgId, windowId]);
  // A window dies once per opening; one that was replayed and dies again is told again.
  const told = await announce(
    orgId,
    {
      type: "dead_letter.added",
      key: [deadLetterId, nowMs],
      data: { dead_letter_id: deadLetterId, topic: "extraction", reason: death.reason },
    },
    nowMs,
  );
  await services.database(orgId).batch([
    leaseGuard(lease),
    ...finishWindow(
      window,
      { state: "dead", from: ["open", "computed"], receipt: null, error: death.reason },
      nowMs,
    ),
    ...(death.viaCursor ? advanceCursor(window, nowMs) : []),
    writeDeadLetter(orgId, {
      deadLetterId,
      topic: "extraction",
      key: [userId, kind, windowId],
      reason: death.reason,
      message: death.message,
      attempts: death.attempts + 1,
      createdAt: Math.floor(nowMs / 1000),
    }),
    ...addCounts(orgId, dayOf(nowMs), { [`dead:${death.reason}`]: 1 }),
    ...told.statements,
  ]);
  services.defer(
    services.send([told.message]).catch(() => services.log.warn("learning.send_failed", { count: 1 })),
  );
}

/** @throws Failure("not_found") */
async function letterOf(
  services: Pick<Services, "database">,
  orgId: string,
  deadLetterId: string,
): Promise<DeadLetter> {
  const letter = await findDeadLetter(services.database(orgId), orgId, deadLetterId);
  if (letter === null) throw new Failure("not_found", "There is no such dead letter.");
  return letter;
}

/**
 * Takes given-up work up again. A letter that was replayed before, or is being replayed at this moment,
 * answers as it stands and starts nothing twice.
 * @throws Failure("not_found"); Failure("conflict") when the work can no longer be done
 */
export async function replayDeadLetter(
  services: Pick<Services, "database" | "clock" | "send" | "defer" | "log">,
  orgId: string,
  deadLetterId: string,
  by: { principal: Pick<Principal, "orgId" | "id">; requestId: string },
): Promise<DeadLetter> {
  const letter = await letterOf(services, orgId, deadLetterId);
  if (letter.replayedAt !== null) return letter;
  const at = nowSec(services.clock);
  const work = await enqueue({
    orgId,
    topic: letter.topic,
    key: letter.key,
    cause: `replay:${deadLetterId}:${letter.attempts}`,
    nowMs: services.clock.nowMs(),
  });
  const windowId = letter.topic === "extraction" ? letter.key[2] : undefined;
  try {
    await services.database(orgId).batch([
      ...markReplayed(orgId, deadLetterId, at),
      ...(typeof windowId === "string" ? reopenWindow(orgId, windowId) : []),
      work.statement,
      recordAudit({
        principal: by.principal,
        action: "replay.dead_letter",
        entityType: "dead_letter",
        entityId: deadLetterId,
        requestId: by.requestId,
        at,
        details: { topic: letter.topic, reason: letter.reason },
      }),
    ]);
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
    if (error.guard === "window") {
      throw new Failure(
        "conflict",
        "Its window is no longer dead: its turns were deleted or learned from since.",
      );
    }
    return letterOf(services, orgId, deadLetterId);
  }
  services.defer(
    services.send([work.message]).catch(() => services.log.warn("learning.send_failed", { count: 1 })),
  );
  return { ...letter, replayedAt: at };
}
