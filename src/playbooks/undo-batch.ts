/** The one batch that takes a decision back, with all that must follow it. */
import { recordLineage } from "../db/lineage";
import type { WorkMessage } from "../db/outbox";
import { guard, type Statement, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { updateAgentPlaybook } from "./agent-store";
import { announcePending } from "./announce-pending";
import { changeLineage, eventOf, freshVector } from "./change-agent-batch";
import { differs } from "./decisions";
import { followUp } from "./follow-up";
import { type AgentPlaybook, retrievalText } from "./model";
import { markUndone, nothingBuilt, restoreClusters, restoreSuperseded, type UndoFacts } from "./undo-store";

/** Marks every event of an undo in the lineage. */
const REASON = "undo";

/**
 * @param row as it is now, after the decision
 * @param after as it will be
 */
export async function undoBatch(
  scope: RequestScope,
  row: AgentPlaybook,
  after: AgentPlaybook,
  facts: UndoFacts,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  const { services, orgId, principal, requestId } = scope;
  const { agentPlaybookId } = row;
  const { replaced } = facts;
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const key = { orgId, agentPlaybookId, version: facts.version };
  const event = { ...eventOf(scope, at), reason: REASON };
  const touched = [agentPlaybookId, ...(replaced === null ? [] : [replaced])];
  const follow = await followUp(orgId, "agent_playbook", touched, [], services.ids.random("undo"), nowMs);
  const isReopened = after.playbookStatus === "pending" && row.playbookStatus !== "pending";
  const told = isReopened ? await announcePending([after], row.version + 1, nowMs) : null;
  const oneChanged = guard("version", sql`changes() = 1`);
  const statements: Statement[] = [
    nothingBuilt(orgId, agentPlaybookId),
    updateAgentPlaybook(row, after),
    oneChanged,
    markUndone(key, principal.id, nowMs),
    oneChanged,
    ...(replaced === null ? [] : [restoreSuperseded(key, replaced, nowMs), oneChanged]),
    // After the update: it would retire what is founded here.
    ...restoreClusters(key),
    ...(retrievalText(row) === retrievalText(after) ? [] : await freshVector(scope, after)),
    ...(await changeLineage({ ...event, entityId: agentPlaybookId }, row, after)),
    ...(replaced === null ? [] : [await comeback(event, replaced, agentPlaybookId)]),
    recordAudit({
      principal,
      action: "undo.agent_playbook",
      entityType: "agent_playbook",
      entityId: agentPlaybookId,
      requestId,
      at,
      details: {
        undone: facts.kind,
        undone_version: facts.version,
        from: row.playbookStatus,
        to: after.playbookStatus,
        text_changed: differs(row, after).text,
        version: row.version + 1,
        ...(replaced !== null && { restored: replaced }),
      },
    }),
    ...follow.statements,
    ...(told?.statements ?? []),
  ];
  return { statements, messages: [...follow.messages, ...(told === null ? [] : [told.message])] };
}

const comeback = (
  event: ReturnType<typeof eventOf>,
  predecessorId: number,
  successorId: number,
): Promise<Statement> =>
  recordLineage({
    ...event,
    entityId: predecessorId,
    op: "status_change",
    sourceIds: [successorId],
    fromStatus: "superseded",
    toStatus: null,
    statusNamespace: "lifecycle",
  });
