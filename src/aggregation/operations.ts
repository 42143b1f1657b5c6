/** A full rebuild by hand: starts it, waits a while for its end, and says what came of it. */
import type { Database } from "../db/client";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import {
  activeOperation,
  findOperation,
  insertOperation,
  type Operation,
  type SkipCode,
} from "./operations-store";
import { neededRules } from "./rebuild-gate";
import { capMessage, REBUILD_MAX_ROWS } from "./rebuild-model";
import { countCurrentRules, makeDue } from "./store";

/** A caller is answered after this long at the latest; the operation goes on. */
const MAX_WAIT_MS = 60_000;
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const POLL_GROWTH = 1.5;
/** An operation that is in the way may end while we look for it. */
const MAX_SUBMISSIONS = 3;

export interface AggregationAnswer {
  success: boolean;
  message: string;
  operationId: string | null;
}

export type Sleep = (ms: number) => Promise<void>;
export const sleep: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const skipMessages: Record<SkipCode, string> = {
  not_configured: "aggregation is not configured",
  cluster_size: "min_cluster_size is below 2",
  too_few: "there are fewer user playbooks than an aggregation needs",
};

/** What a caller reads about an operation as it stands. */
function describeOperation({
  status,
  counts,
  error,
  skipped,
}: Pick<Operation, "status" | "counts" | "error" | "skipped">): { success: boolean; message: string } {
  if (status === "failed") {
    const reason =
      error === "cap_exceeded"
        ? `the user playbooks of this version exceed the safety cap of ${REBUILD_MAX_ROWS}`
        : (error ?? "execution_failed");
    return { success: false, message: `Aggregation failed: ${reason}` };
  }
  if (status !== "succeeded" || counts === null) {
    return { success: true, message: "Aggregation is still running; poll the operation for its result." };
  }
  if (skipped !== null) return { success: true, message: `Skipped: ${skipMessages[skipped]}` };
  return {
    success: true,
    message: `Processed ${counts.user_playbooks_processed} user playbooks, found ${counts.clusters_found} clusters, generated ${counts.playbooks_generated} agent playbooks`,
  };
}

/** Why nothing was started: there is nothing to do, or more than may be done at once. */
export type NotStarted = { operationId: null; code: SkipCode | "cap_exceeded"; message: string };
export type Start = { operationId: string } | NotStarted;

const notStarted = (code: NotStarted["code"], message: string): NotStarted => ({
  operationId: null,
  code,
  message,
});

/** Why there is nothing to start; null where there is. */
async function reasonNotToStart(
  services: Services,
  orgId: string,
  agentVersion: string,
): Promise<NotStarted | null> {
  const db = services.database(orgId);
  const { config } = await loadConfig(db, orgId, services.clock);
  const aggregation = config.user_playbook_extractor_config?.aggregation_config ?? null;
  if (aggregation === null) return notStarted("not_configured", skipMessages.not_configured);
  if (aggregation.min_cluster_size < 2) return notStarted("cluster_size", skipMessages.cluster_size);
  const rules = await countCurrentRules(db, orgId, agentVersion);
  const needed = neededRules(aggregation);
  if (rules < needed) {
    const message = `${rules} user playbooks are fewer than the ${needed} that start an aggregation`;
    return notStarted("too_few", message);
  }
  return rules > REBUILD_MAX_ROWS ? notStarted("cap_exceeded", capMessage(rules)) : null;
}

export interface AggregationCall {
  orgId: string;
  agentVersion: string;
  requestId: string;
}

/**
 * Writes an operation down, unless it is there already or another one of its version is not over.
 * @returns the operation that stands now under this id, or the one in its way
 */
export async function submitOperation(
  services: Services,
  { orgId, agentVersion, requestId }: AggregationCall,
  operationId: string,
): Promise<{ operation: Operation; isInTheWay: boolean }> {
  const db = services.database(orgId);
  for (let submission = 0; submission < MAX_SUBMISSIONS; submission += 1) {
    const known = await findOperation(db, orgId, operationId);
    if (known !== null) return { operation: known, isInTheWay: false };
    const active = await activeOperation(db, orgId, agentVersion);
    if (active !== null && active.operationId !== operationId) return { operation: active, isInTheWay: true };
    await db.batch([
      insertOperation(orgId, { operationId, agentVersion, requestId, createdAt: nowSec(services.clock) }),
      makeDue(orgId, agentVersion, services.clock.nowMs()),
    ]);
    // The version is due: what this call loses, the sweep wakes.
    await services
      .wakeAggregation(orgId, agentVersion)
      .catch(() => services.log.warn("aggregation.wake_failed", { orgId }));
  }
  const operation = await findOperation(db, orgId, operationId);
  if (operation === null) throw new Error("the operation could not be written");
  return { operation, isInTheWay: false };
}

/**
 * Starts a rebuild of a version's agent playbooks and waits for nothing. A repeated request finds the operation
 * that it started before; one of a version whose rebuild is not over joins that one.
 */
export async function startAggregation(services: Services, call: AggregationCall): Promise<Start> {
  const reason = await reasonNotToStart(services, call.orgId, call.agentVersion);
  if (reason !== null) return reason;
  const operationId = await derivedId("op", [call.orgId, "aggregation", call.agentVersion, call.requestId]);
  const { operation } = await submitOperation(services, call, operationId);
  return { operationId: operation.operationId };
}

/** Waits with growing pauses, at most a minute and fewer than 40 looks. */
async function waitForEnd(
  db: Database,
  orgId: string,
  operationId: string,
  pause: Sleep,
): Promise<Operation | null> {
  let waitedMs = 0;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * POLL_GROWTH)) {
    const operation = await findOperation(db, orgId, operationId);
    const isOver = operation === null || operation.status === "succeeded" || operation.status === "failed";
    if (isOver || waitedMs >= MAX_WAIT_MS) return operation;
    const pauseMs = Math.min(pollMs, MAX_WAIT_MS - waitedMs);
    await pause(pauseMs);
    waitedMs += pauseMs;
  }
}

/** Starts a rebuild and waits for its end. */
export async function runAggregationNow(
  services: Services,
  call: AggregationCall,
  pause: Sleep = sleep,
): Promise<AggregationAnswer> {
  const start = await startAggregation(services, call);
  if (start.operationId === null) {
    return start.code === "cap_exceeded"
      ? { success: false, message: `Aggregation failed: ${start.message}`, operationId: null }
      : { success: true, message: `Skipped: ${start.message}`, operationId: null };
  }
  const { operationId } = start;
  const operation = await waitForEnd(services.database(call.orgId), call.orgId, operationId, pause);
  if (operation === null)
    return { success: false, message: "Aggregation failed: the operation is gone", operationId };
  return { ...describeOperation(operation), operationId };
}
