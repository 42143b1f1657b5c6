/** SQL of aggregation's state: versions, intake, residual items, backlog. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import { INTAKE_WINDOW_ROWS } from "./intake";
import { soonestRebuild } from "./invalidated-clusters-store";
import { hasInvalidations } from "./invalidations-store";
import { companyReasons, type ItemReason } from "./model";
import { FIRST_COOL_DOWN_MS, MAX_COOL_DOWN_MS, MAX_DOUBLINGS, type ResidualItem } from "./residuals";

const ids = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));

export interface VersionState {
  isPending: boolean;
  nextAttemptAtMs: number;
  stateVersion: number;
  intakeFloor: number;
}

const stateRow = z
  .object({ pending: z.int(), next_attempt_at_ms: z.int(), state_version: z.int(), intake_floor: z.int() })
  .transform(
    (row): VersionState => ({
      isPending: row.pending === 1,
      nextAttemptAtMs: row.next_attempt_at_ms,
      stateVersion: row.state_version,
      intakeFloor: row.intake_floor,
    }),
  );

export const loadState = (db: Database, orgId: string, agentVersion: string): Promise<VersionState | null> =>
  db.first(
    stateRow,
    sql`SELECT pending, next_attempt_at_ms, state_version, intake_floor FROM aggregation_states
        WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`,
  );

/** Marks a version due now: a person asked for it. */
export const makeDue = (orgId: string, agentVersion: string, nowMs: number): Statement =>
  sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
      VALUES (${orgId}, ${agentVersion}, 1, ${nowMs}, 1, 0)
      ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1,
        next_attempt_at_ms = min(next_attempt_at_ms, excluded.next_attempt_at_ms)`;

/** Ends a turn if nothing has marked the version since `expectedVersion` was read; changes 0 rows otherwise. */
export const finishState = (
  key: { orgId: string; agentVersion: string; expectedVersion: number },
  next: { isPending: boolean; nextAttemptAtMs: number; lastSuccessAt: number },
): Statement =>
  sql`UPDATE aggregation_states SET pending = ${next.isPending ? 1 : 0}, next_attempt_at_ms = ${next.nextAttemptAtMs},
        last_success_at = ${next.lastSuccessAt}, last_error = NULL, state_version = state_version + 1
      WHERE org_id = ${key.orgId} AND agent_version = ${key.agentVersion} AND state_version = ${key.expectedVersion}`;

export const failState = (
  orgId: string,
  agentVersion: string,
  next: { nextAttemptAtMs: number; error: string },
): Statement =>
  sql`UPDATE aggregation_states SET pending = 1, next_attempt_at_ms = ${next.nextAttemptAtMs},
        last_error = ${next.error}, state_version = state_version + 1
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`;

/** Versions of every org whose work is due. One of the statements that find the org. */
export const dueVersions = (
  db: Database,
  nowMs: number,
  limit: number,
): Promise<{ org_id: string; agent_version: string }[]> =>
  db.all(
    z.object({ org_id: z.string(), agent_version: z.string() }),
    sql`SELECT org_id, agent_version FROM aggregation_states INDEXED BY aggregation_due
        WHERE pending = 1 AND next_attempt_at_ms <= ${nowMs} ORDER BY next_attempt_at_ms, agent_version LIMIT ${limit}`,
  );

/** CURRENT, non-blank rows `p` of one version. */
export const currentRules = (orgId: string, agentVersion: string): Statement =>
  sql`p.org_id = ${orgId} AND p.agent_version = ${agentVersion} AND p.status IS NULL AND trim(p.content) <> ''`;

const itemOfRule: Statement = sql`LEFT JOIN aggregation_items i ON i.org_id = p.org_id
  AND i.agent_version = p.agent_version AND i.user_playbook_id = p.user_playbook_id`;

export const countCurrentRules = async (db: Database, orgId: string, agentVersion: string): Promise<number> =>
  (
    await db.first(
      z.object({ rows: z.int() }),
      sql`SELECT count(*) AS rows FROM user_playbooks p WHERE ${currentRules(orgId, agentVersion)}`,
    )
  )?.rows ?? 0;

export interface OpenRows {
  /** Newest ids that are undisposed or residual, at most the intake window. */
  open: number[];
  /** Newest ids without an item, at most the intake window. */
  undisposed: number[];
}

/** What intake looks at, from the floor upwards. */
export async function loadOpenRows(
  db: Database,
  orgId: string,
  agentVersion: string,
  floor: number,
): Promise<OpenRows> {
  const newest = (condition: Statement): Statement =>
    sql`(SELECT json_group_array(id) FROM (SELECT p.user_playbook_id AS id FROM user_playbooks p ${itemOfRule}
        WHERE ${currentRules(orgId, agentVersion)} AND p.user_playbook_id >= ${floor} AND ${condition}
        ORDER BY p.user_playbook_id DESC LIMIT ${INTAKE_WINDOW_ROWS}))`;
  const row = await db.first(
    z.object({ open: ids, undisposed: ids }),
    sql`SELECT ${newest(sql`(i.user_playbook_id IS NULL OR (i.disposition = 'residual' AND i.cluster_id IS NULL))`)} AS open,
        ${newest(sql`i.user_playbook_id IS NULL`)} AS undisposed`,
  );
  return row ?? { open: [], undisposed: [] };
}

/** Raises the floor (never lowers it), ends what fell below it, and stages the given rows as residual. */
export const stageRows = (
  orgId: string,
  agentVersion: string,
  floor: number,
  staged: readonly number[],
): Statement[] => [
  sql`UPDATE aggregation_states SET intake_floor = max(intake_floor, ${floor})
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion}`,
  sql`UPDATE aggregation_items SET disposition = 'terminal_noop', reason = 'outside_recent_clustering_window'
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
        AND cluster_id IS NULL AND user_playbook_id < ${floor}`,
  sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
        attempt_count, last_attempt_at_ms)
      SELECT ${orgId}, ${agentVersion}, value, 'residual', NULL, 'new', 0, 0 FROM json_each(${JSON.stringify(staged)})
      WHERE true ON CONFLICT (org_id, agent_version, user_playbook_id) DO NOTHING`,
];

