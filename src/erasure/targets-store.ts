/** SQL of rules that an erasure takes out of use: those of agents that came of the user's. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import type { RuleKind } from "../playbooks/vector-store";
import { countChanged } from "./mark-store";
import { aboutRules, type Place } from "./pages-store";

export interface Target {
  entityId: number;
  models: string[];
  keptVersion: number | null;
}

const targetRow = z
  .object({
    entity_id: z.int(),
    models: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
    kept_version: z.int().nullable(),
  })
  .transform(
    (row): Target => ({ entityId: row.entity_id, models: row.models, keptVersion: row.kept_version }),
  );

export const loadTargets = (
  db: Database,
  { orgId, erasure }: Place,
  kind: RuleKind,
  limit: number,
): Promise<Target[]> =>
  db.all(
    targetRow,
    sql`SELECT entity_id, models, kept_version FROM erasure_targets WHERE org_id = ${orgId}
        AND erasure_id = ${erasure.erasureId} AND kind = ${kind} ORDER BY entity_id LIMIT ${limit}`,
  );

export const deleteTargets = (
  { orgId, erasure }: Place,
  kind: RuleKind,
  entityIds: readonly number[],
): Statement =>
  sql`DELETE FROM erasure_targets WHERE org_id = ${orgId} AND erasure_id = ${erasure.erasureId} AND kind = ${kind}
      AND ${inList("entity_id", entityIds)}`;

/** Undoing a decision would bring back a text that the user's words may stand in. */
export const forgetDecisionsOf = (orgId: string, agentPlaybookIds: readonly number[]): Statement =>
  sql`DELETE FROM decisions WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", agentPlaybookIds)}`;

/** Paid answers of these versions, and what a rebuild has drafted: made of the same words. */
const forgetOutcomes = (orgId: string, agentVersions: readonly string[]): Statement[] => [
  sql`DELETE FROM aggregation_outcomes WHERE org_id = ${orgId} AND ${inList("agent_version", agentVersions)}`,
  sql`DELETE FROM rebuild_clusters WHERE org_id = ${orgId} AND operation_id IN (SELECT operation_id FROM rebuilds
        WHERE org_id = ${orgId} AND ${inList("agent_version", agentVersions)})`,
];

/** Deletes rules of agents with all that holds their wording; their clusters are retired by the trigger. */
export const deleteAgentRules = (
  { orgId, erasure }: Place,
  ids: readonly number[],
  agentVersions: readonly string[],
  nowMs: number,
): Statement[] => [
  ...forgetOutcomes(orgId, agentVersions),
  forgetDecisionsOf(orgId, ids),
  ...aboutRules(orgId, "agent_playbook", ids),
  sql`UPDATE agent_playbooks SET replaces = NULL, version = version + 1,
        updated_at_ms = max(${nowMs}, updated_at_ms + 1)
      WHERE org_id = ${orgId} AND replaces IS NOT NULL AND ${inList("replaces", ids)}`,
  sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)}`,
  sql`DELETE FROM agent_playbooks WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)}`,
  countChanged(orgId, erasure.erasureId, "agent_playbooks"),
];

/** One content-free event for each rule that is gone. */
export const recordErased = (
  { orgId, erasure }: Place,
  kind: RuleKind,
  events: readonly { entityId: number; eventId: string }[],
  atSec: number,
): Statement =>
  sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id, created_at)
      SELECT ${orgId}, value->>1, ${kind}, CAST(value->>0 AS TEXT), 'hard_delete', '[]', ${erasure.principalId},
        ${erasure.erasureId}, ${atSec}
      FROM json_each(${JSON.stringify(events.map(({ entityId, eventId }) => [entityId, eventId]))})
      WHERE true ON CONFLICT (org_id, event_id) DO NOTHING`;
