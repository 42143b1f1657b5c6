/** Applies one decision in one guarded batch, which also moves the run on to its next rule. */
import type { Database } from "../../db/client";
import { type Lease, leaseGuard } from "../../db/leases";
import { recordLineage } from "../../db/lineage";
import type { WorkMessage } from "../../db/outbox";
import { reserveIds } from "../../db/sequences";
import type { Statement } from "../../db/sql";
import { decodeHex } from "../../platform/embedder/hex";
import { setLifecycle } from "../../playbooks/archive-user-store";
import { followUp } from "../../playbooks/follow-up";
import { type NewUserPlaybook, supportFlags, type UserPlaybook } from "../../playbooks/model";
import { insertUserPlaybooks, retireUserPlaybooks, writeVectors } from "../../playbooks/store";
import { tagLater } from "../../playbooks/tagging";
import type { Lesson } from "../model";
import { basisGuard } from "../store";
import type { Outcome, ReviewRun } from "./model";
import { turnsGuard } from "./record-store";
import { findRun, settleTurn } from "./run-store";

const KIND = "user_playbook" as const;
/** Who stands in the lineage. */
const ACTOR = "playbook_review";

/** A rule's turn in a run. */
export interface Application {
  db: Database;
  lease: Lease;
  run: ReviewRun;
  row: UserPlaybook;
  nowMs: number;
  /** Whether a rewritten rule is to be tagged again. */
  wantsTags: boolean;
}

interface Effect {
  statements: Statement[];
  messages: WorkMessage[];
  successorId: number | null;
}

const nothing: Effect = { statements: [], messages: [], successorId: null };

const successorOf = (
  { run, row, nowMs }: Application,
  userPlaybookId: number,
  lesson: Lesson,
): NewUserPlaybook => ({
  orgId: row.orgId,
  userPlaybookId,
  userId: row.userId,
  agentVersion: row.agentVersion,
  requestId: run.runId,
  playbookName: row.playbookName,
  createdAt: Math.floor(nowMs / 1000),
  updatedAtMs: nowMs,
  trigger: lesson.trigger,
  content: lesson.content,
  rationale: lesson.rationale,
  status: null,
  source: row.source,
  sourceInteractionIds: lesson.sourceInteractionIds,
  sourceSpan: lesson.sourceSpan,
  // Never tagged: the old tags were of other words (trap 23).
  tags: null,
  notes: lesson.notes,
  readerAngle: row.readerAngle,
  expandedTerms: null,
  // What its text shows is found anew.
  flags: row.flags.filter((flag) => supportFlags.some((support) => support === flag)),
  // The record it can be judged by again.
  windowId: row.windowId,
});

/** Lineage of an edit or a rejection, under the run's id; the reason is a closed code. */
async function lineageOf(
  { run, row, nowMs }: Application,
  { judgement, model, provider }: Outcome,
  toStatus: "superseded" | "archived",
  successorId: number | null,
): Promise<Statement[]> {
  const event = {
    orgId: row.orgId,
    entityType: KIND,
    actor: ACTOR,
    requestId: run.runId,
    reason: judgement.reasonCode,
    createdAt: Math.floor(nowMs / 1000),
    modelName: model,
    provider,
  };
  const ended = recordLineage({
    ...event,
    entityId: row.userPlaybookId,
    op: "status_change",
    fromStatus: null,
    toStatus,
    statusNamespace: "lifecycle",
  });
  if (successorId === null) return [await ended];
  const revised = recordLineage({
    ...event,
    entityId: successorId,
    op: "revise",
    sourceIds: [row.userPlaybookId],
    provRelation: "wasRevisionOf",
  });
  return Promise.all([revised, ended]);
}

