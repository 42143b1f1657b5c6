/** Applies one cluster's outcome in one guarded batch: all of it or nothing. */
import { type Database, GuardFailed } from "../db/client";
import { leaseGuard } from "../db/leases";
import { recordLineage } from "../db/lineage";
import { enqueue, type WorkMessage } from "../db/outbox";
import { reserveIds } from "../db/sequences";
import type { Statement } from "../db/sql";
import { announcePending } from "../playbooks/announce-pending";
import type { AgentPlaybook, NewAgentPlaybook } from "../playbooks/model";
import {
  agentPlaybookAtVersion,
  insertAgentPlaybook,
  type StoredVector,
  writeVector,
} from "../playbooks/store";
import { embedRules, enqueueVector } from "../playbooks/vectors";
import { commitNull, dissolve } from "./commit-null";
import {
  attachMembers,
  attachWaiting,
  clusterIsEmpty,
  clusterStillOwnedBy,
  forgetOutcome,
  insertCluster,
  membersStillResidual,
  moveCluster,
  sourcesFromMembers,
  sourcesUnchanged,
} from "./commit-store";
import { type Applied, type CommitContext, draftOf, type Generated, supportOf } from "./draft";
import type { ClusterWork } from "./model";
import { supersede } from "./supersede";

/** `fence_lost`: something changed meanwhile, nothing was written, the members stay residual. */
export type CommitResult =
  | {
      kind: "committed";
      created: NewAgentPlaybook | null;
      superseded: boolean;
      /** User playbooks that became, or were again made, members. */
      attached: number;
      messages: WorkMessage[];
    }
  | { kind: "fence_lost"; guard: string };

/** Why a rule was made, in its lineage. */
const reasons = {
  new: "incremental",
  refresh: "incremental_refresh",
  rebuild: "invalidation_rebuild",
} as const satisfies Record<ClusterWork["mode"], string>;

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
    reason: reasons[work.mode],
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
  const attach = [
    ...(work.mode === "rebuild" ? attachWaiting(key) : attachMembers(key, ids, reasons[work.mode])),
    sourcesFromMembers(key, draft.agentPlaybookId),
  ];
  if (work.mode === "new") {
    const statements = [
      ...owner.statements,
      insertCluster(key, { ...place, createdAt: draft.createdAt }),
      ...attach,
    ];
    return { draft, statements, messages: owner.messages, superseded: false, attached: ids.length };
  }
  const retired = await supersede(context, work.agent, draft.agentPlaybookId, draft.updatedAtMs);
  return {
    draft,
    statements: [
      clusterStillOwnedBy(key, work.agent.agentPlaybookId, stateFor(work)),
      agentPlaybookAtVersion(orgId, work.agent.agentPlaybookId, work.agent.version),
      ...owner.statements,
      moveCluster(key, place),
      ...attach,
      ...retired.statements,
    ],
    messages: [...owner.messages, ...retired.messages],
    superseded: retired.statements.length > 0,
    attached: work.mode === "rebuild" ? support.sources : ids.length,
  };
}

const stateFor = ({ mode }: ClusterWork): "active" | "rebuilding" =>
  mode === "rebuild" ? "rebuilding" : "active";

/**
 * Ends a cluster that lost all its members, and its rule unless a person approved it.
 * @throws GuardFailed("lease")
 */
export async function commitEmpty(
  context: CommitContext,
  { clusterId, agent }: { clusterId: string; agent: AgentPlaybook },
): Promise<CommitResult> {
  const { db, lease, orgId, agentVersion } = context;
  const key = { orgId, agentVersion, clusterId };
  const { statements, ...done } = await dissolve(context, key, agent, [clusterIsEmpty(key)]);
  return (
    (await fenced(db, [leaseGuard(lease), ...statements, leaseGuard(lease)])) ?? {
      kind: "committed",
      created: null,
      ...done,
    }
  );
}

/** Writes a batch. @returns why not, where another guard than the lease's failed; null once it is in */
async function fenced(
  db: Database,
  statements: readonly Statement[],
): Promise<Extract<CommitResult, { kind: "fence_lost" }> | null> {
  try {
    await db.batch(statements);
    return null;
  } catch (error) {
    if (!(error instanceof GuardFailed) || error.guard === "lease") throw error;
    return { kind: "fence_lost", guard: error.guard };
  }
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
  const applied =
    outcome.kind === "generated"
      ? await commitGenerated(context, work, outcome)
      : { draft: null, ...(await commitNull(context, work, outcome)) };
  const ids = work.members.map(({ row }) => row.userPlaybookId);
  const waitsIn = work.mode === "rebuild" ? work.clusterId : null;
  const lost = await fenced(db, [
    leaseGuard(lease),
    membersStillResidual({ orgId, agentVersion, clusterId: waitsIn }, ids),
    sourcesUnchanged(
      orgId,
      work.members.map(({ row }) => row),
    ),
    ...applied.statements,
    forgetOutcome(orgId, outcome.outcomeId),
    leaseGuard(lease),
  ]);
  const { draft, superseded, attached, messages } = applied;
  return lost ?? { kind: "committed", created: draft, superseded, attached, messages };
}
