/** Users who are being forgotten, the log of those who were, and when an org's history is swept next. */
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** The mark: while it stands, nothing of this user is shown, stored or learned from. */
export const erasures = sqliteTable(
  "erasures",
  {
    orgId: orgId(),
    userId: text("user_id").notNull(),
    erasureId: text("erasure_id").notNull(),
    principalId: text("principal_id").notNull(),
    /** JSON of what was deleted so far. */
    counts: text("counts").notNull(),
    begunAt: integer("begun_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.userId] }),
    uniqueIndex("erasures_by_id").on(table.orgId, table.erasureId),
  ],
);

/** Rules that an erasure has still to take out of the index, or out of use. Ids only. */
export const erasureTargets = sqliteTable(
  "erasure_targets",
  {
    orgId: orgId(),
    erasureId: text("erasure_id").notNull(),
    /** user_playbook or agent_playbook. */
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    /** JSON array: models whose entries the index may hold. */
    models: text("models").notNull(),
    /** Of an agent playbook whose text owes nothing to the user: the version that was judged. */
    keptVersion: integer("kept_version"),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.erasureId, table.kind, table.entityId] })],
);

/** Who was forgotten, as a salted hash; what a restored backup is purged by. */
export const erasureLog = sqliteTable(
  "erasure_log",
  {
    orgId: orgId(),
    erasureId: text("erasure_id").notNull(),
    /** The org's, hex. */
    salt: text("salt").notNull(),
    /** SHA-256 of salt, org and user id, hex. */
    userHash: text("user_hash").notNull(),
    /** running, done, or imported from a log that was kept elsewhere. */
    state: text("state").notNull(),
    counts: text("counts").notNull(),
    begunAt: integer("begun_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.erasureId] }),
    index("erasure_log_by_user").on(table.orgId, table.userHash),
    index("erasure_log_recent").on(table.orgId, table.begunAt, table.erasureId),
  ],
);

/** When an org's old history is looked through next. */
export const historySweeps = sqliteTable(
  "history_sweeps",
  { orgId: text("org_id").primaryKey(), dueAtMs: integer("due_at_ms").notNull() },
  (table) => [index("history_sweeps_due").on(table.dueAtMs)],
);
