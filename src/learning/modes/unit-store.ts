/** SQL of units: one user of an operation each. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { guard, type Statement, sql } from "../../db/sql";
import {
  type GenerationOperation,
  type GenerationUnit,
  PLAYBOOK_SERVICE,
  type UnitState,
  unitStates,
} from "./model";
import type { SelectedTurns } from "./selection-store";

const unitRow = z
  .object({
    org_id: z.string(),
    operation_id: z.string(),
    position: z.int(),
    user_id: z.string(),
    state: z.enum(unitStates),
    window_id: z.string().nullable(),
    attempts: z.int(),
    error: z.string().nullable(),
  })
  .transform(
    (row): GenerationUnit => ({
      orgId: row.org_id,
      operationId: row.operation_id,
      position: row.position,
      userId: row.user_id,
      state: row.state,
      windowId: row.window_id,
      attempts: row.attempts,
      error: row.error,
    }),
  );

export type UnitKey = Pick<GenerationUnit, "orgId" | "operationId" | "position">;

const here = ({ orgId, operationId, position }: UnitKey): Statement =>
  sql`org_id = ${orgId} AND operation_id = ${operationId} AND position = ${position}`;

export const findUnit = (db: Database, key: UnitKey): Promise<GenerationUnit | null> =>
  db.first(
    unitRow,
    sql`SELECT org_id, operation_id, position, user_id, state, window_id, attempts, error FROM generation_units
        WHERE ${here(key)}`,
  );

/** Units of some states, in order. */
export const listUnits = (
  db: Database,
  orgId: string,
  operationId: string,
  { states, after, limit }: { states: readonly UnitState[]; after: number; limit: number },
): Promise<GenerationUnit[]> =>
  db.all(
    unitRow,
    sql`SELECT org_id, operation_id, position, user_id, state, window_id, attempts, error FROM generation_units
        WHERE org_id = ${orgId} AND operation_id = ${operationId} AND position > ${after}
          AND state IN (SELECT value FROM json_each(${JSON.stringify(states)}))
        ORDER BY position LIMIT ${limit}`,
  );

/**
 * Takes a unit up; one whose worker died is taken up again. Guard `members`: it waits and nobody has cancelled
 * the operation, or it was in flight already.
 */
export const claimUnit = (key: UnitKey): Statement[] => [
  sql`UPDATE generation_units SET state = 'running' WHERE ${here(key)} AND (state = 'running' OR (state = 'waiting'
        AND NOT EXISTS (SELECT 1 FROM generation_cancels c WHERE c.org_id = generation_units.org_id
          AND c.service_name = ${PLAYBOOK_SERVICE} AND c.operation_id = generation_units.operation_id)))`,
  guard("members", sql`changes() = 1`),
];

/** Ends a unit in flight, or puts it back among those that wait. Guard `members`: it is in flight. */
export const settleUnit = (
  key: UnitKey,
  next: { state: "waiting" | "done" | "failed"; error: string | null; failedTries: number },
): Statement[] => [
  sql`UPDATE generation_units SET state = ${next.state}, error = ${next.error},
        attempts = attempts + ${next.failedTries}
      WHERE ${here(key)} AND state = 'running'`,
  guard("members", sql`changes() = 1`),
];

/** Forgets a window whose turns are gone, so that another is opened. */
export const forgetUnitWindow = (key: UnitKey): Statement =>
  sql`UPDATE generation_units SET window_id = NULL WHERE ${here(key)} AND state = 'running'`;

/**
 * Opens the unit's window over `turns`; one that was invalidated under the same turns is opened anew. Guard
 * `window`.
 */
export const openUnitWindow = (
  operation: GenerationOperation,
  unit: GenerationUnit,
  windowId: string,
  turns: SelectedTurns,
  nowMs: number,
): Statement[] => [
  sql`UPDATE generation_units SET window_id = ${windowId} WHERE ${here(unit)} AND state = 'running'`,
  guard("members", sql`changes() = 1`),
  sql`INSERT INTO windows (org_id, window_id, user_id, kind, manifest, first_new_seq, end_seq, force,
        skip_aggregation, config_hash, agent_version, request_id, source, state, outcome, error, created_at,
        finished_at)
      VALUES (${unit.orgId}, ${windowId}, ${unit.userId}, ${operation.mode}, ${JSON.stringify(turns.ids)},
        ${turns.ids[0] ?? 0}, ${turns.ids.at(-1) ?? 0}, 1, ${Number(operation.mode === "rerun")},
        ${operation.configHash}, ${operation.agentVersion}, ${operation.requestId}, ${turns.source}, 'open', NULL,
        NULL, ${Math.floor(nowMs / 1000)}, NULL)
      ON CONFLICT (org_id, window_id) DO UPDATE SET state = 'open', outcome = NULL, error = NULL, finished_at = NULL
        WHERE windows.state = 'invalidated'`,
  guard("window", sql`changes() = 1`),
];

/** Ends the unfinished window of a unit that was given up; what it quotes goes. */
export const dropUnitWindow = (key: UnitKey, error: string, atSec: number): Statement =>
  sql`UPDATE windows SET state = 'dead', outcome = NULL, error = ${error}, finished_at = ${atSec}
      WHERE org_id = ${key.orgId} AND state IN ('open', 'computed')
        AND window_id = (SELECT window_id FROM generation_units WHERE ${here(key)})`;
