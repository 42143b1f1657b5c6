/** SQL of what learning has made of single turns: windows, revocations, and the rules that cite them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";
import type { CoverageFacts } from "./coverage";
import { mayLearnFrom } from "./revoked-store";
import { candidates, column, cursorOf, KIND, type Stretch, stretchesOf, windowsOf } from "./stretches-store";

const MAX_LESSONS = 500;
const MAX_LESSON_CHARS = 300;

/** A rule that cites a turn. */
export interface Lesson {
  userId: string;
  interactionId: number;
  userPlaybookId: number;
  trigger: string | null;
  content: string;
  /** Null is CURRENT. */
  status: string | null;
  successorId: number | null;
}

export interface LearningWindow {
  userId: string;
  windowId: string;
  state: string;
  firstNewSeq: number;
  endSeq: number;
}

export interface TurnLearning {
  /** Per user. */
  cursors: Map<string, NonNullable<CoverageFacts["cursor"]>>;
  windows: LearningWindow[];
  /** Turns that nothing may be learned from any more. */
  revoked: Set<number>;
  lessons: Lesson[];
}

const windowRow = z
  .object({
    user_id: z.string(),
    window_id: z.string(),
    state: z.string(),
    first_new_seq: z.int(),
    end_seq: z.int(),
  })
  .transform(
    (row): LearningWindow => ({
      userId: row.user_id,
      windowId: row.window_id,
      state: row.state,
      firstNewSeq: row.first_new_seq,
      endSeq: row.end_seq,
    }),
  );

const lessonRow = z
  .object({
    user_id: z.string(),
    interaction_id: z.int(),
    user_playbook_id: z.int(),
    trigger: z.string().nullable(),
    content: z.string(),
    status: z.string().nullable(),
    successor_id: z.int().nullable(),
  })
  .transform(
    (row): Lesson => ({
      userId: row.user_id,
      interactionId: row.interaction_id,
      userPlaybookId: row.user_playbook_id,
      trigger: row.trigger,
      content: row.content,
      status: row.status,
      successorId: row.successor_id,
    }),
  );

/**
 * What learning has made of turns, in one batch.
 * @param stretches one for each user of the turns, from the first to the last of them
 */
export async function loadTurnLearning(
  db: Database,
  orgId: string,
  turns: readonly { userId: string; interactionId: number }[],
  stretches: readonly Stretch[],
): Promise<TurnLearning> {
  const wanted = JSON.stringify(turns.map(({ userId, interactionId }) => [userId, interactionId]));
  const named = sql`(SELECT value->>0 AS user_id, value->>1 AS interaction_id FROM json_each(${wanted}))`;
  const [cursors, windows, revoked, lessons] = await db.batch([
    sql`WITH ${stretchesOf(stretches)} SELECT c.user_id, c.completed_seq, c.window_id, c.attempts, c.retry_at_ms
        FROM stretches h CROSS JOIN cursors c ON c.org_id = ${orgId} AND c.user_id = h.user_id AND c.kind = ${KIND}`,
    sql`WITH ${stretchesOf(stretches)} SELECT w.user_id, w.window_id, w.state, w.first_new_seq, w.end_seq
        FROM stretches h CROSS JOIN windows w ON w.org_id = ${orgId}
          AND w.window_id IN (${windowsOf(orgId, "w.window_id", "'open', 'computed', 'applied', 'dead'")})`,
    sql`SELECT t.interaction_id FROM ${named} t
        WHERE NOT (${mayLearnFrom(orgId, column("t.user_id"), column("t.interaction_id"))})`,
    sql`WITH ${stretchesOf(stretches)}, ${candidates(orgId)}
        SELECT t.user_id, t.interaction_id, p.user_playbook_id, substr(p.trigger, 1, ${MAX_LESSON_CHARS}) AS trigger,
          substr(p.content, 1, ${MAX_LESSON_CHARS}) AS content, p.status,
          coalesce(p.merged_into, p.superseded_by) AS successor_id
        FROM candidates CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = candidates.id
        CROSS JOIN json_each(p.source_interaction_ids) s
        JOIN ${named} t ON t.interaction_id = s.value AND t.user_id = p.user_id
        ORDER BY p.user_playbook_id DESC LIMIT ${MAX_LESSONS}`,
  ]);
  const cursorRow = z.object({
    user_id: z.string(),
    completed_seq: z.int(),
    window_id: z.string().nullable(),
    attempts: z.int(),
    retry_at_ms: z.int(),
  });
  return {
    cursors: new Map(
      z
        .array(cursorRow)
        .parse(cursors?.rows ?? [])
        .flatMap((row) => {
          const cursor = cursorOf(row);
          return cursor === null ? [] : [[row.user_id, cursor] as const];
        }),
    ),
    windows: z.array(windowRow).parse(windows?.rows ?? []),
    revoked: new Set(
      z
        .array(z.object({ interaction_id: z.int() }))
        .parse(revoked?.rows ?? [])
        .map((row) => row.interaction_id),
    ),
    lessons: z.array(lessonRow).parse(lessons?.rows ?? []),
  };
}
