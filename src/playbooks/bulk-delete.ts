/**
 * Deleting many rules: page by page, each page one batch with its lineage, its audit row and what must follow. What is
 * too much for one call, or was left by one that broke off, a piece of background work goes on with.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import { completeWork, enqueue, type Work } from "../db/outbox";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import { Failure } from "../platform/failure";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import {
  countDeleted,
  type DoomedRule,
  deleteRules,
  doomedRules,
  holdsApproved,
  lastRuleId,
} from "./bulk-delete-store";
import { markVersionsPending } from "./user-store";
import { ruleKinds } from "./uses";
import type { RuleKind } from "./vector-store";

const PAGE_ROWS = 500;
/** Pages of one call, and of one turn of the background work. */
const MAX_PAGES = 20;
/** When the sweep takes over from a call that broke off. */
const TAKE_OVER_MS = 300_000;

/** Who deletes what, where. */
interface Deletion {
  services: Pick<Services, "clock" | "send" | "defer">;
  db: Database;
  orgId: string;
  principalId: string;
  requestId: string;
  approvedToo: boolean;
}

const deletionOf = (scope: RequestScope): Deletion => ({
  services: scope.services,
  db: scope.db,
  orgId: scope.orgId,
  principalId: scope.principal.id,
  requestId: scope.requestId,
  approvedToo: scope.principal.scopes.includes("review"),
});

/** @throws Failure("forbidden") where approved rules are meant and the key may not decide on them */
async function assertMayDelete(deletion: Deletion, ids: readonly number[] | null): Promise<void> {
  if (deletion.approvedToo || !(await holdsApproved(deletion.db, deletion.orgId, ids))) return;
  throw new Failure(
    "forbidden",
    'Some of the rules are approved, and the key lacks the scope "review"; nothing was deleted.',
  );
}

/** Work that must follow a page: the index forgets the rules, and aggregation looks again. */
async function followersOf(deletion: Deletion, kind: RuleKind, rules: readonly DoomedRule[]) {
  const { orgId, requestId, services } = deletion;
  const nowMs = services.clock.nowMs();
  const ids = rules.map(({ id }) => id);
  // Only CURRENT rules of users are material for aggregation.
  const current = kind === "user_playbook" ? rules.filter(({ status }) => status === null) : [];
  const versions = [...new Set(current.map(({ agentVersion }) => agentVersion))];
  const cause = `${requestId}:${ids[0] ?? 0}`;
  const works = await Promise.all([
    enqueue({ orgId, topic: "vector", key: [kind, ...ids], cause, nowMs }),
    ...(kind === "agent_playbook"
      ? [enqueue({ orgId, topic: "contradictions", key: ids, cause, nowMs })]
      : []),
    ...versions.map((version) => enqueue({ orgId, topic: "aggregation", key: [version], cause, nowMs })),
  ]);
  return {
    statements: [
      ...works.map(({ statement }) => statement),
      ...(versions.length === 0 ? [] : [markVersionsPending(orgId, versions, nowMs)]),
    ],
    messages: works.map(({ message }) => message),
  };
}

/** @returns how many rules this page really deleted */
async function deletePage(deletion: Deletion, kind: RuleKind, rules: readonly DoomedRule[]): Promise<number> {
  const { services, db, orgId, principalId, requestId, approvedToo } = deletion;
  const at = nowSec(services.clock);
  const events = await Promise.all(
    rules.map(async ({ id }) => ({
      entityId: id,
      eventId: await derivedId("lin", [orgId, kind, id, "hard_delete", requestId]),
    })),
  );
  const follow = await followersOf(deletion, kind, rules);
  const page = { orgId, kind, events, approvedToo, actor: principalId, requestId, at };
  const audited = recordAudit({
    principal: { orgId, id: principalId },
    action: `delete.${kind}s`,
    entityType: kind,
    entityId: `${rules[0]?.id ?? 0}..${rules.at(-1)?.id ?? 0}`,
    requestId,
    at,
    details: { rules: rules.length },
  });
  let deleted: number;
  try {
    const results = await db.batch([...deleteRules(page), audited, ...follow.statements]);
    deleted = results[1]?.rows.length ?? 0;
  } catch (error) {
    // The batch may have failed after it took effect.
    deleted = await countDeleted(db, orgId, events);
    if (deleted === 0) throw error;
  }
  services.defer(services.send(follow.messages));
  return deleted;
}

