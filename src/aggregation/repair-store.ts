/** SQL that finds versions which have work and do not say so. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";

/**
 * Marks such versions among the `limit` idle ones whose time came last, of every org: one of the statements that
 * find the org. Work is a change to be applied, a rule that waits, or a cluster to be rebuilt, each found by a seek.
 * Rules that aggregation never took up do not count: whoever publishes may ask for no aggregation.
 */
export async function markForgottenVersions(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<{ org_id: string; agent_version: string }[]> {
  const ofVersion: Statement = {
    text: "w.org_id = s.org_id AND w.agent_version = s.agent_version",
    params: [],
  };
  return db.all(
    z.object({ org_id: z.string(), agent_version: z.string() }),
    sql`UPDATE aggregation_states SET pending = 1, state_version = state_version + 1
        WHERE (org_id, agent_version) IN (
          SELECT s.org_id, s.agent_version FROM (
            SELECT org_id, agent_version FROM aggregation_states INDEXED BY aggregation_due
            WHERE pending = 0 AND next_attempt_at_ms <= ${nowMs} ORDER BY next_attempt_at_ms DESC LIMIT ${limit}) s
          WHERE EXISTS (SELECT 1 FROM invalidations w INDEXED BY invalidations_open
              WHERE ${ofVersion} AND w.processed_at_ms IS NULL)
            OR EXISTS (SELECT 1 FROM aggregation_items w INDEXED BY aggregation_items_residual
              WHERE ${ofVersion} AND w.disposition = 'residual')
            OR EXISTS (SELECT 1 FROM clusters w INDEXED BY clusters_by_version
              WHERE ${ofVersion} AND w.state = 'rebuilding'))
        RETURNING org_id, agent_version`,
  );
}
