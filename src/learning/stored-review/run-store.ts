/** SQL of reviews: which rules one looks at, and how a run that is applied in the background stands. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { isBeingErased } from "../../db/erasure-mark";
import { guard, type Statement, sql } from "../../db/sql";
import type { UserPlaybook } from "../../playbooks/model";
import { userPlaybookColumns, userPlaybookRow } from "../../playbooks/rows";
import {
  countOf,
  type Decision,
  decisions,
  type Outcome,
  outcomeSchema,
  type ReviewItem,
  type ReviewRun,
  runStates,
  type Selection,
  type StopCode,
  stopCodes,
  storedReasonCodes,
} from "./model";

/** Finished runs that an org keeps. */
const KEPT_RUNS = 20;

/**
 * Ids of CURRENT rules that were made in the time, newest first. A row is never older than its last change, so the
 * index of changes bounds what is read to rules that were changed since the time began.
 */
const selected = (orgId: string, columns: Statement, { startSec, endSec, topK }: Selection): Statement =>
  sql`SELECT ${columns} FROM user_playbooks INDEXED BY user_playbooks_recent
      WHERE org_id = ${orgId} AND updated_at_ms >= ${startSec * 1000} AND status IS NULL
        AND created_at BETWEEN ${startSec} AND ${endSec}
        AND NOT ${isBeingErased(orgId, { text: "user_playbooks.user_id", params: [] })}
      ORDER BY created_at DESC, user_playbook_id DESC LIMIT ${topK}`;

export const selectRules = (db: Database, orgId: string, selection: Selection): Promise<UserPlaybook[]> =>
  db.all(userPlaybookRow, selected(orgId, userPlaybookColumns, selection));

const runRow = z
  .object({
    org_id: z.string(),
    run_id: z.string(),
    state: z.enum(runStates),
    start_sec: z.int(),
    end_sec: z.int(),
    config_hash: z.string(),
    principal_id: z.string(),
    selected: z.int(),
    position: z.int(),
    attempts: z.int(),
    accepted: z.int(),
    edited: z.int(),
    rejected: z.int(),
    skipped: z.int(),
    error: z.enum(stopCodes).nullable(),
    started_at: z.int(),
    finished_at: z.int().nullable(),
  })
  .transform(
    (row): ReviewRun => ({
      orgId: row.org_id,
      runId: row.run_id,
      state: row.state,
      startSec: row.start_sec,
      endSec: row.end_sec,
      configHash: row.config_hash,
      principalId: row.principal_id,
      selected: row.selected,
      position: row.position,
      attempts: row.attempts,
      accepted: row.accepted,
      edited: row.edited,
      rejected: row.rejected,
      skipped: row.skipped,
      error: row.error,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
    }),
  );

const columns: Statement = {
  text: `org_id, run_id, state, start_sec, end_sec, config_hash, principal_id, selected, position, attempts,
    accepted, edited, rejected, skipped, error, started_at, finished_at`,
  params: [],
};

export const findRun = (db: Database, orgId: string, runId: string): Promise<ReviewRun | null> =>
  db.first(runRow, sql`SELECT ${columns} FROM review_runs WHERE org_id = ${orgId} AND run_id = ${runId}`);

/** The one under way, if any. */
export const runningReview = (db: Database, orgId: string): Promise<ReviewRun | null> =>
  db.first(runRow, sql`SELECT ${columns} FROM review_runs WHERE org_id = ${orgId} AND state = 'running'`);

/** Newest first. */
export const recentRuns = (db: Database, orgId: string, limit: number): Promise<ReviewRun[]> =>
  db.all(
    runRow,
    sql`SELECT ${columns} FROM review_runs WHERE org_id = ${orgId}
        ORDER BY started_at DESC, run_id DESC LIMIT ${limit}`,
  );

const itemRow = z
  .object({
    position: z.int(),
    user_playbook_id: z.int(),
    decision: z.enum(decisions).nullable(),
    reason_code: z.enum(storedReasonCodes).nullable(),
    successor_id: z.int().nullable(),
    outcome: z
      .string()
      .nullable()
      .transform((text) => (text === null ? null : outcomeSchema.parse(JSON.parse(text)))),
  })
  .transform(
    (row): ReviewItem => ({
      position: row.position,
      userPlaybookId: row.user_playbook_id,
      decision: row.decision,
      reasonCode: row.reason_code,
      successorId: row.successor_id,
      outcome: row.outcome,
    }),
  );

/** Rules of a run in its order, from a position on. */
export const listItems = (
  db: Database,
  { orgId, runId }: Pick<ReviewRun, "orgId" | "runId">,
  from: number,
  limit: number,
): Promise<ReviewItem[]> =>
  db.all(
    itemRow,
    sql`SELECT position, user_playbook_id, decision, reason_code, successor_id, outcome FROM review_items
        WHERE org_id = ${orgId} AND run_id = ${runId} AND position >= ${from} ORDER BY position LIMIT ${limit}`,
  );

/**
 * Begins a run over the rules that are selected at this moment; one that finds none is done at once. Guard
 * `operation`: no other is under way. The oldest finished runs go.
 */
