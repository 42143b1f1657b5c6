/**
 * Topic `review`: goes through the rules of a run, one guarded batch a decision. What was decided stays whatever
 * comes later; a judgement is stored before it is applied, so that no crash pays for it twice.
 */
import { type Database, GuardFailed } from "../../db/client";
import { claimLease, keepingLease, type Lease, leaseGuard, releaseLease } from "../../db/leases";
import type { Work, WorkMessage } from "../../db/outbox";
import { describeFault } from "../../http/fault";
import { configByHash } from "../../orgs/config-store";
import { nowSec } from "../../platform/clock";
import type { UserPlaybook } from "../../playbooks/model";
import { loadUserPlaybooks } from "../../playbooks/store";
import { taggingDefinition } from "../../playbooks/tagging";
import type { Services } from "../../services";
import { hexOf } from "../compare";
import type { WorkResult } from "../consumer";
import { LeaseLost, type Verdict, verdictOf } from "../faults";
import { LEASE_MS, leased } from "../stream";
import { applyJudgement, applySkip } from "./apply";
import { decide, type Reviewer, reviewerOf } from "./decide";
import { stopCodeOf } from "./faults";
import { EVIDENCE_UNAVAILABLE, type Outcome, type ReviewItem, type ReviewRun, type StopCode } from "./model";
import { nothingSimulated } from "./others";
import { countAttempt, findRun, listItems, saveOutcome, stopRun } from "./run-store";

/** How long to wait for whoever works on the run now. */
const BUSY_RETRY_MS = 2_000;
/** Rules of one delivery: two model calls each at most. */
const MAX_TURNS = 10;
/** Failed tries of one rule after which the run stops: with back-off, about a minute. */
const MAX_TRIES = 6;

interface Run {
  services: Services;
  db: Database;
  lease: Lease;
  reviewer: Reviewer;
  wantsTags: boolean;
}

/** Judges a rule and keeps the judgement; null where its record is not there. */
async function judged(run: Run, review: ReviewRun, row: UserPlaybook): Promise<Outcome | null> {
  const { db, lease, reviewer } = run;
  const decided = await decide(reviewer, row, nothingSimulated);
  if (decided.judgement === null) return null;
  const { judgement, model, provider } = decided;
  const [vector] = judgement.decision === "edit" ? await reviewer.memory.vectorsOf([judgement.lesson]) : [];
  const outcome: Outcome = {
    judgement,
    basisMs: row.updatedAtMs,
    vector:
      vector === undefined
        ? null
        : {
            model: vector.model,
            dimension: vector.dimension,
            hexBytes: hexOf(vector.bytes),
            scale: vector.scale,
          },
    model,
    provider,
  };
  await db.batch([leaseGuard(lease), ...saveOutcome(review, row.userPlaybookId, outcome)]);
  return outcome;
}

const stop = async ({ services, db, lease }: Run, review: ReviewRun, code: StopCode): Promise<"over"> => {
  await db.batch([leaseGuard(lease), ...stopRun(review, code, nowSec(services.clock))]);
  services.log.warn("review.stopped", { runId: review.runId, code });
  return "over";
};

function announce(services: Services, messages: readonly WorkMessage[]): void {
  if (messages.length === 0) return;
  services.defer(
    services.send(messages).catch(() => services.log.warn("review.send_failed", { count: messages.length })),
  );
}

/** Decides on the rule whose turn it is. @throws GuardFailed, ReasonerError, EmbedderError, LeaseLost */
async function takeTurn(run: Run, review: ReviewRun, item: ReviewItem): Promise<"next" | "over"> {
  const { services, db, lease, wantsTags } = run;
  const [row] = await loadUserPlaybooks(db, review.orgId, [item.userPlaybookId]);
  if (row === undefined || row.status !== null) return stop(run, review, "not_current");
  const stored = item.outcome?.basisMs === row.updatedAtMs ? item.outcome : null;
  const outcome = stored ?? (await judged(run, review, row));
  const application = { db, lease, run: review, row, nowMs: services.clock.nowMs(), wantsTags };
  if (outcome === null) await applySkip(application, EVIDENCE_UNAVAILABLE);
  else announce(services, await applyJudgement(application, outcome));
  return "next";
}

