/** SQL of the list of user playbooks that people page through: newest first, bounded whatever the filter. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { and, inList, type Statement, sql } from "../db/sql";
import { orgToken, wordQuery } from "../search/words";
import { type Flag, flags, type LifecycleStatus, lifecycleStatuses, tombstoneStatuses } from "./model";

/** Which lifecycle a list shows; `kept` is everything that no other row replaced. */
export const lifecycleViews = ["kept", "current", "pending", "archived", "replaced", "all"] as const;
export type LifecycleView = (typeof lifecycleViews)[number];

export interface UserPlaybookSearch {
  agentVersion?: string | undefined;
  userId?: string | undefined;
  lifecycle: LifecycleView;
  /** One flag, or any at all. */
  flag?: Flag | "any" | undefined;
  /** Words, any of which a rule must have. */
  query?: string | undefined;
  /** Only rules with a smaller id. */
  before?: number | undefined;
  limit: number;
}

/** A rule as a list shows it; its texts are cut. */
export interface ListedUserPlaybook {
  userPlaybookId: number;
  userId: string | null;
  agentVersion: string;
  /** Seconds. */
  createdAt: number;
  trigger: string | null;
  content: string;
  /** Null is CURRENT. */
  status: LifecycleStatus | null;
  successorId: number | null;
  flags: Flag[];
  sourceSpan: string | null;
  /** Turns that it cites, whether they are still there or not. */
  turns: number;
  /** Agent playbooks in use or review that were made from it. */
  supports: number;
}

export interface UserPlaybookPage {
  rows: ListedUserPlaybook[];
  /** Where the next page goes on; null where nothing is left. */
  next: number | null;
}

/**
 * Rows that one page looks at. A filter that few of them meet gives a short page, and the next one goes on from
 * there.
 */
export const MAX_LOOKED_AT = 2_000;
/** Characters of each text. */
const MAX_TEXT_CHARS = 1_200;
const NO_BOUND = Number.MAX_SAFE_INTEGER;
/** Ids grow with rows but for calls that overtook each other; so far back the one tells of the other. */
const OVERTAKING_ROWS = 1_000;

const row = z
  .object({
    user_playbook_id: z.int(),
    user_id: z.string().nullable(),
    agent_version: z.string(),
    created_at: z.int(),
    trigger: z.string().nullable(),
    content: z.string(),
    status: z.enum(lifecycleStatuses).nullable(),
    successor_id: z.int().nullable(),
    flags: z.string().transform((text) => z.array(z.enum(flags)).parse(JSON.parse(text))),
    source_span: z.string().nullable(),
    turns: z.int(),
    supports: z.int(),
  })
  .transform(
    (found): ListedUserPlaybook => ({
      userPlaybookId: found.user_playbook_id,
      userId: found.user_id,
      agentVersion: found.agent_version,
      createdAt: found.created_at,
      trigger: found.trigger,
      content: found.content,
      status: found.status,
      successorId: found.successor_id,
      flags: found.flags,
      sourceSpan: found.source_span,
      turns: found.turns,
      supports: found.supports,
    }),
  );

const lifecycleOf: Record<LifecycleView, Statement[]> = {
  kept: [sql`(p.status IS NULL OR NOT ${inList("p.status", tombstoneStatuses)})`],
  current: [sql`p.status IS NULL`],
  pending: [sql`p.status = 'pending'`],
  archived: [sql`p.status IN ('archived', 'archive_in_progress')`],
  replaced: [inList("p.status", tombstoneStatuses)],
  all: [],
};

const flagClause = (flag: Flag | "any"): Statement =>
  flag === "any"
    ? sql`p.flags <> '[]'`
    : sql`EXISTS (SELECT 1 FROM json_each(p.flags) WHERE value = ${flag})`;

/** A text of row `p`, cut to what a list shows. */
const cut = (column: "trigger" | "content" | "source_span"): Statement => {
  const name: Statement = { text: `p.${column}`, params: [] };
  return sql`iif(length(${name}) > ${MAX_TEXT_CHARS}, substr(${name}, 1, ${MAX_TEXT_CHARS}) || '…', ${name})`;
};

/** What a page is read from: the rows `p` to look at, and how it knows whether older ones are left. */
interface Look {
  from: Statement;
  /** Where the next page goes on when this one finds no more; null where nothing is left. */
  next: Statement;
}

