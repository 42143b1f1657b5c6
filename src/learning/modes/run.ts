/**
 * Topic `generation`: `["version", changeId]` goes on with a version change, `[operationId, stage, after]` prepares
 * an operation, `[operationId, position]` works on one of its users. A message of an operation that is over, or
 * that another has replaced, finds nothing to do.
 */
import { GuardFailed } from "../../db/client";
import type { Work } from "../../db/outbox";
import { runVersionChange } from "../../playbooks/version-change";
import type { Services } from "../../services";
import type { WorkResult } from "../consumer";
import { PLAYBOOK_SERVICE } from "./model";
import { findGeneration, settleCancelled } from "./operation-store";
import { prepare } from "./prepare";
import { runUnit } from "./unit";
import { findUnit } from "./unit-store";

/** After somebody else moved the preparation on. */
const BUSY_RETRY_MS = 2_000;

async function runPosition(services: Services, work: Work, operationId: string, position: number) {
  const { orgId } = work;
  const db = services.database(orgId);
  const operation = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
  if (operation?.operationId !== operationId || operation.status !== "in_progress") return "done";
  const unit = await findUnit(db, { orgId, operationId, position });
  if (unit === null || (unit.state !== "waiting" && unit.state !== "running")) return "done";
  if (operation.isCancelled && unit.state === "waiting") {
    await db.batch(settleCancelled(operation, services.clock.nowMs()));
    return "done";
  }
  return runUnit(services, operation, unit);
}

async function runStage(
  services: Services,
  work: Work,
  operationId: string,
  stage: "clear" | "open",
  after: number,
): Promise<WorkResult> {
  const operation = await findGeneration(services.database(work.orgId), work.orgId, PLAYBOOK_SERVICE);
  if (operation?.operationId !== operationId || operation.status !== "in_progress") return "done";
  try {
    return await prepare(services, operation, work, stage, after);
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  }
}

export async function runGeneration(services: Services, work: Work): Promise<WorkResult> {
  const [first, second, third] = work.key;
  if (first === "version") return runVersionChange(services, work);
  if (typeof first === "string" && typeof second === "number") {
    return runPosition(services, work, first, second);
  }
  if (typeof first === "string" && (second === "clear" || second === "open") && typeof third === "number") {
    return runStage(services, work, first, second, third);
  }
  services.log.error("generation.key", { work: work.id });
  return "done";
}
