/** SQL of clusters that lost a source and wait to be rebuilt. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import { FIRST_COOL_DOWN_MS, MAX_COOL_DOWN_MS, MAX_DOUBLINGS } from "./residuals";

export interface InvalidatedCluster {
  clusterId: string;
  agentPlaybookId: number;
  /** Whether nobody is left in it. */
  isEmpty: boolean;
}

const clusterRow = z
  .object({ cluster_id: z.string(), agent_playbook_id: z.int(), is_empty: z.int() })
  .transform(
    (row): InvalidatedCluster => ({
      clusterId: row.cluster_id,
      agentPlaybookId: row.agent_playbook_id,
      isEmpty: row.is_empty === 1,
    }),
  );

/** Those that are due, longest due first; ties by id. */
export const loadDueClusters = (
  db: Database,
  orgId: string,
  agentVersion: string,
  nowMs: number,
  limit: number,
): Promise<InvalidatedCluster[]> =>
  db.all(
    clusterRow,
    sql`SELECT c.cluster_id, c.agent_playbook_id, NOT EXISTS (SELECT 1 FROM aggregation_items i
          WHERE i.org_id = c.org_id AND i.cluster_id = c.cluster_id) AS is_empty
        FROM clusters c INDEXED BY clusters_by_version
        WHERE c.org_id = ${orgId} AND c.agent_version = ${agentVersion} AND c.state = 'rebuilding'
          AND c.rebuild_next_at_ms <= ${nowMs}
        ORDER BY c.rebuild_next_at_ms, c.cluster_id LIMIT ${limit}`,
  );

/** Counts an attempt before it is made, so that a crash backs off too: 1, 2, 4 … minutes, at most an hour. */
export const countRebuildAttempt = (orgId: string, clusterIds: readonly string[], nowMs: number): Statement =>
  sql`UPDATE clusters SET rebuild_attempts = rebuild_attempts + 1, rebuild_next_at_ms = ${nowMs}
        + min(${MAX_COOL_DOWN_MS}, ${FIRST_COOL_DOWN_MS} << min(rebuild_attempts, ${MAX_DOUBLINGS}))
      WHERE org_id = ${orgId} AND ${inList("cluster_id", clusterIds)} AND state = 'rebuilding'`;

/** Takes an attempt back: the turn ended before it was made. */
export const giveBackRebuilds = (orgId: string, clusterIds: readonly string[]): Statement =>
  sql`UPDATE clusters SET rebuild_attempts = max(0, rebuild_attempts - 1), rebuild_next_at_ms = 0
      WHERE org_id = ${orgId} AND ${inList("cluster_id", clusterIds)} AND state = 'rebuilding'`;

const sampleRow = z.object({ user_playbook_id: z.int() });

/** The newest CURRENT members of each cluster, at most `limit`, in the order of the clusters. */
export async function loadSamples(
  db: Database,
  orgId: string,
  clusterIds: readonly string[],
  limit: number,
): Promise<number[][]> {
  const results = await db.batch(
    clusterIds.map(
      (clusterId) =>
        sql`SELECT p.user_playbook_id FROM aggregation_items i CROSS JOIN user_playbooks p
            ON p.org_id = i.org_id AND p.user_playbook_id = i.user_playbook_id
            WHERE i.org_id = ${orgId} AND i.cluster_id = ${clusterId} AND i.disposition = 'residual'
              AND p.status IS NULL
            ORDER BY p.created_at DESC, p.user_playbook_id DESC LIMIT ${limit}`,
    ),
  );
  return results.map(({ rows }) => rows.map((row) => sampleRow.parse(row).user_playbook_id));
}

/** Lets members go who want the opposite of the others: they look for a cluster as new rules do. */
export const releaseMembers = (orgId: string, agentVersion: string, ids: readonly number[]): Statement =>
  sql`UPDATE aggregation_items SET cluster_id = NULL, reason = 'cluster_invalidated', attempt_count = 0,
        last_attempt_at_ms = 0
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
        AND ${inList("user_playbook_id", ids)}`;

/** When the soonest cluster of the version that waits may be rebuilt; a scalar, null where none waits. */
export const soonestRebuild = (orgId: string, agentVersion: string): Statement =>
  sql`(SELECT min(rebuild_next_at_ms) FROM clusters INDEXED BY clusters_by_version WHERE org_id = ${orgId}
      AND agent_version = ${agentVersion} AND state = 'rebuilding')`;
