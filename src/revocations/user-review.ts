/** A person's word on a user playbook that was sent back to review: it stays in use, or it goes. */
import { GuardFailed } from "../db/client";
import { recordLineage } from "../db/lineage";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { Failure } from "../platform/failure";
import { entityTag, matchesVersion } from "../playbooks/approval";
import { followUp } from "../playbooks/follow-up";
import { tombstoneStatuses, type UserPlaybook } from "../playbooks/model";
import { loadUserPlaybooks } from "../playbooks/store";
import { decideUserPlaybook } from "./user-review-store";

export const userDecisions = ["keep", "archive"] as const;
export type UserDecision = (typeof userDecisions)[number];

/** @throws Failure("not_found"); tombstones answer like rows that are not there */
async function load({ db, orgId }: RequestScope, userPlaybookId: number): Promise<UserPlaybook> {
  const [row] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
  if (row === undefined || tombstoneStatuses.some((status) => status === row.status)) {
    throw new Failure("not_found", "There is no such user playbook.");
  }
  return row;
}

/** The row once it is decided. Archived, it keeps the flag that tells why. */
const decided = (row: UserPlaybook, decision: UserDecision, nowMs: number): UserPlaybook => ({
  ...row,
  status: decision === "keep" ? null : "archived",
  flags: decision === "keep" ? row.flags.filter((flag) => flag !== "tainted") : row.flags,
  updatedAtMs: Math.max(nowMs, row.updatedAtMs + 1),
});

const isAsWanted = (row: UserPlaybook, decision: UserDecision): boolean =>
  decision === "keep" ? row.status === null && !row.flags.includes("tainted") : row.status === "archived";

const stale = (kind: "precondition_failed" | "conflict", row: UserPlaybook): Failure =>
  new Failure(
    kind,
    `User playbook ${row.userPlaybookId} has changed: it is now ${row.status ?? "current"}.`,
    [],
    { etag: entityTag(row.updatedAtMs) },
  );

async function batchOf(
  { orgId, principal, requestId }: RequestScope,
  before: UserPlaybook,
  after: UserPlaybook,
  decision: UserDecision,
) {
  const { userPlaybookId, agentVersion } = before;
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const event = { entityType: "user_playbook", entityId: userPlaybookId, requestId } as const;
  const versions = decision === "keep" ? [agentVersion] : [];
  const follow = await followUp(orgId, "user_playbook", [userPlaybookId], versions, String(nowMs), nowMs);
  return {
    messages: follow.messages,
    statements: [
      ...decideUserPlaybook(before, after),
      await recordLineage({
        ...event,
        orgId,
        op: "status_change",
        actor: principal.id,
        createdAt: at,
        fromStatus: before.status,
        toStatus: after.status,
        statusNamespace: "lifecycle",
      }),
      recordAudit({ ...event, principal, action: `${decision}.user_playbook`, at }),
      ...follow.statements,
    ],
  };
}

/**
 * Decides about a user playbook in review (`pending`): kept, it is CURRENT again without the flag; archived, it
 * stays out of use. Deciding the same again is no error.
 * @param expectedVersions `If-Match`, and the version that the body names, where they were given
 * @throws Failure("not_found"), Failure("conflict") where it is not in review, Failure("precondition_failed")
 */
export async function reviewUserPlaybook(
  scope: RequestScope,
  userPlaybookId: number,
  decision: UserDecision,
  version?: number,
): Promise<UserPlaybook> {
  const { services, db } = scope;
  const before = await load(scope, userPlaybookId);
  if (isAsWanted(before, decision)) return before;
  if (
    !matchesVersion(scope.headers.get("if-match"), before.updatedAtMs) ||
    (version !== undefined && version !== before.updatedAtMs)
  ) {
    throw stale("precondition_failed", before);
  }
  if (before.status !== "pending") {
    const is = before.status ?? "current";
    throw new Failure("conflict", `User playbook ${userPlaybookId} is ${is}; it is not in review.`);
  }
  const after = decided(before, decision, services.clock.nowMs());
  const { statements, messages } = await batchOf(scope, before, after, decision);
  try {
    await db.batch(statements);
  } catch (error) {
    const now = await load(scope, userPlaybookId);
    if (!isAsWanted(now, decision)) throw error instanceof GuardFailed ? stale("conflict", now) : error;
    if (error instanceof GuardFailed) return now;
  }
  services.defer(services.send(messages));
  return after;
}
