/** How sessions ended, as their callers say, and what was said of each rule, counted. */
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** The first outcome of a session; it is never replaced. A trigger deletes it with its user's session. */
export const sessionOutcomes = sqliteTable(
  "session_outcomes",
  {
    orgId: orgId(),
    sessionId: text("session_id").notNull(),
    /** User and source of the session's earliest request. */
    userId: text("user_id").notNull(),
    source: text("source").notNull(),
    /** success, failure or unknown. */
    outcome: text("outcome").notNull(),
    occurredAt: integer("occurred_at").notNull(),
    label: text("label"),
    value: real("value"),
    /** JSON object with its keys in order, or null. */
    metadata: text("metadata"),
    principalId: text("principal_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.sessionId] }),
    index("session_outcomes_recent").on(table.orgId, table.occurredAt, table.sessionId),
    index("session_outcomes_by_user").on(table.orgId, table.userId, table.occurredAt),
  ],
);

/** Verdicts of `rule_feedback` by rule, which triggers keep. No row is no verdict. */
export const ruleVerdicts = sqliteTable(
  "rule_verdicts",
  {
    orgId: orgId(),
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    helpful: integer("helpful").notNull(),
    harmful: integer("harmful").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.kind, table.entityId] })],
);
