/** SQL of a rebuild under way: its snapshot, its plan, and the outcome of each cluster. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, type Statement, sql } from "../db/sql";
import { jsonPages } from "../playbooks/bulk";
import type { StoredVector } from "../playbooks/store";
import type { SynthesisedRule } from "./model";
import { REBUILD_MAX_ROWS, type RebuildOutcome, rebuildOutcomes } from "./rebuild-model";
import { currentRules } from "./store";

export interface Rebuild {
  operationId: string;
  /** User playbooks of the snapshot. */
  rowCount: number;
  /** Later agent playbooks are not the rebuild's to archive. */
  lastAgentPlaybookId: number;
  /** Later invalidations stay open. */
  lastInvalidation: number;
  isPlanned: boolean;
}

export interface RebuildKey {
  orgId: string;
  operationId: string;
}

export const findRebuild = (db: Database, { orgId, operationId }: RebuildKey): Promise<Rebuild | null> =>
  db.first(
    z
      .object({
        row_count: z.int(),
        last_agent_playbook_id: z.int(),
        last_invalidation: z.int(),
        is_planned: z.int(),
      })
      .transform(
        (row): Rebuild => ({
          operationId,
          rowCount: row.row_count,
          lastAgentPlaybookId: row.last_agent_playbook_id,
          lastInvalidation: row.last_invalidation,
          isPlanned: row.is_planned === 1,
        }),
      ),
    sql`SELECT row_count, last_agent_playbook_id, last_invalidation, is_planned FROM rebuilds
        WHERE org_id = ${orgId} AND operation_id = ${operationId}`,
  );

/** Forgets what rebuilds of a version that are over have left. */
export const forgetFormerRebuilds = (
  { orgId, operationId }: RebuildKey,
  agentVersion: string,
): Statement[] => {
  const former = sql`org_id = ${orgId} AND operation_id IN (SELECT operation_id FROM rebuilds
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND operation_id <> ${operationId})`;
  return [
    sql`DELETE FROM rebuild_rows WHERE ${former}`,
    sql`DELETE FROM rebuild_clusters WHERE ${former}`,
    sql`DELETE FROM rebuilds WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
        AND operation_id <> ${operationId}`,
  ];
};

export const forgetRebuild = ({ orgId, operationId }: RebuildKey): Statement[] =>
  ["rebuild_rows", "rebuild_clusters", "rebuilds"].map((table) => ({
    text: `DELETE FROM ${table} WHERE org_id = ? AND operation_id = ?`,
    params: [orgId, operationId],
  }));

/** Sees every CURRENT rule of the version at one moment. Guard `members`: they are within the cap. */
export const takeSnapshot = ({ orgId, operationId }: RebuildKey, agentVersion: string): Statement[] => [
  sql`INSERT INTO rebuild_rows (org_id, operation_id, user_playbook_id, updated_at_ms, cluster_id, reason)
      SELECT ${orgId}, ${operationId}, p.user_playbook_id, p.updated_at_ms, NULL, 'waiting_for_company'
      FROM user_playbooks p WHERE ${currentRules(orgId, agentVersion)} LIMIT ${REBUILD_MAX_ROWS + 1}`,
  guard("members", sql`changes() <= ${REBUILD_MAX_ROWS}`),
  sql`INSERT INTO rebuilds (org_id, operation_id, agent_version, row_count, last_agent_playbook_id,
        last_invalidation, is_planned)
      SELECT ${orgId}, ${operationId}, ${agentVersion},
        (SELECT count(*) FROM rebuild_rows WHERE org_id = ${orgId} AND operation_id = ${operationId}),
        (SELECT coalesce(max(agent_playbook_id), 0) FROM agent_playbooks WHERE org_id = ${orgId}),
        (SELECT coalesce(max(row), 0) FROM invalidations INDEXED BY invalidations_open WHERE org_id = ${orgId}
          AND agent_version = ${agentVersion} AND processed_at_ms IS NULL), 0`,
];

const snapshotRow = z
  .object({ user_playbook_id: z.int(), updated_at_ms: z.int() })
  .transform((row) => ({ userPlaybookId: row.user_playbook_id, updatedAtMs: row.updated_at_ms }));
