/** All SQL about the vectors of rules: the truth that the index is made from. */
import * as z from "zod";
import type { Database } from "../db/client";
import type { Work } from "../db/outbox";
import { type Statement, sql } from "../db/sql";
import type { VectorKind } from "../platform/vectors/port";
import { jsonPages } from "./bulk";

/** The kinds of entity whose vectors this room keeps. */
export type RuleKind = Exclude<VectorKind, "profile">;

/** One quantised vector: `value = byte × scale`. */
export interface StoredVector {
  model: string;
  dimension: number;
  bytes: Uint8Array<ArrayBuffer>;
  scale: number;
}

export interface NewVector {
  orgId: string;
  kind: RuleKind;
  entityId: number;
  vector: StoredVector;
  nowMs: number;
}

/** Writes, or replaces, the vector of one rule under one model. For the batch that writes the rule's text. */
export const writeVector = ({ orgId, kind, entityId, vector, nowMs }: NewVector): Statement =>
  // `.buffer`: D1 reads a view as numbers of its own. The bytes own their whole buffer (slice).
  sql`INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
      VALUES (${orgId}, ${kind}, ${entityId}, ${vector.model}, ${vector.dimension}, ${vector.bytes.slice().buffer},
        ${vector.scale}, ${nowMs})
      ON CONFLICT (org_id, kind, entity_id, model) DO UPDATE SET dimension = excluded.dimension,
        vector = excluded.vector, scale = excluded.scale, updated_at_ms = excluded.updated_at_ms`;

/** As `writeVector`, for any number of rules of one kind. */
export const writeVectors = (rows: readonly NewVector[]): Statement[] =>
  jsonPages(
    rows.map(({ orgId, kind, entityId, vector, nowMs }) => [
      orgId,
      kind,
      entityId,
      vector.model,
      vector.dimension,
      hex(vector.bytes),
      vector.scale,
      nowMs,
    ]),
  ).map(
    (
      page,
    ) => sql`INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
      SELECT value->>0, value->>1, value->>2, value->>3, value->>4, unhex(value->>5), value->>6, value->>7
      FROM json_each(${page}) WHERE true
      ON CONFLICT (org_id, kind, entity_id, model) DO UPDATE SET dimension = excluded.dimension,
        vector = excluded.vector, scale = excluded.scale, updated_at_ms = excluded.updated_at_ms`,
  );

const tableOf: Record<RuleKind, Statement> = {
  user_playbook: { text: "user_playbooks", params: [] },
  agent_playbook: { text: "agent_playbooks", params: [] },
};
const idOf: Record<RuleKind, Statement> = {
  user_playbook: { text: "user_playbook_id", params: [] },
  agent_playbook: { text: "agent_playbook_id", params: [] },
};
/** Which rows are found by meaning. */
const indexed: Record<RuleKind, Statement> = {
  user_playbook: sql`rule.status IS NULL`,
  agent_playbook: sql`rule.status IS NULL AND rule.playbook_status IN ('pending', 'approved')`,
};
const ownerOf: Record<RuleKind, Statement> = {
  user_playbook: sql`coalesce(rule.user_id, '')`,
  agent_playbook: sql`''`,
};

/** Writes vectors computed apart from their rule's batch: only where the rule has not changed since. */
export const writeVectorsOfUnchanged = (
  rows: readonly (NewVector & { expectedUpdatedAtMs: number })[],
): Statement[] =>
  rows.map(
    ({ orgId, kind, entityId, vector, nowMs, expectedUpdatedAtMs }) =>
      sql`INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
          SELECT ${orgId}, ${kind}, ${entityId}, ${vector.model}, ${vector.dimension},
            ${vector.bytes.slice().buffer}, ${vector.scale}, ${nowMs}
          WHERE EXISTS (SELECT 1 FROM ${tableOf[kind]} WHERE org_id = ${orgId} AND ${idOf[kind]} = ${entityId}
            AND updated_at_ms = ${expectedUpdatedAtMs})
          ON CONFLICT (org_id, kind, entity_id, model) DO UPDATE SET dimension = excluded.dimension,
            vector = excluded.vector, scale = excluded.scale, updated_at_ms = excluded.updated_at_ms`,
  );

/** Forgets every vector of a rule: its text changed, or it is gone. */
export const deleteVectors = (orgId: string, kind: RuleKind, entityId: number): Statement =>
  sql`DELETE FROM vectors WHERE org_id = ${orgId} AND kind = ${kind} AND entity_id = ${entityId}`;

