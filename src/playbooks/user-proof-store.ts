/** SQL behind one user playbook on its page: the turns that it cites, what was made from it, what happened to it. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { sql } from "../db/sql";
import { approvalStatuses, lifecycleStatuses } from "./model";

/** A cited turn, or the piece of a long one that holds the quoted words. */
export interface ProvingTurn {
  interactionId: number;
  /** Seconds. */
  createdAt: number;
  role: string;
  sessionId: string;
  content: string;
  /** Characters of the whole turn, and where the shown piece begins. */
  characters: number;
  from: number;
}

const turnRow = z
  .object({
    interaction_id: z.int(),
    created_at: z.int(),
    role: z.string(),
    session_id: z.string(),
    content: z.string(),
    characters: z.int(),
    first: z.int(),
  })
  .transform(
    (row): ProvingTurn => ({
      interactionId: row.interaction_id,
      createdAt: row.created_at,
      role: row.role,
      sessionId: row.session_id,
      content: row.content,
      characters: row.characters,
      from: row.first,
    }),
  );

/** Characters before the quoted words of a long turn. */
const LEAD_CHARS = 500;

/**
 * Turns of one user by id, oldest first; an id that is gone, or another user's, is left out. Of a turn longer than
 * `maxChars` the piece around `quote` is given, where the turn has those words.
 */
export const loadProvingTurns = (
  db: Database,
  orgId: string,
  wanted: { userId: string; interactionIds: readonly number[]; quote: string; maxChars: number },
): Promise<ProvingTurn[]> =>
  db.all(
    turnRow,
    sql`SELECT interaction_id, created_at, role, session_id, substr(content, first, ${wanted.maxChars}) AS content,
          characters, first
        FROM (SELECT i.interaction_id, i.created_at, i.role, i.content, r.session_id,
            length(i.content) AS characters, CASE WHEN length(i.content) <= ${wanted.maxChars} THEN 1
              ELSE max(1, instr(i.content, ${wanted.quote}) - ${LEAD_CHARS}) END AS first
          FROM json_each(${JSON.stringify(wanted.interactionIds)}) AS wanted
          CROSS JOIN interactions i ON i.org_id = ${orgId} AND i.user_id = ${wanted.userId}
            AND i.interaction_id = wanted.value
          CROSS JOIN requests r ON r.org_id = i.org_id AND r.request_id = i.request_id
          WHERE NOT ${isBeingErased(orgId, wanted.userId)})
        ORDER BY interaction_id`,
  );

export interface SupportedRule {
  agentPlaybookId: number;
  content: string;
  playbookStatus: (typeof approvalStatuses)[number];
  status: (typeof lifecycleStatuses)[number] | null;
}

/** Agent playbooks that were made from a rule, newest first, each with the beginning of its text. */
export const loadSupportedRules = (
  db: Database,
  orgId: string,
  userPlaybookId: number,
  limit: number,
): Promise<SupportedRule[]> =>
  db.all(
    z
      .object({
        agent_playbook_id: z.int(),
        content: z.string(),
        playbook_status: z.enum(approvalStatuses),
        status: z.enum(lifecycleStatuses).nullable(),
      })
      .transform(
        (row): SupportedRule => ({
          agentPlaybookId: row.agent_playbook_id,
          content: row.content,
          playbookStatus: row.playbook_status,
          status: row.status,
        }),
      ),
    sql`SELECT a.agent_playbook_id, substr(a.content, 1, 300) AS content, a.playbook_status, a.status
        FROM agent_playbook_sources s CROSS JOIN agent_playbooks a ON a.org_id = s.org_id
          AND a.agent_playbook_id = s.agent_playbook_id
        WHERE s.org_id = ${orgId} AND s.user_playbook_id = ${userPlaybookId}
        ORDER BY a.agent_playbook_id DESC LIMIT ${limit}`,
  );

const eventRow = z.object({
  op: z.string(),
  actor: z.string(),
  reason: z.string().nullable(),
  created_at: z.int(),
  from_status: z.string().nullable(),
  to_status: z.string().nullable(),
  source_ids: z.string().transform((text) => z.array(z.union([z.int(), z.string()])).parse(JSON.parse(text))),
});
export type RuleEvent = z.output<typeof eventRow>;

/** The newest events of a user playbook, newest first. A rule that is gone keeps them. */
export const loadUserPlaybookEvents = (
  db: Database,
  orgId: string,
  userPlaybookId: number,
  limit: number,
): Promise<RuleEvent[]> =>
  db.all(
    eventRow,
    sql`SELECT op, actor, substr(reason, 1, 1000) AS reason, created_at, from_status, to_status, source_ids
        FROM lineage WHERE org_id = ${orgId} AND entity_type = 'user_playbook'
          AND entity_id = ${String(userPlaybookId)} ORDER BY row DESC LIMIT ${limit}`,
  );
