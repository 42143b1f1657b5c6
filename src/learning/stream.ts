/** One step in one user's stream: open the next window, or carry the unfinished one to its end. */
import { type Database, GuardFailed } from "../db/client";
import { type Lease, leaseGuard, renewLease } from "../db/leases";
import type { WorkMessage } from "../db/outbox";
import type { StreamTurn } from "../interactions/model";
import { nextWindow } from "../interactions/next-window";
import { loadTurns } from "../interactions/store";
import { configByHash } from "../orgs/config-store";
import { derivedId, sha256Hex } from "../platform/ids";
import { type Reasoner, ReasonerError } from "../platform/reasoner/port";
import { byteLength } from "../platform/text";
import { taggingDefinition } from "../playbooks/tagging";
import type { Services } from "../services";
import { applyWindow } from "./apply";
import { MAX_OUTCOME_BYTES } from "./bounds";
import { compute } from "./compute";
import { buryWindow } from "./dead-letters";
import { LeaseLost, type Verdict, verdictOf } from "./faults";
import type { ExtractionWindow, Progress } from "./model";
import {
  finishWindow,
  forgetWindow,
  loadCursor,
  loadWindow,
  openWindow,
  putOff,
  releaseCursor,
  type Stream,
  saveProgress,
} from "./store";

/** How long one claim of a user's stream lasts; renewed before and during every model call. */
export const LEASE_MS = 60_000;

export type Step =
  /** Something was finished; there may be more. */
  | { kind: "progressed" }
  /** Nothing to do before new input. */
  | { kind: "waiting" }
  | { kind: "resting"; retryInMs: number };

const progressed: Step = { kind: "progressed" };

/** Whose window it is to finish, and how often that failed before. */
export interface Passage {
  /** False for a replayed window, which the cursor passed when it died. */
  viaCursor: boolean;
  attempts: number;
}

const isUnfinished = (window: ExtractionWindow): boolean =>
  window.state === "open" || window.state === "computed";

/** @throws LeaseLost before a call that would be made without the lease */
export function leased(reasoner: Reasoner, db: Database, lease: Lease): Reasoner {
  return {
    async run(task, input, signal) {
      if (!(await renewLease(db, lease, LEASE_MS))) throw new LeaseLost(lease.key);
      return reasoner.run(task, input, signal);
    },
  };
}

/** Turns were deleted under the window; the cursor stays, and what survives is selected again. */
async function invalidate(services: Services, lease: Lease, window: ExtractionWindow): Promise<Step> {
  const end = {
    state: "invalidated",
    from: ["open", "computed"],
    receipt: null,
    error: "inputs_erased",
  } as const;
  try {
    await services
      .database(window.orgId)
      .batch([
        leaseGuard(lease),
        ...finishWindow(window, end, services.clock.nowMs()),
        releaseCursor(window),
      ]);
  } catch (error) {
    // Whoever deleted the turns may have said so already.
    if (!(error instanceof GuardFailed && error.guard === "window")) throw error;
  }
  return progressed;
}

async function store(
  db: Database,
  lease: Lease,
  window: ExtractionWindow,
  progress: Progress,
): Promise<void> {
  if (byteLength(JSON.stringify(progress)) > MAX_OUTCOME_BYTES) {
    throw new ReasonerError("unusable", "outcome_too_large", "The outcome does not fit the database.");
  }
  await db.batch([leaseGuard(lease), ...saveProgress(window, progress)]);
}

/** Sends what is in the outbox already; what gets lost here the sweep sends. */
function announce(services: Services, messages: readonly WorkMessage[]): void {
  if (messages.length === 0) return;
  services.defer(
    services
      .send(messages)
      .catch(() => services.log.warn("learning.send_failed", { count: messages.length })),
  );
}

async function act(
  services: Services,
  lease: Lease,
  window: ExtractionWindow,
  passage: Passage,
  verdict: Verdict,
): Promise<Step> {
  services.log.warn("learning.window_failed", {
    windowId: window.windowId,
    verdict: verdict.kind,
    code: verdict.code,
  });
  if (verdict.kind === "dead") {
    await buryWindow(services, lease, window, { ...passage, reason: verdict.code, message: verdict.message });
    return progressed;
  }
  const { delayMs, code } = verdict;
  if (passage.viaCursor) {
    await services
      .database(window.orgId)
      .batch([leaseGuard(lease), putOff(window, services.clock.nowMs() + delayMs, code)]);
  }
  return { kind: "resting", retryInMs: delayMs };
}