export function beginRun(
  run: Pick<ReviewRun, "orgId" | "runId" | "configHash" | "principalId" | "startedAt">,
  selection: Selection,
): Statement[] {
  const { orgId, runId, startedAt } = run;
  const old = sql`SELECT run_id FROM review_runs WHERE org_id = ${orgId} AND state <> 'running'
      ORDER BY started_at DESC, run_id DESC LIMIT -1 OFFSET ${KEPT_RUNS - 1}`;
  const mine = sql`SELECT count(*) FROM review_items WHERE org_id = ${orgId} AND run_id = ${runId}`;
  return [
    guard(
      "operation",
      sql`NOT EXISTS (SELECT 1 FROM review_runs WHERE org_id = ${orgId}
          AND (state = 'running' OR run_id = ${runId}))`,
    ),
    sql`DELETE FROM review_items WHERE org_id = ${orgId} AND run_id IN (${old})`,
    sql`DELETE FROM review_runs WHERE org_id = ${orgId} AND run_id IN (${old})`,
    sql`INSERT INTO review_items (org_id, run_id, position, user_playbook_id)
        SELECT ${orgId}, ${runId}, row_number() OVER () - 1, user_playbook_id
        FROM (${selected(orgId, { text: "user_playbook_id", params: [] }, selection)})`,
    sql`INSERT INTO review_runs (org_id, run_id, state, start_sec, end_sec, config_hash, principal_id, selected,
          position, attempts, accepted, edited, rejected, skipped, error, started_at, finished_at)
        SELECT ${orgId}, ${runId}, iif(n = 0, 'done', 'running'), ${selection.startSec}, ${selection.endSec},
          ${run.configHash}, ${run.principalId}, n, 0, 0, 0, 0, 0, 0, NULL, ${startedAt},
          iif(n = 0, ${startedAt}, NULL)
        FROM (SELECT (${mine}) AS n)`,
  ];
}

/** Scalar: the run has something to do. For the batch that begins it. */
export const hasWork = (orgId: string, runId: string): Statement =>
  sql`EXISTS (SELECT 1 FROM review_runs WHERE org_id = ${orgId} AND run_id = ${runId} AND state = 'running')`;

type Turn = Pick<ReviewRun, "orgId" | "runId" | "position">;

const thisTurn = ({ orgId, runId, position }: Turn): Statement =>
  sql`org_id = ${orgId} AND run_id = ${runId} AND position = ${position}`;

/** Keeps a judgement until it is applied. Guard `still_current`: its rule is as it was judged. */
export const saveOutcome = (turn: Turn, userPlaybookId: number, outcome: Outcome): Statement[] => [
  sql`UPDATE review_items SET outcome = ${JSON.stringify(outcome)} WHERE ${thisTurn(turn)} AND decision IS NULL
      AND EXISTS (SELECT 1 FROM user_playbooks p WHERE p.org_id = ${turn.orgId}
        AND p.user_playbook_id = ${userPlaybookId} AND p.status IS NULL AND p.updated_at_ms = ${outcome.basisMs}
        AND NOT ${isBeingErased(turn.orgId, { text: "p.user_id", params: [] })})`,
  guard("still_current", sql`changes() = 1`),
];

/** Decides one rule and goes on to the next. Guard `operation`: it is this rule's turn. */
export function settleTurn(
  turn: Turn,
  decided: { decision: Decision; reasonCode: string; successorId: number | null },
  atSec: number,
): Statement[] {
  const count: Statement = { text: countOf[decided.decision], params: [] };
  const isLast: Statement = { text: "position + 1 = selected", params: [] };
  return [
    sql`UPDATE review_runs SET position = position + 1, attempts = 0, ${count} = ${count} + 1,
          state = iif(${isLast}, 'done', 'running'), finished_at = iif(${isLast}, ${atSec}, NULL)
        WHERE ${thisTurn(turn)} AND state = 'running'`,
    guard("operation", sql`changes() = 1`),
    sql`UPDATE review_items SET decision = ${decided.decision}, reason_code = ${decided.reasonCode},
          successor_id = ${decided.successorId}, outcome = NULL WHERE ${thisTurn(turn)}`,
  ];
}

/** A try that came to nothing. What was judged on another basis is judged anew. */
export const countAttempt = (turn: Turn, { forget }: { forget: boolean }): Statement[] => [
  sql`UPDATE review_runs SET attempts = attempts + 1 WHERE ${thisTurn(turn)} AND state = 'running'`,
  ...(forget ? [sql`UPDATE review_items SET outcome = NULL WHERE ${thisTurn(turn)}`] : []),
];

/** Ends a run before its end; what was decided stays, and what was judged and not applied is forgotten. */
export const stopRun = (
  { orgId, runId }: Pick<ReviewRun, "orgId" | "runId">,
  code: StopCode,
  atSec: number,
): Statement[] => [
  sql`UPDATE review_runs SET state = 'failed', error = ${code}, finished_at = ${atSec}
      WHERE org_id = ${orgId} AND run_id = ${runId} AND state = 'running'`,
  sql`UPDATE review_items SET outcome = NULL WHERE org_id = ${orgId} AND run_id = ${runId}
      AND outcome IS NOT NULL`,
];
