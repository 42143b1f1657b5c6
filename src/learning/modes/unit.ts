/**
 * One user of an operation: opens a window over the last turns, computes it as any other, and applies it in the
 * batch that counts the user. A user who fails is recorded, and the others go on.
 */
import { type Database, GuardFailed } from "../../db/client";
import { claimLease, keepingLease, type Lease, leaseGuard, releaseLease, renewLease } from "../../db/leases";
import type { WorkMessage } from "../../db/outbox";
import { describeFault } from "../../http/fault";
import { loadTurns } from "../../interactions/store";
import { windowPolicy } from "../../orgs/config";
import { configByHash } from "../../orgs/config-store";
import { derivedId, sha256Hex } from "../../platform/ids";
import { type Reasoner, ReasonerError } from "../../platform/reasoner/port";
import { byteLength } from "../../platform/text";
import { taggingDefinition } from "../../playbooks/tagging";
import type { Services } from "../../services";
import { applyWindow } from "../apply";
import { MAX_OUTCOME_BYTES } from "../bounds";
import { compute } from "../compute";
import type { WorkResult } from "../consumer";
import { LeaseLost, type Verdict, verdictOf } from "../faults";
import type { ExtractionWindow, Progress } from "../model";
import { finishWindow, loadWindow, saveProgress } from "../store";
import { LEASE_MS } from "../stream";
import type { GenerationOperation, GenerationUnit } from "./model";
import { countUser, failGeneration, operationGuard, showCurrent, touchGeneration } from "./operation-store";
import { lastTurns } from "./selection-store";
import { claimUnit, dropUnitWindow, forgetUnitWindow, openUnitWindow, settleUnit } from "./unit-store";

/** How long to wait for whoever works on the user's stream now. */
const BUSY_RETRY_MS = 2_000;
/** Failed tries after which a user is given up: with back-off, about a minute. */
const MAX_TRIES = 6;
/** Longest rest of a user between two tries; an operation without progress for ten minutes is given up. */
const MAX_REST_MS = 240_000;
/** Why an operation ended before all of its users had their turn. */
const SPENT = "daily_cap: the org has spent its model calls of the day";
/** Windows that one delivery may find invalid before it waits. */
const MAX_ROUNDS = 4;

interface Run {
  services: Services;
  db: Database;
  lease: Lease;
  operation: GenerationOperation;
  unit: GenerationUnit;
}

/** @throws LeaseLost before a call that would be made without the lease */
const leased = ({ services, db, lease }: Run): Reasoner => {
  const reasoner = services.reasoner(lease.orgId);
  return {
    async run(task, input, signal) {
      if (!(await renewLease(db, lease, LEASE_MS))) throw new LeaseLost(lease.key);
      return reasoner.run(task, input, signal);
    },
  };
};

/** Nothing left of the user's turns may be learned from: the user is through. */
async function endWithout({ services, db, lease, operation, unit }: Run): Promise<void> {
  await db.batch([
    leaseGuard(lease),
    ...settleUnit(unit, { state: "done", error: null, failedTries: 0 }),
    ...countUser(operation, { failed: false, turns: 0, rules: 0 }, services.clock.nowMs()),
  ]);
}

/** The unit's window: the one it has, or another over the turns of now; null where there are no turns. */
async function windowOf(run: Run, windowId: string | null): Promise<ExtractionWindow | null> {
  const { services, db, lease, operation, unit } = run;
  if (windowId !== null) {
    const window = await loadWindow(db, unit.orgId, windowId);
    if (window !== null && (window.state === "open" || window.state === "computed")) return window;
  }
  const config = await configByHash(db, unit.orgId, operation.configHash);
  const { windowSize } = windowPolicy(config, "playbook");
  const turns = await lastTurns(db, operation, unit.userId, windowSize);
  if (turns.ids.length === 0) return null;
  const { orgId, userId, operationId } = unit;
  const manifest = await sha256Hex(JSON.stringify(turns.ids));
  const openedId = await derivedId("win", [orgId, userId, operation.mode, operationId, manifest]);
  await db.batch([
    leaseGuard(lease),
    operationGuard(operation),
    ...openUnitWindow(operation, unit, openedId, turns, services.clock.nowMs()),
  ]);
  return loadWindow(db, orgId, openedId);
}

async function save({ services, db, lease, operation }: Run, window: ExtractionWindow, progress: Progress) {
  if (byteLength(JSON.stringify(progress)) > MAX_OUTCOME_BYTES) {
    throw new ReasonerError("unusable", "outcome_too_large", "The outcome does not fit the database.");
  }
  await db.batch([
    leaseGuard(lease),
    ...saveProgress(window, progress),
    touchGeneration(operation, services.clock.nowMs()),
  ]);
}

/** Computes and applies a window. @throws GuardFailed, ReasonerError, EmbedderError, LeaseLost */
async function learn(run: Run, window: ExtractionWindow): Promise<WorkMessage[]> {
  const { services, db, lease, operation, unit } = run;
  const turns = await loadTurns(db, window.orgId, window.userId, window.manifest);
  if (turns.length !== window.manifest.length) throw new GuardFailed("sources");
  const config = await configByHash(db, window.orgId, window.configHash);
  const progress = await compute({
    ...{ services, window, turns, config },
    reasoner: leased(run),
    save: (next) => save(run, window, next),
  });
  const nowMs = services.clock.nowMs();
  const rules = progress.plan?.inserts.length ?? 0;
  return applyWindow(db, lease, window, progress, {
    viaCursor: false,
    wantsTags: taggingDefinition(config) !== "",
    nowMs,
    alongside: [
      ...settleUnit(unit, { state: "done", error: null, failedTries: 0 }),
      ...countUser(operation, { failed: false, turns: window.manifest.length, rules }, nowMs),
    ],
  });
}