const hasTriesLeft = (review: ReviewRun): boolean => review.attempts + 1 < MAX_TRIES;

/** What a fault of the ports asks for: another try later, or the end of the run. */
async function act(
  run: Run,
  review: ReviewRun,
  verdict: Verdict,
  code: StopCode,
): Promise<"over" | WorkResult> {
  const { db, lease } = run;
  if (verdict.kind === "tomorrow") return { retryInMs: verdict.delayMs };
  if (verdict.kind === "dead" || !hasTriesLeft(review)) return stop(run, review, code);
  await db.batch([leaseGuard(lease), ...countAttempt(review, { forget: false })]);
  return { retryInMs: verdict.delayMs };
}

async function afterFault(
  run: Run,
  review: ReviewRun,
  error: unknown,
): Promise<"again" | "over" | WorkResult> {
  const { services, db, lease } = run;
  if (error instanceof LeaseLost) throw error;
  if (error instanceof GuardFailed) {
    if (error.guard === "lease") throw error;
    // The rule or its record changed under the decision: it is looked at again as it is now.
    if (!hasTriesLeft(review)) return stop(run, review, "overtaken");
    await db.batch([leaseGuard(lease), ...countAttempt(review, { forget: true })]);
    return "again";
  }
  const verdict = verdictOf(error, review.attempts + 1, services.clock.nowMs());
  const code = stopCodeOf(error);
  if (verdict !== null && code !== null) return act(run, review, verdict, code);
  services.log.error("review.fault", { runId: review.runId, ...describeFault(error) });
  const later: Verdict = { kind: "later", delayMs: 1000 * 2 ** review.attempts, code: "execution_failed" };
  return act(run, review, later, "execution_failed");
}

/** Rule after rule, until the run is over or somebody else should have a turn. */
async function goOn(run: Run, orgId: string, runId: string): Promise<WorkResult> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const review = await findRun(run.db, orgId, runId);
    if (review === null || review.state !== "running") return "done";
    const [item] = await listItems(run.db, review, review.position, 1);
    if (item === undefined) throw new TypeError("a run has as many rules as it says");
    const step = await takeTurn(run, review, item).catch((error: unknown) => afterFault(run, review, error));
    if (step === "over" || step === "done") return "done";
    if (step !== "next" && step !== "again") return step;
  }
  return { retryInMs: 0 };
}

async function underLease(services: Services, lease: Lease, runId: string): Promise<WorkResult> {
  const { orgId } = lease;
  const db = services.database(orgId);
  const review = await findRun(db, orgId, runId);
  if (review === null || review.state !== "running") return "done";
  const config = await configByHash(db, orgId, review.configHash);
  const reviewer = reviewerOf(services, db, leased(services.reasoner(orgId), db, lease), config);
  if (reviewer === null) throw new TypeError("a review begins under a config that learns rules");
  return goOn({ services, db, lease, reviewer, wantsTags: taggingDefinition(config) !== "" }, orgId, runId);
}

/** Work of topic `review`, key `[runId]`. */
export async function runStoredReview(services: Services, work: Work): Promise<WorkResult> {
  const [runId] = work.key;
  if (typeof runId !== "string") {
    services.log.error("review.key", { work: work.id });
    return "done";
  }
  const db = services.database(work.orgId);
  const lease = await claimLease(db, work.orgId, `review:${runId}`, services.ids.random("own"), LEASE_MS);
  if (lease === null) return { retryInMs: BUSY_RETRY_MS };
  try {
    return await keepingLease(db, lease, LEASE_MS, () => underLease(services, lease, runId));
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  } finally {
    // A lease that cannot be freed expires.
    await db.run(releaseLease(lease)).catch(() => services.log.warn("review.lease_kept", { runId }));
  }
}
