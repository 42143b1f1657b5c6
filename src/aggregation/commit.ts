/** Applies one cluster's outcome in one guarded batch: all of it or nothing. */

import { GuardFailed } from "../db/client";
import { leaseGuard } from "../db/leases";
import { recordLineage } from "../db/lineage";
import { enqueue, type WorkMessage } from "../db/outbox";
import { reserveIds } from "../db/sequences";
import type { Statement } from "../db/sql";
import { announcePending } from "../playbooks/announce-pending";
import { recountedFlags } from "../playbooks/gate";
import type { AgentPlaybook, NewAgentPlaybook } from "../playbooks/model";
import {
  agentPlaybookAtVersion,
  insertAgentPlaybook,
  retireAgentPlaybooks,
  type StoredVector,
  writeVector,
} from "../playbooks/store";
import { embedRules, enqueueVector } from "../playbooks/vectors";
import {
  attachMembers,
  clusterStillOwnedBy,
  forgetOutcome,
  insertCluster,
  membersStillResidual,
  moveCluster,
  sourcesFromMembers,
  sourcesUnchanged,
  updateSupport,
} from "./commit-store";
import { type Applied, type CommitContext, draftOf, type Generated, supportOf } from "./draft";
import type { ClusterWork } from "./model";
import { endItems } from "./store";

/** `fence_lost`: something changed meanwhile, nothing was written, the members stay residual. */
export type CommitResult =
  | { kind: "committed"; created: NewAgentPlaybook | null; superseded: boolean; messages: WorkMessage[] }
  | { kind: "fence_lost"; guard: string };

/** The new owner's rows: rule, vector, its copy to the index, who it came from, and that it waits. */
async function ownerStatements(
  { orgId, runId }: CommitContext,
  work: ClusterWork,
  outcome: Generated,
  draft: NewAgentPlaybook,
  vector: StoredVector,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  const { agentPlaybookId: entityId, updatedAtMs: nowMs } = draft;
  const copy = await enqueueVector(orgId, "agent_playbook", entityId, nowMs);
  const created = await recordLineage({
    orgId,
    entityType: "agent_playbook",
    entityId,
    op: "aggregate",
    provRelation: "wasDerivedFrom",
    sourceIds: work.members.map(({ row }) => row.userPlaybookId),
    actor: "aggregation",
    requestId: runId,
    reason: work.mode === "new" ? "incremental" : "incremental_refresh",
    createdAt: draft.createdAt,
    modelName: outcome.model,
    provider: outcome.provider,
  });
  const told = await announcePending([draft], 1, nowMs);
  const recheck = await enqueue({ orgId, topic: "contradictions", key: [entityId], cause: runId, nowMs });
  return {
    messages: [copy.message, recheck.message, ...(told === null ? [] : [told.message])],
    statements: [
      ...insertAgentPlaybook(draft),
      writeVector({ orgId, kind: "agent_playbook", entityId, vector, nowMs }),
      copy.statement,
      recheck.statement,
      created,
      ...(told?.statements ?? []),
    ],
  };
}

/** Supersedes the rule that a refresh replaced, unless a person approved it (trap 43). */
async function supersede(
  { orgId, runId }: CommitContext,
  old: AgentPlaybook,
  successor: NewAgentPlaybook,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  if (old.playbookStatus === "approved") return { statements: [], messages: [] };
  const nowMs = successor.updatedAtMs;
  const copy = await enqueueVector(orgId, "agent_playbook", old.agentPlaybookId, nowMs);
  return {
    messages: [copy.message],
    statements: [
      retireAgentPlaybooks({
        orgId,
        ids: [old.agentPlaybookId],
        status: "superseded",
        successorId: successor.agentPlaybookId,
        nowMs,
      }),
      await recordLineage({
        orgId,
        entityType: "agent_playbook",
        entityId: old.agentPlaybookId,
        op: "status_change",
        sourceIds: [successor.agentPlaybookId],
        actor: "aggregation",
        requestId: runId,
        createdAt: successor.createdAt,
        fromStatus: null,
        toStatus: "superseded",
        statusNamespace: "lifecycle",
      }),
      copy.statement,
    ],
  };
}

