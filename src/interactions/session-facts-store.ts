/** SQL of what learning has made of whole sessions: how far it has come, and how many rules cite their turns. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import type { CoverageFacts } from "./coverage";
import { mayLearnFrom, userIsRevoked } from "./revoked-store";
import { windowsOver } from "./stream-store";
import {
  candidates,
  column,
  cursorOf,
  KIND,
  list,
  MAX_WINDOWS,
  type Stretch,
  stretchesOf,
} from "./stretches-store";

/** A rule's citations `s` with the session of each; a turn lies in the request whose ids enclose its own. */
const sessionOfCitation = (orgId: string): Statement =>
  sql`(SELECT CASE WHEN r.min_seq <= s.value AND r.user_id = p.user_id THEN r.session_id END FROM requests r
      WHERE r.org_id = ${orgId} AND r.max_seq >= s.value ORDER BY r.max_seq LIMIT 1)`;

/** Distinct rules that cite a turn of each session and were not replaced; `group` is the session's id. */
export async function countLessons(
  db: Database,
  orgId: string,
  stretches: readonly Stretch[],
): Promise<Map<string, number>> {
  if (stretches.length === 0) return new Map();
  const rows = await db.all(
    z.object({ session_id: z.string(), lessons: z.int() }),
    sql`WITH ${stretchesOf(stretches)}, ${candidates(orgId)}
        SELECT session_id, count(DISTINCT id) AS lessons FROM (
          SELECT p.user_playbook_id AS id, ${sessionOfCitation(orgId)} AS session_id FROM candidates
          CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = candidates.id
          CROSS JOIN json_each(p.source_interaction_ids) s
          WHERE p.status IS NULL OR p.status NOT IN ('merged', 'superseded'))
        WHERE session_id IN (SELECT part FROM stretches) GROUP BY session_id`,
  );
  return new Map(rows.map(({ session_id, lessons }) => [session_id, lessons]));
}

const factsRow = z.object({
  part: z.string(),
  user_is_revoked: z.int(),
  last_seq: z.int().nullable(),
  states: list(z.string()),
  completed_seq: z.int().nullable(),
  window_id: z.string().nullable(),
  attempts: z.int().nullable(),
  retry_at_ms: z.int().nullable(),
});

/** What decides how far learning has come with each session. `lastCall` is the newest call that it may read. */
export async function loadSessionFacts(
  db: Database,
  orgId: string,
  sessions: readonly (Stretch & { lastCallMinSeq: number })[],
): Promise<Map<string, Omit<CoverageFacts, "nowMs">>> {
  if (sessions.length === 0) return new Map();
  const rows = JSON.stringify(
    sessions.map((session) => [
      session.group,
      session.userId,
      session.firstSeq,
      session.lastSeq,
      session.lastCallMinSeq,
    ]),
  );
  // A window of the same user may lie over turns of another session only.
  const holdsTurns = sql`EXISTS (SELECT 1 FROM (SELECT r.min_seq FROM requests r INDEXED BY requests_by_session
      WHERE r.org_id = ${orgId} AND r.session_id = h.part AND r.max_seq >= lying.first_new_seq ORDER BY r.max_seq LIMIT 1)
      WHERE min_seq <= lying.end_seq)`;
  const found = await db.all(
    factsRow,
    sql`SELECT h.part, ${userIsRevoked(orgId, column("h.user_id"))} AS user_is_revoked,
          (SELECT max(i.interaction_id) FROM interactions i WHERE i.org_id = ${orgId} AND i.user_id = h.user_id
            AND i.interaction_id BETWEEN h.min_seq AND h.last_seq
            AND ${mayLearnFrom(orgId, column("h.user_id"), column("i.interaction_id"))}) AS last_seq,
          (SELECT json_group_array(DISTINCT state) FROM (
            SELECT w.state, w.first_new_seq, w.end_seq FROM windows w WHERE ${windowsOver(
              sql`w.org_id = ${orgId} AND w.user_id = h.user_id AND w.kind = ${KIND}
                AND w.state IN ('open', 'computed', 'dead')`,
              column("h.first_seq"),
              column("h.last_seq"),
            )} ORDER BY w.end_seq DESC LIMIT ${MAX_WINDOWS}) lying WHERE ${holdsTurns}) AS states,
          c.completed_seq, c.window_id, c.attempts, c.retry_at_ms
        FROM (SELECT value->>0 AS part, value->>1 AS user_id, value->>2 AS first_seq, value->>3 AS last_seq,
          value->>4 AS min_seq FROM json_each(${rows})) h
        LEFT JOIN cursors c ON c.org_id = ${orgId} AND c.user_id = h.user_id AND c.kind = ${KIND}`,
  );
  return new Map(
    found.map((row) => [
      row.part,
      {
        eligible: row.user_is_revoked === 0,
        lastSeq: row.last_seq,
        windowStates: new Set(row.states),
        cursor: cursorOf(row),
      },
    ]),
  );
}
