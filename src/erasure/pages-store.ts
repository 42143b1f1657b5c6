/** SQL of one page of an erasure. A page that is done twice finds nothing the second time. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import type { RuleKind } from "../playbooks/vector-store";
import { dropLeases } from "./begin-store";
import { countChanged } from "./mark-store";
import type { Erasure } from "./model";

/** Rows that one batch deletes. */
export const ERASURE_PAGE = 500;

export interface Place {
  orgId: string;
  erasure: Erasure;
}

const idRow = z.object({ id: z.int() });

export const rulesOfUser = async (db: Database, { orgId, erasure }: Place): Promise<number[]> =>
  (
    await db.all(
      idRow,
      sql`SELECT user_playbook_id AS id FROM user_playbooks INDEXED BY user_playbooks_of_user WHERE org_id = ${orgId}
          AND user_id = ${erasure.userId} ORDER BY user_playbook_id LIMIT ${ERASURE_PAGE}`,
    )
  ).map((row) => row.id);

/** What became of rules of one kind: where they were applied, and what was said of them. */
export const usesOfRules = (orgId: string, kind: RuleKind, ids: readonly number[]): Statement[] => [
  sql`DELETE FROM rule_applications WHERE org_id = ${orgId} AND kind = ${kind} AND ${inList("entity_id", ids)}`,
  sql`DELETE FROM rule_feedback WHERE org_id = ${orgId} AND kind = ${kind} AND ${inList("entity_id", ids)}`,
];

/** What other tables hold about rules of one kind. */
export const aboutRules = (orgId: string, kind: RuleKind, ids: readonly number[]): Statement[] => [
  sql`DELETE FROM vectors WHERE org_id = ${orgId} AND kind = ${kind} AND ${inList("entity_id", ids)}`,
  ...usesOfRules(orgId, kind, ids),
];

/** The targets are written again: a rule that came after the first batch is taken out of the index as well. */
export const deleteRules = ({ orgId, erasure }: Place, ids: readonly number[]): Statement[] => [
  sql`INSERT INTO erasure_targets (org_id, erasure_id, kind, entity_id, models, kept_version)
      SELECT ${orgId}, ${erasure.erasureId}, 'user_playbook', value, (SELECT json_group_array(v.model) FROM vectors v
        WHERE v.org_id = ${orgId} AND v.kind = 'user_playbook' AND v.entity_id = value), NULL
      FROM json_each(${JSON.stringify(ids)}) WHERE true ON CONFLICT DO NOTHING`,
  ...aboutRules(orgId, "user_playbook", ids),
  sql`DELETE FROM user_playbooks WHERE org_id = ${orgId} AND ${inList("user_playbook_id", ids)}`,
  countChanged(orgId, erasure.erasureId, "user_playbooks"),
];

/** Words, applications and the like go by triggers. The last statement but one deletes the turns. */
export const deleteTurns = ({ orgId, erasure }: Place): Statement[] => [
  sql`DELETE FROM interactions WHERE row IN (SELECT row FROM interactions INDEXED BY interactions_stream
        WHERE org_id = ${orgId} AND user_id = ${erasure.userId} ORDER BY interaction_id LIMIT ${ERASURE_PAGE})
      RETURNING 1`,
  countChanged(orgId, erasure.erasureId, "interactions"),
];

export const deleteWindows = ({ orgId, erasure }: Place): Statement[] => [
  sql`DELETE FROM windows WHERE org_id = ${orgId} AND window_id IN (SELECT window_id FROM windows
        INDEXED BY windows_by_user WHERE org_id = ${orgId} AND user_id = ${erasure.userId} LIMIT ${ERASURE_PAGE})
      RETURNING 1`,
  countChanged(orgId, erasure.erasureId, "windows"),
];

/** Requests have no index by user, and one may have lost its turns: the org's are looked through. */
const REQUESTS_LOOKED_AT = 5_000;

export interface RequestPage {
  maxSeqs: number[];
  sessionIds: string[];
  /** How far this page looked; null at the end. */
  lookedToSeq: number | null;
}

const requestRow = z.object({ max_seq: z.int(), session_id: z.string() });

