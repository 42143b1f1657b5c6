/** Storing a publish call, finding it again, and loading turns for learning. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { advanceSequence } from "../db/sequences";
import { guard, inList, type Statement, sql } from "../db/sql";
import { byteLength } from "../platform/text";
import { orgToken, searchText } from "../search/words";
import { detailsSchema, type NewRequest, type NewTurn, type StreamTurn } from "./model";
import { mayLearnFrom, userIsRevoked } from "./revoked-store";

/** Bytes of JSON that one statement's parameter carries; a turn above it is bound by itself. */
const GROUP_BYTES = 500_000;

/** The first id of the block of `count` that this batch has just advanced the sequence by. */
export const firstIdOf = (orgId: string, count: number): Statement =>
  sql`(SELECT next FROM sequences WHERE org_id = ${orgId} AND name = 'interaction') - ${count}`;

/** Splits rows into groups whose JSON stays below {@link GROUP_BYTES}; an oversized row stands alone. */
export function groupsOf<Row>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = byteLength(JSON.stringify(row)) + 1;
    if (bytes + size > GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(row);
    bytes += size;
  }
  return groups;
}

type TurnRow = readonly [ordinal: number, role: string, content: string, details: string];

/** JSON escaping can swell a text sixfold, so a large turn is bound as it is. */
function insertTurns(request: NewRequest, first: Statement, rows: readonly TurnRow[]): Statement {
  const { orgId, userId, requestId, createdAt } = request;
  const into: Statement = {
    text: "INSERT INTO interactions (org_id, user_id, interaction_id, request_id, created_at, role, content, details)",
    params: [],
  };
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) {
    const [ordinal, role, content, details] = only;
    return sql`${into} VALUES (${orgId}, ${userId}, ${first} + ${ordinal}, ${requestId}, ${createdAt}, ${role},
      ${content}, ${details})`;
  }
  return sql`${into} SELECT ${orgId}, ${userId}, ${first} + (value->>0), ${requestId}, ${createdAt}, value->>1,
      value->>2, value->>3 FROM json_each(${JSON.stringify(rows)}) ORDER BY key`;
}

/** Lexemes live in the word index alone; a turn without any has no row there. */
function insertWords(request: NewRequest, first: Statement, turns: readonly NewTurn[]): Statement[] {
  const rows = turns
    .map(({ words }, ordinal) => [ordinal, searchText(words)] as const)
    .filter(([, lexemes]) => lexemes !== "");
  return groupsOf(rows).map(
    (group) =>
      sql`INSERT INTO interactions_fts (rowid, scope, search_text)
          SELECT i.row, ${orgToken(request.orgId)}, w.value->>1 FROM json_each(${JSON.stringify(group)}) w
          CROSS JOIN interactions i ON i.org_id = ${request.orgId} AND i.user_id = ${request.userId}
            AND i.interaction_id = ${first} + (w.value->>0)`,
  );
}

/** A revoked user's turns are stored, and stay out of learning; the batch itself decides, so none slips through. */
const admission = ({ orgId, userId, eligible }: NewRequest, kind: "playbook" | "profile"): Statement =>
  sql`${Number(eligible[kind])} AND NOT ${userIsRevoked(orgId, userId)}`;

const insertRequest = (request: NewRequest, first: Statement, count: number): Statement =>
  sql`INSERT INTO requests (org_id, max_seq, min_seq, request_id, user_id, session_id, source, agent_version,
        created_at, evaluation_only, force_extraction, skip_aggregation, experiment_id, experiment_arm, config_hash,
        playbook_eligible, profile_eligible, body_hash, warnings)
      VALUES (${request.orgId}, ${first} + ${count - 1}, ${first}, ${request.requestId}, ${request.userId},
        ${request.sessionId}, ${request.source}, ${request.agentVersion}, ${request.createdAt},
        ${Number(request.evaluationOnly)}, ${Number(request.forceExtraction)}, ${Number(request.skipAggregation)},
        ${request.experimentId}, ${request.experimentArm}, ${request.configHash},
        ${admission(request, "playbook")}, ${admission(request, "profile")}, ${request.bodyHash},
        ${JSON.stringify(request.warnings)})`;

