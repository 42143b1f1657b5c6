/** SQL that commits one cluster: members, owner, sources, outcomes. Every batch of it carries its guards. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, inList, type Statement, sql } from "../db/sql";
import { type StoredOutcome, storedOutcomeSchema } from "./model";

export interface ClusterKey {
  orgId: string;
  agentVersion: string;
  clusterId: string;
}

/** Guard `members`: every one of `ids` (distinct) still waits in the cluster, or in none where it is null. */
export const membersStillResidual = (
  { orgId, agentVersion, clusterId }: Omit<ClusterKey, "clusterId"> & { clusterId: string | null },
  ids: readonly number[],
): Statement =>
  guard(
    "members",
    sql`SELECT count(*) = ${ids.length} FROM aggregation_items WHERE org_id = ${orgId}
        AND agent_version = ${agentVersion} AND disposition = 'residual' AND cluster_id IS ${clusterId}
        AND ${inList("user_playbook_id", ids)}`,
  );

/** Guard `members`: nobody is in the cluster. */
export const clusterIsEmpty = ({ orgId, clusterId }: ClusterKey): Statement =>
  guard(
    "members",
    sql`NOT EXISTS (SELECT 1 FROM aggregation_items WHERE org_id = ${orgId} AND cluster_id = ${clusterId})`,
  );

/** Guard `sources`: every row is CURRENT and as it was when the model read it. */
export const sourcesUnchanged = (
  orgId: string,
  rows: readonly { userPlaybookId: number; updatedAtMs: number }[],
): Statement =>
  guard(
    "sources",
    sql`SELECT count(*) = ${rows.length} FROM json_each(${JSON.stringify(
      rows.map(({ userPlaybookId, updatedAtMs }) => [userPlaybookId, updatedAtMs]),
    )}) j JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = j.value->>0
        AND p.updated_at_ms = j.value->>1 AND p.status IS NULL`,
  );

/** Guard `expected_agent`: the cluster is in this state and belongs to this agent playbook. */
export const clusterStillOwnedBy = (
  key: ClusterKey,
  agentPlaybookId: number,
  state: "active" | "rebuilding" = "active",
): Statement =>
  guard(
    "expected_agent",
    sql`SELECT EXISTS (SELECT 1 FROM clusters WHERE org_id = ${key.orgId} AND cluster_id = ${key.clusterId}
        AND state = ${state} AND agent_playbook_id = ${agentPlaybookId})`,
  );

export const insertCluster = (
  key: ClusterKey,
  cluster: { agentPlaybookId: number; model: string; dimension: number; createdAt: number },
): Statement =>
  sql`INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
        embedding_dimension, state, created_at)
      VALUES (${key.orgId}, ${key.clusterId}, ${key.agentVersion}, ${cluster.agentPlaybookId}, 0, ${cluster.model},
        ${cluster.dimension}, 'active', ${cluster.createdAt})`;

/** Moves a cluster to its replacement rule, active; must run before the old rule is superseded (trap 42). */
export const moveCluster = (
  key: ClusterKey,
  owner: { agentPlaybookId: number; model: string; dimension: number },
): Statement =>
  sql`UPDATE clusters SET agent_playbook_id = ${owner.agentPlaybookId}, embedding_model = ${owner.model},
        embedding_dimension = ${owner.dimension}, state = 'active', rebuild_attempts = 0, rebuild_next_at_ms = 0
      WHERE org_id = ${key.orgId} AND cluster_id = ${key.clusterId}`;

/** Forgets a cluster; must run before its rule is superseded, or the retirement trigger frees its members. */
export const deleteCluster = ({ orgId, clusterId }: ClusterKey): Statement =>
  sql`DELETE FROM clusters WHERE org_id = ${orgId} AND cluster_id = ${clusterId}`;

/** Ends everybody in a cluster without a rule (trap 47). */
export const endMembers = ({ orgId, clusterId }: ClusterKey): Statement =>
  sql`UPDATE aggregation_items SET disposition = 'terminal_noop', cluster_id = NULL, reason = 'semantic_null'
      WHERE org_id = ${orgId} AND cluster_id = ${clusterId}`;

/** Everybody who waits in a cluster becomes a member again, and its count follows (trap 48). */
export const attachWaiting = (key: ClusterKey): Statement[] => [
  sql`UPDATE aggregation_items SET disposition = 'cluster_member', reason = 'invalidation_rebuild'
      WHERE org_id = ${key.orgId} AND cluster_id = ${key.clusterId} AND disposition = 'residual'`,
  countMembers(key),
];

