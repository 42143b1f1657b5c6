/** SQL of the review queue: CURRENT agent playbooks of one approval status, newest first, page by page. */
import * as z from "zod";
import type { Database } from "../db/client";
import { and, type Statement, sql } from "../db/sql";
import { orgToken, wordQuery } from "../search/words";
import { type AgentPlaybook, type ApprovalStatus, approvalStatuses } from "./model";
import { agentPlaybookColumns, agentPlaybookRow } from "./rows";

/** The last row of a page: the next one begins below it. */
export interface QueueCursor {
  /** Seconds. */
  createdAt: number;
  agentPlaybookId: number;
}

export interface QueueFilter {
  status: ApprovalStatus;
  /** Words, any of which a rule must have; blank is none, and one without a letter or digit matches nothing. */
  query?: string | undefined;
  agentVersion?: string | undefined;
  /** True: only rules with a flag. False: only rules without one. */
  flagged?: boolean | undefined;
  before?: QueueCursor | undefined;
  limit: number;
}

export interface QueuePage {
  rows: AgentPlaybook[];
  /** Where the next page begins; null on the last one. */
  next: QueueCursor | null;
  /** Rules of each status that the rest of the filter matches. */
  counts: Record<ApprovalStatus, number>;
}

/** All of the filter but its words, the status and the place in the list. */
const clausesOf = ({ agentVersion, flagged }: QueueFilter): Statement[] => [
  ...(agentVersion === undefined ? [] : [sql`agent_version = ${agentVersion}`]),
  ...(flagged === undefined ? [] : [flagged ? sql`flags <> '[]'` : sql`flags = '[]'`]),
];

/** The rows to look at: those the word index finds, or the queue in its order. Null where no word can be found. */
function sourceOf(orgId: string, query: string | undefined): { from: Statement; words: Statement[] } | null {
  if (query === undefined || query.trim() === "") {
    return { from: sql`agent_playbooks INDEXED BY agent_playbooks_queue`, words: [] };
  }
  const match = wordQuery(query, orgToken(orgId));
  if (match === null) return null;
  const found = sql`row IN (SELECT rowid FROM agent_playbooks_fts WHERE agent_playbooks_fts MATCH ${match})`;
  // The planner knows no sizes and would go through the whole queue.
  return { from: sql`agent_playbooks NOT INDEXED`, words: [found] };
}

const countRow = z.object({ playbook_status: z.enum(approvalStatuses), rules: z.int() });

/** One page and the counts beside it, in one batch. New rules never shift a page. */
export async function queueOf(db: Database, orgId: string, filter: QueueFilter): Promise<QueuePage> {
  const { status, before, limit } = filter;
  const counts: QueuePage["counts"] = { pending: 0, approved: 0, rejected: 0 };
  const source = sourceOf(orgId, filter.query);
  if (source === null) return { rows: [], next: null, counts };
  const clauses = [...source.words, ...clausesOf(filter)];
  const place =
    before === undefined
      ? []
      : [sql`(created_at, agent_playbook_id) < (${before.createdAt}, ${before.agentPlaybookId})`];
  const [found, counted] = await db.batch([
    sql`SELECT ${agentPlaybookColumns} FROM ${source.from}
        WHERE org_id = ${orgId} AND status IS NULL AND playbook_status = ${status}${and([...clauses, ...place])}
        ORDER BY created_at DESC, agent_playbook_id DESC LIMIT ${limit + 1}`,
    sql`SELECT playbook_status, count(*) AS rules FROM ${source.from}
        WHERE org_id = ${orgId} AND status IS NULL${and(clauses)} GROUP BY playbook_status`,
  ]);
  const rows = (found?.rows ?? []).map((row) => agentPlaybookRow.parse(row));
  const last = rows[limit - 1];
  for (const row of counted?.rows ?? []) {
    const { playbook_status, rules } = countRow.parse(row);
    counts[playbook_status] = rules;
  }
  return {
    rows: rows.slice(0, limit),
    next:
      rows.length > limit && last !== undefined
        ? { createdAt: last.createdAt, agentPlaybookId: last.agentPlaybookId }
        : null,
    counts,
  };
}
