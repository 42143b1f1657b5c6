/** `wait_for_response`: watches a request's coverage for a while, with a bounded number of reads. */
import type { Services } from "../services";
import { activeKinds } from "./admission";
import type { Coverage } from "./coverage";
import { LearningWatch, MAX_STATUS_STATEMENTS } from "./status";
import { findRequest } from "./store";
import { countLearned } from "./stream-store";

export type Sleep = (durationMs: number) => Promise<void>;

export const systemSleep: Sleep = (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs));

/** A caller waits at most this long, and costs at most this many D1 statements. */
export const MAX_WAIT_MS = 60_000;
export const MAX_WAIT_STATEMENTS = 80;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** The request's row, then one count per kind. */
const COUNT_STATEMENTS = 1 + activeKinds.length;

export interface WaitResult {
  learning_status: "done" | "deferred";
  learning_reason: string;
  playbooks_added?: number;
}

/** What ends the wait, or null to look again. Only new input can complete a window that lacks turns. */
function settled(coverage: Coverage | null): WaitResult | null {
  if (coverage === null) return { learning_status: "done", learning_reason: "inputs_erased" };
  if (coverage.status === "done") return { learning_status: "done", learning_reason: coverage.reason };
  if (coverage.status === "failed") return { learning_status: "deferred", learning_reason: "failed" };
  return coverage.reason === "waiting_for_window"
    ? { learning_status: "deferred", learning_reason: coverage.reason }
    : null;
}

async function added(services: Services, orgId: string, requestId: string): Promise<number> {
  const db = services.database(orgId);
  const stored = await findRequest(db, orgId, requestId);
  if (stored === null) return 0;
  const request = { userId: stored.user_id, minSeq: stored.min_seq, maxSeq: stored.max_seq };
  return countLearned(db, orgId, request, "playbook");
}

/**
 * Polls after 0.1, 0.2, 0.4 … 5 s until learning is done, has failed or waits for new turns.
 * `deferred` with `wait_timeout` means that it goes on without the caller.
 */
export async function waitForLearning(
  services: Services,
  orgId: string,
  requestId: string,
  sleep: Sleep = systemSleep,
): Promise<WaitResult> {
  const watch = new LearningWatch(services.database(orgId), orgId, requestId);
  const endMs = services.clock.nowMs() + MAX_WAIT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const nowMs = services.clock.nowMs();
    const result = settled(await watch.read(nowMs));
    if (result !== null) {
      return result.learning_status === "done"
        ? { ...result, playbooks_added: await added(services, orgId, requestId) }
        : result;
    }
    const nextCost = MAX_STATUS_STATEMENTS + COUNT_STATEMENTS;
    if (nowMs + pauseMs > endMs || watch.statements + nextCost > MAX_WAIT_STATEMENTS) {
      return { learning_status: "deferred", learning_reason: "wait_timeout" };
    }
    await sleep(pauseMs);
  }
}
