/** What may go wrong with a window, and what is done about each: later, tomorrow, or never. Pure. */
import { untilNextDayMs } from "../orgs/usage";
import { EmbedderError } from "../platform/embedder/port";
import { ReasonerError } from "../platform/reasoner/port";

/** The lease went to somebody else; whatever was computed is dropped. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export type Verdict =
  | { kind: "later"; delayMs: number; code: string }
  /** The org has spent its day. */
  | { kind: "tomorrow"; delayMs: number; code: string }
  | { kind: "dead"; code: string; message: string };

/** Back-off doubles up to this (specification 5.7). */
const MAX_DELAY_SEC = 300;

/** `min(300, 2^min(attempts − 1, 9))` seconds, for the attempt that just failed, counted from 1. */
export const backOffMs = (attempts: number): number =>
  1000 * Math.min(MAX_DELAY_SEC, 2 ** Math.min(Math.max(attempts, 1) - 1, 9));

/** Content-free sentences for the codes that end a window; what a model said is never repeated. */
const MESSAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    candidates_invalid: "Every rule of the answer broke a check, also after one repair.",
    review_invalid: "The reviewer's answer broke its contract, also after one repair.",
    consolidation_invalid: "The consolidation's answer broke its contract, also after one repair.",
    outcome_too_large: "What was learned from the window is larger than the database holds.",
    prompt_echo: "The model repeated its instructions in place of an answer.",
    truncated_json: "The model's answer ended before it was complete.",
    embedding_refused: "The embedding model refused the request: check its settings.",
  }),
);

const messageOf = (error: ReasonerError): string =>
  MESSAGES.get(error.code) ??
  (error.fault === "refused"
    ? "The model refused the request: check its key, its account and its settings."
    : "The model's answer stayed unusable after one repair.");

/** @returns what to do, or null for a fault that is not the ports' */
export function verdictOf(error: unknown, attempts: number, nowMs: number): Verdict | null {
  if (error instanceof EmbedderError) {
    return error.fault === "refused"
      ? { kind: "dead", code: "embedding_refused", message: MESSAGES.get("embedding_refused") ?? "" }
      : { kind: "later", delayMs: backOffMs(attempts), code: `embedding_${error.fault}` };
  }
  if (!(error instanceof ReasonerError)) return null;
  if (error.code === "daily_cap") {
    return { kind: "tomorrow", delayMs: error.retryAfterMs ?? untilNextDayMs(nowMs), code: error.code };
  }
  if (error.fault === "transient") {
    return {
      kind: "later",
      delayMs: Math.max(backOffMs(attempts), error.retryAfterMs ?? 0),
      code: error.code,
    };
  }
  return { kind: "dead", code: error.code, message: messageOf(error) };
}
