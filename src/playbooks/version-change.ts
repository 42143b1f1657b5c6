/**
 * Upgrades and downgrades an org's user playbooks, one guarded page after the other. Where a change stands is a
 * row of its own that every page moves on, so it goes on from any crash, and of two that work on it the second
 * writes nothing.
 */
import { GuardFailed } from "../db/client";
import { completeWork, enqueue, type Work, type WorkMessage } from "../db/outbox";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { type MovedRules, movedRules, movesOf, type VersionKind } from "./version-model";
import { MOVED_RULES, movePage } from "./version-move";
import {
  advanceVersionChange,
  beginVersionChange,
  findVersionChange,
  type Obstacles,
  pageOfRules,
  readObstacles,
  type VersionChange,
  type VersionFilter,
} from "./version-store";

/** Pages of one call or message: the rest is the outbox's. */
const MAX_PAGES = 40;
/** A caller is answered after this long at the latest. */
const MAX_WAIT_MS = 60_000;
/** Times in a row that somebody else may be faster before this one gives way. */
const MAX_COLLISIONS = 5;
const BUSY_RETRY_MS = 2_000;

/** The state whose rules a change needs: without any it does nothing at all. */
const neededFrom = { upgrade: "pending", downgrade: "archived" } as const;

export interface VersionAnswer extends MovedRules {
  success: boolean;
  message: string;
}

const refused = (message: string): VersionAnswer => ({
  success: false,
  message,
  deleted: 0,
  archived: 0,
  promoted: 0,
});

function reasonOf(kind: VersionKind, obstacles: Obstacles): string | null {
  if (obstacles.isRunning) return "Another upgrade or downgrade is already in progress";
  if (obstacles.rerunWrites) return "A rerun of playbook generation is still in progress";
  return obstacles.hasRules ? null : `No ${neededFrom[kind]} user playbooks found to ${kind}`;
}

/** The row that goes on with a change if nobody else does. */
const workOf = (orgId: string, changeId: string, nowMs: number) =>
  enqueue({ orgId, topic: "generation", key: ["version", changeId], cause: changeId, nowMs });

const countedAt = (counts: readonly number[], phase: number, moved: number): number[] =>
  Array.from({ length: Math.max(counts.length, phase + 1) }, (_, at) => {
    return (counts[at] ?? 0) + (at === phase ? moved : 0);
  });

/**
 * One page. @returns false once nothing is left
 * @throws GuardFailed where somebody else was faster; nothing was written then
 */
async function advance(services: Services, change: VersionChange): Promise<boolean> {
  const { orgId, changeId, phase, batches } = change;
  const db = services.database(orgId);
  const moves = movesOf(change.kind, change.archiveCurrent);
  const move = moves[phase];
  if (move === undefined) return false;
  const { afterId, lastId } = change;
  const rules = await pageOfRules(db, orgId, change, {
    ...{ from: move.from, afterId, lastId },
    limit: MOVED_RULES,
  });
  const isLastPage = rules.length < MOVED_RULES;
  const isDone = isLastPage && phase + 1 === moves.length;
  const page = await movePage(services, orgId, rules, move, {
    runId: changeId,
    principalId: change.principalId,
    cause: `${changeId}:${batches}`,
  });
  const { message } = await workOf(orgId, changeId, 0);
  await db.batch([
    ...advanceVersionChange(change, {
      isRunning: !isDone,
      phase: isLastPage ? phase + 1 : phase,
      afterId: isLastPage ? 0 : (rules.at(-1)?.userPlaybookId ?? afterId),
      counts: countedAt(change.counts, phase, rules.length),
    }),
    ...page.statements,
    ...(isDone ? [completeWork(message)] : []),
  ]);
  announce(services, page.messages);
  return !isDone;
}

/** An accelerator: what is lost here, the sweep sends. */
function announce(services: Services, messages: readonly WorkMessage[]): void {
  if (messages.length === 0) return;
  services.defer(
    services
      .send(messages)
      .catch(() => services.log.warn("versions.send_failed", { count: messages.length })),
  );
}

