/** How a generation stands, for those who poll, and the way to cancel one. */
import { GuardFailed } from "../../db/client";
import type { RequestScope } from "../../http/route";
import { recordAudit } from "../../orgs/audit";
import { nowSec } from "../../platform/clock";
import { type GenerationOperation, PLAYBOOK_SERVICE, percentOf, type ServiceName } from "./model";
import { cancelGeneration, findGeneration } from "./operation-store";
import { recoverStale } from "./start";
import { listUnits } from "./unit-store";

/** Users that an answer names, of those who are through and of those who failed. */
const MAX_NAMED_USERS = 1_000;

export interface GenerationReport {
  operation: GenerationOperation;
  percent: number;
  processedUserIds: string[];
  failedUsers: { userId: string; error: string }[];
}

/** The service's latest operation; null where it never had one. One that has stopped moving is given up first. */
export async function reportGeneration(
  scope: RequestScope,
  serviceName: ServiceName,
): Promise<GenerationReport | null> {
  if (serviceName !== PLAYBOOK_SERVICE) return null;
  const operation = await recoverStale(scope);
  if (operation === null) return null;
  const named = async (state: "done" | "failed") =>
    listUnits(scope.db, scope.orgId, operation.operationId, {
      states: [state],
      after: 0,
      limit: MAX_NAMED_USERS,
    });
  const [done, failed] = await Promise.all([named("done"), named("failed")]);
  return {
    operation,
    percent: percentOf(operation),
    processedUserIds: done.map(({ userId }) => userId),
    failedUsers: failed.map(({ userId, error }) => ({ userId, error: error ?? "unknown" })),
  };
}

/**
 * Cancels what is in progress: whoever is in flight finishes, nobody else begins.
 * @returns the services that had something to cancel
 */
export async function cancelGenerations(
  scope: RequestScope,
  services: readonly ServiceName[],
): Promise<ServiceName[]> {
  if (!services.includes(PLAYBOOK_SERVICE)) return [];
  const { db, orgId, principal, requestId } = scope;
  const operation = await recoverStale(scope);
  if (operation === null || operation.status !== "in_progress") return [];
  if (operation.isCancelled) return [PLAYBOOK_SERVICE];
  try {
    await db.batch([
      ...cancelGeneration(operation, principal.id, scope.services.clock.nowMs()),
      recordAudit({
        principal,
        action: "cancel.playbook_generation",
        entityType: "generation_operation",
        entityId: operation.operationId,
        requestId,
        at: nowSec(scope.services.clock),
      }),
    ]);
  } catch (error) {
    const now = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
    const isIn = now?.operationId === operation.operationId && now.isCancelled;
    if (!isIn && error instanceof GuardFailed) return [];
    if (!isIn) throw error;
  }
  return [PLAYBOOK_SERVICE];
}
