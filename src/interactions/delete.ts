/** Deletions: page by page, each page and its audit row in one batch. */
import type { Database } from "../db/client";
import { recordAudit, recordAuditIfChanged } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import type { Principal } from "../platform/principal";
import type { Services } from "../services";
import { type DeletionTarget, deletePage, deleteTurn, findTargets, lastInteractionId } from "./delete-store";
import { DELETION_PAGE, deletionPages } from "./deletion-pages";

export interface Deleted {
  turns: number;
  requests: number;
}

/** Who deletes, where, and under which id it is audited. */
export interface DeletionScope {
  services: Pick<Services, "clock">;
  principal: Pick<Principal, "orgId" | "id">;
  orgId: string;
  db: Database;
  requestId: string;
}

const auditBase = ({ principal, requestId }: DeletionScope, at: number) => ({ principal, requestId, at });

/** @returns false where the user has no such turn */
export async function deleteInteraction(
  scope: DeletionScope,
  userId: string,
  interactionId: number,
): Promise<boolean> {
  const at = nowSec(scope.services.clock);
  const results = await scope.db.batch([
    ...deleteTurn(scope.orgId, userId, interactionId, at),
    recordAuditIfChanged({
      ...auditBase(scope, at),
      action: "delete.interaction",
      entityType: "interaction",
      entityId: interactionId,
    }),
  ]);
  return (results.at(-2)?.changes ?? 0) > 0;
}

/**
 * Deletes requests with their turns, up to the newest there is when it begins. Begun again after an
 * interruption, it goes on where it stopped.
 */
export async function deleteRequests(
  scope: DeletionScope,
  target: DeletionTarget,
  entity: { type: "request" | "session" | "org"; id: string },
): Promise<Deleted> {
  const deleted: Deleted = { turns: 0, requests: 0 };
  const lastSeq = await lastInteractionId(scope.db, scope.orgId);
  for (;;) {
    const requests = await findTargets(scope.db, scope.orgId, target, lastSeq, DELETION_PAGE);
    for (const page of deletionPages(requests)) {
      const at = nowSec(scope.services.clock);
      const results = await scope.db.batch([
        ...deletePage(scope.orgId, page, at),
        recordAudit({
          ...auditBase(scope, at),
          action: "delete.interactions",
          entityType: entity.type,
          entityId: entity.id,
          details: { requests: page.requestSeqs.length, ranges: page.ranges.length },
        }),
      ]);
      deleted.turns += results.at(-3)?.rows.length ?? 0;
      deleted.requests += results.at(-2)?.rows.length ?? 0;
    }
    if (requests.length < DELETION_PAGE) return deleted;
  }
}
