/** Where an org is told what happened, and what it was told. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

export const webhookEndpoints = sqliteTable("webhook_endpoints", {
  orgId: text("org_id").primaryKey(),
  url: text("url").notNull(),
  /** JSON array of event types. */
  events: text("events").notNull(),
  /** Encrypted signing secret. */
  secret: text("secret").notNull(),
  /** The one before, which signs as well until `previous_until`. */
  previousSecret: text("previous_secret"),
  previousUntil: integer("previous_until"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  /** First of the failed attempts since the last delivery; null after a delivery. */
  failingSince: integer("failing_since"),
  disabledAt: integer("disabled_at"),
  disabledReason: text("disabled_reason"),
});

/** One message, kept for people to look at; its delivery is a row of the outbox. */
export const webhookMessages = sqliteTable(
  "webhook_messages",
  {
    orgId: orgId(),
    messageId: text("message_id").notNull(),
    type: text("type").notNull(),
    /** JSON of ids and counts, without content or personal data. */
    data: text("data").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    attempts: integer("attempts").notNull(),
    /** Before this nobody tries; while an attempt is under way, when it counts as lost. */
    nextAttemptAtMs: integer("next_attempt_at_ms").notNull(),
    /** HTTP status of the last attempt, null where none was answered. */
    lastStatus: integer("last_status"),
    lastError: text("last_error"),
    deliveredAtMs: integer("delivered_at_ms"),
    /** Given up, or dropped with its endpoint. */
    failedAtMs: integer("failed_at_ms"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.messageId] }),
    index("webhook_messages_recent").on(table.orgId, table.createdAtMs),
    index("webhook_messages_age").on(table.createdAtMs),
  ],
);
