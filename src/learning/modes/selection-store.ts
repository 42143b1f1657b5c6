/** SQL of what a generation reads: the users it is about, and the last turns of each (specification 7.2). */
import * as z from "zod";
import type { Database } from "../../db/client";
import { and, inList, type Statement, sql } from "../../db/sql";
import { mayLearnFrom, userIsRevoked } from "../../interactions/revoked-store";
import type { GenerationOperation, GenerationScope, Mode } from "./model";

/** Sessions among which a generation by hand finds its users. */
const MAX_SESSIONS = 1_000;

const column = (text: string): Statement => ({ text, params: [] });

/** What admission kept out of learning stays out, whatever the Config says today (trap 4). */
const ELIGIBLE = column("r.playbook_eligible = 1");

/** Clauses about a publish `r`. Turns of other versions are no material for a rerun. */
function publishes(mode: Mode, scope: GenerationScope, sources: readonly string[] | null): Statement {
  const { agentVersion, startSec, endSec } = scope;
  return sql`${ELIGIBLE}${and([
    ...(mode === "rerun" ? [sql`r.agent_version = ${agentVersion}`] : []),
    ...(startSec === null ? [] : [sql`r.created_at >= ${startSec}`]),
    ...(endSec === null ? [] : [sql`r.created_at <= ${endSec}`]),
    ...(sources === null ? [] : [inList("r.source", sources)]),
  ])}`;
}

/** Publishes `r` that users are found by. */
const matching = (
  orgId: string,
  mode: Mode,
  scope: GenerationScope,
  sources: readonly string[] | null,
): Statement => {
  const here = sql`r.org_id = ${orgId} AND ${publishes(mode, scope, sources)}`;
  const latest =
    mode === "rerun"
      ? []
      : [
          sql`r.session_id IN (SELECT session_id FROM (SELECT r.session_id, max(r.max_seq) AS last_seq
              FROM requests r WHERE ${here} GROUP BY r.session_id ORDER BY last_seq DESC LIMIT ${MAX_SESSIONS}))`,
        ];
  return sql`requests r WHERE ${here} AND NOT ${userIsRevoked(orgId, column("r.user_id"))}${and(latest)}`;
};

/** Whether anybody is there to learn from. */
export async function hasUsers(
  db: Database,
  orgId: string,
  mode: Mode,
  scope: GenerationScope,
  sources: readonly string[] | null,
): Promise<boolean> {
  const row = await db.first(
    z.object({ found: z.int() }),
    sql`SELECT EXISTS (SELECT 1 FROM ${matching(orgId, mode, scope, sources)}) AS found`,
  );
  return row?.found === 1;
}

/** One waiting unit for each user, in the order in which they came. */
export const insertUnits = (
  orgId: string,
  operationId: string,
  mode: Mode,
  scope: GenerationScope,
  sources: readonly string[] | null,
): Statement =>
  sql`INSERT INTO generation_units (org_id, operation_id, position, user_id, state, window_id, attempts, error)
      SELECT ${orgId}, ${operationId}, row_number() OVER (ORDER BY first_seq), user_id, 'waiting', NULL, 0, NULL
      FROM (SELECT r.user_id, min(r.max_seq) AS first_seq FROM ${matching(orgId, mode, scope, sources)}
        GROUP BY r.user_id)`;

export interface SelectedTurns {
  /** In arrival order. */
  ids: number[];
  /** Of the last one. */
  source: string;
}

/** The last turns of a user that the operation may show, at most `windowSize`. */
export async function lastTurns(
  db: Database,
  operation: GenerationOperation,
  userId: string,
  windowSize: number,
): Promise<SelectedTurns> {
  const { orgId, mode, windowSources } = operation;
  const rows = await db.all(
    z.object({ seq: z.int(), source: z.string() }),
    sql`SELECT i.interaction_id AS seq, r.source FROM interactions i
        CROSS JOIN requests r ON r.org_id = i.org_id AND r.request_id = i.request_id
        WHERE i.org_id = ${orgId} AND i.user_id = ${userId} AND ${publishes(mode, operation, windowSources)}
          AND ${mayLearnFrom(orgId, userId, column("i.interaction_id"))}
        ORDER BY i.interaction_id DESC LIMIT ${windowSize}`,
  );
  return { ids: rows.map(({ seq }) => seq).reverse(), source: rows[0]?.source ?? "" };
}
