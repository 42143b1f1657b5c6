/** SQL of orgs, keys, usage and counters. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { scopes } from "../platform/principal";

const jsonList = z.string().transform((text): unknown => JSON.parse(text));

export const keyRow = z.object({
  org_id: z.string(),
  key_id: z.string(),
  name: z.string(),
  principal_id: z.string(),
  roles: jsonList.pipe(z.array(z.string())),
  scopes: jsonList.pipe(z.array(z.enum(scopes))),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
});
export type KeyRow = z.output<typeof keyRow>;

export const KEY_COLUMNS: Statement = {
  text: "org_id, key_id, name, principal_id, roles, scopes, created_at, expires_at, revoked_at",
  params: [],
};

/** One of the four statements that find the org. */
export const findKey = (db: Database, keyHash: string): Promise<KeyRow | null> =>
  db.first(keyRow, sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE key_hash = ${keyHash}`);

export const listKeys = (db: Database, orgId: string): Promise<KeyRow[]> =>
  db.all(
    keyRow,
    sql`SELECT ${KEY_COLUMNS} FROM api_keys WHERE org_id = ${orgId} ORDER BY created_at, key_id LIMIT 500`,
  );

export const insertOrg = (orgId: string, name: string, createdAt: number): Statement =>
  sql`INSERT INTO orgs (org_id, name, created_at) VALUES (${orgId}, ${name}, ${createdAt})`;

export interface NewKey {
  orgId: string;
  keyHash: string;
  keyId: string;
  name: string;
  principalId: string;
  roles: readonly string[];
  scopes: readonly string[];
  createdBy: string;
  createdAt: number;
  expiresAt: number | null;
}

export const insertKey = (key: NewKey): Statement =>
  sql`INSERT INTO api_keys (key_hash, org_id, key_id, name, principal_id, roles, scopes, created_by, created_at,
      expires_at, revoked_at)
    VALUES (${key.keyHash}, ${key.orgId}, ${key.keyId}, ${key.name}, ${key.principalId},
      ${JSON.stringify(key.roles)}, ${JSON.stringify(key.scopes)}, ${key.createdBy}, ${key.createdAt},
      ${key.expiresAt}, NULL)`;

export interface Usage {
  orgId: string;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  task: string;
  provider: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

export const addUsage = (usage: Usage): Statement =>
  sql`INSERT INTO usage_days (org_id, day, task, provider, model, calls, input_tokens, output_tokens)
    VALUES (${usage.orgId}, ${usage.day}, ${usage.task}, ${usage.provider}, ${usage.model}, 1,
      ${usage.inputTokens}, ${usage.outputTokens})
    ON CONFLICT (org_id, day, task, provider, model) DO UPDATE SET calls = calls + 1,
      input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens`;

/** Tokens an org has spent on a day. */
export async function tokensOfDay(db: Database, orgId: string, day: string): Promise<number> {
  const row = await db.first(
    z.object({ tokens: z.int() }),
    sql`SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens FROM usage_days
        WHERE org_id = ${orgId} AND day = ${day}`,
  );
  return row?.tokens ?? 0;
}

/** Counts a named happening, such as `dropped:missing_evidence`. */
export const addCount = (orgId: string, day: string, name: string, count: number): Statement =>
  sql`INSERT INTO counters (org_id, day, name, count) VALUES (${orgId}, ${day}, ${name}, ${count})
      ON CONFLICT (org_id, day, name) DO UPDATE SET count = count + excluded.count`;

export interface AuditRow {
  orgId: string;
  at: number;
  principalId: string;
  action: string;
  entityType: string;
  entityId: string;
  requestId: string;
  /** JSON. */
  details: string;
}

const INTO_AUDIT: Statement = {
  text: "INSERT INTO audit (org_id, at, principal_id, action, entity_type, entity_id, request_id, details)",
  params: [],
};

const auditValues = (row: AuditRow): Statement =>
  sql`${row.orgId}, ${row.at}, ${row.principalId}, ${row.action}, ${row.entityType}, ${row.entityId},
      ${row.requestId}, ${row.details}`;

export const insertAudit = (row: AuditRow): Statement => sql`${INTO_AUDIT} VALUES (${auditValues(row)})`;

export const insertAuditIfChanged = (row: AuditRow): Statement =>
  sql`${INTO_AUDIT} SELECT ${auditValues(row)} WHERE changes() > 0`;
