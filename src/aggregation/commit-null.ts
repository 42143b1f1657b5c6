/** What a cluster's outcome changes where no rule comes of it. */
import type { WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { recountedFlags } from "../playbooks/gate";
import type { AgentPlaybook } from "../playbooks/model";
import { agentPlaybookAtVersion } from "../playbooks/store";
import {
  attachMembers,
  type ClusterKey,
  clusterStillOwnedBy,
  deleteCluster,
  endMembers,
  sourcesFromMembers,
  updateSupport,
} from "./commit-store";
import { type Applied, type CommitContext, supportOf } from "./draft";
import type { ClusterWork } from "./model";
import { endItems } from "./store";
import { supersede } from "./supersede";

/** What is written, without a new rule. */
export interface NullCommit {
  statements: Statement[];
  messages: WorkMessage[];
  superseded: boolean;
  attached: number;
}

/**
 * Null on a refresh attaches the members and keeps the rule; on a new cluster it ends them; on a rebuild it ends
 * them, the cluster and the old rule (trap 47).
 */
export async function commitNull(
  context: CommitContext,
  work: ClusterWork,
  outcome: Applied,
): Promise<NullCommit> {
  const { services, orgId, agentVersion } = context;
  const ids = work.members.map(({ row }) => row.userPlaybookId);
  const key = { orgId, agentVersion, clusterId: work.clusterId };
  if (work.mode === "new") {
    const statements = [endItems(orgId, agentVersion, ids, "semantic_null")];
    return { statements, messages: [], superseded: false, attached: 0 };
  }
  const { agent } = work;
  if (work.mode === "rebuild") return dissolve(context, key, agent, [endMembers(key)]);
  const support = await supportOf(context, work, outcome);
  const statements = [
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
  return { statements, messages: [], superseded: false, attached: ids.length };
}

/** Ends a cluster that waited for its rebuild, and its rule with it. */
export async function dissolve(
  context: CommitContext,
  key: ClusterKey,
  agent: AgentPlaybook,
  first: readonly Statement[],
): Promise<NullCommit> {
  const { statements, messages } = await supersede(context, agent, null, context.services.clock.nowMs());
  return {
    statements: [
      clusterStillOwnedBy(key, agent.agentPlaybookId, "rebuilding"),
      agentPlaybookAtVersion(key.orgId, agent.agentPlaybookId, agent.version),
      ...first,
      deleteCluster(key),
      ...statements,
    ],
    messages,
    superseded: statements.length > 0,
    attached: 0,
  };
}