interface Doomed {
  kind: RuleKind;
  upTo: number;
}

/** @returns how many were deleted, and whether none is left; stops after so many pages as a turn may take */
async function deletePages(
  deletion: Deletion,
  targets: readonly (Doomed & { ids: readonly number[] | null })[],
): Promise<{ deleted: number; isFinished: boolean }> {
  let [deleted, pages] = [0, 0];
  for (const { kind, upTo, ids } of targets) {
    for (let after = 0, isMore = true; isMore; pages += 1) {
      if (pages === MAX_PAGES) return { deleted, isFinished: false };
      const { approvedToo } = deletion;
      const rules = await doomedRules(
        deletion.db,
        deletion.orgId,
        kind,
        { after, upTo, ids, approvedToo },
        PAGE_ROWS,
      );
      if (rules.length > 0) deleted += await deletePage(deletion, kind, rules);
      after = rules.at(-1)?.id ?? after;
      isMore = rules.length === PAGE_ROWS;
    }
  }
  return { deleted, isFinished: true };
}

/**
 * Deletes rules by id; ids that name none are no fault.
 * @returns how many there were
 * @throws Failure("forbidden"); nothing is deleted then
 */
export async function deleteRulesByIds(
  scope: RequestScope,
  kind: RuleKind,
  ids: readonly number[],
): Promise<number> {
  const deletion = deletionOf(scope);
  if (kind === "agent_playbook") await assertMayDelete(deletion, ids);
  const distinct = [...new Set(ids)].sort((left, right) => left - right);
  let deleted = 0;
  for (let at = 0; at < distinct.length; at += PAGE_ROWS) {
    const page = distinct.slice(at, at + PAGE_ROWS);
    const target = { kind, ids: page, upTo: Number.MAX_SAFE_INTEGER };
    deleted += (await deletePages(deletion, [target])).deleted;
  }
  return deleted;
}

const keyOf = ({ requestId, principalId, approvedToo }: Deletion, targets: readonly Doomed[]) => [
  ...[requestId, principalId, approvedToo ? 1 : 0],
  ...targets.flatMap(({ kind, upTo }) => [kind, upTo]),
];

const workKey = z
  .tuple([z.string(), z.string(), z.union([z.literal(0), z.literal(1)])], z.union([z.string(), z.number()]))
  .transform(([requestId, principalId, approvedToo, ...rest]) => ({
    ...{ requestId, principalId, approvedToo: approvedToo === 1 },
    targets: rest.flatMap((kind, at) => {
      const upTo = rest[at + 1];
      const parsed = z.tuple([z.enum(ruleKinds), z.int()]).safeParse([kind, upTo]);
      return parsed.success ? [{ kind: parsed.data[0], upTo: parsed.data[1], ids: null }] : [];
    }),
  }));

/**
 * Deletes every rule of the kinds that is there when the call begins. The work that would finish it is written first.
 * @returns how many this call deleted, and whether it left any to that work
 * @throws Failure("forbidden"); nothing is deleted then
 */
export async function deleteAllRules(
  scope: RequestScope,
  kinds: readonly RuleKind[],
): Promise<{ deleted: number; isFinished: boolean }> {
  const deletion = deletionOf(scope);
  const { services, db, orgId, requestId } = deletion;
  if (kinds.includes("agent_playbook")) await assertMayDelete(deletion, null);
  const targets = await Promise.all(
    kinds.map(async (kind) => ({ kind, ids: null, upTo: await lastRuleId(db, orgId, kind) })),
  );
  const { statement, message } = await enqueue({
    orgId,
    topic: "bulk_delete",
    key: keyOf(deletion, targets),
    cause: requestId,
    nowMs: services.clock.nowMs(),
    delayMs: TAKE_OVER_MS,
  });
  await db.run(statement);
  const done = await deletePages(deletion, targets);
  if (done.isFinished) await db.run(completeWork(message));
  else services.defer(services.send([message]));
  return done;
}

/** Work of topic `bulk_delete`: goes on with what a call left. Safe to repeat. */
export async function runBulkDelete(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const { targets, ...who } = workKey.parse(work.key);
  const { orgId } = work;
  const { isFinished } = await deletePages(
    { services, db: services.database(orgId), orgId, ...who },
    targets,
  );
  return isFinished ? "done" : { retryInMs: 0 };
}
