/**
 * One turn of a full rebuild under the version's lease: snapshot, plan, a bounded number of clusters, and the
 * commit once every cluster has its outcome. Whatever a turn has stored, the next one goes on from.
 */
import { type Database, GuardFailed } from "../db/client";
import { type Lease, leaseGuard, releaseLease, renewLease } from "../db/leases";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import type { Services } from "../services";
import { jointSimilarity } from "./clustering/joint";
import { noCounts } from "./model";
import {
  closeTurn,
  endOperation,
  findOperation,
  type Operation,
  openTurn,
  operationActive,
  repeatOperation,
} from "./operations-store";
import type { PlanSettings } from "./plan";
import { loadExistingRules } from "./read-store";
import { backOffMs, MAX_ATTEMPTS } from "./rebuild-back-off";
import { commitRebuild, countsOf } from "./rebuild-commit";
import { neededRules } from "./rebuild-gate";
import { RebuildRefused, type RebuildScope } from "./rebuild-model";
import { makePlan, withSnapshot } from "./rebuild-plan";
import { forgetRebuild, loadStagedRules, openClusters, planTurn, type Rebuild } from "./rebuild-store";
import { type RebuildRun, workOffCluster } from "./rebuild-work";
import { countCurrentRules } from "./store";
import { guidanceOf, LEASE_MS, MAX_MODEL_CALLS, MAX_TURN_MS, strippingOf } from "./unit";

/** When a turn has left something to the next, or automatic work may go on. */
const CONTINUE_MS = 1_000;
/** Clusters of a turn; those that need no model call cost little. */
const MAX_CLUSTERS = 200;

interface Turn {
  services: Services;
  db: Database;
  orgId: string;
  agentVersion: string;
  lease: Lease;
  operationId: string;
}

interface Next {
  nextInMs: number;
}

/** The model could not answer, and trying on would be no use now; its name is a closed code. */
class ModelUnavailable extends Error {
  constructor(
    override readonly name: string,
    readonly retryAfterMs: number,
  ) {
    super(name);
  }
}

function settingsOf({ aggregation, agentVersion, space, services }: RebuildScope): PlanSettings {
  const similarity = aggregation.clustering_similarity ?? services.embedder.model.clusteringSimilarity;
  return {
    ...{ agentVersion, space, similarity, jointSimilarity: jointSimilarity(similarity) },
    minClusterSize: aggregation.min_cluster_size,
    triggerCount: aggregation.reaggregation_trigger_count,
  };
}

/** Approved rules are what a cluster may already be covered by: the pending ones are about to go (trap 54). */
async function runOf(scope: RebuildScope, db: Database, takeCall: () => boolean): Promise<RebuildRun> {
  const { services, orgId, agentVersion, config, aggregation, space } = scope;
  const staged = await loadStagedRules(db, scope);
  const existingRules = [
    ...(await loadExistingRules(db, orgId, agentVersion, space, ["approved"])),
    ...staged.map((rule) => ({ ...rule, isApproved: false, vector: null })),
  ];
  return {
    ...{ scope, db, existingRules },
    synthesis: {
      ...{ db, orgId, agentVersion, existingRules, takeCall },
      reasoner: services.reasoner(orgId),
      guidance: guidanceOf(config),
      directionOverlap: aggregation.direction_overlap_threshold,
      forcelist: strippingOf(config),
      nowMs: () => services.clock.nowMs(),
    },
  };
}

/** Asks for the rules of open clusters until the turn's budget ends. @returns whether anything was stored */
async function workOff(scope: RebuildScope, db: Database): Promise<boolean> {
  const { services, lease } = scope;
  const startMs = services.clock.nowMs();
  let callsLeft = MAX_MODEL_CALLS;
  const run = await runOf(scope, db, () => {
    callsLeft -= 1;
    return callsLeft >= 0;
  });
  let hasMoved = false;
  for (const cluster of await openClusters(db, scope, MAX_CLUSTERS)) {
    if (callsLeft <= 0 || services.clock.nowMs() - startMs >= MAX_TURN_MS) break;
    if (!(await renewLease(db, lease, LEASE_MS))) throw new GuardFailed("lease");
    const result = await workOffCluster(run, {
      clusterId: cluster.cluster_id,
      tries: cluster.tries,
    });
    if (result.kind === "spent") break;
    if (result.kind === "failed") throw new ModelUnavailable(result.code, result.retryAfterMs);
    hasMoved = true;
  }
  return hasMoved;
}

/** Leaves the rest to another turn, soon. */
async function goOn(
  { services, db, orgId, agentVersion, lease, operationId }: Turn,
  scope: RebuildScope,
  rebuild: Rebuild,
  hasMoved: boolean,
): Promise<Next> {
  const counts = await countsOf(db, scope, rebuild);
  await db.batch([
    leaseGuard(lease),
    operationActive(orgId, operationId),
    closeTurn(orgId, operationId, { counts, hasMoved, nowSec: nowSec(services.clock) }),
    planTurn(orgId, agentVersion, services.clock.nowMs() + CONTINUE_MS, null),
    releaseLease(lease),
  ]);
  return { nextInMs: CONTINUE_MS };
}

/** Ends an operation that found nothing to do. */
async function skip({ services, db, orgId, agentVersion, lease, operationId }: Turn): Promise<Next> {
  await db.batch([
    leaseGuard(lease),
    operationActive(orgId, operationId),
    endOperation(orgId, operationId, {
      ...({ status: "succeeded", skipped: "too_few", counts: noCounts() } as const),
      nowSec: nowSec(services.clock),
    }),
    planTurn(orgId, agentVersion, services.clock.nowMs() + CONTINUE_MS, null),
    releaseLease(lease),
  ]);
  return { nextInMs: CONTINUE_MS };
}

