/** The one batch in which a person's change of an agent playbook is written, with all that must follow it. */
import { recordLineage } from "../db/lineage";
import type { WorkMessage } from "../db/outbox";
import { guard, type Statement, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { agentPlaybookAtVersion, updateAgentPlaybook } from "./agent-store";
import { decisionKindOf, differs, retiresCluster } from "./decisions";
import { recordDecision, supersedeApproved } from "./decisions-store";
import { followUp } from "./follow-up";
import { type AgentPlaybook, retrievalText } from "./model";
import { deleteVectors, writeVector } from "./vector-store";
import { embedRulesIfReady } from "./vectors";

/** A change as its batch writes it. */
export interface Change {
  before: AgentPlaybook;
  after: AgentPlaybook;
  /** The approved rule that it supersedes. */
  replaced: AgentPlaybook | null;
  /** Random; what the journal knows the call by. */
  changeId: string;
}

/** The statements of one change, guarded, and the work to send once they are in. */
export async function batchOf(
  scope: RequestScope,
  change: Change,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  const { orgId, principal, requestId } = scope;
  const { before, after, replaced, changeId } = change;
  const { agentPlaybookId } = before;
  const { text, decision } = differs(before, after);
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const touched = [agentPlaybookId, ...(replaced === null ? [] : [replaced.agentPlaybookId])];
  const follow = await followUp(orgId, "agent_playbook", touched, [], changeId, nowMs);
  const event = {
    orgId,
    entityType: "agent_playbook",
    actor: principal.id,
    requestId,
    createdAt: at,
  } as const;
  const own = { ...event, entityId: agentPlaybookId } as const;
  const statements: Statement[] = [
    recordDecision({
      ...{ before, kind: decisionKindOf(before, after), changeId, atMs: nowMs, principalId: principal.id },
      retires: touched.filter((id) => id !== agentPlaybookId || retiresCluster(before, after)),
      replaced: replaced?.agentPlaybookId ?? null,
    }),
    updateAgentPlaybook(before, after),
    guard("version", sql`changes() = 1`),
    ...(replaced === null ? [] : await superseding(event, replaced, agentPlaybookId, nowMs)),
    ...(retrievalText(before) === retrievalText(after) ? [] : await freshVector(scope, after)),
    ...(text ? [await recordLineage({ ...own, op: "revise" })] : []),
    ...(decision
      ? [
          await recordLineage({
            ...own,
            op: "status_change",
            fromStatus: before.playbookStatus,
            toStatus: after.playbookStatus,
            statusNamespace: "approval",
          }),
        ]
      : []),
    recordAudit({
      principal,
      action: `${decisionKindOf(before, after)}.agent_playbook`,
      entityType: "agent_playbook",
      entityId: agentPlaybookId,
      requestId,
      at,
      details: {
        from: before.playbookStatus,
        to: after.playbookStatus,
        text_changed: text,
        version: before.version + 1,
        ...(replaced !== null && { superseded: replaced.agentPlaybookId }),
      },
    }),
    ...follow.statements,
  ];
  const messages: WorkMessage[] = follow.messages;
  return { statements, messages };
}

/** Takes the predecessor out of service, if it still is as it was read. */
const superseding = async (
  event: { orgId: string; entityType: "agent_playbook"; actor: string; requestId: string; createdAt: number },
  predecessor: AgentPlaybook,
  successorId: number,
  nowMs: number,
): Promise<Statement[]> => [
  agentPlaybookAtVersion(event.orgId, predecessor.agentPlaybookId, predecessor.version),
  supersedeApproved(predecessor, successorId, nowMs),
  await recordLineage({
    ...event,
    entityId: predecessor.agentPlaybookId,
    op: "status_change",
    sourceIds: [successorId],
    fromStatus: null,
    toStatus: "superseded",
    statusNamespace: "lifecycle",
  }),
];

/** The old vector never outlives the text it was made of, even where the new one has to wait. */
export async function freshVector(
  { services, orgId }: RequestScope,
  after: AgentPlaybook,
): Promise<Statement[]> {
  const [vector] = (await embedRulesIfReady(services, [after])) ?? [];
  const place = { orgId, kind: "agent_playbook", entityId: after.agentPlaybookId } as const;
  const forget = deleteVectors(orgId, place.kind, place.entityId);
  return vector === undefined
    ? [forget]
    : [forget, writeVector({ ...place, vector, nowMs: after.updatedAtMs })];
}
