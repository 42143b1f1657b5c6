/** SQL of undoing: what was built on a decision, and putting back what it took away. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, inList, type Statement, sql } from "../db/sql";
import { agentPlaybookSnapshot, decisionKinds } from "./decisions";
import { approvalStatuses } from "./model";

const factsRow = z
  .object({
    agent_playbook_id: z.int(),
    version: z.int(),
    kind: z.enum(decisionKinds),
    before: z.string().transform((text) => agentPlaybookSnapshot.parse(JSON.parse(text))),
    replaced: z.int().nullable(),
    principal_id: z.string(),
    at_ms: z.int(),
    undone_at_ms: z.int().nullable(),
    undone_by: z.string().nullable(),
    row_version: z.int(),
    row_status: z.string().nullable(),
    playbook_status: z.enum(approvalStatuses),
    superseded_by: z.int().nullable(),
    served_at_ms: z.int().nullable(),
    applied: z.int(),
    successor: z.int().nullable(),
    rival: z.int().nullable(),
    moved_members: z.int(),
    lost_predecessor: z.int().transform(Boolean),
    is_revoked: z.int().transform(Boolean),
  })
  .transform((row) => ({
    agentPlaybookId: row.agent_playbook_id,
    /** The row's version after the decision. */
    version: row.version,
    kind: row.kind,
    before: row.before,
    replaced: row.replaced,
    principalId: row.principal_id,
    atMs: row.at_ms,
    undoneAtMs: row.undone_at_ms,
    undoneBy: row.undone_by,
    rowVersion: row.row_version,
    rowStatus: row.row_status,
    playbookStatus: row.playbook_status,
    supersededBy: row.superseded_by,
    /** When it was first served to a prompt as the decision left it. */
    servedAtMs: row.served_at_ms,
    /** Turns since the decision that cite it. */
    applied: row.applied,
    /** A rule made since the decision to replace it. */
    successor: row.successor,
    /** A rule approved since in place of one that would come back into service. */
    rival: row.rival,
    /** Members of a cluster it retired that were given to another or ended. */
    movedMembers: row.moved_members,
    /** Whether the rule it superseded is gone or no longer its tombstone. */
    hasLostPredecessor: row.lost_predecessor,
    /** Whether what would come back rests on a source that was revoked and does not say so. */
    isRevoked: row.is_revoked,
  }));
/** The newest decision about a rule, and all that may have been built on it. */
export type UndoFacts = z.output<typeof factsRow>;

/** Whether a rule rests on a source that was revoked, or that a revocation under way is about to reach. */
const restsOnRevoked = (orgId: string, agentPlaybookId: Statement): Statement =>
  sql`EXISTS (SELECT 1 FROM agent_playbook_sources s JOIN user_playbooks u ON u.org_id = s.org_id
        AND u.user_playbook_id = s.user_playbook_id
      WHERE s.org_id = ${orgId} AND s.agent_playbook_id = ${agentPlaybookId}
        AND (EXISTS (SELECT 1 FROM json_each(u.flags) WHERE value = 'tainted')
          OR EXISTS (SELECT 1 FROM revocations r WHERE r.org_id = s.org_id AND r.user_id = u.user_id
            AND r.state = 'running')))`;

const saysSo = (flags: Statement): Statement =>
  sql`EXISTS (SELECT 1 FROM json_each(${flags}) WHERE value = 'tainted')`;

const raw = (text: string): Statement => ({ text, params: [] });

/** A literal: a bound number divides as a float. */
const MS_PER_SEC = raw("1000");

/** Members of the clusters that decision `d` retired, each with its item `i` as it is now. */
const formerMembers = (orgId: string): Statement =>
  sql`json_each(d.cluster) c CROSS JOIN json_each(c.value, '$.members') m
      CROSS JOIN aggregation_items i ON i.org_id = ${orgId} AND i.agent_version = c.value->>'agent_version'
        AND i.user_playbook_id = m.value`;

/**
 * The newest decision `d` of each rule `a` with what was built on it. A former member without an item, whose
 * rule is gone, is no obstacle: nobody else has it.
 */
