/** Applies a computed window in one guarded batch: rules, tombstones, lineage, what must follow, the cursor. */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { recordLineage } from "../db/lineage";
import { enqueue, type WorkMessage } from "../db/outbox";
import { reserveIds } from "../db/sequences";
import type { Statement } from "../db/sql";
import { dayOf } from "../orgs/usage";
import { decodeHex } from "../platform/embedder/hex";
import type { NewUserPlaybook } from "../playbooks/model";
import {
  insertUserPlaybooks,
  markAggregationPending,
  retireUserPlaybooks,
  writeVectors,
} from "../playbooks/store";
import { tagLater } from "../playbooks/tagging";
import { enqueueVector } from "../playbooks/vectors";
import type { ExtractionWindow, PreparedPlan, Progress } from "./model";
import { addCounts, advanceCursor, basisGuard, finishWindow, manifestGuard } from "./store";

/** The one playbook extractor's name; it names its rules. */
const PLAYBOOK_NAME = "playbook";
const KIND = "user_playbook" as const;

/** What a rerun learns waits for an upgrade. */
const isPending = ({ kind }: ExtractionWindow): boolean => kind === "rerun";

interface Application {
  window: ExtractionWindow;
  plan: PreparedPlan;
  /** Ids of `plan.inserts`, in order. */
  ids: number[];
  progress: Progress;
  nowMs: number;
  wantsTags: boolean;
}

function rowsOf({ window, plan, ids, nowMs }: Application): NewUserPlaybook[] {
  return plan.inserts.flatMap((lesson, index) => {
    const userPlaybookId = ids[index];
    if (userPlaybookId === undefined) return [];
    return [
      {
        orgId: window.orgId,
        userPlaybookId,
        userId: window.userId,
        agentVersion: window.agentVersion,
        requestId: window.requestId,
        playbookName: PLAYBOOK_NAME,
        createdAt: Math.floor(nowMs / 1000),
        updatedAtMs: nowMs,
        trigger: lesson.trigger,
        content: lesson.content,
        rationale: lesson.rationale,
        status: isPending(window) ? "pending" : null,
        source: window.source,
        sourceInteractionIds: lesson.sourceInteractionIds,
        sourceSpan: lesson.sourceSpan,
        tags: null,
        notes: lesson.notes,
        readerAngle: lesson.readerAngle,
        expandedTerms: null,
        flags: [],
        windowId: window.windowId,
      },
    ];
  });
}

const vectorsOf = ({ window, plan, ids, nowMs }: Application): Statement[] =>
  writeVectors(
    plan.vectors.flatMap(({ model, dimension, hexBytes, scale }, index) => {
      const entityId = ids[index];
      if (entityId === undefined) return [];
      const vector = { model, dimension, bytes: decodeHex(hexBytes).slice(), scale };
      return [{ orgId: window.orgId, kind: KIND, entityId, vector, nowMs }];
    }),
  );

const survivorId = (plan: PreparedPlan["retirements"][number], ids: readonly number[]): number | null =>
  plan.into === null ? null : (ids[plan.into] ?? null);

/** Survivors are inserted before this, because the pointer needs their ids (trap 30). */
const tombstones = ({ window, plan, ids, nowMs }: Application): Statement[] =>
  plan.retirements.map((row) =>
    retireUserPlaybooks({
      orgId: window.orgId,
      ids: [row.userPlaybookId],
      status: row.status,
      successorId: survivorId(row, ids),
      nowMs,
    }),
  );