/** Why a rule that was looked at stays residual, unless something else is said. */
const WAITING: ItemReason = "waiting_for_company";

const residualRow = z
  .object({
    user_playbook_id: z.int(),
    reason: z.string(),
    attempt_count: z.int(),
    last_attempt_at_ms: z.int(),
  })
  .transform(
    (row): ResidualItem => ({
      userPlaybookId: row.user_playbook_id,
      waitsForCompany: companyReasons.some((reason) => reason === row.reason),
      attemptCount: row.attempt_count,
      lastAttemptAtMs: row.last_attempt_at_ms,
    }),
  );

/** Residual items without a cluster: up to `limit` never tried, and up to `limit` tried longest ago. */
export async function loadResiduals(
  db: Database,
  orgId: string,
  agentVersion: string,
  limit: number,
): Promise<ResidualItem[]> {
  const select = (condition: Statement): Statement =>
    sql`SELECT user_playbook_id, reason, attempt_count, last_attempt_at_ms FROM aggregation_items
        WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
          AND cluster_id IS NULL AND ${condition} LIMIT ${limit}`;
  const [fresh, tried] = await db.batch([
    select(sql`attempt_count <= 0 ORDER BY user_playbook_id`),
    select(sql`attempt_count > 0 ORDER BY last_attempt_at_ms, user_playbook_id`),
  ]);
  return [...(fresh?.rows ?? []), ...(tried?.rows ?? [])].map((row) => residualRow.parse(row));
}

