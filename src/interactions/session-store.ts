/** SQL of sessions as people page through them: newest first, and one session's turns, bounded whatever they hold. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { type Statement, sql } from "../db/sql";

/** How far back one page of sessions looks: turns of the org, or turns of the one user it asks for. */
export const MAX_LOOKED_AT = 20_000;
export const MAX_LOOKED_AT_OF_USER = 2_000;
/** Calls of a session that its summary reads, the newest, and turns that it counts. */
export const MAX_SUMMARY_CALLS = 200;
export const MAX_COUNTED_TURNS = 1_000;
/** How far after a request of one user the same session is searched for a newer one of that user. */
const SAME_USER_LOOKAHEAD = 50;
const NO_BOUND = Number.MAX_SAFE_INTEGER;

export interface SessionSearch {
  userId?: string | undefined;
  /** Of the session's newest call. */
  agentVersion?: string | undefined;
  /** Only sessions whose newest call came before this one. */
  before?: number | undefined;
  limit: number;
}

/** A session by its newest call. */
export interface NewestCall {
  sessionId: string;
  /** Id of the call's last turn: the session's place in the list. */
  maxSeq: number;
  userId: string;
  agentVersion: string;
  /** Seconds. */
  createdAt: number;
}

const callRow = z
  .object({
    session_id: z.string(),
    max_seq: z.int(),
    user_id: z.string(),
    agent_version: z.string(),
    created_at: z.int(),
  })
  .transform(
    (row): NewestCall => ({
      sessionId: row.session_id,
      maxSeq: row.max_seq,
      userId: row.user_id,
      agentVersion: row.agent_version,
      createdAt: row.created_at,
    }),
  );

const COLUMNS: Statement = {
  text: "c.session_id, c.max_seq, c.user_id, c.agent_version, c.created_at",
  params: [],
};

/** What a page is read from: the calls to look at, and how it knows whether older ones are left. */
interface Look {
  calls: Statement;
  /** Where the next page goes on when this one finds no more; null where nothing is left. */
  next: Statement;
}

const ofVersion = ({ agentVersion }: SessionSearch): Statement =>
  agentVersion === undefined ? sql`` : sql` AND c.agent_version = ${agentVersion}`;

/** A call stands for its session when the session has no newer one. */
function ofEverybody(orgId: string, search: SessionSearch): Look {
  const top =
    search.before === undefined
      ? sql`(SELECT max(max_seq) + 1 FROM requests WHERE org_id = ${orgId})`
      : sql`${search.before}`;
  const floor = sql`${top} - ${MAX_LOOKED_AT}`;
  return {
    calls: sql`SELECT ${COLUMNS} FROM requests c WHERE c.org_id = ${orgId} AND c.max_seq < ${top}
        AND c.max_seq >= ${floor}${ofVersion(search)} AND NOT ${isBeingErased(orgId, { text: "c.user_id", params: [] })}
        AND NOT EXISTS (SELECT 1 FROM requests n INDEXED BY requests_by_session WHERE n.org_id = ${orgId}
          AND n.session_id = c.session_id AND n.max_seq > c.max_seq)`,
    next: sql`SELECT CASE WHEN EXISTS (SELECT 1 FROM requests WHERE org_id = ${orgId} AND max_seq < ${floor})
        THEN ${floor} END AS next`,
  };
}

/** Here a session may be shared: its newest call of this user stands for it. */
function ofUser(orgId: string, userId: string, search: SessionSearch): Look {
  const before = search.before ?? NO_BOUND;
  const turns = sql`SELECT request_id, interaction_id FROM interactions WHERE org_id = ${orgId}
      AND user_id = ${userId} AND interaction_id < ${before} AND NOT ${isBeingErased(orgId, userId)} ORDER BY interaction_id DESC`;
  return {
    calls: sql`SELECT DISTINCT ${COLUMNS} FROM (${turns} LIMIT ${MAX_LOOKED_AT_OF_USER}) recent
        CROSS JOIN requests c INDEXED BY requests_by_id ON c.org_id = ${orgId} AND c.request_id = recent.request_id
        WHERE c.max_seq < ${before}${ofVersion(search)}
        AND NOT EXISTS (SELECT 1 FROM (SELECT n.user_id FROM requests n INDEXED BY requests_by_session
          WHERE n.org_id = ${orgId} AND n.session_id = c.session_id AND n.max_seq > c.max_seq
          ORDER BY n.max_seq LIMIT ${SAME_USER_LOOKAHEAD}) newer WHERE newer.user_id = ${userId})`,
    next: sql`SELECT (SELECT interaction_id + 1 FROM (${turns} LIMIT 1 OFFSET ${MAX_LOOKED_AT_OF_USER})) AS next`,
  };
}