/** What a failed condition of the last batch means. */
async function afterGuard(
  services: Services,
  lease: Lease,
  window: ExtractionWindow,
  progress: Progress,
  fault: GuardFailed,
): Promise<Step> {
  if (fault.guard === "lease") throw fault;
  const db = services.database(window.orgId);
  const now = await loadWindow(db, window.orgId, window.windowId);
  // A failed guard may be this batch's own, earlier success.
  if (now === null || !isUnfinished(now)) return progressed;
  if (fault.guard === "sources") return invalidate(services, lease, window);
  if (fault.guard === "still_current") {
    // Stored rules changed since the plan was made: plan anew; the lessons are kept and not paid for again.
    await store(db, lease, window, { ...progress, plan: null });
    return progressed;
  }
  throw fault;
}

async function computeAndApply(
  services: Services,
  lease: Lease,
  window: ExtractionWindow,
  turns: readonly StreamTurn[],
  { viaCursor }: Passage,
): Promise<Step> {
  const db = services.database(window.orgId);
  let { progress } = window;
  try {
    const config = await configByHash(db, window.orgId, window.configHash);
    progress = await compute({
      services,
      reasoner: leased(services.reasoner(window.orgId), db, lease),
      window,
      turns,
      config,
      save: (next) => store(db, lease, window, next),
    });
    announce(
      services,
      await applyWindow(db, lease, window, progress, {
        viaCursor,
        wantsTags: taggingDefinition(config) !== "",
        nowMs: services.clock.nowMs(),
      }),
    );
    return progressed;
  } catch (error) {
    if (error instanceof GuardFailed) return afterGuard(services, lease, window, progress, error);
    throw error;
  }
}

/**
 * Carries one unfinished window to its end, or to where it has to rest.
 * @throws LeaseLost, GuardFailed("lease"); and what the database throws
 */
export async function workOnWindow(
  services: Services,
  lease: Lease,
  window: ExtractionWindow,
  passage: Passage,
): Promise<Step> {
  const db = services.database(window.orgId);
  const turns = await loadTurns(db, window.orgId, window.userId, window.manifest);
  if (turns.length !== window.manifest.length) return invalidate(services, lease, window);
  try {
    return await computeAndApply(services, lease, window, turns, passage);
  } catch (error) {
    const verdict = verdictOf(error, passage.attempts + 1, services.clock.nowMs());
    if (verdict !== null) return act(services, lease, window, passage, verdict);
    // The database may have failed after its effect; then the window is done and nothing is to be repeated.
    const now = await loadWindow(db, window.orgId, window.windowId);
    if (now !== null && now.state === "applied") return progressed;
    throw error;
  }
}

/** The next step of one kind in one user's stream. */
export async function stepStream(services: Services, lease: Lease, stream: Stream): Promise<Step> {
  const { orgId, userId, kind } = stream;
  const db = services.database(orgId);
  const cursor = await loadCursor(db, stream);
  const restMs = cursor.retryAtMs - services.clock.nowMs();
  if (restMs > 0) return { kind: "resting", retryInMs: restMs };

  if (cursor.windowId !== null) {
    const window = await loadWindow(db, orgId, cursor.windowId);
    if (window !== null && isUnfinished(window)) {
      return workOnWindow(services, lease, window, { viaCursor: true, attempts: cursor.attempts });
    }
    await db.batch([leaseGuard(lease), forgetWindow(stream, cursor.windowId)]);
    return progressed;
  }

  const next = await nextWindow(db, orgId, userId, kind);
  if ("waiting" in next) return { kind: "waiting" };
  const windowId = await derivedId("win", [
    orgId,
    userId,
    kind,
    await sha256Hex(JSON.stringify(next.manifest)),
  ]);
  await db.batch([leaseGuard(lease), ...openWindow(stream, windowId, next, services.clock.nowMs())]);
  const window = await loadWindow(db, orgId, windowId);
  if (window === null) throw new Error(`window ${windowId} was opened and is not there`);
  return workOnWindow(services, lease, window, { viaCursor: true, attempts: 0 });
}