/** What a failed condition means for the window: another one, or another plan for it. @throws the guard, else */
async function afterGuard(run: Run, window: ExtractionWindow, fault: GuardFailed): Promise<void> {
  const { services, db, lease, unit } = run;
  const now = await loadWindow(db, unit.orgId, window.windowId);
  const isUnfinished = now !== null && (now.state === "open" || now.state === "computed");
  if (fault.guard === "still_current" && isUnfinished) {
    await save(run, now, { ...now.progress, plan: null });
  } else if (fault.guard === "sources" && isUnfinished) {
    const end = {
      state: "invalidated",
      from: ["open", "computed"],
      receipt: null,
      error: "inputs_erased",
    } as const;
    await db.batch([
      leaseGuard(lease),
      ...finishWindow(now, end, services.clock.nowMs()),
      forgetUnitWindow(unit),
    ]);
  } else if (isUnfinished || fault.guard !== "window") {
    throw fault;
  }
}

async function passThrough(run: Run): Promise<WorkResult> {
  const { services, db, lease, operation, unit } = run;
  await db.batch([
    leaseGuard(lease),
    operationGuard(operation),
    ...claimUnit(unit),
    showCurrent(operation, unit.userId, services.clock.nowMs()),
  ]);
  let { windowId } = unit;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const window = await windowOf(run, windowId);
    if (window === null) {
      await endWithout(run);
      return "done";
    }
    windowId = window.windowId;
    try {
      const messages = await learn(run, window);
      services.defer(
        services
          .send(messages)
          .catch(() => services.log.warn("generation.send_failed", { count: messages.length })),
      );
      return "done";
    } catch (error) {
      if (!(error instanceof GuardFailed)) throw error;
      await afterGuard(run, window, error);
    }
  }
  return { retryInMs: BUSY_RETRY_MS };
}

/** A user is given up: what the window quotes goes, the code stays. */
async function giveUp({ services, db, lease, operation, unit }: Run, code: string): Promise<void> {
  const nowMs = services.clock.nowMs();
  await db.batch([
    leaseGuard(lease),
    ...settleUnit(unit, { state: "failed", error: code, failedTries: 1 }),
    ...countUser(operation, { failed: true, turns: 0, rules: 0 }, nowMs),
    dropUnitWindow(unit, code, Math.floor(nowMs / 1000)),
  ]);
  services.log.warn("generation.user_failed", { operationId: operation.operationId, code });
}

/** Puts a failed user off, gives the user up, or ends the operation: whatever the fault calls for. */
async function act(run: Run, verdict: Verdict): Promise<WorkResult> {
  const { services, db, lease, operation, unit } = run;
  const nowMs = services.clock.nowMs();
  if (verdict.kind === "tomorrow") {
    // The day's calls are spent: nobody else's turn would go better.
    await db.batch([leaseGuard(lease), ...failGeneration(operation, SPENT, nowMs)]);
    return "done";
  }
  if (verdict.kind === "dead" || unit.attempts + 1 >= MAX_TRIES) {
    await giveUp(run, verdict.code);
    return "done";
  }
  await db.batch([
    leaseGuard(lease),
    ...settleUnit(unit, { state: "waiting", error: verdict.code, failedTries: 1 }),
    touchGeneration(operation, nowMs),
  ]);
  return { retryInMs: Math.min(verdict.delayMs, MAX_REST_MS) };
}

async function underLease(run: Run): Promise<WorkResult> {
  const { services, unit } = run;
  try {
    return await passThrough(run);
  } catch (error) {
    // Whoever looks next sees whether the batch is in, or what has changed meanwhile.
    if (error instanceof GuardFailed || error instanceof LeaseLost) return { retryInMs: BUSY_RETRY_MS };
    const tries = unit.attempts + 1;
    const verdict = verdictOf(error, tries, services.clock.nowMs());
    if (verdict !== null) return act(run, verdict);
    services.log.error("generation.fault", { operationId: unit.operationId, ...describeFault(error) });
    return act(run, { kind: "later", delayMs: 1000 * 2 ** unit.attempts, code: "execution_failed" });
  }
}

/** Works on one user of an operation in progress, under the lease of the user's stream. */
export async function runUnit(
  services: Services,
  operation: GenerationOperation,
  unit: GenerationUnit,
): Promise<WorkResult> {
  const db = services.database(unit.orgId);
  const owner = services.ids.random("own");
  const lease = await claimLease(db, unit.orgId, `stream:${unit.userId}`, owner, LEASE_MS);
  if (lease === null) return { retryInMs: BUSY_RETRY_MS };
  try {
    return await keepingLease(db, lease, LEASE_MS, () =>
      underLease({ services, db, lease, operation, unit }),
    );
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  } finally {
    // A lease that cannot be freed expires.
    await db
      .run(releaseLease(lease))
      .catch(() => services.log.warn("generation.lease_kept", { operationId: unit.operationId }));
  }
}
