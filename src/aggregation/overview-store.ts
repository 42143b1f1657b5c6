/** SQL of how aggregation stands, version by version, in reads of bounded size. */
import * as z from "zod";
import type { Database } from "../db/client";
import { DATABASE_NOW_MS } from "../db/leases";
import { inList, type Statement, sql } from "../db/sql";
import { LEASE_PREFIX } from "./model";

/** Counts of a backlog stop here. */
export const MAX_BACKLOG = 500;

export interface VersionOverview {
  agentVersion: string;
  isPending: boolean;
  /** Whether somebody works on it at this moment. */
  isAtWork: boolean;
  nextAttemptAtMs: number;
  /** Seconds. */
  lastSuccessAt: number | null;
  /** A closed code, or the name of an error. */
  lastError: string | null;
  clusters: number;
  /** Among the newest 500 rules: those that aggregation has not taken in yet. */
  untouched: number;
  /** Taken in and still to be looked at; counted to 500. */
  fresh: number;
  /** Looked at, and waiting for company or for a service; counted to 500. */
  waiting: number;
}

const versionRow = z
  .object({
    agent_version: z.string(),
    pending: z.int(),
    is_at_work: z.int(),
    next_attempt_at_ms: z.int(),
    last_success_at: z.int().nullable(),
    last_error: z.string().nullable(),
    clusters: z.int(),
    untouched: z.int(),
    fresh: z.int(),
    waiting: z.int(),
  })
  .transform(
    (row): VersionOverview => ({
      agentVersion: row.agent_version,
      isPending: row.pending === 1,
      isAtWork: row.is_at_work === 1,
      nextAttemptAtMs: row.next_attempt_at_ms,
      lastSuccessAt: row.last_success_at,
      lastError: row.last_error,
      clusters: row.clusters,
      untouched: row.untouched,
      fresh: row.fresh,
      waiting: row.waiting,
    }),
  );

const now: Statement = { text: DATABASE_NOW_MS, params: [] };

const residual = (condition: string): Statement =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM aggregation_items i WHERE i.org_id = s.org_id
      AND i.agent_version = s.agent_version AND i.disposition = 'residual' AND i.cluster_id IS NULL
      AND ${{ text: condition, params: [] }} LIMIT ${MAX_BACKLOG}))`;

const overviews = (db: Database, orgId: string, which: Statement): Promise<VersionOverview[]> =>
  db.all(
    versionRow,
    sql`SELECT s.agent_version, s.pending, s.next_attempt_at_ms, s.last_success_at, s.last_error,
          EXISTS (SELECT 1 FROM leases l WHERE l.org_id = s.org_id AND l.key = ${LEASE_PREFIX} || s.agent_version
            AND l.expires_at_ms > ${now}) AS is_at_work,
          (SELECT count(*) FROM clusters c WHERE c.org_id = s.org_id AND c.agent_version = s.agent_version
            AND c.state = 'active') AS clusters,
          (SELECT count(*) FROM (SELECT p.user_playbook_id AS id FROM user_playbooks p
              WHERE p.org_id = s.org_id AND p.agent_version = s.agent_version
                AND p.user_playbook_id >= s.intake_floor AND p.status IS NULL AND trim(p.content) <> ''
              ORDER BY p.user_playbook_id DESC LIMIT ${MAX_BACKLOG}) newest
            WHERE NOT EXISTS (SELECT 1 FROM aggregation_items i WHERE i.org_id = s.org_id
              AND i.agent_version = s.agent_version AND i.user_playbook_id = newest.id)) AS untouched,
          ${residual("(i.attempt_count <= 0 OR i.last_attempt_at_ms = 0)")} AS fresh,
          ${residual("i.attempt_count > 0 AND i.last_attempt_at_ms > 0")} AS waiting
        FROM aggregation_states s WHERE s.org_id = ${orgId} AND ${which}`,
  );

/** Versions of the org in the order of their names, from after `after` on. */
export const listVersionOverviews = (
  db: Database,
  orgId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<VersionOverview[]> =>
  overviews(db, orgId, sql`s.agent_version > ${after ?? ""} ORDER BY s.agent_version LIMIT ${limit}`);

/** As `listVersionOverviews`, of named versions; unknown ones are left out. */
export const loadVersionOverviews = (
  db: Database,
  orgId: string,
  agentVersions: readonly string[],
): Promise<VersionOverview[]> =>
  overviews(db, orgId, sql`${inList("s.agent_version", agentVersions)} ORDER BY s.agent_version`);
