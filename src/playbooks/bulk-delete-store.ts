/** SQL of deleting many rules at once. What hangs on a rule goes only where the rule itself went. */
import * as z from "zod";
import type { Database } from "../db/client";
import { and, inList, nothing, type Statement, sql } from "../db/sql";
import { lifecycleStatuses } from "./model";
import type { RuleKind } from "./vector-store";

const raw = (text: string): Statement => ({ text, params: [] });

/** Names that differ between the two kinds; constants, never input. */
const TABLES = {
  user_playbook: { table: raw("user_playbooks"), id: raw("user_playbook_id"), approval: raw("NULL") },
  agent_playbook: {
    table: raw("agent_playbooks"),
    id: raw("agent_playbook_id"),
    approval: raw("playbook_status"),
  },
} as const satisfies Record<RuleKind, unknown>;

const ruleRow = z
  .object({ id: z.int(), agent_version: z.string(), status: z.enum(lifecycleStatuses).nullable() })
  .transform(({ agent_version: agentVersion, ...row }) => ({ ...row, agentVersion }));
export type DoomedRule = z.output<typeof ruleRow>;

export interface DoomedPage {
  after: number;
  /** Rules that were made later stay. */
  upTo: number;
  /** Null is every rule. */
  ids: readonly number[] | null;
  /** Approved rules too. */
  approvedToo: boolean;
}

const deletable = (kind: RuleKind, approvedToo: boolean): Statement =>
  approvedToo || kind === "user_playbook" ? nothing : sql` AND playbook_status <> 'approved'`;

/** Rules to delete, by id, at most `limit`. */
export const doomedRules = (
  db: Database,
  orgId: string,
  kind: RuleKind,
  { after, upTo, ids, approvedToo }: DoomedPage,
  limit: number,
): Promise<DoomedRule[]> => {
  const { table, id } = TABLES[kind];
  const named = ids === null ? [] : [inList(id.text, ids)];
  return db.all(
    ruleRow,
    sql`SELECT ${id} AS id, agent_version, status FROM ${table} WHERE org_id = ${orgId}
        AND ${id} > ${after} AND ${id} <= ${upTo}${and(named)}${deletable(kind, approvedToo)} ORDER BY ${id} LIMIT ${limit}`,
  );
};

/** Whether one of these agent playbooks, or of all there are, is approved. */
export async function holdsApproved(
  db: Database,
  orgId: string,
  ids: readonly number[] | null,
): Promise<boolean> {
  const named = ids === null ? [] : [inList("agent_playbook_id", ids)];
  const row = await db.first(
    z.object({ found: z.int() }),
    sql`SELECT EXISTS (SELECT 1 FROM agent_playbooks WHERE org_id = ${orgId}
        AND playbook_status = 'approved'${and(named)}) AS found`,
  );
  return row?.found === 1;
}

/** The last id that was given to a rule of the org. */
export async function lastRuleId(db: Database, orgId: string, kind: RuleKind): Promise<number> {
  const { table, id } = TABLES[kind];
  const row = await db.first(
    z.object({ last: z.int().nullable() }),
    sql`SELECT max(${id}) AS last FROM ${table} WHERE org_id = ${orgId}`,
  );
  return row?.last ?? 0;
}

export interface DeletionEvent {
  eventId: string;
  entityId: number;
}

export interface PageDeletion {
  orgId: string;
  kind: RuleKind;
  events: readonly DeletionEvent[];
  approvedToo: boolean;
  actor: string;
  requestId: string;
  /** Seconds. */
  at: number;
}

/**
 * Deletes a page of rules with all that hangs on them. The second statement returns a row per rule that was there:
 * the database's own count of changes includes what triggers did.
 */
export function deleteRules(deletion: PageDeletion): Statement[] {
  const { orgId, kind, events, approvedToo, actor, requestId, at } = deletion;
  const { table, id } = TABLES[kind];
  const ids = events.map(({ entityId }) => entityId);
  const rows = JSON.stringify(events.map(({ eventId, entityId }) => [eventId, entityId]));
  const isGone = (column: string) =>
    sql`${inList(column, ids)} AND NOT EXISTS (SELECT 1 FROM ${table} WHERE org_id = ${orgId} AND ${id} = ${raw(column)})`;
  const ofAgents = [
    sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId} AND ${isGone("agent_playbook_sources.agent_playbook_id")}`,
    sql`DELETE FROM decisions WHERE org_id = ${orgId} AND ${isGone("decisions.agent_playbook_id")}`,
    sql`DELETE FROM rule_feedback WHERE org_id = ${orgId} AND kind = 'agent_playbook' AND ${isGone("rule_feedback.entity_id")}`,
  ];
  return [
    sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id, created_at)
        SELECT ${orgId}, value->>0, ${kind}, value->>1, 'hard_delete', '[]', ${actor}, ${requestId}, ${at}
        FROM json_each(${rows}) WHERE EXISTS (SELECT 1 FROM ${table} WHERE org_id = ${orgId}
          AND ${id} = value->>1${deletable(kind, approvedToo)})
        ON CONFLICT (org_id, event_id) DO NOTHING`,
    sql`DELETE FROM ${table} WHERE org_id = ${orgId} AND ${inList(id.text, ids)}${deletable(kind, approvedToo)} RETURNING 1`,
    sql`DELETE FROM vectors WHERE org_id = ${orgId} AND kind = ${kind} AND ${isGone("vectors.entity_id")}`,
    ...(kind === "agent_playbook" ? ofAgents : []),
  ];
}

/** How many of a page's deletions are in, after an error that left that unknown. */
export async function countDeleted(
  db: Database,
  orgId: string,
  events: readonly DeletionEvent[],
): Promise<number> {
  const eventIds = events.map(({ eventId }) => eventId);
  const row = await db.first(
    z.object({ found: z.int() }),
    sql`SELECT count(*) AS found FROM lineage WHERE org_id = ${orgId} AND ${inList("event_id", eventIds)}`,
  );
  return row?.found ?? 0;
}
