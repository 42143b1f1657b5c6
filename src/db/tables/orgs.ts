/** Orgs, keys, settings, audit and usage. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

export const orgs = sqliteTable("orgs", {
  orgId: text("org_id").primaryKey(),
  name: text("name").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const apiKeys = sqliteTable(
  "api_keys",
  {
    keyHash: text("key_hash").primaryKey(),
    orgId: orgId(),
    keyId: text("key_id").notNull(),
    name: text("name").notNull(),
    principalId: text("principal_id").notNull(),
    /** JSON arrays of strings. */
    roles: text("roles").notNull(),
    scopes: text("scopes").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
  },
  (table) => [uniqueIndex("api_keys_by_id").on(table.orgId, table.keyId)],
);

export const audit = sqliteTable(
  "audit",
  {
    row: integer("row").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    at: integer("at").notNull(),
    principalId: text("principal_id").notNull(),
    action: text("action").notNull(),
    entityType: text("entity_type").notNull(),
    entityId: text("entity_id").notNull(),
    requestId: text("request_id").notNull(),
    /** JSON without content or personal data. */
    details: text("details").notNull(),
  },
  (table) => [
    index("audit_by_org").on(table.orgId, table.row),
    // The history of the settings, however long the trail is.
    index("audit_of_config").on(table.orgId, table.row).where(sql`action = 'set.config'`),
  ],
);

/** Configs are rows by content hash, so a request can hold the one it was admitted under. */
export const configs = sqliteTable(
  "configs",
  {
    orgId: orgId(),
    configHash: text("config_hash").notNull(),
    body: text("body").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.configHash] })],
);

export const orgSettings = sqliteTable("org_settings", {
  orgId: text("org_id").primaryKey(),
  configHash: text("config_hash").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Model calls and tokens per org, day (UTC, `YYYY-MM-DD`), task and model; the spending cap reads it. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    orgId: orgId(),
    day: text("day").notNull(),
    task: text("task").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    calls: integer("calls").notNull(),
    inputTokens: integer("input_tokens").notNull(),
    outputTokens: integer("output_tokens").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.day, table.task, table.provider, table.model] })],
);

/** Counts of named happenings per org and day, such as candidates dropped by reason. */
export const counters = sqliteTable(
  "counters",
  {
    orgId: orgId(),
    day: text("day").notNull(),
    name: text("name").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.day, table.name] })],
);
