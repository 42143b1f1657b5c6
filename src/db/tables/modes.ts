/** Generation that somebody asked for, user by user, and changes between versions of an org's user playbooks. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** Progress of the latest rerun or manual generation; one row per org and service. */
export const generationOperations = sqliteTable(
  "generation_operations",
  {
    orgId: orgId(),
    serviceName: text("service_name").notNull(),
    operationId: text("operation_id").notNull(),
    /** rerun or manual. */
    mode: text("mode").notNull(),
    /** in_progress, completed, failed or cancelled. */
    status: text("status").notNull(),
    agentVersion: text("agent_version").notNull(),
    source: text("source"),
    /** Inclusive bounds of publishes, seconds. */
    startSec: integer("start_sec"),
    endSec: integer("end_sec"),
    /** JSON array of the sources that a window may show; null shows all. */
    windowSources: text("window_sources"),
    configHash: text("config_hash").notNull(),
    /** What its rules carry as their request. */
    requestId: text("request_id").notNull(),
    principalId: text("principal_id").notNull(),
    startedAt: integer("started_at").notNull(),
    progressedAtMs: integer("progressed_at_ms").notNull(),
    completedAt: integer("completed_at"),
    totalUsers: integer("total_users").notNull(),
    processedUsers: integer("processed_users").notNull(),
    failedUsers: integer("failed_users").notNull(),
    cancelledUsers: integer("cancelled_users").notNull(),
    currentUserId: text("current_user_id"),
    turns: integer("turns").notNull(),
    rules: integer("rules").notNull(),
    errorMessage: text("error_message"),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.serviceName] })],
);

/** One user of an operation. */
export const generationUnits = sqliteTable(
  "generation_units",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    position: integer("position").notNull(),
    userId: text("user_id").notNull(),
    /** waiting, running, done, failed or cancelled. */
    state: text("state").notNull(),
    windowId: text("window_id"),
    /** Failed tries so far. */
    attempts: integer("attempts").notNull(),
    error: text("error"),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.operationId, table.position] })],
);

/** The wish to cancel, apart from the progress that it must not be lost among. */
export const generationCancels = sqliteTable(
  "generation_cancels",
  {
    orgId: orgId(),
    serviceName: text("service_name").notNull(),
    operationId: text("operation_id").notNull(),
    requestedAt: integer("requested_at").notNull(),
    principalId: text("principal_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.serviceName] })],
);

/** The latest upgrade or downgrade of an org's user playbooks, and how far it has come. */
export const versionChanges = sqliteTable("version_changes", {
  orgId: orgId().primaryKey(),
  changeId: text("change_id").notNull(),
  /** upgrade or downgrade. */
  kind: text("kind").notNull(),
  agentVersion: text("agent_version"),
  playbookName: text("playbook_name"),
  archiveCurrent: integer("archive_current").notNull(),
  /** Rules made later are not of it. */
  lastId: integer("last_id").notNull(),
  /** running or done. */
  state: text("state").notNull(),
  phase: integer("phase").notNull(),
  /** Within the phase. */
  afterId: integer("after_id").notNull(),
  batches: integer("batches").notNull(),
  /** JSON array: rules moved, by phase. */
  counts: text("counts").notNull(),
  principalId: text("principal_id").notNull(),
  requestId: text("request_id").notNull(),
  startedAt: integer("started_at").notNull(),
});
