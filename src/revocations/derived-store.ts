/**
 * Which rules are derived from what is revoked, as common table expressions for other statements: `tainted`
 * holds ids of user playbooks, `reached` of agent playbooks. Both hold ids of rows that are gone or were replaced,
 * since what came of those is derived too.
 */
import { type Statement, sql } from "../db/sql";
import type { RevocationTarget } from "./model";

/**
 * Every rule of the user, and every one that learning ever made of the user's windows: a deleted rule is still a
 * source of agent playbooks. Rules are consolidated within one user, so nothing else can come of them.
 */
const rulesOfUser = (orgId: string, userId: string): Statement =>
  sql`SELECT user_playbook_id FROM user_playbooks INDEXED BY user_playbooks_by_user
        WHERE org_id = ${orgId} AND user_id = ${userId}
      UNION SELECT CAST(made.entity_id AS INTEGER) FROM windows w INDEXED BY windows_by_user
        CROSS JOIN lineage made INDEXED BY lineage_by_request
          ON made.org_id = w.org_id AND made.request_id = w.window_id
        WHERE w.org_id = ${orgId} AND w.user_id = ${userId} AND made.entity_type = 'user_playbook'
          AND made.op = 'create'`;

/** Whether a JSON array of ids names one of the revoked turns. */
const names = (list: string, turnIds: string): Statement =>
  sql`EXISTS (SELECT 1 FROM json_each(${{ text: list, params: [] }}) cited
      WHERE cited.value IN (SELECT value FROM json_each(${turnIds})))`;

/** The user's rules that cite one of the turns; of deleted ones, those that agent playbooks still rest on. */
const rulesCiting = (orgId: string, { userId, interactionIds }: RevocationTarget): Statement => {
  const turnIds = JSON.stringify(interactionIds);
  return sql`SELECT p.user_playbook_id FROM user_playbooks p INDEXED BY user_playbooks_by_user
        WHERE p.org_id = ${orgId} AND p.user_id = ${userId} AND ${names("p.source_interaction_ids", turnIds)}
      UNION SELECT s.user_playbook_id FROM windows w INDEXED BY windows_by_user
        CROSS JOIN lineage made INDEXED BY lineage_by_request
          ON made.org_id = w.org_id AND made.request_id = w.window_id
        CROSS JOIN agent_playbook_sources s INDEXED BY agent_playbook_sources_by_user_playbook
          ON s.org_id = made.org_id AND s.user_playbook_id = CAST(made.entity_id AS INTEGER)
        WHERE w.org_id = ${orgId} AND w.user_id = ${userId} AND ${names("w.manifest", turnIds)}
          AND made.entity_type = 'user_playbook' AND made.op = 'create'
          AND ${names("s.source_interaction_ids", turnIds)}`;
};

/**
 * What consolidation made of a tainted rule: the row it points to; the row whose merge names it, where the
 * pointer went with a deleted row; and the narrowed copy of a rule that was set apart from a new one, which
 * nothing points to (specification, trap 26) but which cites the same turns.
 */
const successors = (orgId: string): Statement =>
  sql`SELECT coalesce(p.merged_into, p.superseded_by) FROM tainted t
        CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = t.id
        WHERE coalesce(p.merged_into, p.superseded_by) IS NOT NULL
      UNION SELECT CAST(merge.entity_id AS INTEGER) FROM tainted t
        CROSS JOIN lineage ended INDEXED BY lineage_by_entity ON ended.org_id = ${orgId}
          AND ended.entity_type = 'user_playbook' AND ended.entity_id = CAST(t.id AS TEXT)
        CROSS JOIN lineage merge INDEXED BY lineage_by_request
          ON merge.org_id = ended.org_id AND merge.request_id = ended.request_id
        WHERE ended.op = 'status_change' AND ended.to_status = 'merged' AND merge.op = 'merge'
          AND merge.entity_type = 'user_playbook'
          AND t.id IN (SELECT value FROM json_each(merge.source_ids))
      UNION SELECT narrowed.user_playbook_id FROM tainted t
        CROSS JOIN user_playbooks p ON p.org_id = ${orgId} AND p.user_playbook_id = t.id
        CROSS JOIN lineage ended INDEXED BY lineage_by_entity ON ended.org_id = p.org_id
          AND ended.entity_type = 'user_playbook' AND ended.entity_id = CAST(p.user_playbook_id AS TEXT)
        CROSS JOIN user_playbooks narrowed INDEXED BY user_playbooks_window
          ON narrowed.org_id = ended.org_id AND narrowed.window_id = ended.request_id
        WHERE p.status = 'superseded' AND p.superseded_by IS NULL AND ended.op = 'status_change'
          AND ended.to_status = 'superseded' AND narrowed.window_id IS NOT NULL
          AND narrowed.source_interaction_ids = p.source_interaction_ids`;

/** `tainted (id)`: user playbooks. Goes after `WITH RECURSIVE`. */
export const tainted = (orgId: string, target: RevocationTarget): Statement =>
  target.kind === "user"
    ? sql`tainted (id) AS (${rulesOfUser(orgId, target.userId)})`
    : sql`tainted (id) AS (${rulesCiting(orgId, target)} UNION ${successors(orgId)})`;

/**
 * A refresh shows the model the rule it replaces, so its answer is derived from it. A rule that a new cluster made
 * may replace another as well, because it contradicts it; that is no descent.
 */
const isRefresh: Statement = sql`NOT EXISTS (SELECT 1 FROM lineage made INDEXED BY lineage_by_entity
      WHERE made.org_id = a.org_id AND made.entity_type = 'agent_playbook'
        AND made.entity_id = CAST(a.agent_playbook_id AS TEXT) AND made.op = 'aggregate'
        AND made.reason = 'incremental')`;

/** `reached (id)`: agent playbooks with a tainted source, and those refreshed from one. Goes after `tainted`. */
export const reached = (orgId: string): Statement =>
  sql`reached (id) AS (
      SELECT s.agent_playbook_id FROM tainted t
        CROSS JOIN agent_playbook_sources s INDEXED BY agent_playbook_sources_by_user_playbook
          ON s.org_id = ${orgId} AND s.user_playbook_id = t.id
      UNION SELECT a.agent_playbook_id FROM reached r
        CROSS JOIN agent_playbooks old ON old.org_id = ${orgId} AND old.agent_playbook_id = r.id
        CROSS JOIN agent_playbooks a ON a.org_id = old.org_id
          AND a.agent_playbook_id = coalesce(old.superseded_by, old.merged_into) WHERE ${isRefresh}
      UNION SELECT a.agent_playbook_id FROM reached r
        CROSS JOIN agent_playbooks a INDEXED BY agent_playbooks_replacing
          ON a.org_id = ${orgId} AND a.replaces = r.id WHERE a.replaces IS NOT NULL AND ${isRefresh})`;
