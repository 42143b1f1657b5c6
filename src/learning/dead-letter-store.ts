/** SQL of dead letters: work that was given up, with its reason, for people to see and replay. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Topic, topics } from "../db/outbox";
import { and, guard, type Statement, sql } from "../db/sql";

export interface DeadLetter {
  deadLetterId: string;
  topic: Topic;
  key: (string | number)[];
  reason: string;
  message: string;
  attempts: number;
  createdAt: number;
  replayedAt: number | null;
}

const deadLetterRow = z
  .object({
    dead_letter_id: z.string(),
    topic: z.enum(topics),
    key: z.string().transform((text) => z.array(z.union([z.string(), z.number()])).parse(JSON.parse(text))),
    reason: z.string(),
    message: z.string(),
    attempts: z.int(),
    created_at: z.int(),
    replayed_at: z.int().nullable(),
  })
  .transform(
    (row): DeadLetter => ({
      deadLetterId: row.dead_letter_id,
      topic: row.topic,
      key: row.key,
      reason: row.reason,
      message: row.message,
      attempts: row.attempts,
      createdAt: row.created_at,
      replayedAt: row.replayed_at,
    }),
  );

const COLUMNS: Statement = {
  text: "dead_letter_id, topic, key, reason, message, attempts, created_at, replayed_at",
  params: [],
};

/** Writes a dead letter; one that dies again after its replay is open again. */
export const writeDeadLetter = (
  orgId: string,
  letter: Omit<DeadLetter, "attempts" | "replayedAt"> & { attempts: number },
): Statement =>
  sql`INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at, replayed_at)
      VALUES (${orgId}, ${letter.deadLetterId}, ${letter.topic}, ${JSON.stringify(letter.key)}, ${letter.reason},
        ${letter.message}, ${letter.attempts}, ${letter.createdAt}, NULL)
      ON CONFLICT (org_id, dead_letter_id) DO UPDATE SET reason = excluded.reason, message = excluded.message,
        attempts = dead_letters.attempts + 1, created_at = excluded.created_at, replayed_at = NULL`;

export const findDeadLetter = (
  db: Database,
  orgId: string,
  deadLetterId: string,
): Promise<DeadLetter | null> =>
  db.first(
    deadLetterRow,
    sql`SELECT ${COLUMNS} FROM dead_letters WHERE org_id = ${orgId} AND dead_letter_id = ${deadLetterId}`,
  );

/** Newest first; `open` ones have not been replayed since they died. */
export function listDeadLetters(
  db: Database,
  orgId: string,
  filter: { state: "open" | "replayed" | "all"; limit: number },
): Promise<DeadLetter[]> {
  const clauses: Statement[] = [];
  if (filter.state === "open") clauses.push(sql`replayed_at IS NULL`);
  if (filter.state === "replayed") clauses.push(sql`replayed_at IS NOT NULL`);
  return db.all(
    deadLetterRow,
    sql`SELECT ${COLUMNS} FROM dead_letters WHERE org_id = ${orgId}${and(clauses)}
        ORDER BY created_at DESC, dead_letter_id LIMIT ${filter.limit}`,
  );
}

/** Marks a letter replayed. Guard `operation`: nobody else did meanwhile. */
export const markReplayed = (orgId: string, deadLetterId: string, at: number): Statement[] => [
  sql`UPDATE dead_letters SET replayed_at = ${at} WHERE org_id = ${orgId} AND dead_letter_id = ${deadLetterId}
      AND replayed_at IS NULL`,
  guard("operation", sql`changes() = 1`),
];

/** Opens a dead window again; the cursor has long passed it and stays where it is. Guard `window`. */
export const reopenWindow = (orgId: string, windowId: string): Statement[] => [
  sql`UPDATE windows SET state = 'open', outcome = NULL, error = NULL, finished_at = NULL
      WHERE org_id = ${orgId} AND window_id = ${windowId} AND state = 'dead'`,
  guard("window", sql`changes() = 1`),
];
