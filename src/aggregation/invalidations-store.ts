/** SQL of invalidations: what changed under aggregation, and what becomes of the clusters that rested on it. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";

/** One change of a user playbook that had an item. */
export interface Invalidation {
  row: number;
  userPlaybookId: number;
  /** The row that took its place. */
  successorId: number | null;
}

const invalidationRow = z
  .object({ row: z.int(), user_playbook_id: z.int(), successor_id: z.int().nullable() })
  .transform(
    (row): Invalidation => ({
      row: row.row,
      userPlaybookId: row.user_playbook_id,
      successorId: row.successor_id,
    }),
  );

/** The oldest that nobody has applied. */
export const loadInvalidations = (
  db: Database,
  orgId: string,
  agentVersion: string,
  limit: number,
): Promise<Invalidation[]> =>
  db.all(
    invalidationRow,
    sql`SELECT row, user_playbook_id, successor_id FROM invalidations INDEXED BY invalidations_open
        WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND processed_at_ms IS NULL
        ORDER BY row LIMIT ${limit}`,
  );

/** A scalar condition: the version has invalidations to apply. */
export const hasInvalidations = (orgId: string, agentVersion: string): Statement =>
  sql`EXISTS (SELECT 1 FROM invalidations INDEXED BY invalidations_open WHERE org_id = ${orgId}
      AND agent_version = ${agentVersion} AND processed_at_ms IS NULL)`;

/** Ends invalidations by row: aggregation knows of them now. */
export const markProcessed = (orgId: string, rows: readonly number[], nowMs: number): Statement =>
  // The plus keeps the planner from walking the org.
  sql`UPDATE invalidations SET processed_at_ms = ${nowMs} WHERE +org_id = ${orgId} AND ${inList("row", rows)}
      AND processed_at_ms IS NULL`;

/** How long an applied invalidation is kept. */
const PROCESSED_KEPT_MS = 7 * 86_400_000;

export const pruneInvalidations = (orgId: string, agentVersion: string, nowMs: number): Statement =>
  sql`DELETE FROM invalidations WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
      AND processed_at_ms < ${nowMs - PROCESSED_KEPT_MS}`;

/**
 * Applies a page (specification 8.4), as the rows are inside its batch: a cluster with an affected member is to be
 * rebuilt, the other members wait in it without their clocks, and the affected rows have no item any more, so
 * that one which is still CURRENT is taken in anew. The successor of rows that were all in one cluster waits in
 * that cluster.
 */
export function applyPage(
  orgId: string,
  agentVersion: string,
  page: readonly Invalidation[],
  nowMs: number,
): Statement[] {
  const rows = page.map(({ row }) => row);
  const affected = [...new Set(page.map(({ userPlaybookId }) => userPlaybookId))];
  const touched = sql`SELECT i.cluster_id FROM json_each(${JSON.stringify(affected)}) a
      CROSS JOIN aggregation_items i ON i.org_id = ${orgId} AND i.agent_version = ${agentVersion}
        AND i.user_playbook_id = a.value WHERE i.cluster_id IS NOT NULL`;
  return [
    ...sendToRebuild(orgId, touched),
    stageSuccessors(orgId, agentVersion, rows),
    sql`DELETE FROM aggregation_items WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
        AND ${inList("user_playbook_id", affected)}`,
    markProcessed(orgId, rows, nowMs),
  ];
}

/** Clusters are to be made again: their other members wait in them without their clocks. */
export const sendToRebuild = (orgId: string, clusterIds: Statement): Statement[] => [
  sql`UPDATE clusters SET state = 'rebuilding', member_count = 0, rebuild_attempts = 0, rebuild_next_at_ms = 0
      WHERE org_id = ${orgId} AND cluster_id IN (${clusterIds})`,
  sql`UPDATE aggregation_items INDEXED BY aggregation_items_by_cluster SET disposition = 'residual',
        reason = 'cluster_invalidated', attempt_count = 0, last_attempt_at_ms = 0
      WHERE org_id = ${orgId} AND cluster_id IN (${clusterIds})`,
];

/** Reads the affected rows' items: goes before they are deleted (trap 51). */
const stageSuccessors = (orgId: string, agentVersion: string, rows: readonly number[]): Statement =>
  sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
        attempt_count, last_attempt_at_ms)
      SELECT p.org_id, p.agent_version, p.user_playbook_id, 'residual', min(i.cluster_id), 'revision_rebuild', 0, 0
      FROM json_each(${JSON.stringify(rows)}) r CROSS JOIN invalidations v ON v.row = r.value
      CROSS JOIN user_playbooks p ON p.org_id = v.org_id AND p.user_playbook_id = v.successor_id
        AND p.agent_version = v.agent_version AND p.status IS NULL AND trim(p.content) <> ''
      LEFT JOIN aggregation_items i ON i.org_id = v.org_id AND i.agent_version = v.agent_version
        AND i.user_playbook_id = v.user_playbook_id
      WHERE v.org_id = ${orgId} AND v.agent_version = ${agentVersion}
      GROUP BY p.user_playbook_id
      HAVING count(i.cluster_id) = count(*) AND min(i.cluster_id) = max(i.cluster_id)
      ON CONFLICT (org_id, agent_version, user_playbook_id) DO UPDATE SET cluster_id = excluded.cluster_id,
        reason = excluded.reason, attempt_count = 0, last_attempt_at_ms = 0
        WHERE aggregation_items.disposition = 'residual' AND aggregation_items.cluster_id IS NULL`;
