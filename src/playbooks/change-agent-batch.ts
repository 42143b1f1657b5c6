/** The one batch in which a person's change of an agent playbook is written, with all that must follow it. */
import { type LineageEvent, recordLineage } from "../db/lineage";
import type { WorkMessage } from "../db/outbox";
import { guard, type Statement, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { agentPlaybookAtVersion, updateAgentPlaybook } from "./agent-store";
import { announcePending } from "./announce-pending";
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
  const { text } = differs(before, after);
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const touched = [agentPlaybookId, ...(replaced === null ? [] : [replaced.agentPlaybookId])];
  const follow = await followUp(orgId, "agent_playbook", touched, [], changeId, nowMs);
  const isReopened = decisionKindOf(before, after) === "reopen";
  const told = isReopened ? await announcePending([after], before.version + 1, nowMs) : null;
  const event = eventOf(scope, at);
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
    ...(await changeLineage({ ...event, entityId: agentPlaybookId }, before, after)),
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
    ...(told?.statements ?? []),
  ];
  const messages = [...follow.messages, ...(told === null ? [] : [told.message])];
  return { statements, messages };
}

type RuleEvent = Pick<LineageEvent, "orgId" | "entityType" | "actor" | "requestId" | "createdAt">;

/** What every lineage event of one change of agent playbooks has in common. */
export const eventOf = ({ orgId, principal, requestId }: RequestScope, createdAt: number): RuleEvent => ({
  ...{ orgId, entityType: "agent_playbook", actor: principal.id, requestId, createdAt },
});

/** Lineage of a row's own change: of its texts, of its approval, or both. */
export async function changeLineage(
  event: RuleEvent & Pick<LineageEvent, "entityId" | "reason">,
  before: AgentPlaybook,
  after: AgentPlaybook,
): Promise<Statement[]> {
  const { text, decision } = differs(before, after);
  const events: LineageEvent[] = [];
  if (text) events.push({ ...event, op: "revise" });
  if (decision) {
    events.push({
      ...event,
      op: "status_change",
      fromStatus: before.playbookStatus,
      toStatus: after.playbookStatus,
      statusNamespace: "approval",
    });
  }
  return Promise.all(events.map(recordLineage));
}

/** Takes the predecessor out of service, if it still is as it was read. */
const superseding = async (
  event: RuleEvent,
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
