/** SQL of the decision journal: one row per change that a person made of an agent playbook. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import type { DecisionKind } from "./decisions";
import type { AgentPlaybook } from "./model";

export interface NewDecision {
  before: AgentPlaybook;
  kind: DecisionKind;
  /** Rules whose clusters the change is about to retire. */
  retires: readonly number[];
  /** The approved rule that the change is about to supersede. */
  replaced: number | null;
  principalId: string;
  atMs: number;
  changeId: string;
}

/** Clusters of the given rules as they are at this moment of the batch, as JSON; null where there are none. */
const clustersOf = (orgId: string, agentPlaybookIds: readonly number[]): Statement =>
  sql`(SELECT nullif(json_group_array(json_object('cluster_id', c.cluster_id, 'agent_version', c.agent_version,
        'agent_playbook_id', c.agent_playbook_id, 'embedding_model', c.embedding_model,
        'embedding_dimension', c.embedding_dimension, 'state', c.state, 'created_at', c.created_at,
        'members', json((SELECT json_group_array(i.user_playbook_id) FROM aggregation_items i
          WHERE i.org_id = c.org_id AND i.cluster_id = c.cluster_id)))), '[]')
      FROM clusters c WHERE c.org_id = ${orgId} AND ${inList("c.agent_playbook_id", agentPlaybookIds)})`;

/**
 * Journals a change. Goes before the change in its batch, while the clusters it retires are still there. A
 * row that a faster change has written stays: the guard behind the change then aborts the batch.
 */
export const recordDecision = (decision: NewDecision): Statement => {
  const { orgId, agentPlaybookId, version } = decision.before;
  return sql`INSERT INTO decisions (org_id, agent_playbook_id, version, kind, before, cluster, replaced,
        principal_id, at_ms, change_id)
      VALUES (${orgId}, ${agentPlaybookId}, ${version + 1}, ${decision.kind}, ${JSON.stringify(decision.before)},
        ${clustersOf(orgId, decision.retires)}, ${decision.replaced}, ${decision.principalId}, ${decision.atMs},
        ${decision.changeId})
      ON CONFLICT (org_id, agent_playbook_id, version) DO NOTHING`;
};

/** Whether the batch of this very call is in. */
export async function isDecided(
  db: Database,
  orgId: string,
  agentPlaybookId: number,
  version: number,
  changeId: string,
): Promise<boolean> {
  const row = await db.first(
    z.object({ change_id: z.string() }),
    sql`SELECT change_id FROM decisions WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}
        AND version = ${version}`,
  );
  return row?.change_id === changeId;
}

/** Makes an approved CURRENT rule a tombstone of its successor. Guard its version before it. */
export const supersedeApproved = (
  predecessor: AgentPlaybook,
  successorId: number,
  nowMs: number,
): Statement =>
  sql`UPDATE agent_playbooks SET status = 'superseded', superseded_by = ${successorId},
        retired_at = ${Math.floor(nowMs / 1000)}, updated_at_ms = max(${nowMs}, updated_at_ms + 1),
        version = version + 1
      WHERE org_id = ${predecessor.orgId} AND agent_playbook_id = ${predecessor.agentPlaybookId}
        AND version = ${predecessor.version} AND status IS NULL AND playbook_status = 'approved'`;

/** The journal holds a rule's texts: it goes with the rule, and so does what was said of the rule. */
export const forgetDecisions = (orgId: string, agentPlaybookId: number): Statement[] => [
  sql`DELETE FROM decisions WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}`,
  sql`DELETE FROM rule_feedback WHERE org_id = ${orgId} AND kind = 'agent_playbook'
      AND entity_id = ${agentPlaybookId}`,
];
