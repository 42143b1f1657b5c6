/** All SQL about agent playbooks and what they were made from. */
import * as z from "zod";
import type { Database } from "../db/client";
import { and, guard, inList, type Statement, sql } from "../db/sql";
import { orgToken } from "../search/words";
import { jsonPages } from "./bulk";
import { type ListFilter, listClauses, MAX_LIST_CHARACTERS } from "./filters-store";
import { flagsOfRule } from "./flags";
import type { AgentPlaybook, ApprovalStatus, NewAgentPlaybook, PlaybookSource } from "./model";
import { agentPlaybookColumns, agentPlaybookRow } from "./rows";
import { type Retirement, searchTextOf } from "./user-store";

/** A row as it is inserted: with the flags of its texts and their lexemes. */
export const storedAgentPlaybook = (row: NewAgentPlaybook) => ({
  ...row,
  tags: row.tags === null ? null : JSON.stringify(row.tags),
  flags: JSON.stringify(flagsOfRule(row, row.flags)),
  scope: orgToken(row.orgId),
  searchText: searchTextOf(row),
});

/** Inserts, at version 1, what `storedAgentPlaybook` made; `from` goes on after `SELECT …` and names it `value`. */
export const insertStoredAgentPlaybooks = (from: Statement): Statement =>
  sql`INSERT INTO agent_playbooks (org_id, agent_playbook_id, playbook_name, agent_version, created_at,
        updated_at_ms, content, trigger, rationale, playbook_status, playbook_metadata, status, tags,
        expanded_terms, flags, version, decided_by, decided_at, replaces, scope,
        search_text)
      SELECT value->>'orgId', value->>'agentPlaybookId', value->>'playbookName', value->>'agentVersion',
        value->>'createdAt', value->>'updatedAtMs', value->>'content', value->>'trigger', value->>'rationale',
        value->>'playbookStatus', value->>'playbookMetadata', value->>'status', value->>'tags',
        value->>'expandedTerms', value->>'flags', 1, value->>'decidedBy', value->>'decidedAt', value->>'replaces',
        value->>'scope', value->>'searchText' ${from}`;

/** Inserts rows at version 1 whose ids the caller reserved. Adds the flags of their texts and their lexemes. */
export const insertAgentPlaybooks = (rows: readonly NewAgentPlaybook[]): Statement[] =>
  jsonPages(rows.map(storedAgentPlaybook)).map((page) =>
    insertStoredAgentPlaybooks(sql`FROM json_each(${page})`),
  );

export const insertAgentPlaybook = (row: NewAgentPlaybook): Statement[] => insertAgentPlaybooks([row]);