/** @throws RebuildRefused where the org's settings rule out aggregation */
async function scopeOf(turn: Turn): Promise<RebuildScope> {
  const { services, db, orgId, agentVersion, lease, operationId } = turn;
  const { config } = await loadConfig(db, orgId, services.clock);
  const aggregation = config.user_playbook_extractor_config?.aggregation_config ?? null;
  if (aggregation === null || aggregation.min_cluster_size < 2) {
    throw new RebuildRefused("invalid_configuration_or_input", "aggregation is switched off");
  }
  const { name: model, dimension } = services.embedder.model;
  return {
    ...{ services, orgId, agentVersion, lease, operationId, config, aggregation },
    space: { model, dimension },
  };
}

async function work(turn: Turn): Promise<Next> {
  const { db, orgId, agentVersion } = turn;
  const scope = await scopeOf(turn);
  const rows = await countCurrentRules(db, orgId, agentVersion);
  if (rows < neededRules(scope.aggregation)) return skip(turn);
  const rebuild = await withSnapshot(scope, db);
  if (!rebuild.isPlanned) await makePlan(scope, db, settingsOf(scope));
  const hasMoved = (await workOff(scope, db)) || !rebuild.isPlanned;
  const isAnswered = (await openClusters(db, scope, 1)).length === 0;
  if (isAnswered && (await commitRebuild(scope, db, rebuild))) return { nextInMs: CONTINUE_MS };
  return goOn(turn, scope, rebuild, hasMoved);
}

/** Codes only: an error's text may hold content. */
const codeOf = (error: unknown): string => (error instanceof Error ? error.name : "execution_failed");

/** Notes a failed attempt: another one later, five at most, and none where the input is at fault. */
async function fail(turn: Turn, attempts: number, error: unknown): Promise<Next> {
  const { services, db, orgId, agentVersion, lease, operationId } = turn;
  const code = codeOf(error);
  const isFinal = error instanceof RebuildRefused;
  const isOver = isFinal || attempts >= MAX_ATTEMPTS;
  const retryAfterMs = error instanceof ModelUnavailable ? error.retryAfterMs : 0;
  const delayMs = isOver ? CONTINUE_MS : Math.max(backOffMs(attempts), retryAfterMs);
  const nextAttemptAtMs = services.clock.nowMs() + delayMs;
  const at = nowSec(services.clock);
  await db.batch([
    leaseGuard(lease),
    ...(isOver
      ? [
          endOperation(orgId, operationId, {
            status: "failed",
            error: isFinal ? code : "attempts_exhausted",
            nowSec: at,
          }),
          ...forgetRebuild({ orgId, operationId }),
        ]
      : [repeatOperation(orgId, operationId, { error: code, nextAttemptAtMs, nowSec: at })]),
    planTurn(orgId, agentVersion, nextAttemptAtMs, code),
    releaseLease(lease),
  ]);
  services.log.error("aggregation.failed", { orgId, runId: operationId, error: code, delayMs });
  return { nextInMs: delayMs };
}

/** Somebody ended the operation while the turn ran: its sources were erased, or an earlier batch is in after all. */
async function leave(turn: Turn): Promise<Next> {
  const { services, db, orgId, agentVersion, lease, operationId } = turn;
  await db.batch([
    leaseGuard(lease),
    ...forgetRebuild({ orgId, operationId }),
    planTurn(orgId, agentVersion, services.clock.nowMs() + CONTINUE_MS, null),
    releaseLease(lease),
  ]);
  return { nextInMs: CONTINUE_MS };
}

/** While a failed attempt cools down, automatic work of the version waits with it: both build on the same state. */
async function wait(
  { db, orgId, agentVersion, lease }: Turn,
  untilMs: number,
  delayMs: number,
): Promise<Next> {
  await db.batch([leaseGuard(lease), planTurn(orgId, agentVersion, untilMs, null), releaseLease(lease)]);
  return { nextInMs: delayMs };
}

/**
 * Does one turn of a version's operation.
 * @throws GuardFailed("lease") when the lease was lost
 */
export async function runRebuildTurn(
  scope: Omit<Turn, "db" | "operationId">,
  { operationId, nextAttemptAtMs }: Operation,
): Promise<Next> {
  const { services, orgId, lease } = scope;
  const db = services.database(orgId);
  const turn: Turn = { ...scope, db, operationId };
  const delayMs = (nextAttemptAtMs ?? 0) - services.clock.nowMs();
  if (nextAttemptAtMs !== null && delayMs > 0) return wait(turn, nextAttemptAtMs, delayMs);
  await db.batch([leaseGuard(lease), openTurn(orgId, operationId, nowSec(services.clock))]);
  const operation = await findOperation(db, orgId, operationId);
  if (operation === null || operation.status !== "running") return leave(turn);
  if (operation.attempts > MAX_ATTEMPTS) return fail(turn, operation.attempts, new Error("turns died"));
  try {
    return await work(turn);
  } catch (error) {
    if (error instanceof GuardFailed && error.guard === "lease") throw error;
    if (error instanceof GuardFailed && error.guard === "operation") return leave(turn);
    const after = await findOperation(db, orgId, operationId);
    // The batch whose answer was lost is in.
    if (after?.status !== "running") return leave(turn);
    return fail(turn, operation.attempts, error);
  }
}