const factsOf = (orgId: string, agentPlaybookIds: readonly number[]): Statement =>
  sql`SELECT d.agent_playbook_id, d.version, d.kind, d.before, d.replaced, d.principal_id, d.at_ms, d.undone_at_ms,
        d.undone_by, a.version AS row_version, a.status AS row_status, a.playbook_status, a.superseded_by,
        d.served_at_ms,
        (SELECT count(*) FROM rule_applications r WHERE r.org_id = ${orgId} AND r.kind = 'agent_playbook'
          AND r.entity_id = a.agent_playbook_id AND r.created_at >= d.at_ms / ${MS_PER_SEC}) AS applied,
        (SELECT max(b.agent_playbook_id) FROM agent_playbooks b INDEXED BY agent_playbooks_replacing
          WHERE b.org_id = ${orgId} AND b.replaces = a.agent_playbook_id AND b.replaces IS NOT NULL
            AND b.created_at >= d.at_ms / ${MS_PER_SEC}) AS successor,
        (SELECT max(b.agent_playbook_id) FROM agent_playbooks b INDEXED BY agent_playbooks_replacing
          WHERE b.org_id = ${orgId} AND b.replaces IS NOT NULL AND b.status IS NULL
            AND b.replaces IN (iif(d.before->>'playbookStatus' = 'approved', a.agent_playbook_id, NULL), d.replaced)
            AND b.playbook_status = 'approved' AND b.agent_playbook_id <> a.agent_playbook_id
            AND b.decided_at >= d.at_ms / ${MS_PER_SEC}) AS rival,
        (SELECT count(*) FROM ${formerMembers(orgId)}
          WHERE i.disposition <> 'residual' OR i.cluster_id IS NOT NULL)
          + (SELECT count(*) FROM json_each(d.cluster) c CROSS JOIN clusters k ON k.org_id = ${orgId}
            AND k.cluster_id = c.value->>'cluster_id') AS moved_members,
        d.replaced IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agent_playbooks x WHERE x.org_id = ${orgId}
          AND x.agent_playbook_id = d.replaced AND x.status = 'superseded'
          AND x.superseded_by = a.agent_playbook_id) AS lost_predecessor,
        (d.before->>'playbookStatus' <> 'rejected' AND NOT ${saysSo(raw("d.before, '$.flags'"))}
            AND ${restsOnRevoked(orgId, raw("a.agent_playbook_id"))})
          OR (d.replaced IS NOT NULL AND ${restsOnRevoked(orgId, raw("d.replaced"))}
            AND NOT EXISTS (SELECT 1 FROM agent_playbooks x WHERE x.org_id = ${orgId}
              AND x.agent_playbook_id = d.replaced AND ${saysSo(raw("x.flags"))})) AS is_revoked
      FROM agent_playbooks a CROSS JOIN decisions d ON d.org_id = ${orgId}
        AND d.agent_playbook_id = a.agent_playbook_id
        AND d.version = (SELECT max(n.version) FROM decisions n WHERE n.org_id = ${orgId}
          AND n.agent_playbook_id = a.agent_playbook_id)
      WHERE a.org_id = ${orgId} AND ${inList("a.agent_playbook_id", agentPlaybookIds)}`;

/** Rules that nobody has decided on are left out. */
export const loadUndoFacts = (
  db: Database,
  orgId: string,
  agentPlaybookIds: readonly number[],
): Promise<UndoFacts[]> =>
  agentPlaybookIds.length === 0 ? Promise.resolve([]) : db.all(factsRow, factsOf(orgId, agentPlaybookIds));

/** Guard `still_current`: nothing was built on the newest decision of a rule, and it stands. As `builtOn` reads it. */
export const nothingBuilt = (orgId: string, agentPlaybookId: number): Statement =>
  guard(
    "still_current",
    sql`SELECT row_version = version AND row_status IS NULL AND undone_at_ms IS NULL AND moved_members = 0
          AND rival IS NULL AND NOT lost_predecessor AND NOT is_revoked
          AND (playbook_status <> 'approved' OR (served_at_ms IS NULL AND applied = 0 AND successor IS NULL))
        FROM (${factsOf(orgId, [agentPlaybookId])})`,
  );