async function lineage({ window, plan, ids, progress, nowMs }: Application): Promise<Statement[]> {
  const event = {
    orgId: window.orgId,
    entityType: KIND,
    requestId: window.windowId,
    createdAt: Math.floor(nowMs / 1000),
    ...(progress.model !== "" && { modelName: progress.model, provider: progress.provider }),
  };
  const created = ids.map((entityId) =>
    recordLineage({ ...event, entityId, op: "create", actor: "extraction", provRelation: "wasGeneratedBy" }),
  );
  const merged = ids.flatMap((entityId, index) => {
    const sourceIds = plan.retirements.filter((row) => row.into === index).map((row) => row.userPlaybookId);
    return sourceIds.length === 0
      ? []
      : [
          recordLineage({
            ...event,
            entityId,
            op: "merge",
            sourceIds,
            actor: "consolidation",
            provRelation: "wasDerivedFrom",
          }),
        ];
  });
  const retired = plan.retirements.map((row) =>
    recordLineage({
      ...event,
      entityId: row.userPlaybookId,
      op: "status_change",
      actor: "consolidation",
      fromStatus: null,
      toStatus: row.status,
      statusNamespace: "lifecycle",
    }),
  );
  return Promise.all([...created, ...merged, ...retired]);
}

/** Work that must follow: the index, tags where they are wanted, and aggregation unless a publisher left it out. */
async function followers({ window, plan, ids, nowMs, wantsTags }: Application) {
  const changed = [...ids, ...plan.retirements.map((row) => row.userPlaybookId)];
  const work = await Promise.all(changed.map((id) => enqueueVector(window.orgId, KIND, id, nowMs)));
  const statements = work.map(({ statement }) => statement);
  const messages = work.map(({ message }) => message);
  if (ids.length > 0 && wantsTags && !isPending(window)) {
    const { orgId, userId, agentVersion, windowId } = window;
    statements.push(await tagLater({ orgId, userId, agentVersion, cause: windowId, nowMs }));
  }
  if (changed.length > 0 && !window.skipAggregation) {
    const aggregation = await enqueue({
      orgId: window.orgId,
      topic: "aggregation",
      key: [window.agentVersion],
      cause: window.windowId,
      nowMs,
    });
    statements.push(markAggregationPending(window.orgId, window.agentVersion, nowMs), aggregation.statement);
    messages.push(aggregation.message);
  }
  return { statements, messages };
}

const countsOf = ({ plan, progress, ids }: Application): Record<string, number> => ({
  ...progress.dropped,
  ...(ids.length > 0 && { "learned:user_playbook": ids.length }),
  ...(plan.retirements.length > 0 && { "retired:user_playbook": plan.retirements.length }),
});

/**
 * Applies the plan, or rolls everything back.
 * @param viaCursor false for a replayed window, which the cursor passed when it died
 * @param wantsTags whether new rules are to be tagged afterwards
 * @param alongside statements that commit with the window or not at all
 * @returns messages to send once it is committed
 * @throws GuardFailed `lease`, `cursor`, `window`, `sources` or `still_current`
 */
export async function applyWindow(
  db: Database,
  lease: Lease,
  window: ExtractionWindow,
  progress: Progress,
  {
    viaCursor,
    wantsTags,
    nowMs,
    alongside = [],
  }: { viaCursor: boolean; wantsTags: boolean; nowMs: number; alongside?: readonly Statement[] },
): Promise<WorkMessage[]> {
  const { plan } = progress;
  if (plan === null) throw new TypeError("a window is applied after it was computed");
  const count = plan.inserts.length;
  const first = count === 0 ? 0 : await reserveIds(db, window.orgId, "user_playbook", count);
  const application: Application = {
    window,
    plan,
    ids: plan.inserts.map((_, index) => first + index),
    progress,
    nowMs,
    wantsTags,
  };
  const { statements, messages } = await followers(application);
  const receipt = { rules: application.ids, retired: plan.retirements.length, dropped: progress.dropped };
  await db.batch([
    leaseGuard(lease),
    ...finishWindow(window, { state: "applied", from: ["computed"], receipt, error: null }, nowMs),
    ...(viaCursor ? advanceCursor(window, nowMs) : []),
    manifestGuard(window),
    basisGuard(window.orgId, plan.basis),
    ...insertUserPlaybooks(rowsOf(application)),
    ...vectorsOf(application),
    ...tombstones(application),
    ...(await lineage(application)),
    ...addCounts(window.orgId, dayOf(nowMs), countsOf(application)),
    ...statements,
    ...alongside,
    leaseGuard(lease),
  ]);
  return messages;
}
