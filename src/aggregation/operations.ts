/** A manual aggregation: starts it, waits a while for its end, and says what came of it. */
import type { Database } from "../db/client";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { findOperation, insertOperation, type Operation } from "./operations-store";
import { countCurrentRules, makeDue } from "./store";

/** A caller is answered after this long at the latest; the operation goes on. */
const MAX_WAIT_MS = 60_000;
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const POLL_GROWTH = 1.5;

export interface AggregationAnswer {
  success: boolean;
  message: string;
  operationId: string | null;
}

export type Sleep = (ms: number) => Promise<void>;
export const sleep: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a caller reads about an operation as it stands. */
function describeOperation({ status, counts, error }: Pick<Operation, "status" | "counts" | "error">): {
  success: boolean;
  message: string;
} {
  if (status === "failed") {
    const reason =
      error === "cap_exceeded"
        ? "the rules of this version exceed the safety cap"
        : (error ?? "execution_failed");
    return { success: false, message: `Aggregation failed: ${reason}` };
  }
  if (status !== "succeeded" || counts === null) {
    return { success: true, message: "Aggregation is still running; poll the operation for its result." };
  }
  return {
    success: true,
    message: `Processed ${counts.user_playbooks_processed} user playbooks, found ${counts.clusters_found} clusters, generated ${counts.playbooks_generated} agent playbooks`,
  };
}

/** Why an aggregation was not started. */
export const skipCodes = ["not_configured", "cluster_size", "too_few"] as const;

export type Start =
  | { operationId: string }
  | { operationId: null; code: (typeof skipCodes)[number]; message: string };

const skip = (code: (typeof skipCodes)[number], message: string): Start => ({
  operationId: null,
  code,
  message,
});

/** Why there is nothing to start; null where there is. */
async function reasonToSkip(services: Services, orgId: string, agentVersion: string): Promise<Start | null> {
  const db = services.database(orgId);
  const { config } = await loadConfig(db, orgId, services.clock);
  const aggregation = config.user_playbook_extractor_config?.aggregation_config ?? null;
  if (aggregation === null) return skip("not_configured", "aggregation is not configured");
  if (aggregation.min_cluster_size < 2) return skip("cluster_size", "min_cluster_size is below 2");
  const rules = await countCurrentRules(db, orgId, agentVersion);
  const needed = aggregation.reaggregation_trigger_count;
  return rules < needed
    ? skip("too_few", `${rules} user playbooks are fewer than the ${needed} that start an aggregation`)
    : null;
}

export interface AggregationCall {
  orgId: string;
  agentVersion: string;
  requestId: string;
}

/**
 * Starts an aggregation of a version's new and waiting rules, whatever their cool-downs, and waits for nothing;
 * a repeated request finds the operation that it started before.
 */
export async function startAggregation(
  services: Services,
  { orgId, agentVersion, requestId }: AggregationCall,
): Promise<Start> {
  const skipped = await reasonToSkip(services, orgId, agentVersion);
  if (skipped !== null) return skipped;
  const operationId = await derivedId("op", [orgId, "aggregation", agentVersion, requestId]);
  await services
    .database(orgId)
    .batch([
      insertOperation(orgId, { operationId, agentVersion, requestId, createdAt: nowSec(services.clock) }),
      makeDue(orgId, agentVersion, services.clock.nowMs()),
    ]);
  // The version is due: what this call loses, the sweep wakes.
  await services
    .wakeAggregation(orgId, agentVersion)
    .catch(() => services.log.warn("aggregation.wake_failed", { orgId }));
  return { operationId };
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

/** Starts an aggregation and waits for its end. */
export async function runAggregationNow(
  services: Services,
  call: AggregationCall,
  pause: Sleep = sleep,
): Promise<AggregationAnswer> {
  const start = await startAggregation(services, call);
  if (start.operationId === null) {
    return { success: true, message: `Skipped: ${start.message}`, operationId: null };
  }
  const { operationId } = start;
  const operation = await waitForEnd(services.database(call.orgId), call.orgId, operationId, pause);
  if (operation === null)
    return { success: false, message: "Aggregation failed: the operation is gone", operationId };
  return { ...describeOperation(operation), operationId };
}
