/**
 * All SQL of searching. Statements read rows of their own org only: the word index by its scope token, vectors
 * by their primary key. Whether a row may be seen (lifecycle, approval, version, user) is decided here, in D1.
 */
import { isBeingErased } from "../db/erasure-mark";
import { and, inList, nothing, type Statement, sql } from "../db/sql";
import type { PlaybookKind } from "./kinds";
import { servedIds } from "./served-store";

/** An absent filter matches everything, an empty list nothing. Null in `statuses` stands for CURRENT. */
export interface PlaybookFilter {
  agentVersion?: string;
  playbookName?: string;
  /** User playbooks only. */
  userId?: string;
  statuses?: readonly (string | null)[];
  /** Agent playbooks only. */
  approvals?: readonly string[];
  /** Any of them. */
  tags?: readonly string[];
  /** Inclusive bounds of `created_at`. */
  fromSec?: number;
  toSec?: number;
  /** Only what this session has not been served. */
  unserved?: { sessionId: string; nowMs: number };
}

const raw = (text: string): Statement => ({ text, params: [] });

const SHARED_COLUMNS = `t.playbook_name, t.agent_version, t.created_at, t.content, t.trigger, t.rationale, t.status, t.tags,
  t.flags, t.updated_at_ms`;

/** `[helpful, harmful]`, or null where nobody said anything: one seek a row. */
const verdictsOf = (kind: PlaybookKind): string =>
  `(SELECT json_array(said.helpful, said.harmful) FROM rule_verdicts said WHERE said.org_id = t.org_id AND said.kind = '${kind}'
       AND said.entity_id = t.${kind}_id) AS verdicts`;

/** Names that differ between the two kinds; constants, never input. */
const TABLES = {
  user_playbook: {
    table: raw("user_playbooks"),
    words: raw("user_playbooks_fts"),
    id: raw("user_playbook_id"),
    userId: raw("coalesce(t.user_id, '')"),
    belongs: raw("t.status IS NULL"),
    columns:
      raw(`t.user_playbook_id AS id, t.user_playbook_id, t.user_id, t.request_id, t.source, t.source_interaction_ids, t.source_span,
      ${SHARED_COLUMNS}, ${verdictsOf("user_playbook")}`),
  },
  agent_playbook: {
    table: raw("agent_playbooks"),
    words: raw("agent_playbooks_fts"),
    id: raw("agent_playbook_id"),
    userId: raw("''"),
    belongs: raw("t.status IS NULL AND t.playbook_status IN ('pending', 'approved')"),
    columns:
      raw(`t.agent_playbook_id AS id, t.agent_playbook_id, t.playbook_status, t.playbook_metadata, ${SHARED_COLUMNS},
      ${verdictsOf("agent_playbook")},
      (SELECT json_group_array(s.user_playbook_id) FROM agent_playbook_sources s
       WHERE s.org_id = t.org_id AND s.agent_playbook_id = t.agent_playbook_id) AS source_ids,
      (SELECT d.version FROM decisions d WHERE d.org_id = t.org_id AND d.agent_playbook_id = t.agent_playbook_id
       AND d.version = t.version AND d.served_at_ms IS NULL AND t.playbook_status = 'approved') AS unserved_decision`),
  },
} as const;

/**
 * Rows that share words with the query, best first by BM25, which SQLite counts downwards and `word_score`
 * upwards. `match` is what `wordQuery` gave.
 */
export function byWords(
  orgId: string,
  kind: PlaybookKind,
  match: string,
  filter: PlaybookFilter,
  limit: number,
): Statement {
  const { table, words, id, columns } = TABLES[kind];
  return sql`SELECT ${columns}, -found.rank AS word_score FROM (
      SELECT t.row AS row, bm25(${words}, 0.0, 1.0) AS rank, t.${id} AS id
      FROM ${words} JOIN ${table} t ON t.row = ${words}.rowid
      WHERE ${words} MATCH ${match} AND t.org_id = ${orgId}${clauses(orgId, kind, filter)}
      ORDER BY rank, id LIMIT ${limit}) found
    JOIN ${table} t ON t.row = found.row ORDER BY found.rank, found.id`;
}

/** Rows without a query, newest first. */
export function newest(orgId: string, kind: PlaybookKind, filter: PlaybookFilter, limit: number): Statement {
  const { table, id, columns } = TABLES[kind];
  return sql`SELECT ${columns} FROM ${table} t WHERE t.org_id = ${orgId}${clauses(orgId, kind, filter)}
    ORDER BY t.created_at DESC, t.${id} DESC LIMIT ${limit}`;
}

export interface MeaningQuery {
  orgId: string;
  kind: PlaybookKind;
  model: { name: string; dimension: number };
  /** Rows that the index hinted at. */
  ids: readonly number[];
  /** Rows of the org whose vector was written since then are compared whether the index knows them or not. */
  changedSinceMs: number;
  /** At most this many of those, the newest. */
  maxChanged: number;
}

