/** SQL of operations: one row of progress per org and service, and the wish to cancel apart from it (trap 35). */
import * as z from "zod";
import type { Database } from "../../db/client";
import { guard, type Statement, sql } from "../../db/sql";
import {
  type GenerationOperation,
  generationStatuses,
  modes,
  type ServiceName,
  STALE_MS,
  serviceNames,
} from "./model";

const operationRow = z
  .object({
    org_id: z.string(),
    service_name: z.enum(serviceNames),
    operation_id: z.string(),
    mode: z.enum(modes),
    status: z.enum(generationStatuses),
    agent_version: z.string(),
    source: z.string().nullable(),
    start_sec: z.int().nullable(),
    end_sec: z.int().nullable(),
    window_sources: z
      .string()
      .nullable()
      .transform((text) => (text === null ? null : z.array(z.string()).parse(JSON.parse(text)))),
    config_hash: z.string(),
    request_id: z.string(),
    principal_id: z.string(),
    started_at: z.int(),
    progressed_at_ms: z.int(),
    completed_at: z.int().nullable(),
    total_users: z.int(),
    processed_users: z.int(),
    failed_users: z.int(),
    current_user_id: z.string().nullable(),
    turns: z.int(),
    rules: z.int(),
    error_message: z.string().nullable(),
    is_cancelled: z.int(),
  })
  .transform(
    (row): GenerationOperation => ({
      orgId: row.org_id,
      serviceName: row.service_name,
      operationId: row.operation_id,
      mode: row.mode,
      status: row.status,
      agentVersion: row.agent_version,
      source: row.source,
      startSec: row.start_sec,
      endSec: row.end_sec,
      windowSources: row.window_sources,
      configHash: row.config_hash,
      requestId: row.request_id,
      principalId: row.principal_id,
      startedAt: row.started_at,
      progressedAtMs: row.progressed_at_ms,
      completedAt: row.completed_at,
      totalUsers: row.total_users,
      processedUsers: row.processed_users,
      failedUsers: row.failed_users,
      currentUserId: row.current_user_id,
      turns: row.turns,
      rules: row.rules,
      errorMessage: row.error_message,
      isCancelled: row.is_cancelled === 1,
    }),
  );

/** The service's latest operation, whatever became of it. */
export const findGeneration = (
  db: Database,
  orgId: string,
  serviceName: ServiceName,
): Promise<GenerationOperation | null> =>
  db.first(
    operationRow,
    sql`SELECT o.org_id, o.service_name, o.operation_id, o.mode, o.status, o.agent_version, o.source, o.start_sec,
          o.end_sec, o.window_sources, o.config_hash, o.request_id, o.principal_id, o.started_at, o.progressed_at_ms,
          o.completed_at, o.total_users, o.processed_users, o.failed_users, o.current_user_id, o.turns, o.rules,
          o.error_message, c.operation_id IS NOT NULL AS is_cancelled
        FROM generation_operations o LEFT JOIN generation_cancels c ON c.org_id = o.org_id
          AND c.service_name = o.service_name AND c.operation_id = o.operation_id
        WHERE o.org_id = ${orgId} AND o.service_name = ${serviceName}`,
  );

/** An operation by what its batches need of it. */
export type OperationKey = Pick<GenerationOperation, "orgId" | "serviceName" | "operationId">;

const isOpen = ({ orgId, serviceName, operationId }: OperationKey): Statement =>
  sql`org_id = ${orgId} AND service_name = ${serviceName} AND operation_id = ${operationId}
      AND status = 'in_progress'`;

/** Guard `operation`: it is still in progress. */
export const operationGuard = (key: OperationKey): Statement =>
  guard("operation", sql`EXISTS (SELECT 1 FROM generation_operations WHERE ${isOpen(key)})`);

const ofUnits = ({ orgId, operationId }: OperationKey, states: string): Statement =>
  sql`FROM generation_units WHERE org_id = ${orgId} AND operation_id = ${operationId}
      AND state IN (${{ text: states, params: [] }})`;