const countMembers = (key: ClusterKey): Statement =>
  sql`UPDATE clusters SET member_count = (SELECT count(*) FROM aggregation_items WHERE org_id = ${key.orgId}
        AND cluster_id = ${key.clusterId}) WHERE org_id = ${key.orgId} AND cluster_id = ${key.clusterId}`;

/** Residual items become members, and the cluster's count follows. */
export const attachMembers = (key: ClusterKey, ids: readonly number[], reason: string): Statement[] => [
  sql`UPDATE aggregation_items SET disposition = 'cluster_member', cluster_id = ${key.clusterId}, reason = ${reason}
      WHERE org_id = ${key.orgId} AND agent_version = ${key.agentVersion} AND disposition = 'residual'
        AND ${inList("user_playbook_id", ids)}`,
  countMembers(key),
];

/** Every CURRENT member of the cluster, with its turns, becomes a source of the rule. */
export const sourcesFromMembers = (key: ClusterKey, agentPlaybookId: number): Statement =>
  sql`INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
      SELECT p.org_id, ${agentPlaybookId}, p.user_playbook_id, p.source_interaction_ids FROM aggregation_items i
      JOIN user_playbooks p ON p.org_id = i.org_id AND p.user_playbook_id = i.user_playbook_id
      WHERE i.org_id = ${key.orgId} AND i.cluster_id = ${key.clusterId} AND i.disposition = 'cluster_member'
        AND p.status IS NULL
      ON CONFLICT (org_id, agent_playbook_id, user_playbook_id)
        DO UPDATE SET source_interaction_ids = excluded.source_interaction_ids`;

/** Writes what a rule rests on; its text stays, so its cluster does too. */
export const updateSupport = (
  orgId: string,
  agentPlaybookId: number,
  support: { metadata: string; flags: readonly string[]; nowMs: number },
): Statement =>
  sql`UPDATE agent_playbooks SET playbook_metadata = ${support.metadata}, flags = ${JSON.stringify(support.flags)},
        version = version + 1, updated_at_ms = max(${support.nowMs}, updated_at_ms + 1)
      WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}`;

/** Distinct users and rows behind a cluster's present members, those who wait for its rebuild included. */
export async function loadSupport(
  db: Database,
  orgId: string,
  clusterId: string,
): Promise<{ memberIds: number[]; userIds: string[] }> {
  const rows = await db.all(
    z.object({ user_playbook_id: z.int(), user_id: z.string().nullable() }),
    sql`SELECT p.user_playbook_id, p.user_id FROM aggregation_items i
        JOIN user_playbooks p ON p.org_id = i.org_id AND p.user_playbook_id = i.user_playbook_id
        WHERE i.org_id = ${orgId} AND i.cluster_id = ${clusterId} AND p.status IS NULL
        ORDER BY p.user_playbook_id`,
  );
  return {
    memberIds: rows.map((row) => row.user_playbook_id),
    userIds: [...new Set(rows.flatMap((row) => row.user_id ?? []))],
  };
}

export async function findOutcome(
  db: Database,
  orgId: string,
  outcomeId: string,
): Promise<StoredOutcome | null> {
  const row = await db.first(
    z.object({ outcome: z.string() }),
    sql`SELECT outcome FROM aggregation_outcomes WHERE org_id = ${orgId} AND outcome_id = ${outcomeId}`,
  );
  return row === null ? null : storedOutcomeSchema.parse(JSON.parse(row.outcome));
}

/** The first answer stays: a second one to the same question would only have been paid twice. */
export const storeOutcome = (
  orgId: string,
  agentVersion: string,
  outcomeId: string,
  outcome: StoredOutcome,
  nowMs: number,
): Statement =>
  sql`INSERT INTO aggregation_outcomes (org_id, outcome_id, agent_version, outcome, created_at_ms)
      VALUES (${orgId}, ${outcomeId}, ${agentVersion}, ${JSON.stringify(outcome)}, ${nowMs})
      ON CONFLICT (org_id, outcome_id) DO NOTHING`;

/** Forgets an outcome in the batch that applies it. */
export const forgetOutcome = (orgId: string, outcomeId: string): Statement =>
  sql`DELETE FROM aggregation_outcomes WHERE org_id = ${orgId} AND outcome_id = ${outcomeId}`;

/** Outcomes whose cluster never came back (its rows were edited or deleted) are kept this long. */
const OUTCOME_KEPT_MS = 7 * 86_400_000;

export const pruneOutcomes = (orgId: string, agentVersion: string, nowMs: number): Statement =>
  sql`DELETE FROM aggregation_outcomes WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
      AND created_at_ms < ${nowMs - OUTCOME_KEPT_MS}`;
