/** Deciding on, editing and deleting agent playbooks: compare-and-set, with audit and lineage in the batch. */
import { GuardFailed } from "../db/client";
import { recordLineage } from "../db/lineage";
import { guard, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { Failure } from "../platform/failure";
import { deleteAgentPlaybook, loadAgentPlaybooks } from "./agent-store";
import { assertMayDecide, matchesVersion, overtaken, staleVersion } from "./approval";
import { batchOf } from "./change-agent-batch";
import { differs } from "./decisions";
import { forgetDecisions, isDecided } from "./decisions-store";
import { refreshedFlags } from "./flags";
import { followUp } from "./follow-up";
import { type AgentPlaybook, type ApprovalStatus, type Flag, tombstoneStatuses } from "./model";
import { deleteVectors } from "./vector-store";

/** How often a change is tried whose predecessor changed under it. */
const MAX_TRIES = 3;

/** What a change asks for; what is absent stays. */
export interface AgentPlaybookChange {
  playbookName?: string | undefined;
  content?: string | undefined;
  /** Null removes it. */
  trigger?: string | null | undefined;
  rationale?: string | null | undefined;
  playbookStatus?: ApprovalStatus | undefined;
  /** An approval leaves the rule that this one replaces in service. */
  keepReplaced?: boolean | undefined;
}

/** How a change ended. Nothing was written where it was refused or overtaken. */
export type ChangeOutcome =
  | { kind: "done" | "unchanged"; row: AgentPlaybook }
  | { kind: "refused" | "overtaken"; failure: Failure; version: number }
  | { kind: "missing" };

/** A rule that a person approved rests on that person's word, whatever became of its sources. */
const withoutTaint = (flags: readonly Flag[]): Flag[] => flags.filter((flag) => flag !== "tainted");

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
  const isApproval = draft.playbookStatus === "approved";
  const isDecision = decision || (text && isApproval);
  const flags = text ? refreshedFlags(draft, before.flags) : before.flags;
  return {
    ...draft,
    // A rewritten rule waits to be tagged and expanded anew (specification, trap 23).
    ...(text && { tags: null, expandedTerms: null }),
    flags: isDecision && isApproval ? withoutTaint(flags) : flags,
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
  const outcome = await tryChange(scope, agentPlaybookId, change);
  if ("failure" in outcome) throw outcome.failure;
  return outcome.kind === "missing" ? null : outcome.row;
}

/** As `changeAgentPlaybook`, telling apart what it may end in. @throws what the database throws */
export async function tryChange(
  scope: RequestScope,
  agentPlaybookId: number,
  change: AgentPlaybookChange,
): Promise<ChangeOutcome> {
  const { services, principal } = scope;
  const before = await load(scope, agentPlaybookId);
  if (before === null) return { kind: "missing" };
  const isExpected = matchesVersion(scope.headers.get("if-match"), before.version);
  const after = changed(before, change, principal.id, services.clock.nowMs());
  const { text, decision } = differs(before, after);
  if (!text && !decision) {
    // The answer to the same request was lost, or somebody else decided the same: only the first is a success.
    const isMine = before.decidedBy === null || before.decidedBy === principal.id;
    return isMine || isExpected
      ? { kind: "unchanged", row: before }
      : { kind: "overtaken", failure: staleVersion(before), version: before.version };
  }
  const denied = denialOf(() => assertMayDecide(principal, before.playbookStatus, after.playbookStatus));
  if (denied !== null) return { kind: "refused", failure: denied, version: before.version };
  if (!isExpected) return { kind: "overtaken", failure: staleVersion(before), version: before.version };
  if (isTombstone(before)) {
    const message = `Agent playbook ${agentPlaybookId} was replaced and can no longer be changed.`;
    return { kind: "refused", failure: new Failure("conflict", message), version: before.version };
  }
  return write(scope, before, after, change.keepReplaced === true);
}

function denialOf(check: () => void): Failure | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The approved CURRENT rule that this approval supersedes, or null. */
async function predecessorOf(
  scope: RequestScope,
  before: AgentPlaybook,
  after: AgentPlaybook,
): Promise<AgentPlaybook | null> {
  const isApproval = after.playbookStatus === "approved" && before.playbookStatus !== "approved";
  if (!isApproval || before.replaces === null || before.replaces === before.agentPlaybookId) return null;
  const named = await load(scope, before.replaces);
  const isInService = named !== null && named.status === null && named.playbookStatus === "approved";
  return isInService && named.agentVersion === before.agentVersion ? named : null;
}

async function write(
  scope: RequestScope,
  before: AgentPlaybook,
  after: AgentPlaybook,
  keepsReplaced: boolean,
): Promise<ChangeOutcome> {
  const { services, db, orgId } = scope;
  const { agentPlaybookId, version } = before;
  const changeId = services.ids.random("chg");
  for (let tries = 1; ; tries += 1) {
    const replaced = keepsReplaced ? null : await predecessorOf(scope, before, after);
    const { statements, messages } = await batchOf(scope, { before, after, replaced, changeId });
    try {
      await db.batch(statements);
    } catch (error) {
      if (!(await isDecided(db, orgId, agentPlaybookId, version + 1, changeId))) {
        const isOther = error instanceof GuardFailed && error.guard === "expected_agent";
        if (isOther && tries < MAX_TRIES) continue;
        const now = await load(scope, agentPlaybookId);
        if (now === null) return { kind: "missing" };
        if (error instanceof GuardFailed)
          return { kind: "overtaken", failure: overtaken(now), version: now.version };
        throw error;
      }
    }
    services.defer(services.send(messages));
    return { kind: "done", row: { ...after, version: version + 1 } };
  }
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
      ...forgetDecisions(orgId, agentPlaybookId),
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
