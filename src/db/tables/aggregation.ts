/** Clusters, items, outcomes and operations of aggregation. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

export const aggregationStates = sqliteTable(
  "aggregation_states",
  {
    orgId: orgId(),
    agentVersion: text("agent_version").notNull(),
    pending: integer("pending").notNull(),
    nextAttemptAtMs: integer("next_attempt_at_ms").notNull(),
    lastSuccessAt: integer("last_success_at"),
    /** Optimistic counter: `finish` must see the one it claimed. */
    stateVersion: integer("state_version").notNull(),
    /** Monotonic; rows below it are never taken in. */
    intakeFloor: integer("intake_floor").notNull(),
    lastError: text("last_error"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentVersion] }),
    index("aggregation_due").on(table.pending, table.nextAttemptAtMs),
  ],
);

export const clusters = sqliteTable(
  "clusters",
  {
    orgId: orgId(),
    clusterId: text("cluster_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    agentPlaybookId: integer("agent_playbook_id").notNull(),
    memberCount: integer("member_count").notNull(),
    embeddingModel: text("embedding_model").notNull(),
    embeddingDimension: integer("embedding_dimension").notNull(),
    /** active or rebuilding. */
    state: text("state").notNull(),
    createdAt: integer("created_at").notNull(),
    /** While it is rebuilding: attempts so far, and when the next one is due. */
    rebuildAttempts: integer("rebuild_attempts").notNull().default(0),
    rebuildNextAtMs: integer("rebuild_next_at_ms").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.clusterId] }),
    index("clusters_by_version").on(table.orgId, table.agentVersion, table.state),
    index("clusters_by_agent_playbook").on(table.orgId, table.agentPlaybookId),
  ],
);

/** What aggregation has decided about a user playbook; a row without an item is undisposed. */
export const aggregationItems = sqliteTable(
  "aggregation_items",
  {
    orgId: orgId(),
    agentVersion: text("agent_version").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    /** residual, cluster_member or terminal_noop. */
    disposition: text("disposition").notNull(),
    clusterId: text("cluster_id"),
    reason: text("reason").notNull(),
    attemptCount: integer("attempt_count").notNull(),
    lastAttemptAtMs: integer("last_attempt_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentVersion, table.userPlaybookId] }),
    index("aggregation_items_residual").on(
      table.orgId,
      table.agentVersion,
      table.disposition,
      table.lastAttemptAtMs,
    ),
    index("aggregation_items_by_cluster").on(table.orgId, table.clusterId),
  ],
);

/** A synthesis that was paid for, stored before it is applied. */
export const aggregationOutcomes = sqliteTable(
  "aggregation_outcomes",
  {
    orgId: orgId(),
    outcomeId: text("outcome_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    outcome: text("outcome").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.outcomeId] })],
);

/** Durable progress of a manual aggregation; its id is what a caller polls. */
export const operations = sqliteTable(
  "operations",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    kind: text("kind").notNull(),
    agentVersion: text("agent_version").notNull(),
    requestId: text("request_id").notNull(),
    /** queued, running, succeeded or failed. */
    status: text("status").notNull(),
    /** JSON of counts; null before the end. */
    result: text("result"),
    error: text("error"),
    attempts: integer("attempts").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    startedAt: integer("started_at"),
    completedAt: integer("completed_at"),
    /** When a failed attempt is repeated; null where nothing is waited for. */
    nextAttemptAtMs: integer("next_attempt_at_ms"),
    /** 1 while a turn works on it; one that is found at 1 died. */
    isTurnOpen: integer("is_turn_open").notNull().default(0),
    progressDone: integer("progress_done"),
    progressTotal: integer("progress_total"),
    /** Why it ended without anything to do. */
    skipped: text("skipped"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.operationId] }),
    uniqueIndex("operations_one_active")
      .on(table.orgId, table.agentVersion)
      .where(sql`kind = 'aggregation' AND status IN ('queued', 'running')`),
    index("operations_active").on(table.orgId, table.agentVersion, table.status),
    index("operations_recent").on(table.orgId, table.createdAt),
  ],
);