async function commitGenerated(context: CommitContext, work: ClusterWork, outcome: Generated) {
  const { services, db, orgId, agentVersion } = context;
  const support = await supportOf(context, work, outcome);
  const [vector] = await embedRules(services, [outcome.rule]);
  if (vector === undefined) throw new Error("the embedder gave no vector");
  const draft = draftOf(context, work, outcome, support, await reserveIds(db, orgId, "agent_playbook", 1));
  const owner = await ownerStatements(context, work, outcome, draft, vector);
  const key = { orgId, agentVersion, clusterId: work.clusterId };
  const place = { agentPlaybookId: draft.agentPlaybookId, model: vector.model, dimension: vector.dimension };
  const ids = work.members.map(({ row }) => row.userPlaybookId);
  const attach = (reason: string) => [
    ...attachMembers(key, ids, reason),
    sourcesFromMembers(key, draft.agentPlaybookId),
  ];
  if (work.mode === "new") {
    const statements = [
      ...owner.statements,
      insertCluster(key, { ...place, createdAt: draft.createdAt }),
      ...attach("incremental"),
    ];
    return { draft, statements, messages: owner.messages, superseded: false };
  }
  const retired = await supersede(context, work.agent, draft);
  return {
    draft,
    statements: [
      clusterStillOwnedBy(key, work.agent.agentPlaybookId),
      agentPlaybookAtVersion(orgId, work.agent.agentPlaybookId, work.agent.version),
      ...owner.statements,
      moveCluster(key, place),
      ...attach("incremental_refresh"),
      ...retired.statements,
    ],
    messages: [...owner.messages, ...retired.messages],
    superseded: retired.statements.length > 0,
  };
}

/** Null on a refresh attaches the members and keeps the rule; on a new cluster it ends them (trap 47). */
async function commitNull(context: CommitContext, work: ClusterWork, outcome: Applied): Promise<Statement[]> {
  const { services, orgId, agentVersion } = context;
  const ids = work.members.map(({ row }) => row.userPlaybookId);
  if (work.mode === "new") return [endItems(orgId, agentVersion, ids, "semantic_null")];
  const { agent } = work;
  const support = await supportOf(context, work, outcome);
  const key = { orgId, agentVersion, clusterId: work.clusterId };
  return [
    clusterStillOwnedBy(key, agent.agentPlaybookId),
    agentPlaybookAtVersion(orgId, agent.agentPlaybookId, agent.version),
    ...attachMembers(key, ids, "incremental_refresh"),
    sourcesFromMembers(key, agent.agentPlaybookId),
    updateSupport(orgId, agent.agentPlaybookId, {
      metadata: support.metadata,
      flags: recountedFlags(agent, support.gate, context.gate),
      nowMs: services.clock.nowMs(),
    }),
  ];
}

/**
 * Applies an outcome. Rolled back as a whole where a member, a source or the expected rule changed.
 * @throws GuardFailed("lease") when the lease was lost: the turn must stop
 * @throws EmbedderError when the rule cannot be embedded; its outcome stays stored
 */
export async function commitCluster(
  context: CommitContext,
  work: ClusterWork,
  outcome: Applied,
): Promise<CommitResult> {
  const { db, lease, orgId, agentVersion } = context;
  const generated = outcome.kind === "generated" ? await commitGenerated(context, work, outcome) : null;
  const ids = work.members.map(({ row }) => row.userPlaybookId);
  try {
    await db.batch([
      leaseGuard(lease),
      membersStillResidual(orgId, agentVersion, ids),
      sourcesUnchanged(
        orgId,
        work.members.map(({ row }) => row),
      ),
      ...(generated === null ? await commitNull(context, work, outcome) : generated.statements),
      forgetOutcome(orgId, outcome.outcomeId),
      leaseGuard(lease),
    ]);
  } catch (error) {
    if (!(error instanceof GuardFailed) || error.guard === "lease") throw error;
    return { kind: "fence_lost", guard: error.guard };
  }
  return {
    kind: "committed",
    created: generated?.draft ?? null,
    superseded: generated?.superseded ?? false,
    messages: generated?.messages ?? [],
  };
}
