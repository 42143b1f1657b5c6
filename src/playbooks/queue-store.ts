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

/** All of the filter but the status and the place in the list. */
function clausesOf(orgId: string, { query, agentVersion, flagged }: QueueFilter): Statement[] {
  const clauses: Statement[] = [];
  if (query !== undefined && query.trim() !== "") {
    const match = wordQuery(query, orgToken(orgId));
    clauses.push(
      match === null
        ? sql`0`
        : sql`row IN (SELECT rowid FROM agent_playbooks_fts WHERE agent_playbooks_fts MATCH ${match})`,
    );
  }
  if (agentVersion !== undefined) clauses.push(sql`agent_version = ${agentVersion}`);
  if (flagged !== undefined) clauses.push(flagged ? sql`flags <> '[]'` : sql`flags = '[]'`);
  return clauses;
}

const countRow = z.object({ playbook_status: z.enum(approvalStatuses), rules: z.int() });

/** One page and the counts beside it, in one batch. New rules never shift a page. */
export async function queueOf(db: Database, orgId: string, filter: QueueFilter): Promise<QueuePage> {
  const { status, before, limit } = filter;
  const clauses = clausesOf(orgId, filter);
  const place =
    before === undefined
      ? []
      : [sql`(created_at, agent_playbook_id) < (${before.createdAt}, ${before.agentPlaybookId})`];
  const [found, counted] = await db.batch([
    sql`SELECT ${agentPlaybookColumns} FROM agent_playbooks INDEXED BY agent_playbooks_queue
        WHERE org_id = ${orgId} AND status IS NULL AND playbook_status = ${status}${and([...clauses, ...place])}
        ORDER BY created_at DESC, agent_playbook_id DESC LIMIT ${limit + 1}`,
    sql`SELECT playbook_status, count(*) AS rules FROM agent_playbooks INDEXED BY agent_playbooks_queue
        WHERE org_id = ${orgId} AND status IS NULL${and(clauses)} GROUP BY playbook_status`,
  ]);
  const rows = (found?.rows ?? []).map((row) => agentPlaybookRow.parse(row));
  const last = rows[limit - 1];
  const counts: QueuePage["counts"] = { pending: 0, approved: 0, rejected: 0 };
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
