/** SQL of where rules were applied: written with the turns that cite them, in the publish batch. */
import { type Statement, sql } from "../db/sql";
import type { CitedRule } from "./applications";
import type { NewRequest } from "./model";
import { firstIdOf } from "./store";

/**
 * Notes which rules the turns of a request cite, after its turns are stored. A rule that the org does not have
 * is left out. Nothing to run where nothing is cited.
 */
export const storeApplications = (
  request: NewRequest,
  turnCount: number,
  cited: readonly CitedRule[],
): Statement[] => {
  if (cited.length === 0) return [];
  const { orgId, userId, sessionId, createdAt } = request;
  const rows = JSON.stringify(cited.map(({ ordinal, kind, id }) => [ordinal, kind, id]));
  return [
    sql`INSERT INTO rule_applications (org_id, kind, entity_id, interaction_id, user_id, session_id, created_at)
        SELECT ${orgId}, c.value->>1, c.value->>2, ${firstIdOf(orgId, turnCount)} + (c.value->>0), ${userId},
          ${sessionId}, ${createdAt} FROM json_each(${rows}) c
        WHERE (c.value->>1 = 'agent_playbook' AND EXISTS (SELECT 1 FROM agent_playbooks
            WHERE org_id = ${orgId} AND agent_playbook_id = c.value->>2))
          OR (c.value->>1 = 'user_playbook' AND EXISTS (SELECT 1 FROM user_playbooks
            WHERE org_id = ${orgId} AND user_playbook_id = c.value->>2))
        ON CONFLICT (org_id, kind, entity_id, interaction_id) DO NOTHING`,
  ];
};
