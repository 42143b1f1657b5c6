/** What searching remembers. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** Rules that a session was shown, so that it is shown others next. */
export const servedRules = sqliteTable(
  "served_rules",
  {
    orgId: orgId(),
    sessionId: text("session_id").notNull(),
    /** `user_playbook` or `agent_playbook`. */
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.sessionId, table.kind, table.entityId] }),
    index("served_rules_expiry").on(table.expiresAtMs),
  ],
);
