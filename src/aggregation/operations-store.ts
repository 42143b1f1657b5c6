/** SQL of operations: aggregations that somebody asked for, and what became of them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, nothing, type Statement, sql } from "../db/sql";
import { type Counts, countsSchema } from "./model";

export const operationStatuses = ["queued", "running", "succeeded", "failed"] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** Why an aggregation had nothing to do. */
export const skipCodes = ["not_configured", "cluster_size", "too_few"] as const;
export type SkipCode = (typeof skipCodes)[number];

export interface Operation {
  operationId: string;
  agentVersion: string;
  requestId: string;
  /** A failed attempt that will be repeated is queued again. */
  status: OperationStatus;
  /** What it has done so far; final once it succeeded. */
  counts: Counts | null;
  /** A closed code, or the name of an error. */
  error: string | null;
  /** Attempts since something last moved. */
  attempts: number;
  /** Seconds, as the other times. */
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  completedAt: number | null;
  /** When a failed attempt is repeated. */
  nextAttemptAtMs: number | null;
  /** Units of model work; null before they are planned. */
  progress: { done: number; total: number } | null;
  skipped: SkipCode | null;
}

const operationRow = z
  .object({
    operation_id: z.string(),
    agent_version: z.string(),
    request_id: z.string(),
    status: z.enum(operationStatuses),
    result: z
      .string()
      .nullable()
      .transform((text) => (text === null ? null : countsSchema.parse(JSON.parse(text)))),
    error: z.string().nullable(),
    attempts: z.int(),
    created_at: z.int(),
    updated_at: z.int(),
    started_at: z.int().nullable(),
    completed_at: z.int().nullable(),
    next_attempt_at_ms: z.int().nullable(),
    progress_done: z.int().nullable(),
    progress_total: z.int().nullable(),
    skipped: z.enum(skipCodes).nullable(),
  })
  .transform(
    (row): Operation => ({
      operationId: row.operation_id,
      agentVersion: row.agent_version,
      requestId: row.request_id,
      status: row.status,
      counts: row.result,
      error: row.error,
      attempts: row.attempts,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      startedAt: row.started_at,
      completedAt: row.completed_at,
      nextAttemptAtMs: row.next_attempt_at_ms,
      progress:
        row.progress_done === null || row.progress_total === null
          ? null
          : { done: row.progress_done, total: row.progress_total },
      skipped: row.skipped,
    }),
  );

const columns: Statement = {
  text: `operation_id, agent_version, request_id, status, result, error, attempts, created_at, updated_at,
    started_at, completed_at, next_attempt_at_ms, progress_done, progress_total, skipped`,
  params: [],
};

const active: Statement = { text: "kind = 'aggregation' AND status IN ('queued', 'running')", params: [] };

const thisOne = (orgId: string, operationId: string): Statement =>
  sql`org_id = ${orgId} AND operation_id = ${operationId} AND ${active}`;

export const findOperation = (db: Database, orgId: string, operationId: string): Promise<Operation | null> =>
  db.first(
    operationRow,
    sql`SELECT ${columns} FROM operations WHERE org_id = ${orgId} AND operation_id = ${operationId}
        AND kind = 'aggregation'`,
  );

/** The one that is not over, if any: a version has one at a time. */
export const activeOperation = (
  db: Database,
  orgId: string,
  agentVersion: string,
): Promise<Operation | null> =>
  db.first(
    operationRow,
    sql`SELECT ${columns} FROM operations WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND ${active}`,
  );

/** Where a page of operations ended. */
export interface OperationPlace {
  createdAt: number;
  operationId: string;
}