export async function requestsOfUser(
  db: Database,
  { orgId, erasure }: Place,
  afterSeq: number,
): Promise<RequestPage> {
  const looked = sql`(SELECT max_seq, session_id, user_id FROM requests WHERE org_id = ${orgId}
      AND max_seq > ${afterSeq} ORDER BY max_seq LIMIT ${REQUESTS_LOOKED_AT})`;
  const [found, end] = await db.batch([
    sql`SELECT max_seq, session_id FROM ${looked} WHERE user_id = ${erasure.userId} ORDER BY max_seq
        LIMIT ${ERASURE_PAGE}`,
    sql`SELECT count(*) AS looked, max(max_seq) AS last FROM ${looked}`,
  ]);
  const rows = z.array(requestRow).parse(found?.rows ?? []);
  const { looked: count, last } = z.object({ looked: z.int(), last: z.int().nullable() }).parse(end?.rows[0]);
  const isCut = rows.length === ERASURE_PAGE;
  return {
    maxSeqs: rows.map((row) => row.max_seq),
    sessionIds: [...new Set(rows.map((row) => row.session_id))],
    lookedToSeq: isCut ? (rows.at(-1)?.max_seq ?? null) : count < REQUESTS_LOOKED_AT ? null : last,
  };
}

export const deleteRequests = (
  { orgId, erasure }: Place,
  { maxSeqs, sessionIds }: RequestPage,
): Statement[] => [
  sql`DELETE FROM requests WHERE org_id = ${orgId} AND ${inList("max_seq", maxSeqs)}`,
  countChanged(orgId, erasure.erasureId, "requests"),
  sql`DELETE FROM served_rules WHERE org_id = ${orgId} AND ${inList("session_id", sessionIds)}`,
];

/** Keys of work and of letters about it name the user among their parts. */
const namesUser = (table: string, userId: string): Statement =>
  sql`EXISTS (SELECT 1 FROM json_each(${{ text: `${table}.key`, params: [] }}) part
      WHERE part.type = 'text' AND part.value = ${userId})`;

/** Everything else that names the user. The work of erasures and of versions is not the user's. */
export const deleteTraces = ({ orgId, erasure: { userId } }: Place): Statement[] => [
  sql`DELETE FROM cursors WHERE org_id = ${orgId} AND user_id = ${userId}`,
  sql`DELETE FROM session_outcomes WHERE org_id = ${orgId} AND user_id = ${userId}`,
  // Generations count their users by position: the place stays, and nobody is in it.
  sql`UPDATE generation_units SET user_id = '' WHERE org_id = ${orgId} AND user_id = ${userId}`,
  sql`UPDATE generation_operations SET current_user_id = NULL WHERE org_id = ${orgId}
      AND current_user_id = ${userId}`,
  sql`DELETE FROM dead_letters WHERE org_id = ${orgId} AND ${namesUser("dead_letters", userId)}`,
  sql`DELETE FROM outbox WHERE org_id = ${orgId} AND topic NOT IN ('erasure', 'aggregation') AND ${namesUser("outbox", userId)}`,
  sql`UPDATE lineage SET reason = NULL WHERE org_id = ${orgId} AND reason IS NOT NULL AND request_id IN (
        SELECT revocation_id FROM revocations WHERE org_id = ${orgId} AND user_id = ${userId})`,
  sql`DELETE FROM revocations WHERE org_id = ${orgId} AND user_id = ${userId}`,
  dropLeases(orgId, userId),
];

/** What a repeated call is told in place of an answer that may have quoted the user. */
const ERASED_ANSWER = JSON.stringify({
  type: "about:blank",
  title: "conflict",
  status: 409,
  detail: "This request was done before. Its answer is no longer kept, because a user was erased since.",
  error: "This request was done before. Its answer is no longer kept, because a user was erased since.",
});

/**
 * Answers that are kept for repeated calls may quote anybody, and nothing says whom: all of the org's go. Their
 * calls stay done.
 */
export const deleteAnswers = (orgId: string): Statement =>
  sql`UPDATE idempotency_keys SET status = 409, content_type = 'application/problem+json', body = ${ERASED_ANSWER}
      WHERE (org_id, principal_id, route, key) IN (SELECT org_id, principal_id, route, key FROM idempotency_keys
        WHERE org_id = ${orgId} AND state = 'done' AND body IS NOT ${ERASED_ANSWER} LIMIT ${ERASURE_PAGE})
      RETURNING 1`;