interface DecisionKey {
  orgId: string;
  agentPlaybookId: number;
  version: number;
}

const theDecision = ({ orgId, agentPlaybookId, version }: DecisionKey): Statement =>
  sql`d.org_id = ${orgId} AND d.agent_playbook_id = ${agentPlaybookId} AND d.version = ${version}`;

/** Marks a decision as taken back. Guard `changes() = 1` right after it. */
export const markUndone = (key: DecisionKey, by: string, nowMs: number): Statement =>
  sql`UPDATE decisions AS d SET undone_at_ms = ${nowMs}, undone_by = ${by}
      WHERE ${theDecision(key)} AND undone_at_ms IS NULL`;

/** Makes the rule that the decision superseded CURRENT again. Guard `changes() = 1` right after it. */
export const restoreSuperseded = (key: DecisionKey, predecessorId: number, nowMs: number): Statement =>
  sql`UPDATE agent_playbooks SET status = NULL, superseded_by = NULL, retired_at = NULL,
        updated_at_ms = max(${nowMs}, updated_at_ms + 1), version = version + 1
      WHERE org_id = ${key.orgId} AND agent_playbook_id = ${predecessorId} AND status = 'superseded'
        AND superseded_by = ${key.agentPlaybookId}`;

/**
 * Founds the clusters that a decision retired anew, with those of their members that are still there. One whose
 * members have changed since waits to be rebuilt: its rule says what a source no longer does.
 */
export const restoreClusters = (key: DecisionKey): Statement[] => {
  const members = sql`json_each(c.value, '$.members') m CROSS JOIN aggregation_items i ON i.org_id = d.org_id
      AND i.agent_version = c.value->>'agent_version' AND i.user_playbook_id = m.value`;
  const hasChanged = sql`EXISTS (SELECT 1 FROM json_each(c.value, '$.members') m WHERE NOT EXISTS (
      SELECT 1 FROM user_playbooks p WHERE p.org_id = d.org_id AND p.user_playbook_id = m.value
        AND p.status IS NULL AND p.updated_at_ms <= d.at_ms))`;
  return [
    sql`INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
          embedding_dimension, state, created_at)
        SELECT d.org_id, c.value->>'cluster_id', c.value->>'agent_version', c.value->>'agent_playbook_id',
          (SELECT count(*) FROM ${members}), c.value->>'embedding_model', c.value->>'embedding_dimension',
          iif(${hasChanged}, 'rebuilding', c.value->>'state'), c.value->>'created_at'
        FROM decisions d CROSS JOIN json_each(d.cluster) c WHERE ${theDecision(key)}`,
    sql`UPDATE aggregation_items SET disposition = iif(former.state = 'rebuilding', 'residual', 'cluster_member'),
          cluster_id = former.cluster_id, attempt_count = 0, last_attempt_at_ms = 0,
          reason = iif(former.state = 'rebuilding', 'cluster_invalidated', 'incremental')
        FROM (SELECT k.cluster_id, k.state, k.agent_version, m.value AS user_playbook_id
          FROM decisions d CROSS JOIN json_each(d.cluster) c CROSS JOIN clusters k ON k.org_id = d.org_id
            AND k.cluster_id = c.value->>'cluster_id'
          CROSS JOIN json_each(c.value, '$.members') m WHERE ${theDecision(key)}) former
        WHERE aggregation_items.org_id = ${key.orgId} AND aggregation_items.agent_version = former.agent_version
          AND aggregation_items.user_playbook_id = former.user_playbook_id`,
    sql`UPDATE aggregation_states SET pending = 1, state_version = state_version + 1 WHERE org_id = ${key.orgId}
        AND agent_version IN (SELECT k.agent_version FROM decisions d CROSS JOIN json_each(d.cluster) c
          CROSS JOIN clusters k ON k.org_id = d.org_id AND k.cluster_id = c.value->>'cluster_id'
          WHERE ${theDecision(key)} AND k.state = 'rebuilding')`,
  ];
};
