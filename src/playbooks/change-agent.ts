/** Deciding on, editing and deleting agent playbooks: compare-and-set, with audit and lineage in the batch. */
import { GuardFailed } from "../db/client";
import { recordLineage } from "../db/lineage";
import { guard, type Statement, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { Failure } from "../platform/failure";
import { deleteAgentPlaybook, loadAgentPlaybooks, updateAgentPlaybook } from "./agent-store";
import { assertMayDecide, matchesVersion, overtaken, staleVersion } from "./approval";
import { refreshedFlags } from "./flags";
import { followUp } from "./follow-up";
import { type AgentPlaybook, type ApprovalStatus, retrievalText, tombstoneStatuses } from "./model";
import { deleteVectors, writeVector } from "./vector-store";
import { embedRulesIfReady } from "./vectors";

/** What a change asks for; what is absent stays. */
export interface AgentPlaybookChange {
  playbookName?: string | undefined;
  content?: string | undefined;
  /** Null removes it. */
  trigger?: string | null | undefined;
  rationale?: string | null | undefined;
  playbookStatus?: ApprovalStatus | undefined;
}

const textKeys = ["playbookName", "content", "trigger", "rationale"] as const;

const differs = (before: AgentPlaybook, after: AgentPlaybook): { text: boolean; decision: boolean } => ({
  text: textKeys.some((key) => before[key] !== after[key]),
  decision: before.playbookStatus !== after.playbookStatus,
});

/** The row after the change, before the database has said yes. */
function changed(
  before: AgentPlaybook,
  change: AgentPlaybookChange,
  principalId: string,
  nowMs: number,
): AgentPlaybook {
  const draft: AgentPlaybook = {
    ...before,
    playbookName: change.playbookName ?? before.playbookName,
    content: change.content ?? before.content,
    trigger: change.trigger === undefined ? before.trigger : change.trigger,
    rationale: change.rationale === undefined ? before.rationale : change.rationale,
    playbookStatus: change.playbookStatus ?? before.playbookStatus,
  };
  const { text, decision } = differs(before, draft);
  const isDecision = decision || (text && draft.playbookStatus === "approved");
  return {
    ...draft,
    // A rewritten rule waits to be tagged and expanded anew (specification, trap 23).
    ...(text && { tags: null, expandedTerms: null, flags: refreshedFlags(draft, before.flags) }),
    ...(isDecision && { decidedBy: principalId, decidedAt: Math.floor(nowMs / 1000) }),
    updatedAtMs: Math.max(nowMs, before.updatedAtMs + 1),
  };
}

async function load({ db, orgId }: RequestScope, agentPlaybookId: number): Promise<AgentPlaybook | null> {
  const [row] = await loadAgentPlaybooks(db, orgId, [agentPlaybookId]);
  return row ?? null;
}

const isTombstone = (row: AgentPlaybook): boolean =>
  tombstoneStatuses.some((status) => status === row.status);

/**
 * Applies a change to one agent playbook.
 * @returns the row as it is now, or null when there is none
 * @throws Failure("forbidden") without `review` where the rule is or would be approved,
 * Failure("precondition_failed") when `If-Match` names another version, Failure("conflict") when another
 * change was faster; nothing is written then
 */
export async function changeAgentPlaybook(
  scope: RequestScope,
  agentPlaybookId: number,
  change: AgentPlaybookChange,
): Promise<AgentPlaybook | null> {
  const { services, db, principal } = scope;
  const before = await load(scope, agentPlaybookId);
  if (before === null) return null;
  const after = changed(before, change, principal.id, services.clock.nowMs());
  const { text, decision } = differs(before, after);
  if (!text && !decision) {
    // The answer to the same request was lost, or somebody else decided the same: only the first is a success.
    const isMine = before.decidedBy === null || before.decidedBy === principal.id;
    if (!isMine && !matchesVersion(scope.headers.get("if-match"), before.version)) throw staleVersion(before);
    return before;
  }
  assertMayDecide(principal, before.playbookStatus, after.playbookStatus);
  if (!matchesVersion(scope.headers.get("if-match"), before.version)) throw staleVersion(before);
  if (isTombstone(before)) {
    throw new Failure(
      "conflict",
      `Agent playbook ${agentPlaybookId} was replaced and can no longer be changed.`,
    );
  }
  const { statements, messages } = await batchOf(scope, before, after);
  try {
    await db.batch(statements);
  } catch (error) {
    const now = await load(scope, agentPlaybookId);
    if (now === null) return null;
    const isIn =
      now.version === before.version + 1 && now.updatedAtMs === after.updatedAtMs && isSame(now, after);
    if (!isIn && error instanceof GuardFailed) throw overtaken(now);
    if (!isIn) throw error;
  }
  services.defer(services.send(messages));
  return { ...after, version: before.version + 1 };
}

const isSame = (left: AgentPlaybook, right: AgentPlaybook): boolean =>
  textKeys.every((key) => left[key] === right[key]) &&
  left.playbookStatus === right.playbookStatus &&
  left.decidedBy === right.decidedBy;

async function batchOf(scope: RequestScope, before: AgentPlaybook, after: AgentPlaybook) {
  const { orgId, principal, requestId } = scope;
  const { agentPlaybookId } = before;
  const { text, decision } = differs(before, after);
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const follow = await followUp(orgId, "agent_playbook", [agentPlaybookId], [], String(nowMs), nowMs);
  const event = {
    orgId,
    entityType: "agent_playbook",
    entityId: agentPlaybookId,
    actor: principal.id,
  } as const;
  const statements: Statement[] = [
    updateAgentPlaybook(before, after),
    guard("version", sql`changes() = 1`),
    ...(retrievalText(before) === retrievalText(after) ? [] : await freshVector(scope, after)),
    ...(text ? [await recordLineage({ ...event, op: "revise", requestId, createdAt: at })] : []),
    ...(decision
      ? [
          await recordLineage({
            ...event,
            op: "status_change",
            requestId,
            createdAt: at,
            fromStatus: before.playbookStatus,
            toStatus: after.playbookStatus,
            statusNamespace: "approval",
          }),
        ]
      : []),
    recordAudit({
      principal,
      action: decision ? `${verbOf[after.playbookStatus]}.agent_playbook` : "edit.agent_playbook",
      entityType: "agent_playbook",
      entityId: agentPlaybookId,
      requestId,
      at,
      details: {
        from: before.playbookStatus,
        to: after.playbookStatus,
        text_changed: text,
        version: before.version + 1,
      },
    }),
    ...follow.statements,
  ];
  return { statements, messages: follow.messages };
}

const verbOf: Record<ApprovalStatus, string> = { approved: "approve", rejected: "reject", pending: "reopen" };

/** The old vector never outlives the text it was made of, even where the new one has to wait. */
async function freshVector({ services, orgId }: RequestScope, after: AgentPlaybook): Promise<Statement[]> {
  const [vector] = (await embedRulesIfReady(services, [after])) ?? [];
  const place = { orgId, kind: "agent_playbook", entityId: after.agentPlaybookId } as const;
  const forget = deleteVectors(orgId, place.kind, place.entityId);
  return vector === undefined
    ? [forget]
    : [forget, writeVector({ ...place, vector, nowMs: after.updatedAtMs })];
}

/**
 * Deletes an agent playbook with its sources and vectors; one that does not exist is deleted already.
 * @throws Failure as `changeAgentPlaybook`
 */
export async function removeAgentPlaybook(scope: RequestScope, agentPlaybookId: number): Promise<void> {
  const { services, db, orgId, principal, requestId } = scope;
  const before = await load(scope, agentPlaybookId);
  if (before === null) return;
  assertMayDecide(principal, before.playbookStatus, null);
  if (!matchesVersion(scope.headers.get("if-match"), before.version)) throw staleVersion(before);
  const nowMs = Math.max(services.clock.nowMs(), before.updatedAtMs + 1);
  const at = Math.floor(nowMs / 1000);
  const follow = await followUp(orgId, "agent_playbook", [agentPlaybookId], [], String(nowMs), nowMs);
  const event = {
    orgId,
    entityType: "agent_playbook",
    entityId: agentPlaybookId,
    actor: principal.id,
  } as const;
  try {
    await db.batch([
      ...deleteAgentPlaybook(before),
      guard("version", sql`changes() = 1`),
      deleteVectors(orgId, "agent_playbook", agentPlaybookId),
      await recordLineage({ ...event, op: "hard_delete", requestId, createdAt: at }),
      recordAudit({
        principal,
        action: "delete.agent_playbook",
        entityType: "agent_playbook",
        entityId: agentPlaybookId,
        requestId,
        at,
      }),
      ...follow.statements,
    ]);
  } catch (error) {
    const now = await load(scope, agentPlaybookId);
    if (now !== null) throw error instanceof GuardFailed ? overtaken(now) : error;
  }
  services.defer(services.send(follow.messages));
}
