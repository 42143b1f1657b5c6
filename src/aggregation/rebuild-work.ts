/** One cluster of a rebuild, from question to stored outcome. Nothing that is read elsewhere changes here. */
import type { Database } from "../db/client";
import { leaseGuard } from "../db/leases";
import { enqueue } from "../db/outbox";
import { reserveIds } from "../db/sequences";
import type { Statement } from "../db/sql";
import { gateThresholds } from "../orgs/config";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import { storedAgentPlaybook } from "../playbooks/store";
import { embedRules } from "../playbooks/vectors";
import { forgetOutcome } from "./commit-store";
import { draftOf, type Generated, supportOf } from "./draft";
import type { ClusterWork, ExistingRule } from "./model";
import { countProgress, operationActive } from "./operations-store";
import { findRejectedRuleOf } from "./read-store";
import type { RebuildOutcome, RebuildScope } from "./rebuild-model";
import { loadUnchanged } from "./rebuild-plan";
import {
  countTry,
  findApprovedRuleOf,
  loadSnapshot,
  type StagedRule,
  storeEmptyOutcome,
  storeRule,
} from "./rebuild-store";
import { type SynthesisContext, synthesise } from "./synthesis";

/** Answers without a usable rule after which a cluster is given up; automatic work asks again later. */
const MAX_TRIES = 3;

export interface RebuildRun {
  scope: RebuildScope;
  db: Database;
  synthesis: SynthesisContext;
  /** Approved rules, and those that this rebuild has made; grows. */
  existingRules: ExistingRule[];
}

/** What one cluster's turn came to; `spent` and a failure end the turn. */
export type WorkResult =
  | { kind: "stored" }
  | { kind: "tried" }
  | { kind: "spent" }
  | { kind: "failed"; code: string; retryAfterMs: number };

const idsOf = (work: ClusterWork): number[] => work.members.map(({ row }) => row.userPlaybookId);

/** A batch of an operation that is not over, under the lease. */
const commit = ({ scope, db }: RebuildRun, statements: readonly Statement[]) =>
  db.batch([leaseGuard(scope.lease), operationActive(scope.orgId, scope.operationId), ...statements]);

const counted = ({ orgId, operationId, services }: RebuildScope): Statement =>
  countProgress(orgId, operationId, nowSec(services.clock));

async function storeEmpty(
  run: RebuildRun,
  clusterId: string,
  outcome: Exclude<RebuildOutcome, "generated">,
  more: readonly Statement[] = [],
): Promise<WorkResult> {
  await commit(run, [storeEmptyOutcome(run.scope, clusterId, outcome), ...more, counted(run.scope)]);
  return { kind: "stored" };
}

/** The rule to be, with everything that its commit needs and only code can make. */
async function stage(run: RebuildRun, work: ClusterWork, outcome: Generated): Promise<StagedRule> {
  const { services, orgId, agentVersion, lease, operationId, config } = run.scope;
  const context = {
    ...{ services, orgId, agentVersion, lease, db: run.db, runId: operationId },
    existingRules: run.existingRules,
    gate: gateThresholds(config),
  };
  const support = await supportOf(context, work, outcome);
  const [vector] = await embedRules(services, [outcome.rule]);
  if (vector === undefined) throw new Error("the embedder gave no vector");
  const agentPlaybookId = await reserveIds(run.db, orgId, "agent_playbook", 1);
  const draft = draftOf(context, work, outcome, support, agentPlaybookId);
  const approved = await findApprovedRuleOf(run.db, orgId, agentVersion, idsOf(work));
  const copy = await enqueue({
    orgId,
    topic: "vector",
    key: ["agent_playbook", agentPlaybookId],
    cause: operationId,
    nowMs: draft.updatedAtMs,
  });
  return {
    agentPlaybookId,
    draft: storedAgentPlaybook({ ...draft, replaces: approved?.agent_playbook_id ?? draft.replaces }),
    vector,
    modelName: outcome.model,
    provider: outcome.provider,
    lineageId: await derivedId("lin", [orgId, "agent_playbook", agentPlaybookId, "aggregate", operationId]),
    vectorJobId: copy.message.id,
  };
}

/**
 * Asks for one cluster's rule and stores what came of it.
 * @throws GuardFailed when the lease was lost or the operation is over; any fault of the database or embedder
 */
export async function workOffCluster(
  run: RebuildRun,
  { clusterId, tries }: { clusterId: string; tries: number },
): Promise<WorkResult> {
  const { scope, db, synthesis } = run;
  const { orgId, agentVersion, services } = scope;
  const rows = await loadSnapshot(db, scope, clusterId);
  const loaded = await loadUnchanged(scope, db, rows);
  const members = loaded.flatMap(({ row, vector }) =>
    // Only planning compares joint vectors.
    vector === null ? [] : [{ row, vector, joint: vector }],
  );
  if (members.length < rows.length) return storeEmpty(run, clusterId, "stale");
  const work: ClusterWork = { mode: "new", clusterId, members };
  if ((await findRejectedRuleOf(db, orgId, agentVersion, idsOf(work))) !== null) {
    return storeEmpty(run, clusterId, "rejected_before");
  }
  const outcome = await synthesise(synthesis, work);
  if (outcome.kind === "retryable") {
    if (outcome.code === "budget_spent") return { kind: "spent" };
    if (outcome.endsTurn) return { kind: "failed", code: outcome.code, retryAfterMs: outcome.retryAfterMs };
    services.log.warn("aggregation.retryable", {
      orgId,
      runId: scope.operationId,
      clusterId,
      code: outcome.code,
    });
    if (tries + 1 >= MAX_TRIES) return storeEmpty(run, clusterId, "given_up");
    await commit(run, [countTry(scope, clusterId)]);
    return { kind: "tried" };
  }
  const forgotten = forgetOutcome(orgId, outcome.outcomeId);
  if (outcome.kind === "semantic_null") return storeEmpty(run, clusterId, "semantic_null", [forgotten]);
  const staged = await stage(run, work, outcome);
  await commit(run, [storeRule(scope, clusterId, staged), forgotten, counted(scope)]);
  run.existingRules.push({
    agentPlaybookId: staged.agentPlaybookId,
    trigger: outcome.rule.trigger,
    content: outcome.rule.content,
    isApproved: false,
    vector: null,
  });
  return { kind: "stored" };
}
