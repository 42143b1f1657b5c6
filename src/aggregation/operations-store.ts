/** SQL of operations: aggregations that a person asked for, and what became of them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, nothing, type Statement, sql } from "../db/sql";
import { type Counts, countsSchema } from "./model";

export const operationStatuses = ["queued", "running", "succeeded", "failed"] as const;
export type OperationStatus = (typeof operationStatuses)[number];

export interface Operation {
  operationId: string;
  agentVersion: string;
  requestId: string;
  status: OperationStatus;
  /** Sums of the turns so far; final once it succeeded. */
  counts: Counts | null;
  error: string | null;
  attempts: number;
  createdAt: number;
  updatedAt: number;
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
    }),
  );

const columns: Statement = {
  text: "operation_id, agent_version, request_id, status, result, error, attempts, created_at, updated_at",
  params: [],
};

export const findOperation = (db: Database, orgId: string, operationId: string): Promise<Operation | null> =>
  db.first(
    operationRow,
    sql`SELECT ${columns} FROM operations WHERE org_id = ${orgId} AND operation_id = ${operationId}`,
  );

export const activeOperations = (db: Database, orgId: string, agentVersion: string): Promise<Operation[]> =>
  db.all(
    operationRow,
    sql`SELECT ${columns} FROM operations WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
        AND status IN ('queued', 'running') ORDER BY operation_id`,
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
    sql`SELECT ${columns} FROM operations INDEXED BY operations_recent WHERE org_id = ${orgId}${
      before === null
        ? nothing
        : sql` AND (created_at, operation_id) < (${before.createdAt}, ${before.operationId})`
    } ORDER BY created_at DESC, operation_id DESC LIMIT ${limit}`,
  );

/** Repeating a request finds the operation it made before. */
export const insertOperation = (
  orgId: string,
  operation: { operationId: string; agentVersion: string; requestId: string; createdAt: number },
): Statement =>
  sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, result, error, attempts,
        created_at, updated_at)
      VALUES (${orgId}, ${operation.operationId}, 'aggregation', ${operation.agentVersion}, ${operation.requestId},
        'queued', NULL, NULL, 0, ${operation.createdAt}, ${operation.createdAt})
      ON CONFLICT (org_id, operation_id) DO NOTHING`;

export const startOperations = (orgId: string, operationIds: readonly string[], nowSec: number): Statement =>
  sql`UPDATE operations SET status = 'running', attempts = attempts + 1, updated_at = ${nowSec}
      WHERE org_id = ${orgId} AND ${inList("operation_id", operationIds)} AND status IN ('queued', 'running')`;

/** Writes an active operation's progress or its end. */
export const updateOperation = (
  orgId: string,
  operationId: string,
  next: { status: OperationStatus; counts: Counts; error: string | null; nowSec: number },
): Statement =>
  sql`UPDATE operations SET status = ${next.status}, result = ${JSON.stringify(next.counts)}, error = ${next.error},
        updated_at = ${next.nowSec}
      WHERE org_id = ${orgId} AND operation_id = ${operationId} AND status IN ('queued', 'running')`;
