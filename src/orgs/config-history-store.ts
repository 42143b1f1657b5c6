/** Who set which Config when, from the audit trail. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";

/** Every change of an org's Config is one audit row of this action; its entity is the Config's hash. */
export const SET_CONFIG = "set.config";

/** Longer bodies are not read for the history: ten of them would fill an isolate. */
const MAX_BODY_CHARS = 100_000;

const row = z.object({
  hash: z.string(),
  at: z.int(),
  principal_id: z.string(),
  /** The Config that it replaced. */
  replaced: z.string().nullable(),
  body: z.string().nullable(),
});

export interface ConfigVersion {
  hash: string;
  /** Seconds since the epoch. */
  at: number;
  by: string;
  replaced: string | null;
  /** Null where it is too long to be read here. */
  body: string | null;
}

/** The newest changes of the org's Config, newest first. */
export async function configHistory(db: Database, orgId: string, limit: number): Promise<ConfigVersion[]> {
  const rows = await db.all(
    row,
    sql`SELECT a.entity_id AS hash, a.at, a.principal_id, a.details->>'$.from' AS replaced,
          CASE WHEN length(c.body) <= ${MAX_BODY_CHARS} THEN c.body END AS body
        FROM audit a LEFT JOIN configs c ON c.org_id = a.org_id AND c.config_hash = a.entity_id
        WHERE a.org_id = ${orgId} AND a.action = 'set.config' ORDER BY a.row DESC LIMIT ${limit}`,
  );
  return rows.map(({ principal_id, ...rest }) => ({ by: principal_id, ...rest }));
}
