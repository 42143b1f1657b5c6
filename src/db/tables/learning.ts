/** Where extraction stands, and its units of work. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** Where one extractor stands in one user's stream. */
export const cursors = sqliteTable(
  "cursors",
  {
    orgId: orgId(),
    userId: text("user_id").notNull(),
    /** `playbook` or `profile`. */
    kind: text("kind").notNull(),
    completedSeq: integer("completed_seq").notNull(),
    started: integer("started").notNull(),
    /** The unfinished window, if any. */
    windowId: text("window_id"),
    attempts: integer("attempts").notNull(),
    retryAtMs: integer("retry_at_ms").notNull(),
    lastError: text("last_error"),
    lastTurnMs: integer("last_turn_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.userId, table.kind] })],
);

/** One unit of extraction. Its outcome is stored before it is applied. */
export const windows = sqliteTable(
  "windows",
  {
    orgId: orgId(),
    windowId: text("window_id").notNull(),
    userId: text("user_id").notNull(),
    kind: text("kind").notNull(),
    /** JSON array of interaction ids: context, then new turns. */
    manifest: text("manifest").notNull(),
    /** First and last new turn. */
    firstNewSeq: integer("first_new_seq").notNull(),
    endSeq: integer("end_seq").notNull(),
    force: integer("force").notNull(),
    skipAggregation: integer("skip_aggregation").notNull(),
    configHash: text("config_hash").notNull(),
    agentVersion: text("agent_version").notNull(),
    requestId: text("request_id").notNull(),
    source: text("source").notNull(),
    /** open → computed → applied; or dead; or invalidated. */
    state: text("state").notNull(),
    /** JSON of the computed outcome; null before. */
    outcome: text("outcome"),
    error: text("error"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.windowId] }),
    index("windows_by_user").on(table.orgId, table.userId, table.kind, table.endSeq),
    index("windows_unfinished").on(table.orgId, table.createdAt).where(sql`state IN ('open', 'computed')`),
  ],
);