/** Windows of units that will not go on: what they quote goes. */
const dropWindows = (key: OperationKey, states: string, atSec: number): Statement =>
  sql`UPDATE windows SET state = 'invalidated', outcome = NULL, error = 'operation_ended', finished_at = ${atSec}
      WHERE org_id = ${key.orgId} AND state IN ('open', 'computed') AND window_id IN (
        SELECT window_id ${ofUnits(key, states)} AND window_id IS NOT NULL)`;

const cancelUnits = ({ orgId, operationId }: OperationKey, states: string): Statement =>
  sql`UPDATE generation_units SET state = 'cancelled' WHERE org_id = ${orgId} AND operation_id = ${operationId}
      AND state IN (${{ text: states, params: [] }})`;

const countCancelled = (key: OperationKey): Statement =>
  sql`UPDATE generation_operations SET cancelled_users = (SELECT count(*) ${ofUnits(key, "'cancelled'")})
      WHERE ${isOpen(key)}`;

/** Ends an operation that has no unit left to wait for. */
export const finishIfOver = (key: OperationKey, nowMs: number): Statement =>
  sql`UPDATE generation_operations SET completed_at = ${Math.floor(nowMs / 1000)}, progressed_at_ms = ${nowMs},
        current_user_id = NULL, status = iif(EXISTS (SELECT 1 FROM generation_cancels c
          WHERE c.org_id = generation_operations.org_id AND c.service_name = generation_operations.service_name
            AND c.operation_id = generation_operations.operation_id), 'cancelled', 'completed')
      WHERE ${isOpen(key)} AND processed_users + failed_users + cancelled_users >= total_users`;

/** Takes what waits out of an operation that somebody cancelled; whoever is in flight finishes. */
export const settleCancelled = (key: OperationKey, nowMs: number): Statement[] => [
  dropWindows(key, "'waiting'", Math.floor(nowMs / 1000)),
  cancelUnits(key, "'waiting'"),
  countCancelled(key),
  finishIfOver(key, nowMs),
];

/** Notes the wish to cancel an operation in progress, in a record of its own. Guard `operation`. */
export const cancelGeneration = (key: OperationKey, principalId: string, nowMs: number): Statement[] => [
  operationGuard(key),
  sql`INSERT INTO generation_cancels (org_id, service_name, operation_id, requested_at, principal_id)
      VALUES (${key.orgId}, ${key.serviceName}, ${key.operationId}, ${Math.floor(nowMs / 1000)}, ${principalId})
      ON CONFLICT (org_id, service_name) DO UPDATE SET operation_id = excluded.operation_id,
        requested_at = excluded.requested_at, principal_id = excluded.principal_id`,
  ...settleCancelled(key, nowMs),
];

/** Ends an operation as failed, with every unit that is not through. Guard `operation`. */
export function failGeneration(
  key: OperationKey,
  message: string,
  nowMs: number,
  onlyIfStale = false,
): Statement[] {
  const atSec = Math.floor(nowMs / 1000);
  const stale = onlyIfStale ? sql` AND progressed_at_ms < ${nowMs - STALE_MS}` : sql``;
  return [
    dropWindows(key, "'waiting', 'running'", atSec),
    cancelUnits(key, "'waiting', 'running'"),
    sql`UPDATE generation_operations SET status = 'failed', error_message = ${message}, completed_at = ${atSec},
          current_user_id = NULL, cancelled_users = (SELECT count(*) ${ofUnits(key, "'cancelled'")})
        WHERE ${isOpen(key)}${stale}`,
    guard("operation", sql`changes() = 1`),
  ];
}

/**
 * Begins an operation in place of the one before, with its units. Guards `operation`: none is in progress, and no
 * version change takes the rules that a rerun writes; `members`: there is a user.
 */
