/** What the people at the review desk leave behind: sign-ins, decisions, revocations, feedback. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** A browser that signed in with a key; it lives no longer than the key. */
export const deskSessions = sqliteTable(
  "desk_sessions",
  {
    /** SHA-256 of the cookie's token. */
    sessionHash: text("session_hash").primaryKey(),
    orgId: orgId(),
    keyId: text("key_id").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("desk_sessions_by_key").on(table.orgId, table.keyId),
    index("desk_sessions_expiry").on(table.expiresAt),
  ],
);

/** One change that a person made of an agent playbook, with what undoing it needs. */
export const decisions = sqliteTable(
  "decisions",
  {
    orgId: orgId(),
    agentPlaybookId: integer("agent_playbook_id").notNull(),
    /** The row's version after the change. */
    version: integer("version").notNull(),
    /** approve, reject, reopen or edit. */
    kind: text("kind").notNull(),
    /** JSON: the row as it was before. */
    before: text("before").notNull(),
    /** JSON: the clusters that the change retired, each with its members; null where it retired none. */
    cluster: text("cluster"),
    /** The approved rule that an approval superseded. */
    replaced: integer("replaced"),
    principalId: text("principal_id").notNull(),
    atMs: integer("at_ms").notNull(),
    /** Random: by it the call that wrote the row knows it again. */
    changeId: text("change_id").notNull(),
    /** When what it approved was first served to a prompt. */
    servedAtMs: integer("served_at_ms"),
    undoneAtMs: integer("undone_at_ms"),
    undoneBy: text("undone_by"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentPlaybookId, table.version] }),
    index("decisions_recent").on(table.orgId, table.atMs),
  ],
);

/** Turns and users that nothing may be learned from any more. */
export const revocations = sqliteTable(
  "revocations",
  {
    orgId: orgId(),
    revocationId: text("revocation_id").notNull(),
    /** interaction or user. */
    kind: text("kind").notNull(),
    userId: text("user_id").notNull(),
    /** JSON array; empty where all of the user's turns are meant. */
    interactionIds: text("interaction_ids").notNull(),
    reason: text("reason").notNull(),
    principalId: text("principal_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /** running, done or lifted. */
    state: text("state").notNull(),
    /** JSON of counts of what was sent back so far. */
    touched: text("touched").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.revocationId] }),
    index("revocations_by_user").on(table.orgId, table.userId, table.state),
    index("revocations_recent").on(table.orgId, table.createdAt),
  ],
);

/** A turn that cites a rule: where the rule has been applied. */
export const ruleApplications = sqliteTable(
  "rule_applications",
  {
    orgId: orgId(),
    /** user_playbook or agent_playbook. */
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    interactionId: integer("interaction_id").notNull(),
    userId: text("user_id").notNull(),
    sessionId: text("session_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.kind, table.entityId, table.interactionId] }),
    index("rule_applications_by_turn").on(table.orgId, table.interactionId),
  ],
);

/** What somebody said of a rule after it was applied. */
export const ruleFeedback = sqliteTable(
  "rule_feedback",
  {
    orgId: orgId(),
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    /** Derived from who spoke and of which turn, so that a repeated call counts once. */
    feedbackId: text("feedback_id").notNull(),
    /** helpful or harmful. */
    verdict: text("verdict").notNull(),
    interactionId: integer("interaction_id"),
    principalId: text("principal_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.kind, table.entityId, table.feedbackId] }),
    index("rule_feedback_by_turn").on(table.orgId, table.interactionId),
  ],
);
