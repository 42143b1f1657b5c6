/** What aggregation has yet to hear of: changes of user playbooks that it had taken up. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** Triggers write it (`migrations/0005_upkeep.sql`); every change has a row of its own. */
export const invalidations = sqliteTable(
  "invalidations",
  {
    row: integer("row").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    agentVersion: text("agent_version").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    /** edit, archive, merge, supersede, status_change or delete. */
    operation: text("operation").notNull(),
    /** The one row that took its place; null where there is none. */
    successorId: integer("successor_id"),
    /** Null until it is applied; kept for seven days then. */
    processedAtMs: integer("processed_at_ms"),
  },
  (table) => [index("invalidations_open").on(table.orgId, table.agentVersion, table.processedAtMs)],
);
