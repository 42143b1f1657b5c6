/** Both kinds of rule, their sources, lineage and vectors. */
import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

export const userPlaybooks = sqliteTable(
  "user_playbooks",
  {
    row: integer("row").primaryKey(),
    orgId: orgId(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    userId: text("user_id"),
    agentVersion: text("agent_version").notNull(),
    requestId: text("request_id").notNull(),
    playbookName: text("playbook_name").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at_ms").notNull(),
    content: text("content").notNull(),
    trigger: text("trigger"),
    rationale: text("rationale"),
    /** Lifecycle; null is CURRENT. */
    status: text("status"),
    source: text("source"),
    /** JSON array of integers. */
    sourceInteractionIds: text("source_interaction_ids").notNull(),
    sourceSpan: text("source_span"),
    /** JSON array, or null where never tagged. */
    tags: text("tags"),
    notes: text("notes"),
    readerAngle: text("reader_angle"),
    expandedTerms: text("expanded_terms"),
    mergedInto: integer("merged_into"),
    supersededBy: integer("superseded_by"),
    retiredAt: integer("retired_at"),
    /** JSON array of review flags such as `instruction_like`. */
    flags: text("flags").notNull(),
    /** The window it was learned from, or null. */
    windowId: text("window_id"),
    /** For the word index: the org's token and the row's lexemes. */
    scope: text("scope").notNull(),
    searchText: text("search_text").notNull(),
  },
  (table) => [
    uniqueIndex("user_playbooks_by_id").on(table.orgId, table.userPlaybookId),
    index("user_playbooks_by_user").on(table.orgId, table.userId, table.agentVersion, table.createdAt),
    index("user_playbooks_by_version").on(table.orgId, table.agentVersion, table.userPlaybookId),
    // A user's rules, newest first.
    index("user_playbooks_of_user").on(table.orgId, table.userId, table.userPlaybookId),
    index("user_playbooks_recent").on(table.orgId, table.updatedAtMs),
    // Tombstones, the longest retired first.
    index("user_playbooks_tombstones")
      .on(table.orgId, table.retiredAt)
      .where(sql`status IN ('merged', 'superseded')`),
    index("user_playbooks_window").on(table.orgId, table.windowId).where(sql`window_id IS NOT NULL`),
  ],
);

export const agentPlaybooks = sqliteTable(
  "agent_playbooks",
  {
    row: integer("row").primaryKey(),
    orgId: orgId(),
    agentPlaybookId: integer("agent_playbook_id").notNull(),
    playbookName: text("playbook_name").notNull(),
    agentVersion: text("agent_version").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAtMs: integer("updated_at_ms").notNull(),
    content: text("content").notNull(),
    trigger: text("trigger"),
    rationale: text("rationale"),
    /** Approval: pending, approved or rejected. */
    playbookStatus: text("playbook_status").notNull(),
    playbookMetadata: text("playbook_metadata").notNull(),
    /** Lifecycle; null is CURRENT. */
    status: text("status"),
    tags: text("tags"),
    expandedTerms: text("expanded_terms"),
    mergedInto: integer("merged_into"),
    supersededBy: integer("superseded_by"),
    retiredAt: integer("retired_at"),
    flags: text("flags").notNull(),
    /** Grows with every change; the ETag. */
    version: integer("version").notNull(),
    decidedBy: text("decided_by"),
    decidedAt: integer("decided_at"),
    /** The approved rule that approving this one supersedes. */
    replaces: integer("replaces"),
    scope: text("scope").notNull(),
    searchText: text("search_text").notNull(),
  },
  (table) => [
    uniqueIndex("agent_playbooks_by_id").on(table.orgId, table.agentPlaybookId),
    index("agent_playbooks_by_version").on(
      table.orgId,
      table.agentVersion,
      table.playbookStatus,
      table.createdAt,
    ),
    index("agent_playbooks_recent").on(table.orgId, table.updatedAtMs),
    index("agent_playbooks_tombstones")
      .on(table.orgId, table.retiredAt)
      .where(sql`status IN ('merged', 'superseded')`),
    index("agent_playbooks_replacing").on(table.orgId, table.replaces).where(sql`replaces IS NOT NULL`),
    // The review queue, newest first.
    index("agent_playbooks_queue")
      .on(table.orgId, table.playbookStatus, table.createdAt, table.agentPlaybookId)
      .where(sql`status IS NULL`),
  ],
);

/** Which user playbooks, and which of their turns, an agent playbook was made from. */
export const agentPlaybookSources = sqliteTable(
  "agent_playbook_sources",
  {
    orgId: orgId(),
    agentPlaybookId: integer("agent_playbook_id").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    sourceInteractionIds: text("source_interaction_ids").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentPlaybookId, table.userPlaybookId] }),
    index("agent_playbook_sources_by_user_playbook").on(table.orgId, table.userPlaybookId),
  ],
);

/** Append-only and content-free. */
export const lineage = sqliteTable(
  "lineage",
  {
    row: integer("row").primaryKey({ autoIncrement: true }),
    orgId: orgId(),
    /** Derived from what it records, so that a repeated effect records it once. */
    eventId: text("event_id").notNull(),
    entityType: text("entity_type").notNull(),
    entityId: text("entity_id").notNull(),
    op: text("op").notNull(),
    provRelation: text("prov_relation"),
    sourceIds: text("source_ids").notNull(),
    actor: text("actor").notNull(),
    requestId: text("request_id").notNull(),
    reason: text("reason"),
    createdAt: integer("created_at").notNull(),
    fromStatus: text("from_status"),
    toStatus: text("to_status"),
    statusNamespace: text("status_namespace"),
    modelName: text("model_name"),
    provider: text("provider"),
  },
  (table) => [
    uniqueIndex("lineage_by_event").on(table.orgId, table.eventId),
    index("lineage_by_entity").on(table.orgId, table.entityType, table.entityId),
    index("lineage_by_request").on(table.orgId, table.requestId),
  ],
);

/** The truth about embeddings: one int8 vector and its scale per entity and model. */
export const vectors = sqliteTable(
  "vectors",
  {
    orgId: orgId(),
    /** user_playbook, agent_playbook or profile. */
    kind: text("kind").notNull(),
    entityId: integer("entity_id").notNull(),
    model: text("model").notNull(),
    dimension: integer("dimension").notNull(),
    /** Bytes are two's complement int8; value = byte × scale. Read it as `hex(vector)`. */
    vector: blob("vector").notNull(),
    scale: real("scale").notNull(),
    updatedAtMs: integer("updated_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.kind, table.entityId, table.model] }),
    index("vectors_recent").on(table.orgId, table.model, table.updatedAtMs),
  ],
);