/** Newest first, from after a place on. */
export const recentOperations = (
  db: Database,
  orgId: string,
  { before, limit }: { before: OperationPlace | null; limit: number },
): Promise<Operation[]> =>
  db.all(
    operationRow,
    sql`SELECT ${columns} FROM operations INDEXED BY operations_recent
        WHERE org_id = ${orgId} AND kind = 'aggregation'${
          before === null
            ? nothing
            : sql` AND (created_at, operation_id) < (${before.createdAt}, ${before.operationId})`
        } ORDER BY created_at DESC, operation_id DESC LIMIT ${limit}`,
  );

/** Changes nothing where the operation is there already, or another one of its version is not over. */
export const insertOperation = (
  orgId: string,
  operation: { operationId: string; agentVersion: string; requestId: string; createdAt: number },
): Statement =>
  sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts, created_at,
        updated_at)
      VALUES (${orgId}, ${operation.operationId}, 'aggregation', ${operation.agentVersion}, ${operation.requestId},
        'queued', 0, ${operation.createdAt}, ${operation.createdAt})
      ON CONFLICT DO NOTHING`;

/** Guard `operation`: it is not over. */
export const operationActive = (orgId: string, operationId: string): Statement =>
  guard("operation", sql`EXISTS (SELECT 1 FROM operations WHERE ${thisOne(orgId, operationId)})`);

/** Counts an attempt where one begins: the first, one after a failure, and one after a turn that died. */
export const openTurn = (orgId: string, operationId: string, nowSec: number): Statement =>
  sql`UPDATE operations SET attempts = attempts + (status = 'queued' OR is_turn_open = 1), status = 'running',
        is_turn_open = 1, started_at = coalesce(started_at, ${nowSec}), next_attempt_at_ms = NULL,
        updated_at = ${nowSec}
      WHERE ${thisOne(orgId, operationId)}`;

/** Ends a turn that goes on in another; one that moved something begins the attempts anew. */
export const closeTurn = (
  orgId: string,
  operationId: string,
  turn: { counts: Counts; hasMoved: boolean; nowSec: number },
): Statement =>
  sql`UPDATE operations SET is_turn_open = 0, attempts = iif(${turn.hasMoved ? 1 : 0}, 1, attempts), error = NULL,
        result = ${JSON.stringify(turn.counts)}, updated_at = ${turn.nowSec}
      WHERE ${thisOne(orgId, operationId)}`;

export const setProgressTotal = (orgId: string, operationId: string, total: number): Statement =>
  sql`UPDATE operations SET progress_done = 0, progress_total = ${total} WHERE ${thisOne(orgId, operationId)}`;

export const countProgress = (orgId: string, operationId: string, nowSec: number): Statement =>
  sql`UPDATE operations SET progress_done = progress_done + 1, updated_at = ${nowSec}
      WHERE ${thisOne(orgId, operationId)}`;

/** After a failed attempt: tried again later. */
export const repeatOperation = (
  orgId: string,
  operationId: string,
  next: { error: string; nextAttemptAtMs: number; nowSec: number },
): Statement =>
  sql`UPDATE operations SET status = 'queued', is_turn_open = 0, error = ${next.error},
        next_attempt_at_ms = ${next.nextAttemptAtMs}, updated_at = ${next.nowSec}
      WHERE ${thisOne(orgId, operationId)}`;

export const endOperation = (
  orgId: string,
  operationId: string,
  end:
    | { status: "succeeded"; counts: Counts; skipped: SkipCode | null; nowSec: number }
    | { status: "failed"; error: string; nowSec: number },
): Statement =>
  sql`UPDATE operations SET status = ${end.status}, is_turn_open = 0, next_attempt_at_ms = NULL,
        error = ${end.status === "failed" ? end.error : null},
        result = ${end.status === "failed" ? sql`result` : sql`${JSON.stringify(end.counts)}`},
        skipped = ${end.status === "failed" ? null : end.skipped},
        progress_done = ${end.status === "failed" ? sql`progress_done` : sql`progress_total`},
        completed_at = ${end.nowSec}, updated_at = ${end.nowSec}
      WHERE ${thisOne(orgId, operationId)}`;
