/** SQL of dead letters: work that was given up, with its reason, for people to see and replay. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Topic, topics } from "../db/outbox";
import { and, guard, inList, type Statement, sql } from "../db/sql";

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

/** Where a page of letters ended. */
export interface LetterPlace {
  /** Of an open letter when it died, of another when it was replayed; seconds. */
  at: number;
  deadLetterId: string;
}

export const placeOfLetter = ({ createdAt, replayedAt, deadLetterId }: DeadLetter): LetterPlace => ({
  at: replayedAt ?? createdAt,
  deadLetterId,
});

/** Open letters by death or replayed ones by replay, newest first, from after a place on. */
export function pageOfDeadLetters(
  db: Database,
  orgId: string,
  page: { state: "open" | "replayed"; before: LetterPlace | null; limit: number },
): Promise<DeadLetter[]> {
  const isOpen = page.state === "open";
  const at: Statement = { text: isOpen ? "created_at" : "replayed_at", params: [] };
  const ofState: Statement = { text: isOpen ? "replayed_at IS NULL" : "replayed_at > 0", params: [] };
  const beyond =
    page.before === null
      ? []
      : [sql`(${at}, dead_letter_id) < (${page.before.at}, ${page.before.deadLetterId})`];
  return db.all(
    deadLetterRow,
    sql`SELECT ${COLUMNS} FROM dead_letters INDEXED BY dead_letters_by_state WHERE org_id = ${orgId}
        AND ${ofState}${and(beyond)} ORDER BY ${at} DESC, dead_letter_id DESC LIMIT ${page.limit}`,
  );
}

/** Open letters that are counted, the newest. */
export const MAX_COUNTED_LETTERS = 1_000;

/** How many open letters each reason has, the commonest first; among the newest 1,000. */
export const countOpenByReason = (
  db: Database,
  orgId: string,
): Promise<{ reason: string; letters: number }[]> =>
  db.all(
    z.object({ reason: z.string(), letters: z.int() }),
    sql`SELECT reason, count(*) AS letters FROM (SELECT reason FROM dead_letters INDEXED BY dead_letters_by_state
          WHERE org_id = ${orgId} AND replayed_at IS NULL ORDER BY created_at DESC LIMIT ${MAX_COUNTED_LETTERS})
        GROUP BY reason ORDER BY letters DESC, reason`,
  );

/** Open letters of one reason, the longest dead first. */
export const openLettersOf = (
  db: Database,
  orgId: string,
  reason: string,
  limit: number,
): Promise<DeadLetter[]> =>
  db.all(
    deadLetterRow,
    sql`SELECT ${COLUMNS} FROM dead_letters INDEXED BY dead_letters_by_state WHERE org_id = ${orgId}
        AND replayed_at IS NULL AND reason = ${reason} ORDER BY created_at, dead_letter_id LIMIT ${limit}`,
  );

/** What a letter about a window was about. */
export interface WindowSubject {
  windowId: string;
  agentVersion: string;
  state: string;
  turns: number;
  /** Null where the publish is gone. */
  sessionId: string | null;
}

/** Facts about windows, for the letters that name them; unknown ones are left out. */
export const loadWindowSubjects = (
  db: Database,
  orgId: string,
  windowIds: readonly string[],
): Promise<WindowSubject[]> =>
  db.all(
    z
      .object({
        window_id: z.string(),
        agent_version: z.string(),
        state: z.string(),
        turns: z.int(),
        session_id: z.string().nullable(),
      })
      .transform((row) => ({
        windowId: row.window_id,
        agentVersion: row.agent_version,
        state: row.state,
        turns: row.turns,
        sessionId: row.session_id,
      })),
    sql`SELECT w.window_id, w.agent_version, w.state, json_array_length(w.manifest) AS turns, r.session_id
        FROM windows w LEFT JOIN requests r ON r.org_id = w.org_id AND r.request_id = w.request_id
        WHERE w.org_id = ${orgId} AND ${inList("w.window_id", windowIds)} ORDER BY w.window_id`,
  );

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