/**
 * The batch that stores a request and its turns, guarded by `request_new`. Ids come from the sequence
 * inside the batch, so they grow in commit order and are the stream's order.
 */
export function storeRequest(request: NewRequest, turns: readonly NewTurn[]): Statement[] {
  const first = firstIdOf(request.orgId, turns.length);
  const rows = turns.map(({ role, content, details }, ordinal): TurnRow => [ordinal, role, content, details]);
  return [
    // What is published under an erasure would be lost with the rest: its publisher is told to come back.
    guard("erasure", sql`SELECT NOT ${isBeingErased(request.orgId, request.userId)}`),
    guard(
      "request_new",
      sql`SELECT NOT EXISTS (SELECT 1 FROM requests WHERE org_id = ${request.orgId}
          AND request_id = ${request.requestId})`,
    ),
    advanceSequence(request.orgId, "interaction", turns.length),
    ...groupsOf(rows).map((group) => insertTurns(request, first, group)),
    ...insertWords(request, first, turns),
    insertRequest(request, first, turns.length),
  ];
}

const storedRequestRow = z
  .object({
    request_id: z.string(),
    user_id: z.string(),
    session_id: z.string(),
    source: z.string(),
    agent_version: z.string(),
    evaluation_only: z.int().transform(Boolean),
    force_extraction: z.int().transform(Boolean),
    skip_aggregation: z.int().transform(Boolean),
    experiment_id: z.string().nullable(),
    experiment_arm: z.string().nullable(),
    body_hash: z.string(),
    min_seq: z.int(),
    max_seq: z.int(),
    warnings: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  })
  .readonly();
export type StoredRequest = z.output<typeof storedRequestRow>;

/** @returns the request with that id, or null */
export const findRequest = (db: Database, orgId: string, requestId: string): Promise<StoredRequest | null> =>
  db.first(
    storedRequestRow,
    sql`SELECT request_id, user_id, session_id, source, agent_version, evaluation_only, force_extraction,
          skip_aggregation, experiment_id, experiment_arm, body_hash, min_seq, max_seq, warnings
        FROM requests WHERE org_id = ${orgId} AND request_id = ${requestId}`,
  );

const streamTurnRow = z
  .object({
    interaction_id: z.int(),
    request_id: z.string(),
    session_id: z.string(),
    source: z.string(),
    agent_version: z.string(),
    request_created_at: z.int(),
    created_at: z.int(),
    role: z.string(),
    content: z.string(),
    details: z.string().transform((text) => detailsSchema.parse(JSON.parse(text))),
  })
  .transform(
    (row): StreamTurn => ({
      interactionId: row.interaction_id,
      requestId: row.request_id,
      sessionId: row.session_id,
      source: row.source,
      agentVersion: row.agent_version,
      requestCreatedAt: row.request_created_at,
      createdAt: row.created_at,
      role: row.role,
      content: row.content,
      details: row.details,
    }),
  );

/**
 * Turns of one user by id, in arrival order. An id that is gone, revoked or another user's is left out, so
 * fewer turns than ids means that nothing may be learned from them together any more.
 */
export const loadTurns = (
  db: Database,
  orgId: string,
  userId: string,
  ids: readonly number[],
): Promise<StreamTurn[]> =>
  db.all(
    streamTurnRow,
    sql`SELECT i.interaction_id, i.request_id, r.session_id, r.source, r.agent_version,
          r.created_at AS request_created_at, i.created_at, i.role, i.content, i.details
        FROM interactions i JOIN requests r ON r.org_id = i.org_id AND r.request_id = i.request_id
        WHERE i.org_id = ${orgId} AND i.user_id = ${userId} AND ${inList("i.interaction_id", ids)}
          AND ${mayLearnFrom(orgId, userId, { text: "i.interaction_id", params: [] })}
        ORDER BY i.interaction_id`,
  );
