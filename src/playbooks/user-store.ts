/** All SQL about user playbooks. */
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { and, guard, inList, type Statement, sql } from "../db/sql";
import { orgToken, searchText } from "../search/words";
import { jsonPages } from "./bulk";
import { type ListFilter, listClauses, MAX_LIST_CHARACTERS } from "./filters-store";
import { flagsOfRule, refreshedFlags } from "./flags";
import type { NewUserPlaybook, RuleText, TombstoneStatus, UserPlaybook } from "./model";
import { userPlaybookColumns, userPlaybookRow } from "./rows";

/** What the word index holds of a rule. */
export const searchTextOf = (
  rule: Pick<RuleText, "trigger" | "content"> & { expandedTerms: string | null },
): string =>
  searchText([rule.trigger, rule.content, rule.expandedTerms].filter((part) => part !== null).join("\n"));

/**
 * Inserts rows whose ids the caller reserved (`reserveIds`). Adds the flags of their texts and their
 * lexemes. An id that exists aborts the batch.
 */
export function insertUserPlaybooks(rows: readonly NewUserPlaybook[]): Statement[] {
  const values = rows.map((row) => ({
    ...row,
    tags: row.tags === null ? null : JSON.stringify(row.tags),
    sourceInteractionIds: JSON.stringify(row.sourceInteractionIds),
    flags: JSON.stringify(flagsOfRule(row, row.flags)),
    scope: orgToken(row.orgId),
    searchText: searchTextOf(row),
  }));
  return jsonPages(values).map(
    (page) => sql`INSERT INTO user_playbooks (org_id, user_playbook_id, user_id, agent_version, request_id,
        playbook_name, created_at, updated_at_ms, content, trigger, rationale, status, source,
        source_interaction_ids, source_span, tags, notes, reader_angle, expanded_terms, flags, window_id, scope,
        search_text)
      SELECT value->>'orgId', value->>'userPlaybookId', value->>'userId', value->>'agentVersion',
        value->>'requestId', value->>'playbookName', value->>'createdAt', value->>'updatedAtMs',
        value->>'content', value->>'trigger', value->>'rationale', value->>'status', value->>'source',
        value->>'sourceInteractionIds', value->>'sourceSpan', value->>'tags', value->>'notes',
        value->>'readerAngle', value->>'expandedTerms', value->>'flags', value->>'windowId', value->>'scope',
        value->>'searchText' FROM json_each(${page})`,
  );
}

