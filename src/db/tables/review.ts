/** Reviews of stored user playbooks that are applied in the background, and the rules that each of them looks at. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { orgId } from "./columns";

/** One run; an org has one at a time under way, and keeps the newest. */
export const reviewRuns = sqliteTable(
  "review_runs",
  {
    orgId: orgId(),
    runId: text("run_id").notNull(),
    /** running, done or failed. */
    state: text("state").notNull(),
    /** When its rules were made: inclusive bounds, seconds. */
    startSec: integer("start_sec").notNull(),
    endSec: integer("end_sec").notNull(),
    configHash: text("config_hash").notNull(),
    principalId: text("principal_id").notNull(),
    /** Rules that it looks at, and how many of them are decided. */
    selected: integer("selected").notNull(),
    position: integer("position").notNull(),
    /** Failed tries of the rule whose turn it is. */
    attempts: integer("attempts").notNull(),
    accepted: integer("accepted").notNull(),
    edited: integer("edited").notNull(),
    rejected: integer("rejected").notNull(),
    skipped: integer("skipped").notNull(),
    /** A closed code: why it stopped. */
    error: text("error"),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.runId] }),
    uniqueIndex("review_runs_running").on(table.orgId).where(sql`state = 'running'`),
    index("review_runs_recent").on(table.orgId, table.startedAt, table.runId),
  ],
);

/** One rule of a run, newest rule first. Once it is decided it holds ids and codes only. */
export const reviewItems = sqliteTable(
  "review_items",
  {
    orgId: orgId(),
    runId: text("run_id").notNull(),
    position: integer("position").notNull(),
    userPlaybookId: integer("user_playbook_id").notNull(),
    /** accept, edit, reject or skip; null before. */
    decision: text("decision"),
    reasonCode: text("reason_code"),
    successorId: integer("successor_id"),
    /** JSON of a decision that was made and is not applied yet. A trigger forgets it with its rule. */
    outcome: text("outcome"),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.runId, table.position] }),
    index("review_items_open").on(table.orgId, table.userPlaybookId).where(sql`outcome IS NOT NULL`),
  ],
);