/** Rows by the index that narrows most. */
function byIndex(orgId: string, search: UserPlaybookSearch): Look {
  const { userId, agentVersion, before = NO_BOUND } = search;
  const [index, owner] =
    userId !== undefined
      ? ["user_playbooks_of_user", sql` AND p.user_id = ${userId}`]
      : agentVersion !== undefined
        ? ["user_playbooks_by_version", sql` AND p.agent_version = ${agentVersion}`]
        : ["user_playbooks_by_id", sql``];
  const rows = sql`user_playbooks p INDEXED BY ${{ text: index, params: [] }} WHERE p.org_id = ${orgId}${owner}
      AND p.user_playbook_id < ${before}`;
  // The newest row that this page does not look at.
  const beyond = sql`(SELECT p.user_playbook_id FROM ${rows} ORDER BY p.user_playbook_id DESC
      LIMIT 1 OFFSET ${MAX_LOOKED_AT})`;
  return {
    from: sql`${rows} AND p.user_playbook_id > coalesce(${beyond}, 0)`,
    next: sql`SELECT ${beyond} + 1 AS next`,
  };
}

/** Rows by the word index, whose order is that of the table. */
function byWords(orgId: string, search: UserPlaybookSearch, match: string): Look {
  const before = search.before ?? NO_BOUND;
  const ids = sql`SELECT t.user_playbook_id AS id FROM user_playbooks_fts f CROSS JOIN user_playbooks t ON t.row = f.rowid
      WHERE user_playbooks_fts MATCH ${match} AND f.rowid <= (SELECT coalesce(max(row), 0) FROM (
          SELECT row FROM user_playbooks WHERE org_id = ${orgId} AND user_playbook_id < ${before}
          ORDER BY user_playbook_id DESC LIMIT ${OVERTAKING_ROWS}))
        AND t.org_id = ${orgId} AND t.user_playbook_id < ${before}
      ORDER BY f.rowid DESC LIMIT ${MAX_LOOKED_AT}`;
  return {
    from: sql`(${ids}) looked CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = looked.id
        WHERE true`,
    next: sql`SELECT CASE WHEN count(*) = ${MAX_LOOKED_AT} THEN min(id) END AS next FROM (${ids})`,
  };
}

/** One page, newest first. Words without a letter or digit match nothing. */
export async function searchUserPlaybooks(
  db: Database,
  orgId: string,
  search: UserPlaybookSearch,
): Promise<UserPlaybookPage> {
  const match = search.query === undefined ? null : wordQuery(search.query, orgToken(orgId));
  if (search.query !== undefined && match === null) return { rows: [], next: null };
  const look = match === null ? byIndex(orgId, search) : byWords(orgId, search, match);
  const clauses = [
    sql`NOT ${isBeingErased(orgId, { text: "p.user_id", params: [] })}`,
    ...lifecycleOf[search.lifecycle],
    ...(search.flag === undefined ? [] : [flagClause(search.flag)]),
    ...(search.userId === undefined ? [] : [sql`p.user_id = ${search.userId}`]),
    ...(search.agentVersion === undefined ? [] : [sql`p.agent_version = ${search.agentVersion}`]),
  ];
  const [found, left] = await db.batch([
    sql`SELECT p.user_playbook_id, p.user_id, p.agent_version, p.created_at,
          ${cut("trigger")} AS trigger, ${cut("content")} AS content,
          p.status, coalesce(p.merged_into, p.superseded_by) AS successor_id, p.flags,
          ${cut("source_span")} AS source_span, json_array_length(p.source_interaction_ids) AS turns,
          (SELECT count(*) FROM agent_playbook_sources s CROSS JOIN agent_playbooks a ON a.org_id = s.org_id
            AND a.agent_playbook_id = s.agent_playbook_id WHERE s.org_id = ${orgId}
            AND s.user_playbook_id = p.user_playbook_id AND a.status IS NULL
            AND a.playbook_status <> 'rejected') AS supports
        FROM ${look.from}${and(clauses)} ORDER BY p.user_playbook_id DESC LIMIT ${search.limit + 1}`,
    look.next,
  ]);
  const rows = z.array(row).parse(found?.rows ?? []);
  const shown = rows.slice(0, search.limit);
  if (rows.length > search.limit) return { rows: shown, next: shown.at(-1)?.userPlaybookId ?? null };
  return { rows: shown, next: z.object({ next: z.int().nullable() }).parse(left?.rows[0]).next };
}

/** Agent versions that have user playbooks, in order, found by one seek each. */
export async function versionsOfUserPlaybooks(db: Database, orgId: string, limit: number): Promise<string[]> {
  const rows = await db.all(
    z.object({ version: z.string() }),
    sql`WITH RECURSIVE versions (version) AS (
          SELECT min(agent_version) FROM user_playbooks WHERE org_id = ${orgId}
          UNION ALL SELECT (SELECT min(agent_version) FROM user_playbooks
            WHERE org_id = ${orgId} AND agent_version > versions.version)
          FROM versions WHERE versions.version IS NOT NULL LIMIT ${limit})
        SELECT version FROM versions WHERE version IS NOT NULL`,
  );
  return rows.map(({ version }) => version);
}