/** The successor first, because the tombstone points to it (trap 30). */
async function edit(application: Application, outcome: Outcome, lesson: Lesson): Promise<Effect> {
  const { db, run, row, nowMs, wantsTags } = application;
  const { orgId, userId, agentVersion, userPlaybookId } = row;
  if (userId === null) throw new TypeError("a rule without an owner is never judged");
  const successorId = await reserveIds(db, orgId, KIND, 1);
  const follow = await followUp(
    orgId,
    KIND,
    [successorId, userPlaybookId],
    [agentVersion],
    `${run.runId}:${run.position}`,
    nowMs,
  );
  const { vector } = outcome;
  const vectors =
    vector === null
      ? []
      : writeVectors([
          {
            ...{ orgId, kind: KIND, entityId: successorId, nowMs },
            vector: {
              model: vector.model,
              dimension: vector.dimension,
              bytes: decodeHex(vector.hexBytes).slice(),
              scale: vector.scale,
            },
          },
        ]);
  const retagging = { orgId, userId, agentVersion, cause: `${run.runId}:${run.position}`, nowMs };
  return {
    successorId,
    messages: follow.messages,
    statements: [
      turnsGuard(orgId, userId, lesson.sourceInteractionIds),
      ...insertUserPlaybooks([successorOf(application, successorId, lesson)]),
      ...vectors,
      retireUserPlaybooks({ orgId, ids: [userPlaybookId], status: "superseded", successorId, nowMs }),
      ...(await lineageOf(application, outcome, "superseded", successorId)),
      ...follow.statements,
      ...(wantsTags ? [await tagLater(retagging)] : []),
    ],
  };
}

async function reject(application: Application, outcome: Outcome): Promise<Effect> {
  const { run, row, nowMs } = application;
  const { orgId, agentVersion, userPlaybookId } = row;
  const updatedAtMs = Math.max(nowMs, row.updatedAtMs + 1);
  const follow = await followUp(
    orgId,
    KIND,
    [userPlaybookId],
    [agentVersion],
    `${run.runId}:${run.position}`,
    nowMs,
  );
  return {
    successorId: null,
    messages: follow.messages,
    statements: [
      ...setLifecycle(row, { status: "archived", flags: row.flags, updatedAtMs }),
      ...(await lineageOf(application, outcome, "archived", null)),
      ...follow.statements,
    ],
  };
}

function effectOf(application: Application, outcome: Outcome): Promise<Effect> {
  const { judgement } = outcome;
  switch (judgement.decision) {
    case "accept":
      return Promise.resolve(nothing);
    case "reject":
      return reject(application, outcome);
    case "edit":
      return edit(application, outcome, judgement.lesson);
  }
}

/** Writes the batch; one that failed after it took effect is found by where the run stands then. */
async function commit({ db, lease, run }: Application, statements: readonly Statement[]): Promise<void> {
  try {
    await db.batch([leaseGuard(lease), ...statements, leaseGuard(lease)]);
  } catch (error) {
    const now = await findRun(db, run.orgId, run.runId);
    if (now === null || now.position <= run.position) throw error;
  }
}

/**
 * Applies a judgement: an acceptance writes nothing to the rule, an edit puts its successor in its place, a rejection
 * archives it.
 * @returns messages to send
 * @throws GuardFailed `lease`, `operation`, `still_current`, `version` or `sources`; nothing is written then
 */
export async function applyJudgement(application: Application, outcome: Outcome): Promise<WorkMessage[]> {
  const { run, row, nowMs } = application;
  const { judgement, basisMs } = outcome;
  const effect = await effectOf(application, outcome);
  const settled = {
    decision: judgement.decision,
    reasonCode: judgement.reasonCode,
    successorId: effect.successorId,
  };
  await commit(application, [
    ...settleTurn(run, settled, Math.floor(nowMs / 1000)),
    basisGuard(row.orgId, [[row.userPlaybookId, basisMs]]),
    ...effect.statements,
  ]);
  return effect.messages;
}

/** Passes a rule whose record is not there. @throws GuardFailed */
export const applySkip = (application: Application, reasonCode: string): Promise<void> =>
  commit(
    application,
    settleTurn(
      application.run,
      { decision: "skip", reasonCode, successorId: null },
      Math.floor(application.nowMs / 1000),
    ),
  );
