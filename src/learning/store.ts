/** SQL of cursors, windows and counters: where every user's extraction stands. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, inList, type Statement, sql } from "../db/sql";
import type { NextWindow } from "../interactions/next-window";
import { mayLearnFrom } from "../interactions/revoked-store";
import type { ExtractorKind } from "../orgs/config";
import {
  type ExtractionWindow,
  noProgress,
  type Progress,
  progressSchema,
  type WindowKind,
  windowKinds,
} from "./model";

/** Whose stream, and which extractor's place in it. */
export interface Stream {
  orgId: string;
  userId: string;
  kind: ExtractorKind;
}

export interface CursorState {
  windowId: string | null;
  attempts: number;
  retryAtMs: number;
}

/** A window belongs to its stream by the same names. */
type Place = Omit<Stream, "kind"> & { kind: WindowKind };

const here = ({ orgId, userId, kind }: Place): Statement =>
  sql`org_id = ${orgId} AND user_id = ${userId} AND kind = ${kind}`;

export async function loadCursor(db: Database, stream: Stream): Promise<CursorState> {
  const row = await db.first(
    z.object({ window_id: z.string().nullable(), attempts: z.int(), retry_at_ms: z.int() }),
    sql`SELECT window_id, attempts, retry_at_ms FROM cursors WHERE ${here(stream)}`,
  );
  return row === null
    ? { windowId: null, attempts: 0, retryAtMs: 0 }
    : { windowId: row.window_id, attempts: row.attempts, retryAtMs: row.retry_at_ms };
}

const windowRow = z
  .object({
    org_id: z.string(),
    window_id: z.string(),
    user_id: z.string(),
    kind: z.enum(windowKinds),
    manifest: z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text))),
    end_seq: z.int(),
    force: z.int(),
    skip_aggregation: z.int(),
    config_hash: z.string(),
    agent_version: z.string(),
    request_id: z.string(),
    source: z.string(),
    state: z.enum(["open", "computed", "applied", "dead", "invalidated"]),
    progress: z
      .string()
      .nullable()
      .transform((text) => (text === null ? noProgress : progressSchema.parse(JSON.parse(text)))),
  })
  .transform(
    (row): ExtractionWindow => ({
      orgId: row.org_id,
      windowId: row.window_id,
      userId: row.user_id,
      kind: row.kind,
      manifest: row.manifest,
      endSeq: row.end_seq,
      force: row.force === 1,
      skipAggregation: row.skip_aggregation === 1,
      configHash: row.config_hash,
      agentVersion: row.agent_version,
      requestId: row.request_id,
      source: row.source,
      state: row.state,
      progress: row.progress,
    }),
  );

/** The outcome of a finished window is a receipt and no progress, so it is not read here. */
export const loadWindow = (db: Database, orgId: string, windowId: string): Promise<ExtractionWindow | null> =>
  db.first(
    windowRow,
    sql`SELECT org_id, window_id, user_id, kind, manifest, end_seq, force, skip_aggregation, config_hash,
          agent_version, request_id, source, state,
          CASE WHEN state IN ('open', 'computed') THEN outcome END AS progress
        FROM windows WHERE org_id = ${orgId} AND window_id = ${windowId}`,
  );

/**
 * Opens the window that was selected and points the cursor to it; a window that was invalidated under the
 * same turns is opened anew. Guards `cursor` and `window`.
 */
export function openWindow(stream: Stream, windowId: string, next: NextWindow, nowMs: number): Statement[] {
  const { orgId, userId, kind } = stream;
  return [
    sql`INSERT INTO cursors (org_id, user_id, kind, completed_seq, started, window_id, attempts, retry_at_ms,
          last_error, last_turn_ms)
        VALUES (${orgId}, ${userId}, ${kind}, 0, 0, NULL, 0, 0, NULL, 0)
        ON CONFLICT (org_id, user_id, kind) DO NOTHING`,
    sql`UPDATE cursors SET window_id = ${windowId} WHERE ${here(stream)} AND window_id IS NULL
          AND completed_seq = ${next.cursor.completedSeq}`,
    guard("cursor", sql`changes() = 1`),
    sql`INSERT INTO windows (org_id, window_id, user_id, kind, manifest, first_new_seq, end_seq, force,
          skip_aggregation, config_hash, agent_version, request_id, source, state, outcome, error, created_at,
          finished_at)
        VALUES (${orgId}, ${windowId}, ${userId}, ${kind}, ${JSON.stringify(next.manifest)}, ${next.firstNewSeq},
          ${next.endSeq}, ${Number(next.force)}, ${Number(next.skipAggregation)}, ${next.configHash},
          ${next.agentVersion}, ${next.requestId}, ${next.source}, 'open', NULL, NULL, ${Math.floor(nowMs / 1000)},
          NULL)
        ON CONFLICT (org_id, window_id) DO UPDATE SET state = 'open', outcome = NULL, error = NULL,
          finished_at = NULL, force = excluded.force, skip_aggregation = excluded.skip_aggregation
          WHERE windows.state = 'invalidated'`,
    guard("window", sql`changes() = 1`),
  ];
}

