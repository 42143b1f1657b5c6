/** SQL of old history: tombstones, vectors that nothing owns, letters and operations that nobody needs any more. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import type { RuleKind } from "../playbooks/vector-store";
import { ERASURE_PAGE } from "./pages-store";

/** Orgs that one hour takes up. */
const ORGS_AN_HOUR = 500;

/**
 * Puts an org's sweep into the outbox where it is due. Until a sweep that runs says when the next one is, this is
 * asked again in a day. Two of the statements that find the org.
 */
export const dueSweeps = (nowMs: number): Statement[] => {
  const due = sql`SELECT org_id FROM history_sweeps WHERE due_at_ms <= ${nowMs} ORDER BY due_at_ms
      LIMIT ${ORGS_AN_HOUR}`;
  return [
    sql`INSERT INTO history_sweeps (org_id, due_at_ms) SELECT org_id, 0 FROM (SELECT org_id FROM orgs
          UNION SELECT DISTINCT org_id FROM aggregation_states) o
        WHERE NOT EXISTS (SELECT 1 FROM history_sweeps h WHERE h.org_id = o.org_id) LIMIT ${ORGS_AN_HOUR}`,
    sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms, created_at_ms)
        SELECT 'history_' || org_id, org_id, 'erasure', '["history"]', 0, ${nowMs}, ${nowMs} FROM (${due})
        WHERE true ON CONFLICT (id) DO NOTHING`,
    sql`UPDATE history_sweeps SET due_at_ms = ${nowMs} + 86400000 WHERE org_id IN (${due})`,
  ];
};

export const nextSweepAt = (orgId: string, dueAtMs: number): Statement =>
  sql`UPDATE history_sweeps SET due_at_ms = ${dueAtMs} WHERE org_id = ${orgId}`;

const idRow = z.object({ id: z.int() });

/** Rows that another row replaced before `beforeSec`, the oldest first, at most a page. */
export async function oldTombstones(
  db: Database,
  orgId: string,
  kind: RuleKind,
  beforeSec: number,
): Promise<number[]> {
  const select =
    kind === "user_playbook"
      ? sql`SELECT user_playbook_id AS id FROM user_playbooks INDEXED BY user_playbooks_tombstones`
      : sql`SELECT agent_playbook_id AS id FROM agent_playbooks INDEXED BY agent_playbooks_tombstones`;
  const rows = await db.all(
    idRow,
    sql`${select} WHERE org_id = ${orgId} AND status IN ('merged', 'superseded') AND retired_at < ${beforeSec}
        ORDER BY retired_at LIMIT ${ERASURE_PAGE}`,
  );
  return rows.map((row) => row.id);
}

/** One row that became CURRENT again meanwhile stays. */
export const deleteTombstones = (
  orgId: string,
  kind: RuleKind,
  ids: readonly number[],
  beforeSec: number,
): Statement[] => {
  const old = sql`org_id = ${orgId} AND status IN ('merged', 'superseded') AND retired_at < ${beforeSec}`;
  return kind === "user_playbook"
    ? [sql`DELETE FROM user_playbooks WHERE ${old} AND ${inList("user_playbook_id", ids)}`]
    : [
        sql`DELETE FROM decisions WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)}`,
        sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)}`,
        sql`DELETE FROM agent_playbooks WHERE ${old} AND ${inList("agent_playbook_id", ids)}`,
      ];
};

/** A content-free event for each, which outlives the row. */
export const recordPurged = (
  orgId: string,
  kind: RuleKind,
  events: readonly { entityId: number; eventId: string }[],
  requestId: string,
  atSec: number,
): Statement =>
  sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id, created_at)
      SELECT ${orgId}, value->>1, ${kind}, CAST(value->>0 AS TEXT), 'purge', '[]', 'history', ${requestId}, ${atSec}
      FROM json_each(${JSON.stringify(events.map(({ entityId, eventId }) => [entityId, eventId]))})
      WHERE true ON CONFLICT (org_id, event_id) DO NOTHING`;

export interface OrphanVector {
  kind: RuleKind;
  entityId: number;
  model: string;
}

/** Vectors whose rule is gone, at most a page. */
export async function orphanVectors(db: Database, orgId: string): Promise<OrphanVector[]> {
  const rows = await db.all(
    z.object({ kind: z.enum(["user_playbook", "agent_playbook"]), entity_id: z.int(), model: z.string() }),
    sql`SELECT v.kind, v.entity_id, v.model FROM vectors v WHERE v.org_id = ${orgId}
          AND ((v.kind = 'user_playbook' AND NOT EXISTS (SELECT 1 FROM user_playbooks p
            WHERE p.org_id = v.org_id AND p.user_playbook_id = v.entity_id))
          OR (v.kind = 'agent_playbook' AND NOT EXISTS (SELECT 1 FROM agent_playbooks a
            WHERE a.org_id = v.org_id AND a.agent_playbook_id = v.entity_id))) LIMIT ${ERASURE_PAGE}`,
  );
  return rows.map((row) => ({ kind: row.kind, entityId: row.entity_id, model: row.model }));
}

export const deleteVectorsOf = (orgId: string, orphans: readonly OrphanVector[]): Statement =>
  sql`DELETE FROM vectors WHERE org_id = ${orgId} AND (kind, entity_id, model) IN (SELECT value->>0, value->>1, value->>2
      FROM json_each(${JSON.stringify(orphans.map(({ kind, entityId, model }) => [kind, entityId, model]))}))`;

/** Given-up work that nobody replayed, or that was replayed, long ago. */
export const deleteOldLetters = (orgId: string, beforeSec: number): Statement =>
  sql`DELETE FROM dead_letters WHERE org_id = ${orgId} AND dead_letter_id IN (SELECT dead_letter_id FROM dead_letters
        INDEXED BY dead_letters_open WHERE org_id = ${orgId} AND created_at < ${beforeSec} ORDER BY created_at
        LIMIT ${ERASURE_PAGE}) RETURNING 1`;

/** Operations that ended long ago. */
export const deleteOldOperations = (orgId: string, beforeSec: number): Statement =>
  sql`DELETE FROM operations WHERE org_id = ${orgId} AND operation_id IN (SELECT operation_id FROM operations
        INDEXED BY operations_recent WHERE org_id = ${orgId} AND created_at < ${beforeSec}
          AND status NOT IN ('queued', 'running') ORDER BY created_at LIMIT ${ERASURE_PAGE}) RETURNING 1`;