/** Rows by id, whatever their status, in order of id; unknown ids are left out. */
export const loadAgentPlaybooks = (
  db: Database,
  orgId: string,
  ids: readonly number[],
): Promise<AgentPlaybook[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.all(
        agentPlaybookRow,
        sql`SELECT ${agentPlaybookColumns} FROM agent_playbooks WHERE org_id = ${orgId}
            AND ${inList("agent_playbook_id", ids)} ORDER BY agent_playbook_id`,
      );

export interface AgentPlaybookFilter extends ListFilter {
  agentPlaybookId?: number | undefined;
  /** An empty array matches nothing, an absent one everything. */
  approvals?: readonly ApprovalStatus[] | undefined;
}

/** Newest first; CURRENT rows only unless `statuses` says otherwise. Stops before 8,000,000 characters. */
export function listAgentPlaybooks(
  db: Database,
  orgId: string,
  filter: AgentPlaybookFilter,
): Promise<AgentPlaybook[]> {
  const clauses = listClauses("agent_playbooks", orgId, filter, "current");
  if (filter.agentPlaybookId !== undefined) clauses.push(sql`agent_playbook_id = ${filter.agentPlaybookId}`);
  if (filter.approvals !== undefined) clauses.push(inList("playbook_status", filter.approvals));
  return db.all(
    agentPlaybookRow,
    sql`SELECT ${agentPlaybookColumns} FROM (
          SELECT *, sum(length(content) + length(coalesce(trigger, '')) + length(coalesce(rationale, ''))
              + length(playbook_metadata)) OVER (ORDER BY created_at DESC, agent_playbook_id DESC) AS running
          FROM (SELECT ${agentPlaybookColumns} FROM agent_playbooks WHERE org_id = ${orgId}${and(clauses)}
            ORDER BY created_at DESC, agent_playbook_id DESC LIMIT ${filter.limit}))
        WHERE running <= ${MAX_LIST_CHARACTERS} ORDER BY created_at DESC, agent_playbook_id DESC`,
  );
}

/** Writes `after` over `before` if nothing changed in between; the version grows by one. */
export const updateAgentPlaybook = (before: AgentPlaybook, after: AgentPlaybook): Statement =>
  sql`UPDATE agent_playbooks SET playbook_name = ${after.playbookName}, content = ${after.content},
        trigger = ${after.trigger}, rationale = ${after.rationale}, playbook_status = ${after.playbookStatus},
        tags = ${after.tags === null ? null : JSON.stringify(after.tags)}, expanded_terms = ${after.expandedTerms},
        flags = ${JSON.stringify(after.flags)}, decided_by = ${after.decidedBy}, decided_at = ${after.decidedAt},
        search_text = ${searchTextOf(after)}, updated_at_ms = ${after.updatedAtMs}, version = version + 1
      WHERE org_id = ${before.orgId} AND agent_playbook_id = ${before.agentPlaybookId}
        AND version = ${before.version}`;

/**
 * Deletes one row for good, with its sources, if it still is as `before` shows it. Guard `changes() = 1` right
 * after it.
 */
export const deleteAgentPlaybook = ({
  orgId,
  agentPlaybookId,
  version,
}: Pick<AgentPlaybook, "orgId" | "agentPlaybookId" | "version">): Statement[] => [
  sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}`,
  sql`DELETE FROM agent_playbooks WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}
      AND version = ${version}`,
];

/** Turns CURRENT rows that nobody approved into tombstones (specification, trap 43). */
export const retireAgentPlaybooks = ({ orgId, ids, status, successorId, nowMs }: Retirement): Statement =>
  sql`UPDATE agent_playbooks SET status = ${status}, retired_at = ${Math.floor(nowMs / 1000)},
        merged_into = ${status === "merged" ? successorId : null},
        superseded_by = ${status === "superseded" ? successorId : null},
        updated_at_ms = max(${nowMs}, updated_at_ms + 1), version = version + 1
      WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)} AND status IS NULL
        AND playbook_status <> 'approved'`;

/** Guard `expected_agent`: the row is CURRENT and at this version. */
export const agentPlaybookAtVersion = (orgId: string, agentPlaybookId: number, version: number): Statement =>
  guard(
    "expected_agent",
    sql`EXISTS (SELECT 1 FROM agent_playbooks WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}
        AND version = ${version} AND status IS NULL)`,
  );

/** Records, or widens, what an agent playbook was made from. */
export const insertSources = (
  orgId: string,
  agentPlaybookId: number,
  sources: readonly PlaybookSource[],
): Statement[] =>
  jsonPages(
    sources.map(({ userPlaybookId, sourceInteractionIds }) => [
      userPlaybookId,
      JSON.stringify(sourceInteractionIds),
    ]),
  ).map(
    (
      page,
    ) => sql`INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
      SELECT ${orgId}, ${agentPlaybookId}, value->>0, value->>1 FROM json_each(${page}) WHERE true
      ON CONFLICT (org_id, agent_playbook_id, user_playbook_id)
        DO UPDATE SET source_interaction_ids = excluded.source_interaction_ids`,
  );

const sourceRow = z
  .object({ agent_playbook_id: z.int(), user_playbook_id: z.int(), source_interaction_ids: z.string() })
  .transform((row) => ({
    agentPlaybookId: row.agent_playbook_id,
    userPlaybookId: row.user_playbook_id,
    sourceInteractionIds: z.array(z.int()).parse(JSON.parse(row.source_interaction_ids)),
  }));

/** Sources of several agent playbooks at once. */
export const loadSources = (
  db: Database,
  orgId: string,
  agentPlaybookIds: readonly number[],
): Promise<(PlaybookSource & { agentPlaybookId: number })[]> =>
  db.all(
    sourceRow,
    sql`SELECT agent_playbook_id, user_playbook_id, source_interaction_ids FROM agent_playbook_sources
        WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", agentPlaybookIds)}
        ORDER BY agent_playbook_id, user_playbook_id`,
  );