/** Rows by id, whatever their status, in order of id; unknown ids are left out. */
export const loadUserPlaybooks = (
  db: Database,
  orgId: string,
  ids: readonly number[],
): Promise<UserPlaybook[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.all(
        userPlaybookRow,
        sql`SELECT ${userPlaybookColumns} FROM user_playbooks WHERE org_id = ${orgId}
            AND ${inList("user_playbook_id", ids)}
            AND NOT ${isBeingErased(orgId, { text: "user_playbooks.user_id", params: [] })}
            ORDER BY user_playbook_id`,
      );

export interface UserPlaybookFilter extends ListFilter {
  userPlaybookId?: number | undefined;
  userId?: string | undefined;
  requestId?: string | undefined;
}

/** Newest first. Stops before the texts pass 8,000,000 characters. */
export function listUserPlaybooks(
  db: Database,
  orgId: string,
  filter: UserPlaybookFilter,
): Promise<UserPlaybook[]> {
  const clauses = listClauses("user_playbooks", orgId, filter, "all");
  if (filter.userPlaybookId !== undefined) clauses.push(sql`user_playbook_id = ${filter.userPlaybookId}`);
  if (filter.userId !== undefined) clauses.push(sql`user_id = ${filter.userId}`);
  if (filter.requestId !== undefined) clauses.push(sql`request_id = ${filter.requestId}`);
  return db.all(
    userPlaybookRow,
    sql`SELECT ${userPlaybookColumns} FROM (
          SELECT *, sum(length(content) + length(coalesce(trigger, '')) + length(coalesce(rationale, ''))
              + length(coalesce(source_span, ''))) OVER (ORDER BY created_at DESC, user_playbook_id DESC) AS running
          FROM (SELECT ${userPlaybookColumns} FROM user_playbooks WHERE org_id = ${orgId}${and(clauses)}
            ORDER BY created_at DESC, user_playbook_id DESC LIMIT ${filter.limit}))
        WHERE running <= ${MAX_LIST_CHARACTERS} ORDER BY created_at DESC, user_playbook_id DESC`,
  );
}

/** What an edit may change; the texts are complete, not a difference. */
export interface UserPlaybookEdit extends RuleText {
  playbookName: string;
}

/**
 * Rewrites a row in place if it still is as `before` shows it: text, flags and lexemes together; its tags go
 * back to "never tagged". Guard `changes() = 1` right after it.
 */
export const editUserPlaybook = (
  before: UserPlaybook,
  edit: UserPlaybookEdit,
  updatedAtMs: number,
): Statement =>
  sql`UPDATE user_playbooks SET playbook_name = ${edit.playbookName}, content = ${edit.content},
        trigger = ${edit.trigger}, rationale = ${edit.rationale}, tags = NULL, updated_at_ms = ${updatedAtMs},
        flags = ${JSON.stringify(refreshedFlags({ ...edit, sourceSpan: before.sourceSpan }, before.flags))},
        search_text = ${searchTextOf({ ...edit, expandedTerms: null })}, expanded_terms = NULL
      WHERE org_id = ${before.orgId} AND user_playbook_id = ${before.userPlaybookId}
        AND updated_at_ms = ${before.updatedAtMs}`;

/** Deletes one row for good if it still is as `before` shows it. Guard `changes() = 1` right after it. */
export const deleteUserPlaybook = (
  before: Pick<UserPlaybook, "orgId" | "userPlaybookId" | "updatedAtMs">,
): Statement =>
  sql`DELETE FROM user_playbooks WHERE org_id = ${before.orgId} AND user_playbook_id = ${before.userPlaybookId}
      AND updated_at_ms = ${before.updatedAtMs}`;

export interface Retirement {
  orgId: string;
  ids: readonly number[];
  status: TombstoneStatus;
  /** The row that took their place, where there is exactly one. */
  successorId: number | null;
  nowMs: number;
}

/** Turns CURRENT rows into tombstones. Guard with `userPlaybooksStillCurrent` before it in the batch. */
export const retireUserPlaybooks = ({ orgId, ids, status, successorId, nowMs }: Retirement): Statement =>
  sql`UPDATE user_playbooks SET status = ${status}, retired_at = ${Math.floor(nowMs / 1000)},
        merged_into = ${status === "merged" ? successorId : null},
        superseded_by = ${status === "superseded" ? successorId : null},
        updated_at_ms = max(${nowMs}, updated_at_ms + 1)
      WHERE org_id = ${orgId} AND ${inList("user_playbook_id", ids)} AND status IS NULL`;

/** Guard `still_current`: every one of `ids` (distinct) is CURRENT. */
export const userPlaybooksStillCurrent = (orgId: string, ids: readonly number[]): Statement =>
  guard(
    "still_current",
    sql`SELECT count(*) = ${ids.length} FROM user_playbooks WHERE org_id = ${orgId}
        AND ${inList("user_playbook_id", ids)} AND status IS NULL`,
  );

/**
 * Tells aggregation that an agent version has work. A first mark is due at once; a later one never moves
 * what is planned, so that steady traffic neither postpones nor hurries the hourly cycle.
 */
export const markAggregationPending = (orgId: string, agentVersion: string, nowMs: number): Statement =>
  markVersionsPending(orgId, [agentVersion], nowMs);

/** As `markAggregationPending`, for distinct versions. */
export const markVersionsPending = (
  orgId: string,
  agentVersions: readonly string[],
  nowMs: number,
): Statement =>
  sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
      SELECT ${orgId}, value, 1, ${nowMs}, 1, 0 FROM json_each(${JSON.stringify(agentVersions)}) WHERE true
      ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1`;
