/**
 * SQL of a rebuild's one commit: everything staged moves into place by INSERT … SELECT, so that the batch stays a
 * handful of statements however large the version is. Statements are meant for this order: clusters go before
 * rules are archived, or the trigger that retires clusters would undo them. The order of joins is fixed where the
 * planner, without statistics, may begin with every row of the snapshot.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, inList, type Statement, sql } from "../db/sql";
import { jsonPages } from "../playbooks/bulk";
import { type Flag, flags } from "../playbooks/model";
import { insertStoredAgentPlaybooks } from "../playbooks/store";
import type { RebuildKey } from "./rebuild-store";
import { currentRules } from "./store";

export interface CommitKey extends RebuildKey {
  agentVersion: string;
  nowMs: number;
}

/** Rows of the sweep's first re-send; as in `db/outbox`. */
const GRACE_MS = 30_000;

/** `r` is a row of the snapshot that is still as it was seen. */
const unchanged = ({ orgId, agentVersion }: CommitKey): Statement =>
  sql`EXISTS (SELECT 1 FROM user_playbooks p INDEXED BY user_playbooks_by_id WHERE ${currentRules(orgId, agentVersion)}
      AND p.user_playbook_id = r.user_playbook_id AND p.updated_at_ms = r.updated_at_ms)`;

const generated = ({ orgId, operationId }: CommitKey): Statement =>
  sql`c.org_id = ${orgId} AND c.operation_id = ${operationId} AND c.outcome = 'generated'`;

const rowsOfCluster: Statement = {
  text: "r.org_id = c.org_id AND r.operation_id = c.operation_id AND r.cluster_id = c.cluster_id",
  params: [],
};

const hasChanged = (key: CommitKey): Statement =>
  sql`EXISTS (SELECT 1 FROM rebuild_rows r INDEXED BY rebuild_rows_by_cluster WHERE ${rowsOfCluster} AND NOT ${unchanged(key)})`;

/** Takes rules whose sources changed since out of the rebuild; what was written for them goes. */
export const dropOvertaken = (key: CommitKey): Statement =>
  sql`UPDATE rebuild_clusters AS c SET outcome = 'stale', draft = NULL, vector = NULL
      WHERE ${generated(key)} AND ${hasChanged(key)}`;

/** Guard `sources`: no rule's sources changed since `dropOvertaken`. */
export const nothingOvertaken = (key: CommitKey): Statement =>
  guard(
    "sources",
    sql`NOT EXISTS (SELECT 1 FROM rebuild_clusters c WHERE ${generated(key)} AND ${hasChanged(key)})`,
  );

/** What the batch says of its new rules. */
export const loadNewRules = (
  db: Database,
  key: CommitKey,
): Promise<{ agent_playbook_id: number; flags: Flag[]; metadata: string }[]> =>
  db.all(
    z.object({
      agent_playbook_id: z.int(),
      flags: z.string().transform((text) => z.array(z.enum(flags)).parse(JSON.parse(text))),
      metadata: z.string(),
    }),
    sql`SELECT c.agent_playbook_id, c.draft->>'flags' AS flags, c.draft->>'playbookMetadata' AS metadata
        FROM rebuild_clusters c WHERE ${generated(key)} ORDER BY c.agent_playbook_id`,
  );

/**
 * Pending rules that are older than the snapshot. One with a source that got no answer stays: nothing replaces it.
 * Approved ones stay (trap 54), and so do rejected ones: they are how a person's no is remembered.
 */
const archivable = (
  { orgId, operationId, agentVersion }: CommitKey,
  lastAgentPlaybookId: number,
): Statement =>
  sql`a.org_id = ${orgId} AND a.agent_version = ${agentVersion} AND a.playbook_status = 'pending'
      AND a.status IS NULL AND a.agent_playbook_id <= ${lastAgentPlaybookId} AND NOT EXISTS (
        SELECT 1 FROM agent_playbook_sources s
        CROSS JOIN rebuild_rows r ON r.org_id = s.org_id AND r.operation_id = ${operationId}
          AND r.user_playbook_id = s.user_playbook_id
        CROSS JOIN rebuild_clusters c ON c.org_id = r.org_id AND c.operation_id = r.operation_id
          AND c.cluster_id = r.cluster_id
        WHERE s.org_id = a.org_id AND s.agent_playbook_id = a.agent_playbook_id
          AND c.outcome IN ('given_up', 'stale'))`;

