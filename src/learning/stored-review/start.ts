/** Begins a review that is applied: its rules, and the work that goes through them, commit in one batch. */
import { enqueue } from "../../db/outbox";
import type { RequestScope } from "../../http/route";
import { recordAudit } from "../../orgs/audit";
import { loadConfig } from "../../orgs/config-store";
import { nowSec } from "../../platform/clock";
import { derivedId } from "../../platform/ids";
import type { ReviewRun, Selection } from "./model";
import { beginRun, findRun, hasWork, runningReview } from "./run-store";

export type Begun =
  | { run: ReviewRun }
  | { refusal: "not_configured" }
  | { refusal: "in_progress"; runId: string };

/** @returns the run, or why there is none; the same request begins one run however often its batch is tried */
export async function beginReview(scope: RequestScope, selection: Selection): Promise<Begun> {
  const { services, db, orgId, principal, requestId } = scope;
  const { config, hash } = await loadConfig(db, orgId, services.clock);
  if (config.user_playbook_extractor_config === null) return { refusal: "not_configured" };
  const runId = await derivedId("playbook_review", [orgId, requestId]);
  const startedAt = nowSec(services.clock);
  const work = await enqueue({
    orgId,
    topic: "review",
    key: [runId],
    cause: runId,
    nowMs: services.clock.nowMs(),
    onlyIf: hasWork(orgId, runId),
  });
  try {
    await db.batch([
      ...beginRun({ orgId, runId, configHash: hash, principalId: principal.id, startedAt }, selection),
      work.statement,
      recordAudit({
        principal,
        action: "review.user_playbooks",
        entityType: "review_run",
        entityId: runId,
        requestId,
        at: startedAt,
        details: { start_sec: selection.startSec, end_sec: selection.endSec, top_k: selection.topK },
      }),
    ]);
  } catch (error) {
    if ((await findRun(db, orgId, runId)) === null) {
      const other = await runningReview(db, orgId);
      if (other === null) throw error;
      return { refusal: "in_progress", runId: other.runId };
    }
  }
  const run = await findRun(db, orgId, runId);
  if (run === null) throw new Error("a review that began is not there");
  if (run.state === "running") {
    services.defer(
      services.send([work.message]).catch(() => services.log.warn("review.send_failed", { runId })),
    );
  }
  return { run };
}
