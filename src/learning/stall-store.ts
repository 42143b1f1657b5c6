/** SQL that finds stalled learning among the work that is due: rows of every org, as the outbox gives them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, sql } from "../db/sql";
import { activeKinds } from "../interactions/admission";
import { wantsEvent } from "../orgs/webhooks/endpoint-store";

export interface Stall {
  orgId: string;
  /** Users whose turns wait. */
  streams: number;
  /** Since when the longest of them waits without any progress. */
  sinceMs: number;
  /** A closed code of the last failure of that one; null where nobody has come to it. */
  lastError: string | null;
}

const stallRow = z
  .object({
    org_id: z.string(),
    streams: z.int(),
    since_ms: z.int(),
    last_error: z.string().nullable(),
  })
  .transform(
    (row): Stall => ({
      orgId: row.org_id,
      streams: row.streams,
      sinceMs: row.since_ms,
      lastError: row.last_error,
    }),
  );

/**
 * Of the orgs that want to hear of it, those with extraction work that is due and has waited, without a window
 * finished in its stream, since `beforeMs` or longer. A stream that rests until the next day over its org's
 * budget does not count. Looks at the `limit` rows that fell due first.
 */
export const findStalls = (db: Database, nowMs: number, beforeMs: number, limit: number): Promise<Stall[]> =>
  db.all(
    stallRow,
    // With one min(), SQLite takes the bare column from the row that has the minimum.
    sql`SELECT org_id, count(*) AS streams, min(since_ms) AS since_ms, last_error
        FROM (
          SELECT due.org_id, max(c.last_error) AS last_error,
            max(min(due.created_at_ms), coalesce(max(c.last_turn_ms), 0)) AS since_ms,
            max(coalesce(c.last_error = 'daily_cap', 0)) AS is_resting
          FROM (SELECT org_id, topic, key, created_at_ms FROM outbox WHERE due_at_ms <= ${nowMs}
              ORDER BY due_at_ms LIMIT ${limit}) due
          LEFT JOIN cursors c ON c.org_id = due.org_id AND c.user_id = due.key ->> 0
            AND ${inList("c.kind", activeKinds)}
          WHERE due.topic = 'extraction' AND due.created_at_ms <= ${beforeMs}
            AND ${wantsEvent({ text: "due.org_id", params: [] }, "learning.stalled")}
          GROUP BY due.org_id, due.key ->> 0)
        WHERE since_ms <= ${beforeMs} AND is_resting = 0
        GROUP BY org_id`,
  );
