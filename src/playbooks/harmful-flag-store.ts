/** SQL of the flag `harmful`: what callers say of a rule of agents, counted. */
import { type Statement, sql } from "../db/sql";

/** Harmful verdicts from which on a rule is flagged, if they are more than the helpful ones. */
export const MIN_HARMFUL = 3;

/**
 * Sets the flag or takes it off as the counts say now; for the batch that writes a verdict. The version of a rule that
 * waits for a person grows, so that whoever has it before them looks again; decisions on the others stay undoable.
 */
export function refreshHarmfulFlag(orgId: string, agentPlaybookId: number, nowMs: number): Statement {
  const isHarmful = sql`EXISTS (SELECT 1 FROM rule_verdicts WHERE org_id = ${orgId} AND kind = 'agent_playbook'
      AND entity_id = ${agentPlaybookId} AND harmful >= ${MIN_HARMFUL} AND harmful > helpful)`;
  const isPending = sql`playbook_status = 'pending' AND status IS NULL`;
  return sql`UPDATE agent_playbooks SET
        flags = iif(${isHarmful}, json_insert(flags, '$[#]', 'harmful'),
          (SELECT json_group_array(value) FROM json_each(flags) WHERE value <> 'harmful')),
        version = version + (${isPending}),
        updated_at_ms = iif(${isPending}, max(${nowMs}, updated_at_ms + 1), updated_at_ms)
      WHERE org_id = ${orgId} AND agent_playbook_id = ${agentPlaybookId}
        AND EXISTS (SELECT 1 FROM json_each(flags) WHERE value = 'harmful') <> ${isHarmful}`;
}
