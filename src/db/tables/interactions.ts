/** Publish calls and their turns. */
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

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
