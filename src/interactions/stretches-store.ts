/** SQL that stores about sessions share: stretches of users' streams, their windows, and rules that may cite them. */
import * as z from "zod";
import { type Statement, sql } from "../db/sql";
import type { CoverageFacts } from "./coverage";
import { windowsOver } from "./stream-store";

/** The extractor whose work is shown. */
export const KIND = "playbook";
/** A user's newest rules, which may cite any turn; older ones are found by the windows that made them. */
const MAX_USER_RULES = 500;
/** Windows of one stretch. */
export const MAX_WINDOWS = 200;

export const column = (text: string): Statement => ({ text, params: [] });
/** A JSON array of a column. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z.string().transform((text): z.output<Item>[] => z.array(item).parse(JSON.parse(text)));

/** A stretch of one user's stream; `group` is what it belongs to. */
export interface Stretch {
  group: string;
  userId: string;
  firstSeq: number;
  lastSeq: number;
}

/** `stretches (part, user_id, first_seq, last_seq)`. */
export const stretchesOf = (stretches: readonly Stretch[]): Statement => {
  const rows = JSON.stringify(
    stretches.map(({ group, userId, firstSeq, lastSeq }) => [group, userId, firstSeq, lastSeq]),
  );
  return sql`stretches (part, user_id, first_seq, last_seq) AS MATERIALIZED (SELECT value->>0, value->>1, value->>2,
    value->>3 FROM json_each(${rows}))`;
};

/** Windows `w` over a stretch `h`, newest first. */
export const windowsOf = (orgId: string, columns: string, states: string): Statement =>
  sql`SELECT ${column(columns)} FROM windows w WHERE ${windowsOver(
    sql`w.org_id = ${orgId} AND w.user_id = h.user_id AND w.kind = ${KIND} AND w.state IN (${column(states)})`,
    column("h.first_seq"),
    column("h.last_seq"),
  )} ORDER BY w.end_seq DESC LIMIT ${MAX_WINDOWS}`;

/** `candidates (id)`: rules that may cite a turn of the stretches. */
export const candidates = (orgId: string): Statement =>
  sql`candidates (id) AS (
      SELECT p.user_playbook_id FROM (SELECT DISTINCT user_id FROM stretches) u
        CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id IN (
          SELECT q.user_playbook_id FROM user_playbooks q INDEXED BY user_playbooks_of_user
          WHERE q.org_id = ${orgId} AND q.user_id = u.user_id ORDER BY q.user_playbook_id DESC LIMIT ${MAX_USER_RULES})
      UNION SELECT p.user_playbook_id FROM stretches h
        CROSS JOIN user_playbooks p INDEXED BY user_playbooks_window ON p.org_id = ${orgId}
          AND p.window_id IN (${windowsOf(orgId, "w.window_id", "'applied'")}))`;

/** A cursor as coverage reads it; null before its first window. */
export const cursorOf = (row: {
  completed_seq: number | null;
  window_id: string | null;
  attempts: number | null;
  retry_at_ms: number | null;
}): CoverageFacts["cursor"] =>
  row.completed_seq === null
    ? null
    : {
        completedSeq: row.completed_seq,
        hasWindow: row.window_id !== null,
        attempts: row.attempts ?? 0,
        retryAtMs: row.retry_at_ms ?? 0,
      };
