/**
 * SQL that takes derived rules out of service. Every statement judges the rows as they are inside its own batch,
 * so a decision that was faster is taken back and one that comes later finds another version.
 */
import { inList, type Statement, sql } from "../db/sql";
import { jsonPages } from "../playbooks/bulk";
import { isFlagged, isLiving } from "./open-store";

/** One rule, and the id of the lineage event that says what happened to it. */
export interface Withdrawn {
  entityId: number;
  eventId: string;
}

export interface Withdrawal {
  orgId: string;
  revocationId: string;
  reason: string;
  /** Who revoked. */
  principalId: string;
  nowMs: number;
  userPlaybooks: readonly Withdrawn[];
  agentPlaybooks: readonly Withdrawn[];
}

const WITH_FLAG: Statement = {
  text: `iif(${isFlagged("flags").text}, flags, json_insert(flags, '$[#]', 'tainted'))`,
  params: [],
};

const pagesOf = (rules: readonly Withdrawn[]): string[] =>
  jsonPages(rules.map(({ entityId, eventId }) => [entityId, eventId]));

const idsOf = (rules: readonly Withdrawn[]): number[] => rules.map(({ entityId }) => entityId);

const INTO_LINEAGE: Statement = {
  text: `INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id, reason,
    created_at, from_status, to_status, status_namespace)`,
  params: [],
};

/** CURRENT becomes pending; whatever else is living keeps its place and is marked. */
function userPlaybooks({
  orgId,
  revocationId,
  reason,
  principalId,
  nowMs,
  ...rest
}: Withdrawal): Statement[] {
  const rules = rest.userPlaybooks;
  const at = Math.floor(nowMs / 1000);
  return [
    ...pagesOf(rules).map(
      (page) => sql`${INTO_LINEAGE}
        SELECT ${orgId}, e.value->>1, 'user_playbook', CAST(p.user_playbook_id AS TEXT), 'status_change', '[]',
          ${principalId}, ${revocationId}, ${reason}, ${at}, p.status, coalesce(p.status, 'pending'), 'lifecycle'
        FROM json_each(${page}) e CROSS JOIN user_playbooks p ON p.org_id = ${orgId}
          AND p.user_playbook_id = e.value->>0
        WHERE ${isLiving("p.status")} ON CONFLICT (org_id, event_id) DO NOTHING`,
    ),
    sql`UPDATE user_playbooks SET status = coalesce(status, 'pending'), flags = ${WITH_FLAG},
          updated_at_ms = max(${nowMs}, updated_at_ms + 1)
        WHERE org_id = ${orgId} AND ${inList("user_playbook_id", idsOf(rules))}
          AND (status IS NULL OR (${isLiving("status")} AND NOT ${isFlagged("flags")}))`,
  ];
}

/** Approved becomes pending, decided by whoever revoked; pending and rejected rules are marked. */
function agentPlaybooks({
  orgId,
  revocationId,
  reason,
  principalId,
  nowMs,
  ...rest
}: Withdrawal): Statement[] {
  const rules = rest.agentPlaybooks;
  const at = Math.floor(nowMs / 1000);
  const changes = (row: string): Statement => ({
    text: `${isLiving(`${row}status`).text} AND (${row}playbook_status = 'approved' OR NOT ${isFlagged(`${row}flags`).text})`,
    params: [],
  });
  const living = (page: string): Statement =>
    sql`FROM json_each(${page}) e CROSS JOIN agent_playbooks a ON a.org_id = ${orgId}
        AND a.agent_playbook_id = e.value->>0`;
  return [
    ...pagesOf(rules).flatMap((page) => [
      sql`${INTO_LINEAGE}
        SELECT ${orgId}, e.value->>1, 'agent_playbook', CAST(a.agent_playbook_id AS TEXT), 'status_change', '[]',
          ${principalId}, ${revocationId}, ${reason}, ${at}, a.playbook_status,
          iif(a.playbook_status = 'approved', 'pending', a.playbook_status), 'approval'
        ${living(page)} WHERE ${isLiving("a.status")} ON CONFLICT (org_id, event_id) DO NOTHING`,
      sql`INSERT INTO audit (org_id, at, principal_id, action, entity_type, entity_id, request_id, details)
        SELECT ${orgId}, ${at}, ${principalId},
          iif(a.playbook_status = 'approved', 'reopen.agent_playbook', 'taint.agent_playbook'), 'agent_playbook',
          CAST(a.agent_playbook_id AS TEXT), ${revocationId}, json_object('from', a.playbook_status, 'to',
            iif(a.playbook_status = 'approved', 'pending', a.playbook_status), 'version', a.version + 1)
        ${living(page)} WHERE ${changes("a.")}`,
    ]),
    sql`UPDATE agent_playbooks SET flags = ${WITH_FLAG},
          decided_by = iif(playbook_status = 'approved', ${principalId}, decided_by),
          decided_at = iif(playbook_status = 'approved', ${at}, decided_at),
          playbook_status = iif(playbook_status = 'approved', 'pending', playbook_status),
          version = version + 1, updated_at_ms = max(${nowMs}, updated_at_ms + 1)
        WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", idsOf(rules))} AND ${changes("")}`,
  ];
}

/** Sends rules back to review with the reason. The caller's guards see to it that this happens once. */
export const withdraw = (withdrawal: Withdrawal): Statement[] => [
  ...(withdrawal.agentPlaybooks.length === 0 ? [] : agentPlaybooks(withdrawal)),
  ...(withdrawal.userPlaybooks.length === 0 ? [] : userPlaybooks(withdrawal)),
];
