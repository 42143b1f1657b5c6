/** Editing and deleting user playbooks, with audit, lineage and what aggregation must hear of in the batch. */
import { GuardFailed } from "../db/client";
import { recordLineage } from "../db/lineage";
import { guard, type Statement, sql } from "../db/sql";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { tagsAreDefined } from "../orgs/config-store";
import { Failure, invalid } from "../platform/failure";
import { entityTag, matchesVersion } from "./approval";
import { followUp } from "./follow-up";
import { retrievalText, tombstoneStatuses, type UserPlaybook } from "./model";
import { tagLater } from "./tagging";
import { deleteUserPlaybook, editUserPlaybook, loadUserPlaybooks, type UserPlaybookEdit } from "./user-store";
import { deleteVectors, writeVector } from "./vector-store";
import { embedRulesIfReady } from "./vectors";

/** What a change asks for; what is absent stays. */
export interface UserPlaybookChange {
  playbookName?: string | undefined;
  content?: string | undefined;
  /** Null removes it. */
  trigger?: string | null | undefined;
  rationale?: string | null | undefined;
}

const editKeys = ["playbookName", "content", "trigger", "rationale"] as const;

/** Tombstones are history: nobody edits them, and they answer like rows that are not there. */
async function load({ db, orgId }: RequestScope, userPlaybookId: number): Promise<UserPlaybook | null> {
  const [row] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
  return row === undefined || tombstoneStatuses.some((status) => status === row.status) ? null : row;
}

const stale = (row: UserPlaybook, kind: "precondition_failed" | "conflict"): Failure =>
  new Failure(kind, `User playbook ${row.userPlaybookId} has changed meanwhile.`, [], {
    etag: entityTag(row.updatedAtMs),
  });

/**
 * Rewrites a user playbook in place: words, vector and flags follow its text.
 * @returns the row's new entity tag, or null when there is none
 * @throws Failure("invalid") when neither content nor trigger would remain, Failure("precondition_failed"),
 * Failure("conflict")
 */
export async function changeUserPlaybook(
  scope: RequestScope,
  userPlaybookId: number,
  change: UserPlaybookChange,
): Promise<string | null> {
  const { services, db } = scope;
  const before = await load(scope, userPlaybookId);
  if (before === null) return null;
  const edit: UserPlaybookEdit = {
    playbookName: change.playbookName ?? before.playbookName,
    content: change.content ?? before.content,
    trigger: change.trigger === undefined ? before.trigger : change.trigger,
    rationale: change.rationale === undefined ? before.rationale : change.rationale,
  };
  if (edit.content.trim() === "" && (edit.trigger ?? "").trim() === "") {
    throw invalid(
      "/content",
      "content or trigger is needed",
      "content or trigger with at least one visible character",
    );
  }
  if (editKeys.every((key) => edit[key] === before[key])) return entityTag(before.updatedAtMs);
  if (!matchesVersion(scope.headers.get("if-match"), before.updatedAtMs))
    throw stale(before, "precondition_failed");
  const nowMs = Math.max(services.clock.nowMs(), before.updatedAtMs + 1);
  const { statements, messages } = await editBatch(scope, before, edit, nowMs);
  try {
    await db.batch(statements);
  } catch (error) {
    const now = await load(scope, userPlaybookId);
    if (now === null) return null;
    const isIn = now.updatedAtMs === nowMs && editKeys.every((key) => edit[key] === now[key]);
    if (!isIn) throw error instanceof GuardFailed ? stale(now, "conflict") : error;
  }
  services.defer(services.send(messages));
  return entityTag(nowMs);
}

/** A rewritten rule has lost its tags; it is tagged again where the org wants tags. */
async function retagging(orgId: string, row: UserPlaybook, nowMs: number): Promise<Statement[]> {
  const { userPlaybookId, userId, agentVersion } = row;
  if (userId === null || row.status !== null) return [];
  const cause = `edit:${userPlaybookId}:${nowMs}`;
  return [await tagLater({ orgId, userId, agentVersion, cause, nowMs, onlyIf: tagsAreDefined(orgId) })];
}

async function editBatch(scope: RequestScope, before: UserPlaybook, edit: UserPlaybookEdit, nowMs: number) {
  const { services, orgId, principal, requestId } = scope;
  const { userPlaybookId } = before;
  const at = Math.floor(nowMs / 1000);
  const place = { orgId, kind: "user_playbook", entityId: userPlaybookId } as const;
  const follow = await followUp(
    orgId,
    place.kind,
    [userPlaybookId],
    versionsOf(before),
    String(nowMs),
    nowMs,
  );
  const vectorStatements: Statement[] = [];
  if (retrievalText(before) !== retrievalText(edit)) {
    const [vector] = (await embedRulesIfReady(services, [edit])) ?? [];
    vectorStatements.push(deleteVectors(orgId, place.kind, userPlaybookId));
    if (vector !== undefined) vectorStatements.push(writeVector({ ...place, vector, nowMs }));
  }
  const statements: Statement[] = [
    editUserPlaybook(before, edit, nowMs),
    guard("version", sql`changes() = 1`),
    ...vectorStatements,
    await recordLineage({
      orgId,
      entityType: place.kind,
      entityId: userPlaybookId,
      op: "revise",
      actor: principal.id,
      requestId,
      createdAt: at,
    }),
    recordAudit({
      principal,
      action: "edit.user_playbook",
      entityType: place.kind,
      entityId: userPlaybookId,
      requestId,
      at,
    }),
    ...follow.statements,
    ...(await retagging(orgId, before, nowMs)),
  ];
  return { statements, messages: follow.messages };
}

/** Only CURRENT rows are material for aggregation. */
const versionsOf = (row: UserPlaybook): string[] => (row.status === null ? [row.agentVersion] : []);

/**
 * Deletes a user playbook and its vectors for good; one that does not exist is deleted already.
 * @throws Failure("precondition_failed"), Failure("conflict")
 */
export async function removeUserPlaybook(scope: RequestScope, userPlaybookId: number): Promise<void> {
  const { services, db, orgId, principal, requestId } = scope;
  const [before] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
  if (before === undefined) return;
  if (!matchesVersion(scope.headers.get("if-match"), before.updatedAtMs))
    throw stale(before, "precondition_failed");
  const nowMs = Math.max(services.clock.nowMs(), before.updatedAtMs + 1);
  const at = Math.floor(nowMs / 1000);
  const follow = await followUp(
    orgId,
    "user_playbook",
    [userPlaybookId],
    versionsOf(before),
    String(nowMs),
    nowMs,
  );
  try {
    await db.batch([
      deleteUserPlaybook(before),
      guard("version", sql`changes() = 1`),
      deleteVectors(orgId, "user_playbook", userPlaybookId),
      await recordLineage({
        orgId,
        entityType: "user_playbook",
        entityId: userPlaybookId,
        op: "hard_delete",
        actor: principal.id,
        requestId,
        createdAt: at,
      }),
      recordAudit({
        principal,
        action: "delete.user_playbook",
        entityType: "user_playbook",
        entityId: userPlaybookId,
        requestId,
        at,
      }),
      ...follow.statements,
    ]);
  } catch (error) {
    const [now] = await loadUserPlaybooks(db, orgId, [userPlaybookId]);
    if (now !== undefined) throw error instanceof GuardFailed ? stale(now, "conflict") : error;
  }
  services.defer(services.send(follow.messages));
}