export type SnapshotRow = z.output<typeof snapshotRow>;

/** Rows of the snapshot, or of one planned cluster, in order of id. */
export const loadSnapshot = (
  db: Database,
  { orgId, operationId }: RebuildKey,
  clusterId: string | null = null,
): Promise<SnapshotRow[]> =>
  db.all(
    snapshotRow,
    sql`SELECT user_playbook_id, updated_at_ms FROM rebuild_rows WHERE org_id = ${orgId}
        AND operation_id = ${operationId}${clusterId === null ? sql`` : sql` AND cluster_id = ${clusterId}`}
        ORDER BY user_playbook_id`,
  );

export interface PlannedCluster {
  clusterId: string;
  memberIds: readonly number[];
}

/** Writes down which row goes where; `unready` are rows without a vector. */
export const storePlan = (
  { orgId, operationId }: RebuildKey,
  clusters: readonly PlannedCluster[],
  unready: readonly number[],
): Statement[] => [
  ...jsonPages(
    clusters.flatMap(({ clusterId, memberIds }) => memberIds.map((memberId) => [memberId, clusterId])),
  ).map(
    (page) => sql`UPDATE rebuild_rows SET cluster_id = given.value->>1 FROM json_each(${page}) AS given
      WHERE org_id = ${orgId} AND operation_id = ${operationId} AND user_playbook_id = given.value->>0`,
  ),
  sql`UPDATE rebuild_rows SET reason = 'embedding_pending' WHERE org_id = ${orgId} AND operation_id = ${operationId}
      AND user_playbook_id IN (SELECT value FROM json_each(${JSON.stringify(unready)}))`,
  ...jsonPages(clusters.map(({ clusterId }, position) => [clusterId, position])).map(
    (page) => sql`INSERT INTO rebuild_clusters (org_id, operation_id, cluster_id, position, tries)
      SELECT ${orgId}, ${operationId}, value->>0, value->>1, 0 FROM json_each(${page}) WHERE true
      ON CONFLICT (org_id, operation_id, cluster_id) DO NOTHING`,
  ),
  sql`UPDATE rebuilds SET is_planned = 1 WHERE org_id = ${orgId} AND operation_id = ${operationId}`,
];

/** Clusters that still need an answer: the least tried first, then as planned. */
export const openClusters = (
  db: Database,
  { orgId, operationId }: RebuildKey,
  limit: number,
): Promise<{ cluster_id: string; tries: number }[]> =>
  db.all(
    z.object({ cluster_id: z.string(), tries: z.int() }),
    sql`SELECT cluster_id, tries FROM rebuild_clusters INDEXED BY rebuild_clusters_open WHERE org_id = ${orgId}
        AND operation_id = ${operationId} AND outcome IS NULL ORDER BY tries, position LIMIT ${limit}`,
  );

export const countTry = ({ orgId, operationId }: RebuildKey, clusterId: string): Statement =>
  sql`UPDATE rebuild_clusters SET tries = tries + 1 WHERE org_id = ${orgId} AND operation_id = ${operationId}
      AND cluster_id = ${clusterId}`;

/** An outcome without a rule. */
export const storeEmptyOutcome = (
  { orgId, operationId }: RebuildKey,
  clusterId: string,
  outcome: Exclude<RebuildOutcome, "generated">,
): Statement =>
  sql`UPDATE rebuild_clusters SET outcome = ${outcome} WHERE org_id = ${orgId} AND operation_id = ${operationId}
      AND cluster_id = ${clusterId} AND outcome IS NULL`;

export interface StagedRule {
  agentPlaybookId: number;
  /** The row to be, as `storedAgentPlaybook` words it. */
  draft: unknown;
  vector: StoredVector;
  modelName: string;
  provider: string;
  /** Ids of what will follow, which only code can derive. */
  lineageId: string;
  vectorJobId: string;
}

