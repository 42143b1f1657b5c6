/**
 * One turn of aggregation for one agent version: claims the lease, runs a bounded unit, or a piece of the rebuild
 * that somebody asked for, and says when to come back. A plain function over `Services`; the coordinator only
 * calls it and sets its alarm.
 */
import { GuardFailed } from "../db/client";
import { claimLease, keepingLease, type Lease, leaseGuard, releaseLease } from "../db/leases";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import type { Services } from "../services";
import { pruneOutcomes } from "./commit-store";
import { applyInvalidations } from "./invalidations";
import { pruneInvalidations } from "./invalidations-store";
import { LEASE_PREFIX, noCounts } from "./model";
import { activeOperation } from "./operations-store";
import { runRebuildTurn } from "./rebuild-turn";
import { failState, finishState, loadBacklog, loadState, type VersionState } from "./store";
import { LEASE_MS, runUnit, type UnitResult } from "./unit";

/** When work is left that needs no waiting. */
const CONTINUE_MS = 1_000;
const FAILURE_RETRY_MS = 60_000;
/** While another turn holds the lease. */
const BUSY_RETRY_MS = 5_000;

export interface TurnResult {
  /** When to run the next turn; null where nothing is pending. */
  nextInMs: number | null;
}

interface Turn {
  services: Services;
  orgId: string;
  agentVersion: string;
  lease: Lease;
  runId: string;
}

const leaseKey = (agentVersion: string): string => `${LEASE_PREFIX}${agentVersion}`;

/** Ends a turn that did its work: backlog first, then success (trap 39). */
async function succeed(turn: Turn, state: VersionState, result: UnitResult): Promise<TurnResult> {
  const { services, orgId, agentVersion, lease } = turn;
  const db = services.database(orgId);
  const backlog = await loadBacklog(db, orgId, agentVersion, result.floor);
  const nowMs = services.clock.nowMs();
  const isUrgent = result.isCut || backlog.undisposed + backlog.fresh + backlog.invalidated > 0;
  const isPending = isUrgent || backlog.soonestDueAtMs !== null;
  const coolsForMs = isUrgent ? 0 : (backlog.soonestDueAtMs ?? 0) - nowMs;
  const delayMs = isPending
    ? Math.max(CONTINUE_MS, coolsForMs)
    : services.settings.AGGREGATION_MIN_INTERVAL_SECONDS * 1000;
  const [, finished] = await db.batch([
    leaseGuard(lease),
    finishState(
      { orgId, agentVersion, expectedVersion: state.stateVersion },
      { isPending, nextAttemptAtMs: nowMs + delayMs, lastSuccessAt: nowSec(services.clock) },
    ),
    pruneOutcomes(orgId, agentVersion, nowMs),
    pruneInvalidations(orgId, agentVersion, nowMs),
    releaseLease(lease),
  ]);
  services.log.info("aggregation.turn", { orgId, runId: turn.runId, isPending, delayMs, ...result.counts });
  // Work that arrived during the turn is not marked done: look again at once (trap 38).
  if (finished?.changes !== 1) return { nextInMs: CONTINUE_MS };
  return { nextInMs: isPending ? delayMs : null };
}

async function fail(turn: Turn, fault: { error: string; retryAfterMs: number }): Promise<TurnResult> {
  const { services, orgId, agentVersion, lease } = turn;
  const delayMs = Math.max(FAILURE_RETRY_MS, fault.retryAfterMs);
  await services.database(orgId).batch([
    leaseGuard(lease),
    failState(orgId, agentVersion, {
      nextAttemptAtMs: services.clock.nowMs() + delayMs,
      error: fault.error,
    }),
    releaseLease(lease),
  ]);
  services.log.error("aggregation.failed", { orgId, runId: turn.runId, error: fault.error, delayMs });
  return { nextInMs: delayMs };
}

/** Codes only: an error's text may hold content. */
const codeOf = (error: unknown): string => (error instanceof Error ? error.name : "execution_failed");

const isLeaseLost = (error: unknown): boolean => error instanceof GuardFailed && error.guard === "lease";

/** Turns a fault into a retry; a lost lease goes on up, since whoever holds it now decides. */
async function recover(turn: Turn, error: unknown): Promise<TurnResult> {
  if (isLeaseLost(error)) throw error;
  return fail(turn, { error: codeOf(error), retryAfterMs: 0 });
}

async function underLease(turn: Turn, state: VersionState): Promise<TurnResult> {
  const { services, orgId } = turn;
  const db = services.database(orgId);
  const { config } = await loadConfig(db, orgId, services.clock);
  const aggregation = config.user_playbook_extractor_config?.aggregation_config ?? null;
  if (aggregation === null || aggregation.min_cluster_size < 2) {
    const intervalMs = services.settings.AGGREGATION_MIN_INTERVAL_SECONDS * 1000;
    return fail(turn, { error: "invalid_configuration_or_input", retryAfterMs: intervalMs });
  }
  const changes = await applyInvalidations({ ...turn, db }, services.clock.nowMs());
  if (changes.isMore) {
    return succeed(turn, state, { counts: noCounts(), floor: state.intakeFloor, isCut: true, failure: null });
  }
  const result = await runUnit({ ...turn, config, aggregation }, state);
  if (result.failure === null) return succeed(turn, state, result);
  return fail(turn, { error: result.failure.code, retryAfterMs: result.failure.retryAfterMs });
}

/**
 * Does one bounded unit of an agent version's aggregation, if any is due and nobody else is at it.
 * Faults are turned into a retry; only a database that refuses even that makes it throw.
 */
export async function runAggregationTurn(
  services: Services,
  orgId: string,
  agentVersion: string,
): Promise<TurnResult> {
  if (agentVersion.trim() === "") return { nextInMs: null };
  const db = services.database(orgId);
  const state = await loadState(db, orgId, agentVersion);
  if (state === null || !state.isPending) return { nextInMs: null };
  const waitMs = state.nextAttemptAtMs - services.clock.nowMs();
  if (waitMs > 0) return { nextInMs: waitMs };
  const lease = await claimLease(db, orgId, leaseKey(agentVersion), services.ids.random("owner"), LEASE_MS);
  if (lease === null) return { nextInMs: BUSY_RETRY_MS };
  // Read again under the lease, and before the operation: one that starts after this moves the version on.
  const current = (await loadState(db, orgId, agentVersion)) ?? state;
  const operation = await activeOperation(db, orgId, agentVersion);
  const turn: Turn = { services, orgId, agentVersion, lease, runId: services.ids.random("agg") };
  try {
    return await keepingLease(db, lease, LEASE_MS, () =>
      operation === null
        ? underLease(turn, current).catch((error: unknown) => recover(turn, error))
        : runRebuildTurn(turn, operation),
    );
  } catch (error) {
    if (!isLeaseLost(error)) throw error;
    services.log.warn("aggregation.lease_lost", { orgId, runId: turn.runId });
    return { nextInMs: CONTINUE_MS };
  }
}