/** Forgets the vectors that other models made of these rules. */
export const deleteVectorsOfOtherModels = (
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
  model: string,
): Statement =>
  sql`DELETE FROM vectors WHERE org_id = ${orgId} AND kind = ${kind}
      AND entity_id IN (SELECT value FROM json_each(${JSON.stringify(entityIds)})) AND model <> ${model}`;

/** One vector as stored; `hexBytes` decodes to int8. */
export interface VectorRow {
  entityId: number;
  model: string;
  dimension: number;
  hexBytes: string;
  scale: number;
  updatedAtMs: number;
}

const vectorRow = z
  .object({
    entity_id: z.int(),
    model: z.string(),
    dimension: z.int(),
    hex_bytes: z.string(),
    scale: z.number(),
    updated_at_ms: z.int(),
  })
  .transform(
    (row): VectorRow => ({
      entityId: row.entity_id,
      model: row.model,
      dimension: row.dimension,
      hexBytes: row.hex_bytes,
      scale: row.scale,
      updatedAtMs: row.updated_at_ms,
    }),
  );

/** Vectors of rules by id, of every model that has one. */
export const loadVectors = (
  db: Database,
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
): Promise<VectorRow[]> =>
  db.all(
    vectorRow,
    sql`SELECT entity_id, model, dimension, hex(vector) AS hex_bytes, scale, updated_at_ms FROM vectors
        WHERE org_id = ${orgId} AND kind = ${kind}
          AND entity_id IN (SELECT value FROM json_each(${JSON.stringify(entityIds)}))
        ORDER BY entity_id, model`,
  );

/** What the index must know of a rule. */
export interface RuleState {
  entityId: number;
  isIndexed: boolean;
  agentVersion: string;
  /** Empty for rules that belong to no user. */
  userId: string;
  trigger: string | null;
  content: string;
  updatedAtMs: number;
}

const ruleStateRow = z
  .object({
    entity_id: z.int(),
    is_indexed: z.int(),
    agent_version: z.string(),
    user_id: z.string(),
    trigger: z.string().nullable(),
    content: z.string(),
    updated_at_ms: z.int(),
  })
  .transform(
    (row): RuleState => ({
      entityId: row.entity_id,
      isIndexed: row.is_indexed === 1,
      agentVersion: row.agent_version,
      userId: row.user_id,
      trigger: row.trigger,
      content: row.content,
      updatedAtMs: row.updated_at_ms,
    }),
  );

export const loadRuleStates = (
  db: Database,
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
): Promise<RuleState[]> =>
  db.all(
    ruleStateRow,
    sql`SELECT rule.${idOf[kind]} AS entity_id, (${indexed[kind]}) AS is_indexed, rule.agent_version,
          ${ownerOf[kind]} AS user_id, rule.trigger, rule.content, rule.updated_at_ms
        FROM ${tableOf[kind]} AS rule WHERE rule.org_id = ${orgId}
          AND rule.${idOf[kind]} IN (SELECT value FROM json_each(${JSON.stringify(entityIds)}))`,
  );

/** Up to `limit` rules that still have a vector of another model. */
export const findForeignVectors = (
  db: Database,
  orgId: string,
  model: string,
  limit: number,
): Promise<{ kind: RuleKind; entity_id: number }[]> =>
  db.all(
    z.object({ kind: z.enum(["user_playbook", "agent_playbook"]), entity_id: z.int() }),
    sql`SELECT DISTINCT kind, entity_id FROM vectors INDEXED BY vectors_recent
        WHERE org_id = ${orgId} AND (model < ${model} OR model > ${model})
          AND kind IN ('user_playbook', 'agent_playbook') LIMIT ${limit}`,
  );

/** Gives a piece of vector work up, with a reason that people can see and replay. `message` is content-free. */
export const writeDeadLetter = (
  work: Work,
  death: { deadLetterId: string; reason: string; message: string; createdAt: number },
): Statement =>
  sql`INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at)
      VALUES (${work.orgId}, ${death.deadLetterId}, ${work.topic}, ${JSON.stringify(work.key)}, ${death.reason},
        ${death.message}, ${work.attempts + 1}, ${death.createdAt})
      ON CONFLICT (org_id, dead_letter_id) DO UPDATE SET reason = excluded.reason, message = excluded.message,
        attempts = dead_letters.attempts + 1, created_at = excluded.created_at, replayed_at = NULL`;

const hex = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
};