export const storeRule = (
  { orgId, operationId }: RebuildKey,
  clusterId: string,
  rule: StagedRule,
): Statement =>
  sql`UPDATE rebuild_clusters SET outcome = 'generated', agent_playbook_id = ${rule.agentPlaybookId},
        draft = ${JSON.stringify(rule.draft)}, vector = ${rule.vector.bytes.slice().buffer},
        scale = ${rule.vector.scale}, embedding_model = ${rule.vector.model},
        embedding_dimension = ${rule.vector.dimension}, model_name = ${rule.modelName}, provider = ${rule.provider},
        lineage_id = ${rule.lineageId}, vector_job_id = ${rule.vectorJobId}
      WHERE org_id = ${orgId} AND operation_id = ${operationId} AND cluster_id = ${clusterId} AND outcome IS NULL`;

const MAX_STAGED_RULES_READ = 500;

/** The newest rules that the rebuild has made so far, for the model to see. */
export const loadStagedRules = (
  db: Database,
  { orgId, operationId }: RebuildKey,
): Promise<(Omit<SynthesisedRule, "rationale"> & { agentPlaybookId: number })[]> =>
  db.all(
    z
      .object({ agent_playbook_id: z.int(), trigger: z.string().nullable(), content: z.string() })
      .transform((row) => ({
        agentPlaybookId: row.agent_playbook_id,
        trigger: row.trigger ?? "",
        content: row.content,
      })),
    sql`SELECT agent_playbook_id, draft->>'trigger' AS trigger, draft->>'content' AS content FROM rebuild_clusters
        WHERE org_id = ${orgId} AND operation_id = ${operationId} AND outcome = 'generated'
        ORDER BY agent_playbook_id DESC LIMIT ${MAX_STAGED_RULES_READ}`,
  );

/** How many clusters, and members of them, have come to which end; open ones under `open`. */
export async function countOutcomes(
  db: Database,
  { orgId, operationId }: RebuildKey,
): Promise<Record<RebuildOutcome | "open", { clusters: number; members: number }>> {
  const rows = await db.all(
    z.object({ outcome: z.enum([...rebuildOutcomes, "open"]), clusters: z.int(), members: z.int() }),
    sql`SELECT coalesce(outcome, 'open') AS outcome, count(*) AS clusters, sum((SELECT count(*) FROM rebuild_rows r
          WHERE r.org_id = c.org_id AND r.operation_id = c.operation_id AND r.cluster_id = c.cluster_id)) AS members
        FROM rebuild_clusters c WHERE org_id = ${orgId} AND operation_id = ${operationId} GROUP BY 1`,
  );
  const none = { clusters: 0, members: 0 };
  const of = (outcome: RebuildOutcome | "open") => rows.find((row) => row.outcome === outcome) ?? none;
  return {
    generated: of("generated"),
    semantic_null: of("semantic_null"),
    rejected_before: of("rejected_before"),
    given_up: of("given_up"),
    stale: of("stale"),
    open: of("open"),
  };
}

/** The approved rule that most of `members` already stand behind; null where it is not most of them. */
export const findApprovedRuleOf = (
  db: Database,
  orgId: string,
  agentVersion: string,
  members: readonly number[],
): Promise<{ agent_playbook_id: number } | null> =>
  db.first(
    z.object({ agent_playbook_id: z.int() }),
    sql`SELECT s.agent_playbook_id FROM json_each(${JSON.stringify(members)}) AS member
        CROSS JOIN agent_playbook_sources s ON s.org_id = ${orgId} AND s.user_playbook_id = member.value
        JOIN agent_playbooks a ON a.org_id = s.org_id AND a.agent_playbook_id = s.agent_playbook_id
        WHERE a.agent_version = ${agentVersion} AND a.status IS NULL AND a.playbook_status = 'approved'
        GROUP BY s.agent_playbook_id HAVING count(*) * 2 > ${members.length}
        ORDER BY count(*) DESC, s.agent_playbook_id DESC LIMIT 1`,
  );

/** Plans the version's next turn; whatever was marked meanwhile stays marked. */
export const planTurn = (
  orgId: string,
  agentVersion: string,
  atMs: number,
  error: string | null,
): Statement =>
  sql`UPDATE aggregation_states SET pending = 1, next_attempt_at_ms = ${atMs}, last_error = ${error},
        state_version = state_version + 1 WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`;
