/** Taking a user playbook out of use, and back into it, by hand. */
import { GuardFailed } from "../db/client";
import { recordLineage } from "../db/lineage";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { Failure } from "../platform/failure";
import { entityTag, matchesVersion } from "./approval";
import { setLifecycle } from "./archive-user-store";
import { followUp } from "./follow-up";
import { tombstoneStatuses, type UserPlaybook } from "./model";
import { loadUserPlaybooks } from "./user-store";

export const archiveChanges = ["archive", "restore"] as const;
export type ArchiveChange = (typeof archiveChanges)[number];

/** @throws Failure("not_found"); tombstones answer like rows that are not there */
async function load({ db, orgId }: RequestScope, userPlaybookId: number): Promise<UserPlaybook> {
  const [row] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
  if (row === undefined || tombstoneStatuses.some((status) => status === row.status)) {
    throw new Failure("not_found", "There is no such user playbook.");
  }
  return row;
}

const statusAfter = { archive: "archived", restore: null } as const;
const statusBefore = { archive: null, restore: "archived" } as const;

const stale = (kind: "precondition_failed" | "conflict", row: UserPlaybook): Failure =>
  new Failure(kind, `User playbook ${row.userPlaybookId} has changed meanwhile.`, [], {
    etag: entityTag(row.updatedAtMs),
  });

/** @throws Failure("forbidden"), Failure("conflict") */
function assertMay(scope: RequestScope, row: UserPlaybook, change: ArchiveChange): void {
  if (row.status !== statusBefore[change]) {
    const is = row.status ?? "current";
    throw new Failure("conflict", `User playbook ${row.userPlaybookId} is ${is}; ${change} does not apply.`);
  }
  if (row.flags.includes("tainted") && change === "restore" && !scope.principal.scopes.includes("review")) {
    throw new Failure(
      "forbidden",
      "It rests on something revoked: only a reviewer may take it back into use.",
    );
  }
}

async function batchOf(
  { orgId, principal, requestId }: RequestScope,
  before: UserPlaybook,
  after: UserPlaybook,
  change: ArchiveChange,
) {
  const { userPlaybookId, agentVersion } = before;
  const nowMs = after.updatedAtMs;
  const at = Math.floor(nowMs / 1000);
  const event = { entityType: "user_playbook", entityId: userPlaybookId, requestId } as const;
  const follow = await followUp(
    orgId,
    "user_playbook",
    [userPlaybookId],
    [agentVersion],
    String(nowMs),
    nowMs,
  );
  return {
    messages: follow.messages,
    statements: [
      ...setLifecycle(before, after),
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
      recordAudit({ ...event, principal, action: `${change}.user_playbook`, at }),
      ...follow.statements,
    ],
  };
}

/**
 * Archives a CURRENT user playbook, or makes an archived one CURRENT again. The same again is no error. A
 * reviewer who restores what rests on something revoked has decided that it stays: the flag goes.
 * @throws Failure("not_found"), Failure("forbidden"), Failure("conflict"), Failure("precondition_failed")
 */
export async function archiveUserPlaybook(
  scope: RequestScope,
  userPlaybookId: number,
  change: ArchiveChange,
): Promise<UserPlaybook> {
  const { services, db } = scope;
  const before = await load(scope, userPlaybookId);
  if (before.status === statusAfter[change]) return before;
  if (!matchesVersion(scope.headers.get("if-match"), before.updatedAtMs)) {
    throw stale("precondition_failed", before);
  }
  assertMay(scope, before, change);
  const after: UserPlaybook = {
    ...before,
    status: statusAfter[change],
    flags: change === "restore" ? before.flags.filter((flag) => flag !== "tainted") : before.flags,
    updatedAtMs: Math.max(services.clock.nowMs(), before.updatedAtMs + 1),
  };
  const { statements, messages } = await batchOf(scope, before, after, change);
  try {
    await db.batch(statements);
  } catch (error) {
    const now = await load(scope, userPlaybookId);
    if (now.status !== after.status) throw error instanceof GuardFailed ? stale("conflict", now) : error;
    if (now.updatedAtMs !== after.updatedAtMs) return now;
  }
  services.defer(services.send(messages));
  return after;
}
