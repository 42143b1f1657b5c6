/** Clauses that lists of both kinds of playbook share. */
import { isBeingErased } from "../db/erasure-mark";
import { inList, type Statement, sql } from "../db/sql";
import { orgToken, wordQuery } from "../search/words";
import { type LifecycleStatus, tombstoneStatuses } from "./model";

/** Characters of text in one list; a longer one is cut at a whole row. */
export const MAX_LIST_CHARACTERS = 8_000_000;

/** What lists of both kinds can be narrowed by. An empty array matches nothing, an absent one everything. */
export interface ListFilter {
  limit: number;
  /** Words, any of which a row must have; without a letter or digit it matches nothing. */
  query?: string | undefined;
  playbookName?: string | undefined;
  agentVersion?: string | undefined;
  /** Inclusive bounds of the creation time, compared by whole seconds. */
  startMs?: number | undefined;
  endMs?: number | undefined;
  /** Null stands for CURRENT. */
  statuses?: readonly (LifecycleStatus | null)[] | undefined;
  tags?: readonly string[] | undefined;
}

const atSecond = (ms: number): number => Math.floor(ms / 1000);

/** `IN (NULL)` never matches: CURRENT is asked for apart (specification, trap 33). */
function lifecycleClause(
  statuses: readonly (LifecycleStatus | null)[] | undefined,
  otherwise: "all" | "current",
): Statement {
  if (statuses === undefined) {
    return otherwise === "current"
      ? sql`status IS NULL`
      : sql`(status IS NULL OR NOT ${inList("status", tombstoneStatuses)})`;
  }
  const named = statuses.filter((status) => status !== null);
  return statuses.includes(null)
    ? sql`(status IS NULL OR ${inList("status", named)})`
    : sql`(status IS NOT NULL AND ${inList("status", named)})`;
}

const wordsOf: Record<"user_playbooks" | "agent_playbooks", (match: string) => Statement> = {
  user_playbooks: (match) =>
    sql`row IN (SELECT rowid FROM user_playbooks_fts WHERE user_playbooks_fts MATCH ${match})`,
  agent_playbooks: (match) =>
    sql`row IN (SELECT rowid FROM agent_playbooks_fts WHERE agent_playbooks_fts MATCH ${match})`,
};

/** The clauses of a filter, `org_id` first. @param otherwise what a list without `statuses` shows */
export function listClauses(
  table: "user_playbooks" | "agent_playbooks",
  orgId: string,
  filter: ListFilter,
  otherwise: "all" | "current",
): Statement[] {
  const clauses: Statement[] = [lifecycleClause(filter.statuses, otherwise)];
  if (table === "user_playbooks") {
    clauses.push(sql`NOT ${isBeingErased(orgId, { text: "user_playbooks.user_id", params: [] })}`);
  }
  if (filter.query !== undefined) {
    const match = wordQuery(filter.query, orgToken(orgId));
    clauses.push(match === null ? sql`0` : wordsOf[table](match));
  }
  if (filter.playbookName !== undefined) clauses.push(sql`playbook_name = ${filter.playbookName}`);
  if (filter.agentVersion !== undefined) clauses.push(sql`agent_version = ${filter.agentVersion}`);
  if (filter.startMs !== undefined) clauses.push(sql`created_at >= ${atSecond(filter.startMs)}`);
  if (filter.endMs !== undefined) clauses.push(sql`created_at <= ${atSecond(filter.endMs)}`);
  if (filter.tags !== undefined) {
    clauses.push(
      sql`(tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(tags) WHERE ${inList("json_each.value", filter.tags)}))`,
    );
  }
  return clauses;
}
