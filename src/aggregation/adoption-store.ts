/** SQL of clusters that were founded under another embedding model. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";

export interface Space {
  model: string;
  dimension: number;
}

export interface ForeignCluster {
  clusterId: string;
  agentPlaybookId: number;
}

/** Active clusters of another model or dimension, by id. */
export const loadForeignClusters = (
  db: Database,
  orgId: string,
  agentVersion: string,
  { model, dimension }: Space,
  limit: number,
): Promise<ForeignCluster[]> =>
  db.all(
    z
      .object({ cluster_id: z.string(), agent_playbook_id: z.int() })
      .transform((row) => ({ clusterId: row.cluster_id, agentPlaybookId: row.agent_playbook_id })),
    sql`SELECT cluster_id, agent_playbook_id FROM clusters INDEXED BY clusters_by_version WHERE org_id = ${orgId}
          AND agent_version = ${agentVersion} AND state = 'active'
          AND (embedding_model <> ${model} OR embedding_dimension <> ${dimension})
        ORDER BY cluster_id LIMIT ${limit}`,
  );

/** A rule without a vector of the bound model. */
export interface UnembeddedRule {
  entityId: number;
  trigger: string | null;
  content: string;
  updatedAtMs: number;
}

const unembeddedRow = z
  .object({ id: z.int(), trigger: z.string().nullable(), content: z.string(), updated_at_ms: z.int() })
  .transform(
    (row): UnembeddedRule => ({
      entityId: row.id,
      trigger: row.trigger,
      content: row.content,
      updatedAtMs: row.updated_at_ms,
    }),
  );

const withoutVector = (kind: "user_playbook" | "agent_playbook", id: Statement, space: Space): Statement =>
  sql`NOT EXISTS (SELECT 1 FROM vectors v WHERE v.org_id = p.org_id AND v.kind = ${kind} AND v.entity_id = ${id}
      AND v.model = ${space.model} AND v.dimension = ${space.dimension})`;

/** The rules of clusters that are not embedded yet, by id. */
export const loadUnembeddedOwners = (
  db: Database,
  orgId: string,
  clusterIds: readonly string[],
  space: Space,
): Promise<UnembeddedRule[]> =>
  db.all(
    unembeddedRow,
    sql`SELECT p.agent_playbook_id AS id, p.trigger, p.content, p.updated_at_ms FROM clusters c
        CROSS JOIN agent_playbooks p ON p.org_id = c.org_id AND p.agent_playbook_id = c.agent_playbook_id
        WHERE c.org_id = ${orgId} AND ${inList("c.cluster_id", clusterIds)}
          AND ${withoutVector("agent_playbook", sql`p.agent_playbook_id`, space)} ORDER BY id`,
  );

/** The lowest ids among the CURRENT members of clusters that are not embedded yet. */
export const loadUnembeddedMembers = (
  db: Database,
  orgId: string,
  clusterIds: readonly string[],
  space: Space,
  limit: number,
): Promise<UnembeddedRule[]> =>
  db.all(
    unembeddedRow,
    sql`SELECT p.user_playbook_id AS id, p.trigger, p.content, p.updated_at_ms FROM aggregation_items i
        CROSS JOIN user_playbooks p ON p.org_id = i.org_id AND p.user_playbook_id = i.user_playbook_id
        WHERE i.org_id = ${orgId} AND ${inList("i.cluster_id", clusterIds)} AND p.status IS NULL
          AND ${withoutVector("user_playbook", sql`p.user_playbook_id`, space)} ORDER BY id LIMIT ${limit}`,
  );

/** Clusters whose rule and CURRENT members all have a vector of the bound model belong to its space from now on. */
export const adoptClusters = (orgId: string, clusterIds: readonly string[], space: Space): Statement =>
  sql`UPDATE clusters AS c SET embedding_model = ${space.model}, embedding_dimension = ${space.dimension}
      WHERE c.org_id = ${orgId} AND ${inList("c.cluster_id", clusterIds)} AND c.state = 'active'
        AND EXISTS (SELECT 1 FROM vectors v WHERE v.org_id = c.org_id AND v.kind = 'agent_playbook'
          AND v.entity_id = c.agent_playbook_id AND v.model = ${space.model} AND v.dimension = ${space.dimension})
        AND NOT EXISTS (SELECT 1 FROM aggregation_items i CROSS JOIN user_playbooks p ON p.org_id = i.org_id
            AND p.user_playbook_id = i.user_playbook_id
          WHERE i.org_id = c.org_id AND i.cluster_id = c.cluster_id AND p.status IS NULL
            AND ${withoutVector("user_playbook", sql`p.user_playbook_id`, space)})`;
