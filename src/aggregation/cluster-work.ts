/** The clusters of one turn, one by one: ask, commit, and say what became of it. */
import { GuardFailed } from "../db/client";
import { type Lease, leaseGuard, renewLease } from "../db/leases";
import type { WorkMessage } from "../db/outbox";
import type { Services } from "../services";
import { type CommitResult, commitCluster, commitEmpty } from "./commit";
import type { CommitContext } from "./draft";
import type { Rebuilds } from "./invalidated-clusters";
import {
  type ClusterWork,
  type Counts,
  type EmbeddedRule,
  type ExistingRule,
  type ItemReason,
  LEASE_MS,
} from "./model";
import { findRejectedRuleOf } from "./read-store";
import { keepResidual } from "./store";
import { type SynthesisContext, synthesise } from "./synthesis";

export const idsOf = (members: readonly EmbeddedRule[]): number[] =>
  members.map(({ row }) => row.userPlaybookId);

export interface TurnScope {
  services: Services;
  orgId: string;
  agentVersion: string;
  lease: Lease;
  runId: string;
}

/** What the clusters of one turn share. */
export interface UnitRun {
  scope: TurnScope;
  commit: CommitContext;
  synthesis: SynthesisContext;
  existingRules: ExistingRule[];
  counts: Counts;
  messages: WorkMessage[];
}

/** One cluster from question to commit. @returns null, or why the turn has to end */
async function workOff(
  run: UnitRun,
  work: ClusterWork,
): Promise<{ code: string; retryAfterMs: number } | null> {
  const { scope, counts } = run;
  const { orgId, agentVersion, lease, services } = scope;
  const db = services.database(orgId);
  const ids = idsOf(work.members);
  await holdLease(scope);
  if (work.mode === "new" && (await findRejectedRuleOf(db, orgId, agentVersion, ids)) !== null) {
    // They stay residual: with a rule that somebody else teaches they are proposed again.
    await db.batch([leaseGuard(lease), keepResidual(orgId, agentVersion, ids, "rejected_before")]);
    return null;
  }
  const outcome = await synthesise(run.synthesis, work);
  if (outcome.kind === "retryable") {
    if (outcome.code === "budget_spent") return { code: outcome.code, retryAfterMs: 0 };
    counts.retryable_failures += 1;
    services.log.warn("aggregation.retryable", {
      orgId,
      runId: scope.runId,
      clusterId: work.clusterId,
      code: outcome.code,
    });
    await keep(run, work, "llm_retryable_failure");
    return outcome.endsTurn ? { code: outcome.code, retryAfterMs: outcome.retryAfterMs } : null;
  }
  const result = await commitCluster(run.commit, work, outcome);
  if (result.kind === "fence_lost") {
    counts.cluster_fence_losses += 1;
    await keep(run, work, "cluster_fence_lost");
    return null;
  }
  if (outcome.kind === "semantic_null") counts.semantic_nulls += 1;
  note(run, result, work.mode === "new" ? null : work.agent.agentPlaybookId);
  if (work.mode === "rebuild") counts.rebuilt_members += result.attached;
  else counts.attachments += result.attached;
  return null;
}

/** Members of a cluster that is to be rebuilt stay in it: its own clock counts for them. */
async function keep({ scope }: UnitRun, work: ClusterWork, reason: ItemReason): Promise<void> {
  if (work.mode === "rebuild") return;
  const { services, orgId, agentVersion, lease } = scope;
  await services
    .database(orgId)
    .batch([leaseGuard(lease), keepResidual(orgId, agentVersion, idsOf(work.members), reason)]);
}

/** What the clusters that come later in this turn must know. */
function note(
  run: UnitRun,
  result: Extract<CommitResult, { kind: "committed" }>,
  formerOwner: number | null,
): void {
  const { counts, existingRules } = run;
  run.messages.push(...result.messages);
  if (result.superseded) {
    counts.supersessions += 1;
    const former = existingRules.findIndex(({ agentPlaybookId }) => agentPlaybookId === formerOwner);
    if (former >= 0) existingRules.splice(former, 1);
  }
  if (result.created === null) return;
  counts.playbooks_generated += 1;
  const { agentPlaybookId, trigger, content } = result.created;
  existingRules.push({ agentPlaybookId, trigger: trigger ?? "", content, isApproved: false, vector: null });
}

/** Ends the clusters that nobody is left in (specification 8.6, step 13). */
export async function endEmpty(run: UnitRun, empty: Rebuilds["empty"]): Promise<void> {
  for (const cluster of empty) {
    await holdLease(run.scope);
    const result = await commitEmpty(run.commit, cluster);
    if (result.kind === "fence_lost") run.counts.cluster_fence_losses += 1;
    else note(run, result, cluster.agent.agentPlaybookId);
  }
}

/** Renews the lease; losing it ends the turn exactly as a failed guard does. */
async function holdLease({ services, orgId, lease }: TurnScope): Promise<void> {
  if (!(await renewLease(services.database(orgId), lease, LEASE_MS))) throw new GuardFailed("lease");
}

/** Cluster by cluster until all are done, the budget ends or the model fails; what is left comes back. */
export async function workThrough(run: UnitRun, all: readonly ClusterWork[], mayGoOn: () => boolean) {
  for (const [position, work] of all.entries()) {
    if (!mayGoOn()) return { left: all.slice(position), failure: null };
    const end = await workOff(run, work);
    if (end?.code === "budget_spent") return { left: all.slice(position), failure: null };
    if (end !== null) return { left: all.slice(position + 1), failure: end };
  }
  return { left: [], failure: null };
}
