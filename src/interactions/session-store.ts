/** SQL of sessions as people page through them: newest first, and one session's turns, bounded whatever they hold. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";

/** Requests (or turns of one user) that one page of sessions looks at. */
export const MAX_LOOKED_AT = 2_000;
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
  text: "r.org_id, r.max_seq, r.session_id, r.user_id, r.agent_version, r.created_at",
  params: [],
};

/** Calls to look at, newest first; `seq` is the place where the next page goes on. */
function lookedAt(orgId: string, { userId, before = NO_BOUND }: SessionSearch): Statement {
  if (userId === undefined) {
    return sql`SELECT ${COLUMNS}, r.max_seq AS seq FROM requests r WHERE r.org_id = ${orgId} AND r.max_seq < ${before}
      ORDER BY r.max_seq DESC LIMIT ${MAX_LOOKED_AT}`;
  }
  return sql`SELECT ${COLUMNS}, min(i.interaction_id) AS seq FROM (SELECT request_id, interaction_id FROM interactions
        WHERE org_id = ${orgId} AND user_id = ${userId} AND interaction_id < ${before}
        ORDER BY interaction_id DESC LIMIT ${MAX_LOOKED_AT}) i
      CROSS JOIN requests r ON r.org_id = ${orgId} AND r.request_id = i.request_id AND r.max_seq < ${before}
      GROUP BY r.max_seq`;
}

/** A call stands for its session when the session has no newer one (of the user who is asked for). */
const hasNewer = ({ userId }: SessionSearch): Statement =>
  userId === undefined
    ? sql`SELECT 1 FROM requests n WHERE n.org_id = c.org_id AND n.session_id = c.session_id AND n.max_seq > c.max_seq`
    : sql`SELECT 1 FROM (SELECT n.user_id FROM requests n WHERE n.org_id = c.org_id AND n.session_id = c.session_id
        AND n.max_seq > c.max_seq ORDER BY n.max_seq LIMIT ${SAME_USER_LOOKAHEAD}) WHERE user_id = ${userId}`;

/** One page of sessions, newest first; `next` is where the next one goes on, null where nothing is left. */
export async function searchSessions(
  db: Database,
  orgId: string,
  search: SessionSearch,
): Promise<{ calls: NewestCall[]; next: number | null }> {
  const calls = lookedAt(orgId, search);
  const version =
    search.agentVersion === undefined ? sql`` : sql` AND c.agent_version = ${search.agentVersion}`;
  const [found, looked] = await db.batch([
    sql`SELECT c.session_id, c.max_seq, c.user_id, c.agent_version, c.created_at FROM (${calls}) c
        WHERE NOT EXISTS (${hasNewer(search)})${version} ORDER BY c.max_seq DESC LIMIT ${search.limit + 1}`,
    search.userId === undefined
      ? sql`SELECT count(*) AS looked_at, min(seq) AS last FROM (${calls})`
      : sql`SELECT count(*) AS looked_at, min(interaction_id) AS last FROM (SELECT interaction_id FROM interactions
          WHERE org_id = ${orgId} AND user_id = ${search.userId} AND interaction_id < ${search.before ?? NO_BOUND}
          ORDER BY interaction_id DESC LIMIT ${MAX_LOOKED_AT})`,
  ]);
  const rows = z.array(callRow).parse(found?.rows ?? []);
  const { looked_at, last } = z
    .object({ looked_at: z.int(), last: z.int().nullable() })
    .parse(looked?.rows[0]);
  const shown = rows.slice(0, search.limit);
  if (rows.length > search.limit) return { calls: shown, next: shown.at(-1)?.maxSeq ?? null };
  return { calls: shown, next: looked_at === MAX_LOOKED_AT ? last : null };
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
  const newest = sql`SELECT r.user_id, r.agent_version, r.min_seq, r.max_seq, r.created_at, r.playbook_eligible
      FROM requests r INDEXED BY requests_by_session WHERE r.org_id = ${orgId} AND r.session_id = s.value
      ORDER BY r.max_seq DESC LIMIT ${MAX_SUMMARY_CALLS}`;
  return db.all(
    summaryRow,
    sql`SELECT s.value AS session_id,
          (SELECT count(*) FROM (SELECT 1 FROM requests r INDEXED BY requests_by_session CROSS JOIN interactions i
            ON i.org_id = r.org_id AND i.user_id = r.user_id AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
            WHERE r.org_id = ${orgId} AND r.session_id = s.value LIMIT ${MAX_COUNTED_TURNS})) AS turns,
          (SELECT json_object('calls', count(*), 'users', count(DISTINCT user_id),
            'versions', count(DISTINCT agent_version), 'first_seq', min(min_seq), 'started_at', min(created_at))
            FROM (${newest})) AS summary,
          (SELECT json_object('user_id', user_id, 'min_seq', min_seq, 'max_seq', max_seq) FROM (${newest})
            WHERE playbook_eligible = 1 ORDER BY max_seq DESC LIMIT 1) AS learnable
        FROM json_each(${JSON.stringify([...new Set(sessionIds)])}) s
        WHERE EXISTS (SELECT 1 FROM requests r WHERE r.org_id = ${orgId} AND r.session_id = s.value)`,
  );
};
