/**
 * Every table of the database, one place. Drizzle generates the migrations from it and a test holds
 * the migrated database against it. `_ms` columns are milliseconds, `created_at`-like ones seconds.
 */
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

const orgId = () => text("org_id").notNull();

// ---- orgs ---------------------------------------------------------------------------------------

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
  (table) => [index("audit_by_org").on(table.orgId, table.row)],
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

// ---- how things happen exactly once ---------------------------------------------------------------

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

// ---- interactions -----------------------------------------------------------------------------------

/**
 * One publish call. `max_seq` is the id of its last turn: ids of turns grow in commit order, so it is
 * also the request's place in its org's arrival order.
 */
export const requests = sqliteTable(
  "requests",
  {
    orgId: orgId(),
    maxSeq: integer("max_seq").notNull(),
    minSeq: integer("min_seq").notNull(),
    requestId: text("request_id").notNull(),
    userId: text("user_id").notNull(),
    sessionId: text("session_id").notNull(),
    source: text("source").notNull(),
    agentVersion: text("agent_version").notNull(),
    createdAt: integer("created_at").notNull(),
    evaluationOnly: integer("evaluation_only").notNull(),
    forceExtraction: integer("force_extraction").notNull(),
    skipAggregation: integer("skip_aggregation").notNull(),
    experimentId: text("experiment_id"),
    experimentArm: text("experiment_arm"),
    /** The config it was admitted under. */
    configHash: text("config_hash").notNull(),
    /** 1 where admission made its turns learnable by the playbook (profile) extractor. */
    playbookEligible: integer("playbook_eligible").notNull(),
    profileEligible: integer("profile_eligible").notNull(),
    /** SHA-256 of the published body; a retry must carry the same. */
    bodyHash: text("body_hash").notNull(),
    /** JSON array of the warnings its publisher was given. */
    warnings: text("warnings").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.maxSeq] }),
    uniqueIndex("requests_by_id").on(table.orgId, table.requestId),
    index("requests_by_session").on(table.orgId, table.sessionId, table.maxSeq),
  ],
);

/** One turn. `interaction_id` grows in commit order within the org and is its ingestion sequence. */
export const interactions = sqliteTable(
  "interactions",
  {
    row: integer("row").primaryKey(),
    orgId: orgId(),
    userId: text("user_id").notNull(),
    interactionId: integer("interaction_id").notNull(),
    requestId: text("request_id").notNull(),
    createdAt: integer("created_at").notNull(),
    role: text("role").notNull(),
    content: text("content").notNull(),
    /** JSON: user_action, user_action_description, interacted_image_url, image, shadow_content, … */
    details: text("details").notNull(),
  },
  (table) => [uniqueIndex("interactions_stream").on(table.orgId, table.userId, table.interactionId)],
);

// ---- learning -----------------------------------------------------------------------------------------

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
  ],
);

// ---- playbooks ------------------------------------------------------------------------------------------

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
    index("user_playbooks_recent").on(table.orgId, table.updatedAtMs),
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

// ---- aggregation ------------------------------------------------------------------------------------------

export const aggregationStates = sqliteTable(
  "aggregation_states",
  {
    orgId: orgId(),
    agentVersion: text("agent_version").notNull(),
    pending: integer("pending").notNull(),
    nextAttemptAtMs: integer("next_attempt_at_ms").notNull(),
    lastSuccessAt: integer("last_success_at"),
    /** Optimistic counter: `finish` must see the one it claimed. */
    stateVersion: integer("state_version").notNull(),
    /** Monotonic; rows below it are never taken in. */
    intakeFloor: integer("intake_floor").notNull(),
    lastError: text("last_error"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentVersion] }),
    index("aggregation_due").on(table.pending, table.nextAttemptAtMs),
  ],
);

export const clusters = sqliteTable(
  "clusters",
  {
    orgId: orgId(),
    clusterId: text("cluster_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    agentPlaybookId: integer("agent_playbook_id").notNull(),
    memberCount: integer("member_count").notNull(),
    embeddingModel: text("embedding_model").notNull(),
    embeddingDimension: integer("embedding_dimension").notNull(),
    /** active or rebuilding. */
    state: text("state").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.clusterId] }),
    index("clusters_by_version").on(table.orgId, table.agentVersion, table.state),
    index("clusters_by_agent_playbook").on(table.orgId, table.agentPlaybookId),
  ],
);

/** What aggregation has decided about a user playbook; a row without an item is undisposed. */
export const aggregationItems = sqliteTable(
  "aggregation_items",
  {
    orgId: orgId(),
    agentVersion: text("agent_version").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    /** residual, cluster_member or terminal_noop. */
    disposition: text("disposition").notNull(),
    clusterId: text("cluster_id"),
    reason: text("reason").notNull(),
    attemptCount: integer("attempt_count").notNull(),
    lastAttemptAtMs: integer("last_attempt_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentVersion, table.userPlaybookId] }),
    index("aggregation_items_residual").on(
      table.orgId,
      table.agentVersion,
      table.disposition,
      table.lastAttemptAtMs,
    ),
    index("aggregation_items_by_cluster").on(table.orgId, table.clusterId),
  ],
);

/** A synthesis that was paid for, stored before it is applied. */
export const aggregationOutcomes = sqliteTable(
  "aggregation_outcomes",
  {
    orgId: orgId(),
    outcomeId: text("outcome_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    outcome: text("outcome").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.outcomeId] })],
);

/** Durable progress of a manual aggregation; its id is what a caller polls. */
export const operations = sqliteTable(
  "operations",
  {
    orgId: orgId(),
    operationId: text("operation_id").notNull(),
    kind: text("kind").notNull(),
    agentVersion: text("agent_version").notNull(),
    requestId: text("request_id").notNull(),
    /** queued, running, succeeded or failed. */
    status: text("status").notNull(),
    /** JSON of counts; null before the end. */
    result: text("result"),
    error: text("error"),
    attempts: integer("attempts").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.operationId] }),
    index("operations_active").on(table.orgId, table.agentVersion, table.status),
  ],
);
