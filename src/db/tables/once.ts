/** How things happen exactly once: sequences, leases, the outbox, dead letters, idempotency keys. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

export const sequences = sqliteTable(
  "sequences",
  { orgId: orgId(), name: text("name").notNull(), next: integer("next").notNull() },
  (table) => [primaryKey({ columns: [table.orgId, table.name] })],
);

export const leases = sqliteTable(
  "leases",
  {
    orgId: orgId(),
    key: text("key").notNull(),
    owner: text("owner").notNull(),
    /** Grows by one per claim and is kept after release. */
    fence: integer("fence").notNull(),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.key] })],
);

/** Work that must follow a committed change. A row lives until its work is done. */
export const outbox = sqliteTable(
  "outbox",
  {
    id: text("id").primaryKey(),
    orgId: orgId(),
    topic: text("topic").notNull(),
    /** JSON array of the key's parts. */
    key: text("key").notNull(),
    attempts: integer("attempts").notNull(),
    /** When the sweep sends it (again). */
    dueAtMs: integer("due_at_ms").notNull(),
    /** Since when it waits; null in rows of topics where nobody asks. */
    createdAtMs: integer("created_at_ms"),
  },
  (table) => [index("outbox_due").on(table.dueAtMs)],
);

export const deadLetters = sqliteTable(
  "dead_letters",
  {
    orgId: orgId(),
    deadLetterId: text("dead_letter_id").notNull(),
    topic: text("topic").notNull(),
    key: text("key").notNull(),
    /** A closed code. */
    reason: text("reason").notNull(),
    message: text("message").notNull(),
    attempts: integer("attempts").notNull(),
    createdAt: integer("created_at").notNull(),
    replayedAt: integer("replayed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.deadLetterId] }),
    index("dead_letters_open").on(table.orgId, table.createdAt),
    // Those that wait for a person have no `replayed_at`; the others follow in the order of their replay.
    index("dead_letters_by_state").on(table.orgId, table.replayedAt, table.createdAt),
  ],
);

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    orgId: orgId(),
    principalId: text("principal_id").notNull(),
    key: text("key").notNull(),
    route: text("route").notNull(),
    bodyHash: text("body_hash").notNull(),
    /** `running` until the answer is stored. */
    state: text("state").notNull(),
    status: integer("status"),
    contentType: text("content_type"),
    body: text("body"),
    expiresAtMs: integer("expires_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.principalId, table.route, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAtMs),
  ],
);