export const loadArchivable = async (
  db: Database,
  key: CommitKey,
  lastAgentPlaybookId: number,
): Promise<number[]> =>
  (
    await db.all(
      z.object({ id: z.int() }),
      sql`SELECT a.agent_playbook_id AS id FROM agent_playbooks a WHERE ${archivable(key, lastAgentPlaybookId)}
          ORDER BY a.agent_playbook_id`,
    )
  ).map(({ id }) => id);

/** Guard `expected_agent`: exactly these rules are to be archived. */
export const archivableUnchanged = (
  key: CommitKey,
  lastAgentPlaybookId: number,
  ids: readonly number[],
): Statement =>
  guard(
    "expected_agent",
    sql`SELECT count(*) = ${ids.length} AND coalesce(sum(${inList("a.agent_playbook_id", ids)}), 0) = ${ids.length}
        FROM agent_playbooks a WHERE ${archivable(key, lastAgentPlaybookId)}`,
  );

/**
 * Resets the version to its snapshot: floor, clusters, items. A row that changed since, or whose rule was
 * overtaken, has no item then: it is new to automatic work.
 */
export const resetVersion = (key: CommitKey): Statement[] => {
  const { orgId, operationId, agentVersion, nowMs } = key;
  const kept = sql`r.org_id = ${orgId} AND r.operation_id = ${operationId} AND ${unchanged(key)}
      AND coalesce(c.outcome, '') <> 'stale'`;
  const joined = sql`rebuild_rows r LEFT JOIN rebuild_clusters c ON c.org_id = r.org_id
      AND c.operation_id = r.operation_id AND c.cluster_id = r.cluster_id`;
  return [
    sql`DELETE FROM clusters WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`,
    sql`DELETE FROM aggregation_items WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
        AND user_playbook_id NOT IN (SELECT r.user_playbook_id FROM ${joined} WHERE ${kept})`,
    sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
          attempt_count, last_attempt_at_ms)
        SELECT ${orgId}, ${agentVersion}, r.user_playbook_id,
          iif(c.outcome = 'generated', 'cluster_member', iif(c.outcome = 'semantic_null', 'terminal_noop', 'residual')),
          iif(c.outcome = 'generated', c.cluster_id, NULL),
          iif(c.outcome = 'generated', 'full_archive', iif(c.outcome = 'given_up', 'llm_retryable_failure',
            coalesce(c.outcome, r.reason))),
          1, ${nowMs} FROM ${joined} WHERE ${kept}
        ON CONFLICT (org_id, agent_version, user_playbook_id) DO UPDATE SET disposition = excluded.disposition,
          cluster_id = excluded.cluster_id, reason = excluded.reason, attempt_count = excluded.attempt_count,
          last_attempt_at_ms = excluded.last_attempt_at_ms`,
    sql`UPDATE aggregation_states SET intake_floor = 0 WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`,
  ];
};

/** What the snapshot has seen is dealt with; later changes stay open (trap 53). */
export const markSeenInvalidations = (
  { orgId, agentVersion, nowMs }: CommitKey,
  lastInvalidation: number,
): Statement =>
  sql`UPDATE invalidations INDEXED BY invalidations_open SET processed_at_ms = ${nowMs} WHERE org_id = ${orgId}
      AND agent_version = ${agentVersion} AND processed_at_ms IS NULL AND row <= ${lastInvalidation}`;

/** The new rules with their vectors, clusters, sources and events. */
export const insertNewRules = (key: CommitKey): Statement[] => {
  const { orgId, operationId, agentVersion, nowMs } = key;
  const nowSec = Math.floor(nowMs / 1000);
  return [
    insertStoredAgentPlaybooks(
      sql`FROM (SELECT json_set(c.draft, '$.createdAt', ${nowSec}, '$.updatedAtMs', ${nowMs}) AS value
          FROM rebuild_clusters c WHERE ${generated(key)} ORDER BY c.position)`,
    ),
    sql`INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
        SELECT ${orgId}, 'agent_playbook', c.agent_playbook_id, c.embedding_model, c.embedding_dimension, c.vector,
          c.scale, ${nowMs} FROM rebuild_clusters c WHERE ${generated(key)}`,
    sql`INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
          embedding_dimension, state, created_at)
        SELECT ${orgId}, c.cluster_id, ${agentVersion}, c.agent_playbook_id,
          (SELECT count(*) FROM rebuild_rows r WHERE ${rowsOfCluster}), c.embedding_model, c.embedding_dimension,
          'active', ${nowSec} FROM rebuild_clusters c WHERE ${generated(key)}`,
    sql`INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
        SELECT p.org_id, c.agent_playbook_id, p.user_playbook_id, p.source_interaction_ids
        FROM rebuild_clusters c CROSS JOIN rebuild_rows r INDEXED BY rebuild_rows_by_cluster ON ${rowsOfCluster}
        CROSS JOIN user_playbooks p ON p.org_id = r.org_id AND p.user_playbook_id = r.user_playbook_id
        WHERE ${generated(key)}`,
    sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, prov_relation, source_ids, actor,
          request_id, reason, created_at, model_name, provider)
        SELECT ${orgId}, c.lineage_id, 'agent_playbook', CAST(c.agent_playbook_id AS TEXT), 'aggregate',
          'wasDerivedFrom', (SELECT json_group_array(r.user_playbook_id) FROM rebuild_rows r WHERE ${rowsOfCluster}),
          'aggregation', ${operationId}, 'full_archive', ${nowSec}, c.model_name, c.provider
        FROM rebuild_clusters c WHERE ${generated(key)} ORDER BY c.position`,
    sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms, created_at_ms)
        SELECT c.vector_job_id, ${orgId}, 'vector', json_array('agent_playbook', c.agent_playbook_id), 0,
          ${nowMs + GRACE_MS}, ${nowMs} FROM rebuild_clusters c WHERE ${generated(key)}
        ON CONFLICT (id) DO NOTHING`,
  ];
};

export interface ArchivedRule {
  agentPlaybookId: number;
  lineageId: string;
  vectorJobId: string;
}

/** Supersedes rules by the new one that has most of their sources, where one has any. */
export const archiveRules = (key: CommitKey, rules: readonly ArchivedRule[]): Statement[] => {
  const { orgId, operationId, nowMs } = key;
  const nowSec = Math.floor(nowMs / 1000);
  const given = jsonPages(
    rules.map(({ agentPlaybookId, lineageId, vectorJobId }) => [agentPlaybookId, lineageId, vectorJobId]),
  );
  return given.flatMap((page) => [
    sql`UPDATE agent_playbooks AS a SET status = 'superseded', retired_at = ${nowSec},
          superseded_by = (SELECT c.agent_playbook_id FROM agent_playbook_sources s
            CROSS JOIN rebuild_rows r ON r.org_id = s.org_id AND r.operation_id = ${operationId}
              AND r.user_playbook_id = s.user_playbook_id
            CROSS JOIN rebuild_clusters c ON ${rowsOfCluster} AND c.outcome = 'generated'
            WHERE s.org_id = a.org_id AND s.agent_playbook_id = a.agent_playbook_id
            GROUP BY c.agent_playbook_id ORDER BY count(*) DESC, c.agent_playbook_id LIMIT 1),
          updated_at_ms = max(${nowMs}, updated_at_ms + 1), version = version + 1
        WHERE org_id = ${orgId} AND agent_playbook_id IN (SELECT value->>0 FROM json_each(${page}))`,
    sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id, reason,
          created_at, to_status, status_namespace)
        SELECT ${orgId}, given.value->>1, 'agent_playbook', CAST(a.agent_playbook_id AS TEXT), 'status_change',
          iif(a.superseded_by IS NULL, '[]', json_array(a.superseded_by)), 'aggregation', ${operationId},
          'full_archive', ${nowSec}, 'superseded', 'lifecycle'
        FROM json_each(${page}) AS given CROSS JOIN agent_playbooks a ON a.org_id = ${orgId}
          AND a.agent_playbook_id = given.value->>0`,
    sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms, created_at_ms)
        SELECT value->>2, ${orgId}, 'vector', json_array('agent_playbook', value->>0), 0, ${nowMs + GRACE_MS},
          ${nowMs} FROM json_each(${page}) WHERE true ON CONFLICT (id) DO NOTHING`,
  ]);
};