/** Rows to be compared by meaning, each with its vector, in no order. */
export function byMeaning(query: MeaningQuery, filter: PlaybookFilter): Statement {
  const { orgId, kind, model, ids, changedSinceMs, maxChanged } = query;
  const { table, id, columns } = TABLES[kind];
  return sql`SELECT ${columns}, hex(v.vector) AS hex_bytes FROM (
      SELECT value AS entity_id FROM json_each(${JSON.stringify(ids)})
      UNION SELECT entity_id FROM (
        SELECT kind, entity_id FROM vectors
        WHERE org_id = ${orgId} AND model = ${model.name} AND updated_at_ms >= ${changedSinceMs}
        ORDER BY updated_at_ms DESC LIMIT ${maxChanged}) WHERE kind = ${kind}) hint
    CROSS JOIN vectors v ON v.org_id = ${orgId} AND v.kind = ${kind} AND v.entity_id = hint.entity_id
      AND v.model = ${model.name} AND v.dimension = ${model.dimension}
    CROSS JOIN ${table} t ON t.org_id = v.org_id AND t.${id} = v.entity_id
    WHERE true${clauses(orgId, kind, filter)}`;
}

/** Rules that belong in the index, in order of their ids after `after`, each with its vector. */
export function indexable(
  orgId: string,
  kind: PlaybookKind,
  model: { name: string; dimension: number },
  after: number,
  limit: number,
): Statement {
  const { table, id, userId, belongs } = TABLES[kind];
  return sql`SELECT v.entity_id, t.agent_version, ${userId} AS user_id, hex(v.vector) AS hex_bytes, v.scale
    FROM vectors v JOIN ${table} t ON t.org_id = v.org_id AND t.${id} = v.entity_id
    WHERE v.org_id = ${orgId} AND v.kind = ${kind} AND v.entity_id > ${after} AND v.model = ${model.name}
      AND v.dimension = ${model.dimension} AND ${belongs}
    ORDER BY v.entity_id LIMIT ${limit}`;
}

export interface InteractionFilter {
  userId: string;
  requestId?: string;
  fromSec?: number;
  toSec?: number;
  /** Only among so many of the user's newest turns. */
  mostRecent?: number;
}

/** A user's turns that share words with the query, best first; without `match` the newest. */
export function interactions(
  orgId: string,
  match: string | null,
  filter: InteractionFilter,
  limit: number,
): Statement {
  const columns = raw(
    "t.interaction_id, t.user_id, t.request_id, t.created_at, t.role, t.content, t.details",
  );
  const conditions = sql`t.org_id = ${orgId} AND t.user_id = ${filter.userId}${and([
    sql`NOT ${isBeingErased(orgId, filter.userId)}`,
    ...optional(filter.requestId, (value) => sql`t.request_id = ${value}`),
    ...optional(
      filter.mostRecent,
      (count) => sql`t.interaction_id IN (SELECT r.interaction_id FROM interactions r
        WHERE r.org_id = ${orgId} AND r.user_id = ${filter.userId} ORDER BY r.interaction_id DESC LIMIT ${count})`,
    ),
    ...timeBounds(filter),
  ])}`;
  if (match === null) {
    return sql`SELECT ${columns} FROM interactions t WHERE ${conditions} ORDER BY t.interaction_id DESC LIMIT ${limit}`;
  }
  return sql`SELECT ${columns} FROM (
      SELECT t.row AS row, bm25(interactions_fts, 0.0, 1.0) AS rank, t.interaction_id AS id
      FROM interactions_fts JOIN interactions t ON t.row = interactions_fts.rowid
      WHERE interactions_fts MATCH ${match} AND ${conditions} ORDER BY rank, id DESC LIMIT ${limit}) found
    JOIN interactions t ON t.row = found.row ORDER BY found.rank, found.id DESC`;
}

function clauses(orgId: string, kind: PlaybookKind, filter: PlaybookFilter): Statement {
  const { id } = TABLES[kind];
  return and([
    ...optional(filter.agentVersion, (value) => sql`t.agent_version = ${value}`),
    ...optional(filter.playbookName, (value) => sql`t.playbook_name = ${value}`),
    ...optional(filter.userId, (value) => sql`t.user_id = ${value}`),
    lifecycle(filter.statuses),
    ...optional(filter.approvals, (values) => inList("t.playbook_status", values)),
    ...optional(
      filter.tags,
      (values) => sql`EXISTS (SELECT 1 FROM json_each(t.tags) tag WHERE ${inList("tag.value", values)})`,
    ),
    ...timeBounds(filter),
    ...optional(
      filter.unserved,
      (session) => sql`t.${id} NOT IN (${servedIds({ orgId, ...session }, kind)})`,
    ),
  ]);
}

/** `IN (NULL)` never matches, so CURRENT is asked for apart; without a filter only tombstones are left out. */
function lifecycle(statuses: readonly (string | null)[] | undefined): Statement {
  if (statuses === undefined) return sql`(t.status IS NULL OR t.status NOT IN ('merged', 'superseded'))`;
  const current = statuses.includes(null) ? sql`t.status IS NULL OR ` : nothing;
  const named = statuses.filter((status) => status !== null);
  return sql`(${current}${inList("t.status", named)})`;
}

function timeBounds({ fromSec, toSec }: { fromSec?: number; toSec?: number }): Statement[] {
  return [
    ...optional(fromSec, (value) => sql`t.created_at >= ${value}`),
    ...optional(toSec, (value) => sql`t.created_at <= ${value}`),
  ];
}

function optional<Value>(value: Value | undefined, clause: (value: Value) => Statement): Statement[] {
  return value === undefined ? [] : [clause(value)];
}
