/** What became of a request's turns, as far as learning is concerned. Pure. */

export type LearningStatus = "pending" | "processing" | "done" | "failed";

export interface Coverage {
  status: LearningStatus;
  reason:
    | "covered"
    | "not_applicable"
    | "inputs_erased"
    | "retrying"
    | "queued"
    | "waiting_for_window"
    | "extracting"
    | "dead_letter";
}

export interface CoverageFacts {
  /** Whether admission made the request's turns learnable. */
  eligible: boolean;
  /** The request's last turn that still exists, or null. */
  lastSeq: number | null;
  /** States of the windows that took in turns of the request. */
  windowStates: ReadonlySet<string>;
  /** Where the extractor stands; null before its first window. */
  cursor: { completedSeq: number; hasWindow: boolean; attempts: number; retryAtMs: number } | null;
  nowMs: number;
}

/**
 * Coverage as far as stored facts tell. `undecided` means that the next window was not opened yet:
 * whether it is queued or waits for turns, the selection must say.
 *
 * Done means that the cursor passed the request's last surviving turn, not that a rule was found.
 */
export function coverageOf(facts: CoverageFacts): Coverage | "undecided" {
  const { cursor, lastSeq, windowStates } = facts;
  if (!facts.eligible) return { status: "done", reason: "not_applicable" };
  if (lastSeq === null) return { status: "done", reason: "inputs_erased" };
  if (windowStates.has("dead")) return { status: "failed", reason: "dead_letter" };
  const retrying = cursor !== null && cursor.attempts > 0 && cursor.retryAtMs > facts.nowMs;
  const isOpen = windowStates.has("open") || windowStates.has("computed");
  if (cursor !== null && cursor.completedSeq >= lastSeq && !isOpen) {
    return { status: "done", reason: "covered" };
  }
  if (retrying) return { status: "pending", reason: "retrying" };
  if (isOpen || cursor?.hasWindow === true) return { status: "processing", reason: "extracting" };
  return "undecided";
}
