/** A rebuild's end: one guarded batch that puts everything staged in its place, or changes nothing. */
import { type Database, GuardFailed } from "../db/client";
import { leaseGuard, releaseLease } from "../db/leases";
import { enqueue, type WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import { announcePending } from "../playbooks/announce-pending";
import { type Counts, noCounts } from "./model";
import { endOperation, operationActive } from "./operations-store";
import {
  type ArchivedRule,
  archivableUnchanged,
  archiveRules,
  type CommitKey,
  dropOvertaken,
  insertNewRules,
  loadArchivable,
  loadNewRules,
  markSeenInvalidations,
  nothingOvertaken,
  resetVersion,
} from "./rebuild-commit-store";
import type { RebuildScope } from "./rebuild-model";
import { countOutcomes, forgetRebuild, planTurn, type Rebuild } from "./rebuild-store";

/** Changed rules of agents that one piece of work compares. */
const RECHECK_PAGE = 500;
/** People decide while a rebuild commits; each time it looks again. */
const MAX_LOOKS = 5;
/** Messages that are sent at once; the sweep sends the others. */
const MAX_SENT = 100;
/** When automatic work looks at what came after the snapshot. */
const AFTERWARDS_MS = 1_000;

/** What a rebuild has done, from what is stored. */
export async function countsOf(db: Database, scope: RebuildScope, rebuild: Rebuild): Promise<Counts> {
  const { generated, semantic_null, given_up, stale, rejected_before, open } = await countOutcomes(db, scope);
  const all = [generated, semantic_null, given_up, stale, rejected_before, open];
  return {
    ...noCounts(),
    user_playbooks_processed: rebuild.rowCount,
    clusters_found: all.reduce((sum, { clusters }) => sum + clusters, 0),
    playbooks_generated: generated.clusters,
    attachments: generated.members,
    semantic_nulls: semantic_null.clusters,
    retryable_failures: given_up.clusters,
    cluster_fence_losses: stale.clusters,
  };
}

/** Rules that go, with the ids of what follows. */
const archivedRules = ({ orgId, operationId }: CommitKey, ids: readonly number[]) =>
  Promise.all(
    ids.map(
      async (agentPlaybookId): Promise<ArchivedRule> => ({
        agentPlaybookId,
        lineageId: await derivedId("lin", [
          ...([orgId, "agent_playbook", agentPlaybookId, "status_change", operationId] as const),
          "superseded",
        ]),
        vectorJobId: await derivedId("job", [
          ...([orgId, "vector", ["agent_playbook", agentPlaybookId], operationId] as const),
        ]),
      }),
    ),
  );

/** What other rooms do once the rules are in: comparing them with approved ones, telling the org. */
async function followers(
  { orgId, operationId, agentVersion, nowMs }: CommitKey,
  created: Awaited<ReturnType<typeof loadNewRules>>,
  archived: readonly number[],
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  const changed = [...created.map((rule) => rule.agent_playbook_id), ...archived];
  const jobs = [];
  for (let first = 0; first < changed.length; first += RECHECK_PAGE) {
    const key = changed.slice(first, first + RECHECK_PAGE);
    jobs.push(await enqueue({ orgId, topic: "contradictions", key, cause: operationId, nowMs }));
  }
  const told = await announcePending(
    created.map((rule) => ({
      ...{ orgId, agentVersion, agentPlaybookId: rule.agent_playbook_id, playbookMetadata: rule.metadata },
      // The flags that its texts earn are among those stored already.
      ...{ trigger: null, content: "", rationale: null, flags: rule.flags },
    })),
    1,
    nowMs,
  );
  return {
    statements: [...jobs.map(({ statement }) => statement), ...(told?.statements ?? [])],
    messages: [...(told === null ? [] : [told.message]), ...jobs.map(({ message }) => message)],
  };
}

/** One look and one batch. @returns false where something changed in between */
async function tryCommit(scope: RebuildScope, db: Database, rebuild: Rebuild): Promise<boolean> {
  const { orgId, operationId, agentVersion, lease, services } = scope;
  const nowMs = services.clock.nowMs();
  const key: CommitKey = { orgId, operationId, agentVersion, nowMs };
  await db.batch([leaseGuard(lease), operationActive(orgId, operationId), dropOvertaken(key)]);
  const created = await loadNewRules(db, key);
  const hasRules = created.length > 0;
  // Without a new rule nothing is archived and nothing reset (trap 53).
  const ids = hasRules ? await loadArchivable(db, key, rebuild.lastAgentPlaybookId) : [];
  const archived = await archivedRules(key, ids);
  const following = await followers(key, created, ids);
  const counts = { ...(await countsOf(db, scope, rebuild)), supersessions: ids.length };
  const moves = hasRules
    ? [
        nothingOvertaken(key),
        archivableUnchanged(key, rebuild.lastAgentPlaybookId, ids),
        markSeenInvalidations(key, rebuild.lastInvalidation),
        ...resetVersion(key),
        ...insertNewRules(key),
        ...archiveRules(key, archived),
        ...following.statements,
      ]
    : [];
  try {
    await db.batch([
      leaseGuard(lease),
      operationActive(orgId, operationId),
      ...moves,
      planTurn(orgId, agentVersion, nowMs + AFTERWARDS_MS, null),
      endOperation(orgId, operationId, {
        ...({ status: "succeeded", counts, skipped: null } as const),
        nowSec: nowSec(services.clock),
      }),
      ...forgetRebuild(scope),
      leaseGuard(lease),
      releaseLease(lease),
    ]);
  } catch (error) {
    const isOvertaken =
      error instanceof GuardFailed && (error.guard === "sources" || error.guard === "expected_agent");
    if (isOvertaken) return false;
    throw error;
  }
  services.log.info("aggregation.rebuilt", { orgId, runId: operationId, ...counts });
  await services
    .send(following.messages.slice(0, MAX_SENT))
    .catch(() => services.log.warn("aggregation.send_failed", { orgId }));
  return true;
}

/**
 * Commits a rebuild whose clusters all have an outcome, and releases the lease.
 * @returns false where people changed rules faster than it could look; nothing has changed then
 */
export async function commitRebuild(scope: RebuildScope, db: Database, rebuild: Rebuild): Promise<boolean> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await tryCommit(scope, db, rebuild)) return true;
  }
  return false;
}