export const beginGeneration = (
  operation: Omit<
    GenerationOperation,
    | "status"
    | "progressedAtMs"
    | "completedAt"
    | "totalUsers"
    | "processedUsers"
    | "failedUsers"
    | "currentUserId"
    | "turns"
    | "rules"
    | "errorMessage"
    | "isCancelled"
  >,
  units: Statement,
  nowMs: number,
): Statement[] => {
  const { orgId, serviceName, operationId } = operation;
  const sources = operation.windowSources === null ? null : JSON.stringify(operation.windowSources);
  return [
    guard(
      "operation",
      sql`NOT (EXISTS (SELECT 1 FROM generation_operations WHERE org_id = ${orgId}
            AND service_name = ${serviceName} AND status = 'in_progress') OR ${versionChangeRuns(orgId, operation.mode)})`,
    ),
    sql`DELETE FROM generation_cancels WHERE org_id = ${orgId} AND service_name = ${serviceName}`,
    // An org's only service with units is this one, so what is left of earlier operations goes.
    sql`DELETE FROM generation_units WHERE org_id = ${orgId}`,
    units,
    guard(
      "members",
      sql`EXISTS (SELECT 1 FROM generation_units WHERE org_id = ${orgId} AND operation_id = ${operationId})`,
    ),
    sql`INSERT OR REPLACE INTO generation_operations (org_id, service_name, operation_id, mode, status, agent_version,
          source, start_sec, end_sec, window_sources, config_hash, request_id, principal_id, started_at,
          progressed_at_ms, completed_at, total_users, processed_users, failed_users, cancelled_users,
          current_user_id, turns, rules, error_message)
        SELECT ${orgId}, ${serviceName}, ${operationId}, ${operation.mode}, 'in_progress', ${operation.agentVersion},
          ${operation.source}, ${operation.startSec}, ${operation.endSec}, ${sources}, ${operation.configHash},
          ${operation.requestId}, ${operation.principalId}, ${operation.startedAt}, ${nowMs}, NULL, count(*), 0, 0, 0,
          NULL, 0, 0, NULL FROM generation_units WHERE org_id = ${orgId} AND operation_id = ${operationId}`,
  ];
};

const versionChangeRuns = (orgId: string, mode: GenerationOperation["mode"]): Statement =>
  mode === "rerun"
    ? sql`EXISTS (SELECT 1 FROM version_changes WHERE org_id = ${orgId} AND state = 'running')`
    : sql`0`;

/** Says that an operation is alive. */
export const touchGeneration = (key: OperationKey, nowMs: number): Statement =>
  sql`UPDATE generation_operations SET progressed_at_ms = ${nowMs} WHERE ${isOpen(key)}`;

/** Says that an operation is alive, and with whom. */
export const showCurrent = (key: OperationKey, userId: string, nowMs: number): Statement =>
  sql`UPDATE generation_operations SET progressed_at_ms = ${nowMs}, current_user_id = ${userId}
      WHERE ${isOpen(key)}`;

/** Counts a user who is through, or could not be. Guard `operation`: it is still in progress. */
export const countUser = (
  key: OperationKey,
  result: { failed: boolean; turns: number; rules: number },
  nowMs: number,
): Statement[] => [
  sql`UPDATE generation_operations SET processed_users = processed_users + ${Number(!result.failed)},
        failed_users = failed_users + ${Number(result.failed)}, turns = turns + ${result.turns},
        rules = rules + ${result.rules}, progressed_at_ms = ${nowMs}
      WHERE ${isOpen(key)}`,
  guard("operation", sql`changes() = 1`),
  finishIfOver(key, nowMs),
];

/** How many rules of a version are in a state; counts no further than `limit`. */
export async function countRules(
  db: Database,
  orgId: string,
  agentVersion: string,
  status: "pending" | null,
  limit: number,
): Promise<number> {
  const row = await db.first(
    z.object({ rules: z.int() }),
    sql`SELECT count(*) AS rules FROM (SELECT 1 FROM user_playbooks WHERE org_id = ${orgId}
        AND agent_version = ${agentVersion} AND status IS ${status} LIMIT ${limit})`,
  );
  return row?.rules ?? 0;
}