/** One page of sessions, newest first; `next` is where the next one goes on, null where nothing is left. */
export async function searchSessions(
  db: Database,
  orgId: string,
  search: SessionSearch,
): Promise<{ calls: NewestCall[]; next: number | null }> {
  const { userId, limit } = search;
  const look = userId === undefined ? ofEverybody(orgId, search) : ofUser(orgId, userId, search);
  const [found, left] = await db.batch([
    sql`${look.calls} ORDER BY c.max_seq DESC LIMIT ${limit + 1}`,
    look.next,
  ]);
  const rows = z.array(callRow).parse(found?.rows ?? []);
  const shown = rows.slice(0, limit);
  if (rows.length > limit) return { calls: shown, next: shown.at(-1)?.maxSeq ?? null };
  return { calls: shown, next: z.object({ next: z.int().nullable() }).parse(left?.rows[0]).next };
}

/** What a session's newest 200 calls say together. */
export interface SessionSummary {
  sessionId: string;
  /** Turns, counted up to 1,000. */
  turns: number;
  /** Calls, counted up to 200. */
  calls: number;
  users: number;
  agentVersions: number;
  /** Id of the first turn, and the time of its call in seconds. */
  firstSeq: number;
  startedAt: number;
  /** The newest call that learning may read; null where there is none. */
  learnable: { userId: string; minSeq: number; maxSeq: number } | null;
}

const summaryJson = z.object({
  calls: z.int(),
  users: z.int(),
  versions: z.int(),
  first_seq: z.int(),
  started_at: z.int(),
});

const fromJson = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

const summaryRow = z
  .object({
    session_id: z.string(),
    turns: z.int(),
    summary: fromJson(summaryJson),
    learnable: fromJson(z.object({ user_id: z.string(), min_seq: z.int(), max_seq: z.int() })).nullable(),
  })
  .transform(
    ({ session_id, turns, summary, learnable }): SessionSummary => ({
      sessionId: session_id,
      turns,
      calls: summary.calls,
      users: summary.users,
      agentVersions: summary.versions,
      firstSeq: summary.first_seq,
      startedAt: summary.started_at,
      learnable:
        learnable === null
          ? null
          : { userId: learnable.user_id, minSeq: learnable.min_seq, maxSeq: learnable.max_seq },
    }),
  );

/** Summaries of sessions; one that does not exist is left out. */
export const summariseSessions = (
  db: Database,
  orgId: string,
  sessionIds: readonly string[],
): Promise<SessionSummary[]> => {
  const isErased = isBeingErased(orgId, { text: "r.user_id", params: [] });
  const newest = sql`SELECT r.user_id, r.agent_version, r.min_seq, r.max_seq, r.created_at, r.playbook_eligible
      FROM requests r INDEXED BY requests_by_session WHERE r.org_id = ${orgId} AND r.session_id = s.value
        AND NOT ${isErased} ORDER BY r.max_seq DESC LIMIT ${MAX_SUMMARY_CALLS}`;
  return db.all(
    summaryRow,
    sql`SELECT s.value AS session_id,
          (SELECT count(*) FROM (SELECT 1 FROM requests r INDEXED BY requests_by_session CROSS JOIN interactions i
            ON i.org_id = r.org_id AND i.user_id = r.user_id AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
            WHERE r.org_id = ${orgId} AND r.session_id = s.value AND NOT ${isErased}
            LIMIT ${MAX_COUNTED_TURNS})) AS turns,
          (SELECT json_object('calls', count(*), 'users', count(DISTINCT user_id),
            'versions', count(DISTINCT agent_version), 'first_seq', min(min_seq), 'started_at', min(created_at))
            FROM (${newest})) AS summary,
          (SELECT json_object('user_id', user_id, 'min_seq', min_seq, 'max_seq', max_seq) FROM (${newest})
            WHERE playbook_eligible = 1 ORDER BY max_seq DESC LIMIT 1) AS learnable
        FROM json_each(${JSON.stringify([...new Set(sessionIds)])}) s
        WHERE EXISTS (SELECT 1 FROM requests r INDEXED BY requests_by_session WHERE r.org_id = ${orgId}
          AND r.session_id = s.value AND NOT ${isErased})`,
  );
};