/** Counts an attempt at selection, so that a crash backs off too (trap 49). What fails is given its reason later. */
export const countAttempt = (
  orgId: string,
  agentVersion: string,
  selected: readonly number[],
  nowMs: number,
): Statement =>
  sql`UPDATE aggregation_items SET reason = ${WAITING}, attempt_count = attempt_count + 1,
        last_attempt_at_ms = ${nowMs}
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND ${inList("user_playbook_id", selected)}`;

/** Names why items stay residual. */
export const keepResidual = (
  orgId: string,
  agentVersion: string,
  kept: readonly number[],
  reason: ItemReason,
): Statement =>
  sql`UPDATE aggregation_items SET reason = ${reason} WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
      AND disposition = 'residual' AND ${inList("user_playbook_id", kept)}`;

/** Takes an attempt back: the turn ended before these were looked at, so they are due again at once. */
export const giveBack = (orgId: string, agentVersion: string, returned: readonly number[]): Statement =>
  sql`UPDATE aggregation_items SET reason = 'deferred', attempt_count = max(0, attempt_count - 1), last_attempt_at_ms = 0
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
        AND ${inList("user_playbook_id", returned)}`;

/** Ends residual items without a rule. */
export const endItems = (
  orgId: string,
  agentVersion: string,
  ended: readonly number[],
  reason: ItemReason,
): Statement =>
  sql`UPDATE aggregation_items SET disposition = 'terminal_noop', reason = ${reason}
      WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
        AND ${inList("user_playbook_id", ended)}`;

/** Forgets residual items whose row is gone, blank or no longer CURRENT; an edited row is staged anew. */
export const forgetItems = (orgId: string, agentVersion: string, gone: readonly number[]): Statement =>
  sql`DELETE FROM aggregation_items WHERE org_id = ${orgId} AND agent_version = ${agentVersion}
      AND disposition = 'residual' AND ${inList("user_playbook_id", gone)}`;

export interface Backlog {
  /** Whether rules above the floor have no item. */
  undisposed: number;
  fresh: number;
  /** Whether changes wait to be applied. */
  invalidated: number;
  /** When the soonest cooling rule or cluster is due (milliseconds); null where none cools. */
  soonestDueAtMs: number | null;
}

/** What work is left. */
export async function loadBacklog(
  db: Database,
  orgId: string,
  agentVersion: string,
  floor: number,
): Promise<Backlog> {
  const row = await db.first(
    z.object({
      undisposed: z.int(),
      invalidated: z.int(),
      fresh: z.int().nullable(),
      soonest: z.int().nullable(),
      rebuild: z.int().nullable(),
    }),
    sql`SELECT EXISTS (SELECT 1 FROM user_playbooks p ${itemOfRule} WHERE ${currentRules(orgId, agentVersion)}
          AND p.user_playbook_id >= ${floor} AND i.user_playbook_id IS NULL) AS undisposed,
        ${hasInvalidations(orgId, agentVersion)} AS invalidated, ${soonestRebuild(orgId, agentVersion)} AS rebuild,
        sum(attempt_count <= 0 OR last_attempt_at_ms = 0) AS fresh,
        min(iif(attempt_count <= 0, 0, last_attempt_at_ms
          + min(${MAX_COOL_DOWN_MS}, ${FIRST_COOL_DOWN_MS} << min(attempt_count - 1, ${MAX_DOUBLINGS})))) AS soonest
        FROM aggregation_items WHERE org_id = ${orgId} AND agent_version = ${agentVersion} AND disposition = 'residual'
          AND cluster_id IS NULL`,
  );
  const dueAtMs = [row?.soonest, row?.rebuild].filter((at) => typeof at === "number");
  return {
    undisposed: row?.undisposed ?? 0,
    invalidated: row?.invalidated ?? 0,
    fresh: row?.fresh ?? 0,
    soonestDueAtMs: dueAtMs.length === 0 ? null : Math.min(...dueAtMs),
  };
}