/** Carries a change on for a while. @returns whether it is done */
async function carryOn(services: Services, orgId: string, changeId: string): Promise<boolean> {
  const endMs = services.clock.nowMs() + MAX_WAIT_MS;
  for (let pages = 0, collisions = 0; pages < MAX_PAGES; pages += 1) {
    const change = await findVersionChange(services.database(orgId), orgId);
    if (change === null || change.changeId !== changeId || !change.isRunning) return true;
    if (services.clock.nowMs() >= endMs) return false;
    try {
      if (!(await advance(services, change))) return true;
      collisions = 0;
    } catch (error) {
      collisions += 1;
      if (!(error instanceof GuardFailed) || collisions > MAX_COLLISIONS) throw error;
    }
  }
  return false;
}

/** Begins a change. @returns its id, or why it cannot begin */
async function begin(
  scope: RequestScope,
  kind: VersionKind,
  filter: VersionFilter,
  archiveCurrent: boolean,
): Promise<{ changeId: string } | { refusal: string }> {
  const { services, db, orgId, principal, requestId } = scope;
  const from = neededFrom[kind];
  const refusal = async () => reasonOf(kind, await readObstacles(db, orgId, filter, from));
  const obstacle = await refusal();
  if (obstacle !== null) return { refusal: obstacle };
  const changeId = await derivedId("ver", [orgId, kind, requestId]);
  const at = nowSec(services.clock);
  const work = await workOf(orgId, changeId, services.clock.nowMs());
  try {
    await db.batch([
      ...beginVersionChange(
        { ...filter, orgId, changeId, kind, archiveCurrent, principalId: principal.id, requestId },
        from,
        at,
      ),
      work.statement,
      recordAudit({
        principal,
        action: `${kind}.user_playbooks`,
        entityType: "version_change",
        entityId: changeId,
        requestId,
        at,
        details: {
          agent_version: filter.agentVersion,
          playbook_name: filter.playbookName,
          archive_current: archiveCurrent,
        },
      }),
    ]);
  } catch (error) {
    const now = await findVersionChange(db, orgId);
    if (now?.changeId === changeId) return { changeId };
    if (!(error instanceof GuardFailed)) throw error;
    return { refusal: (await refusal()) ?? "Something else changed these user playbooks; try again" };
  }
  return { changeId };
}

const doneWords: Record<VersionKind, (moved: MovedRules) => string> = {
  upgrade: ({ promoted, archived, deleted }) =>
    `Upgraded: ${promoted} promoted, ${archived} archived, ${deleted} old ones deleted`,
  downgrade: ({ promoted, archived }) => `Downgraded: ${archived} demoted, ${promoted} restored`,
};

/** Upgrades or downgrades now; a change that takes longer than a minute goes on by itself, and the answer says so. */
export async function changeVersions(
  scope: RequestScope,
  kind: VersionKind,
  filter: VersionFilter,
  archiveCurrent = true,
): Promise<VersionAnswer> {
  const { services, db, orgId } = scope;
  const begun = await begin(scope, kind, filter, archiveCurrent);
  if ("refusal" in begun) return refused(begun.refusal);
  const { changeId } = begun;
  let isDone = false;
  try {
    isDone = await carryOn(services, orgId, changeId);
  } catch (error) {
    // The change is begun and its row in the outbox goes on with it.
    if (!(error instanceof GuardFailed)) throw error;
  }
  const change = await findVersionChange(db, orgId);
  if (change === null || change.changeId !== changeId) {
    return { ...refused(`The ${kind} is done, and another change has begun since`), success: true };
  }
  const moved = movedRules(movesOf(kind, archiveCurrent), change.counts);
  const message =
    isDone || !change.isRunning ? doneWords[kind](moved) : `The ${kind} goes on; this is how far it has come`;
  if (change.isRunning) announce(services, [(await workOf(orgId, changeId, 0)).message]);
  return { success: true, message, ...moved };
}

/** Work of topic `generation`, key `["version", changeId]`. */
export async function runVersionChange(
  services: Services,
  work: Work,
): Promise<"done" | { retryInMs: number }> {
  const [, changeId] = work.key;
  if (typeof changeId !== "string") {
    services.log.error("versions.key", { work: work.id });
    return "done";
  }
  try {
    return (await carryOn(services, work.orgId, changeId)) ? "done" : { retryInMs: 0 };
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  }
}
