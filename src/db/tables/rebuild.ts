/** A full rebuild before it commits: what it saw, how it was clustered, and each cluster's outcome. */
import { blob, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** The snapshot of one operation. */
export const rebuilds = sqliteTable(
  "rebuilds",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    rowCount: integer("row_count").notNull(),
    /** The newest agent playbook at the time of the snapshot; later ones are not the rebuild's to archive. */
    lastAgentPlaybookId: integer("last_agent_playbook_id").notNull(),
    /** The newest invalidation that the snapshot has seen. */
    lastInvalidation: integer("last_invalidation").notNull(),
    isPlanned: integer("is_planned").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.operationId] })],
);

/** The user playbooks of a snapshot, as they were. */
export const rebuildRows = sqliteTable(
  "rebuild_rows",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    updatedAtMs: integer("updated_at_ms").notNull(),
    clusterId: text("cluster_id"),
    /** Why it stays residual where no rule comes of it. */
    reason: text("reason").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.operationId, table.userPlaybookId] }),
    index("rebuild_rows_by_cluster").on(table.orgId, table.operationId, table.clusterId),
  ],
);

/** A planned cluster, and its outcome as soon as there is one. */
export const rebuildClusters = sqliteTable(
  "rebuild_clusters",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    clusterId: text("cluster_id").notNull(),
    position: integer("position").notNull(),
    /** Answers that could not be used. */
    tries: integer("tries").notNull(),
    /** generated, semantic_null, rejected_before, given_up or stale; null while it is open. */
    outcome: text("outcome"),
    agentPlaybookId: integer("agent_playbook_id"),
    /** JSON of the agent playbook to be. */
    draft: text("draft"),
    vector: blob("vector"),
    scale: real("scale"),
    embeddingModel: text("embedding_model"),
    embeddingDimension: integer("embedding_dimension"),
    modelName: text("model_name"),
    provider: text("provider"),
    lineageId: text("lineage_id"),
    vectorJobId: text("vector_job_id"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.operationId, table.clusterId] }),
    index("rebuild_clusters_open").on(
      table.orgId,
      table.operationId,
      table.outcome,
      table.tries,
      table.position,
    ),
  ],
);