const aWindow = (window: Pick<ExtractionWindow, "orgId" | "windowId">): Statement =>
  sql`org_id = ${window.orgId} AND window_id = ${window.windowId}`;

/** Stores how far an unfinished window has come. Guard `window`. */
export const saveProgress = (window: ExtractionWindow, progress: Progress): Statement[] => [
  sql`UPDATE windows SET state = ${progress.plan === null ? "open" : "computed"}, outcome = ${JSON.stringify(progress)}
      WHERE ${aWindow(window)} AND state IN ('open', 'computed')`,
  guard("window", sql`changes() = 1`),
];

/** Guard `sources`: every turn of the window is still there, and none is revoked. */
export const manifestGuard = (window: ExtractionWindow): Statement =>
  guard(
    "sources",
    sql`SELECT count(*) = ${window.manifest.length} FROM interactions WHERE org_id = ${window.orgId}
        AND user_id = ${window.userId} AND ${inList("interaction_id", window.manifest)}
        AND ${mayLearnFrom(window.orgId, window.userId, { text: "interaction_id", params: [] })}`,
  );

/** Guard `still_current`: the stored rows that a plan counts on are as it saw them. */
export const basisGuard = (orgId: string, basis: readonly (readonly [number, number])[]): Statement =>
  guard(
    "still_current",
    sql`SELECT count(*) = ${basis.length} FROM json_each(${JSON.stringify(basis)}) b
        CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = b.value->>0
        WHERE p.status IS NULL AND p.updated_at_ms = b.value->>1`,
  );

export type FinalState = "applied" | "dead" | "invalidated";

/** Ends an unfinished window; its outcome, which quotes turns, gives way to a receipt. Guard `window`. */
export const finishWindow = (
  window: ExtractionWindow,
  end: {
    state: FinalState;
    from: readonly ("open" | "computed")[];
    receipt: object | null;
    error: string | null;
  },
  nowMs: number,
): Statement[] => [
  sql`UPDATE windows SET state = ${end.state}, outcome = ${end.receipt === null ? null : JSON.stringify(end.receipt)},
        error = ${end.error}, finished_at = ${Math.floor(nowMs / 1000)}
      WHERE ${aWindow(window)} AND ${inList("state", end.from)}`,
  guard("window", sql`changes() = 1`),
];

/** Moves the cursor past its window. Guard `cursor`: it still points to it. */
export const advanceCursor = (window: ExtractionWindow, nowMs: number): Statement[] => [
  sql`UPDATE cursors SET completed_seq = ${window.endSeq}, started = 1, window_id = NULL, attempts = 0,
        retry_at_ms = 0, last_error = NULL, last_turn_ms = ${nowMs}
      WHERE ${here(window)} AND window_id = ${window.windowId} AND completed_seq < ${window.endSeq}`,
  guard("cursor", sql`changes() = 1`),
];

/** Lets go of a window without moving the cursor, so that what survives of its turns is selected again. */
export const releaseCursor = (window: ExtractionWindow): Statement =>
  sql`UPDATE cursors SET window_id = NULL, attempts = 0, retry_at_ms = 0, last_error = NULL
      WHERE ${here(window)} AND window_id = ${window.windowId}`;

/** Lets go of a window that is no longer unfinished. */
export const forgetWindow = (stream: Stream, windowId: string): Statement =>
  sql`UPDATE cursors SET window_id = NULL WHERE ${here(stream)} AND window_id = ${windowId}`;

/** Puts the stream off; `code` is closed and content-free. */
export const putOff = (stream: Place, retryAtMs: number, code: string): Statement =>
  sql`UPDATE cursors SET attempts = attempts + 1, retry_at_ms = ${retryAtMs}, last_error = ${code}
      WHERE ${here(stream)}`;

/** Adds to the counters of a day. */
export const addCounts = (
  orgId: string,
  day: string,
  counts: Readonly<Record<string, number>>,
): Statement[] =>
  Object.keys(counts).length === 0
    ? []
    : [
        sql`INSERT INTO counters (org_id, day, name, count)
            SELECT ${orgId}, ${day}, key, value FROM json_each(${JSON.stringify(counts)}) WHERE true
            ON CONFLICT (org_id, day, name) DO UPDATE SET count = count + excluded.count`,
      ];
