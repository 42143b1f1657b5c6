/** SQL behind the evidence of an agent playbook: the turns that its sources cite, and its history. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { sql } from "../db/sql";

/** A turn of one user's stream. */
export interface CitedTurn {
  userId: string;
  interactionId: number;
  requestId: string;
  /** Seconds. */
  createdAt: number;
  role: string;
  content: string;
}

const turnRow = z
  .object({
    user_id: z.string(),
    interaction_id: z.int(),
    request_id: z.string(),
    created_at: z.int(),
    role: z.string(),
    content: z.string(),
  })
  .transform(
    (row): CitedTurn => ({
      userId: row.user_id,
      interactionId: row.interaction_id,
      requestId: row.request_id,
      createdAt: row.created_at,
      role: row.role,
      content: row.content,
    }),
  );

/**
 * Turns by user and id; an id that is gone, or another user's, is left out. A turn's text is cut after
 * `maxChars` characters.
 */
export const loadCitedTurns = (
  db: Database,
  orgId: string,
  wanted: readonly (readonly [userId: string, interactionId: number])[],
  maxChars: number,
): Promise<CitedTurn[]> =>
  db.all(
    turnRow,
    sql`SELECT turn.user_id, turn.interaction_id, turn.request_id, turn.created_at, turn.role,
          substr(turn.content, 1, ${maxChars}) AS content
        FROM json_each(${JSON.stringify(wanted)}) AS wanted JOIN interactions AS turn
          ON turn.org_id = ${orgId} AND turn.user_id = wanted.value->>0 AND turn.interaction_id = wanted.value->>1
        WHERE NOT ${isBeingErased(orgId, { text: "turn.user_id", params: [] })}
        ORDER BY turn.interaction_id`,
  );

const historyRow = z.object({
  op: z.string(),
  actor: z.string(),
  request_id: z.string(),
  reason: z.string().nullable(),
  created_at: z.int(),
  from_status: z.string().nullable(),
  to_status: z.string().nullable(),
});
export type HistoryEvent = z.output<typeof historyRow>;

/** The newest events of an agent playbook, newest first. */
export const loadHistory = (
  db: Database,
  orgId: string,
  agentPlaybookId: number,
  limit: number,
): Promise<HistoryEvent[]> =>
  db.all(
    historyRow,
    sql`SELECT op, actor, request_id, reason, created_at, from_status, to_status FROM lineage
        WHERE org_id = ${orgId} AND entity_type = 'agent_playbook' AND entity_id = ${String(agentPlaybookId)}
        ORDER BY row DESC LIMIT ${limit}`,
  );
