/** Configs as rows by content hash, and which of them an org uses now. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { type Clock, nowSec, systemClock } from "../platform/clock";
import { sha256Hex } from "../platform/ids";
import { type Config, configText, defaultConfig, parseConfig } from "./config";
import type { ConfigBody } from "./config-schema";

export interface StoredConfig {
  hash: string;
  config: Config;
}

/** How long an isolate may serve a Config that was replaced meanwhile. */
const CACHE_MS = 30_000;
/** Entries an isolate keeps of each cache. */
const MAX_CACHED = 1_000;

const currentByOrg = new Map<string, { stored: StoredConfig; untilMs: number }>();
/** Rows by hash never change, so they never expire. Keyed by org and hash. */
const byHash = new Map<string, Config>();

function remember<Value>(cache: Map<string, Value>, key: string, value: Value): void {
  cache.delete(key);
  cache.set(key, value);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && oldest.done !== true) cache.delete(oldest.value);
}

const row = z.object({ config_hash: z.string(), body: z.string() });

const stored = ({ config_hash, body }: z.output<typeof row>): StoredConfig => ({
  hash: config_hash,
  config: parseConfig(JSON.parse(body)),
});

const currentOf = (orgId: string): Statement =>
  sql`SELECT c.config_hash, c.body FROM org_settings s
      JOIN configs c ON c.org_id = s.org_id AND c.config_hash = s.config_hash WHERE s.org_id = ${orgId}`;

/** A scalar condition for a batch: the org's Config says which tags there are. */
export const tagsAreDefined = (orgId: string): Statement =>
  sql`EXISTS (SELECT 1 FROM (${currentOf(orgId)})
      WHERE trim(body->>'$.user_playbook_extractor_config.tagging_definition_prompt') <> '')`;

/** The statements that store a Config and make it the org's; equal Configs share one row. */
export async function useConfig(
  orgId: string,
  config: ConfigBody,
  atSec: number,
): Promise<{ hash: string; statements: Statement[] }> {
  const { hash, statement } = await storeConfig(orgId, config, atSec);
  return {
    hash,
    statements: [
      statement,
      sql`INSERT INTO org_settings (org_id, config_hash, updated_at) VALUES (${orgId}, ${hash}, ${atSec})
          ON CONFLICT (org_id) DO UPDATE SET config_hash = excluded.config_hash, updated_at = excluded.updated_at`,
    ],
  };
}

async function storeConfig(orgId: string, config: ConfigBody, atSec: number) {
  const body = configText(config);
  const hash = await sha256Hex(body);
  return {
    hash,
    statement: sql`INSERT INTO configs (org_id, config_hash, body, created_at)
      VALUES (${orgId}, ${hash}, ${body}, ${atSec}) ON CONFLICT (org_id, config_hash) DO NOTHING`,
  };
}

/** Gives an org without settings the default Config; never replaces one that was set meanwhile. */
async function initialise(db: Database, orgId: string, atSec: number): Promise<StoredConfig> {
  const { hash, statement } = await storeConfig(orgId, defaultConfig(), atSec);
  const results = await db.batch([
    statement,
    sql`INSERT INTO org_settings (org_id, config_hash, updated_at) VALUES (${orgId}, ${hash}, ${atSec})
        ON CONFLICT (org_id) DO NOTHING`,
    currentOf(orgId),
  ]);
  return stored(row.parse(results[2]?.rows[0]));
}

/** The org's Config, at most 30 seconds old; an org's first use writes the default. */
export async function loadConfig(
  db: Database,
  orgId: string,
  clock: Clock = systemClock,
): Promise<StoredConfig> {
  const nowMs = clock.nowMs();
  const cached = currentByOrg.get(orgId);
  if (cached !== undefined && cached.untilMs > nowMs && cached.untilMs <= nowMs + CACHE_MS) {
    return cached.stored;
  }
  const found = await db.first(row, currentOf(orgId));
  const current = found === null ? await initialise(db, orgId, nowSec(clock)) : stored(found);
  remember(currentByOrg, orgId, { stored: current, untilMs: nowMs + CACHE_MS });
  remember(byHash, JSON.stringify([orgId, current.hash]), current.config);
  return current;
}

/** The org's Config of that hash, or null where it never had one. */
export async function findConfig(db: Database, orgId: string, hash: string): Promise<Config | null> {
  const key = JSON.stringify([orgId, hash]);
  const cached = byHash.get(key);
  if (cached !== undefined) return cached;
  const found = await db.first(
    row,
    sql`SELECT config_hash, body FROM configs WHERE org_id = ${orgId} AND config_hash = ${hash}`,
  );
  if (found === null) return null;
  const { config } = stored(found);
  remember(byHash, key, config);
  return config;
}

/**
 * The Config that a request was admitted under.
 * @throws Error when the org has no such row: rows by hash are never deleted
 */
export async function configByHash(db: Database, orgId: string, hash: string): Promise<Config> {
  const found = await findConfig(db, orgId, hash);
  if (found === null) throw new Error(`config ${hash} is missing`);
  return found;
}

/** A scalar condition for a batch: the org uses the Config of that hash. */
export const configIs = (orgId: string, hash: string): Statement =>
  sql`EXISTS (SELECT 1 FROM org_settings WHERE org_id = ${orgId} AND config_hash = ${hash})`;

/** Forgets what this isolate cached of an org's Config; for whoever changes it. @returns whether it had any */
export const forgetConfig = (orgId: string): boolean => currentByOrg.delete(orgId);
