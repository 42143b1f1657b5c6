/** `Idempotency-Key` on every POST: the same key and body get the first answer again. */
import type { Database } from "../db/client";
import { Failure, invalid } from "../platform/failure";
import { sha256Hex } from "../platform/ids";
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyKey,
  releaseIdempotencyKey,
  storeAnswer,
} from "./store";

/** A crashed request's claim can be taken over after this. */
const CLAIM_MS = 300_000;
/** How long an answer is remembered. */
const REMEMBER_MS = 86_400_000;
/** Larger answers are not remembered; the routes that give them only read. */
const MAX_STORED_BYTES = 1_000_000;

export interface HttpAnswer {
  status: number;
  contentType: string;
  body: string;
  headers: Record<string, string>;
}

/** What stands in the record in place of an answer that held a secret. */
const KEPT_SECRET: Omit<HttpAnswer, "headers"> = {
  status: 409,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "about:blank",
    title: "conflict",
    status: 409,
    detail: "This request was done before. Its answer held a secret, which is shown once and not kept.",
    error: "This request was done before. Its answer held a secret, which is shown once and not kept.",
  }),
};

/**
 * Runs `work` once per key. Server faults are not remembered, so that a retry tries again.
 * @throws Failure("conflict") while the first request is still running, Failure("invalid") when the key
 * was used with another body
 */
export async function onceByKey(
  db: Database,
  key: IdempotencyKey,
  body: string,
  nowMs: () => number,
  work: () => Promise<HttpAnswer>,
  answerHoldsSecret = false,
): Promise<HttpAnswer> {
  if (key.key.length > 255 || !/^[\x21-\x7e]+$/.test(key.key)) {
    throw invalid("/headers/idempotency-key", "The key is malformed.", "1 to 255 visible ASCII characters");
  }
  const bodyHash = await sha256Hex(body);
  const now = nowMs();
  if (!(await claimIdempotencyKey(db, key, bodyHash, now, now + CLAIM_MS))) {
    const stored = await findIdempotencyKey(db, key);
    if (stored !== null) {
      if (stored.body_hash !== bodyHash) {
        throw invalid(
          "/headers/idempotency-key",
          "This key was used with another body.",
          "a new key for a new body",
        );
      }
      if (stored.state === "done" && stored.status !== null && stored.body !== null) {
        return {
          status: stored.status,
          contentType: stored.content_type ?? "application/json",
          body: stored.body,
          headers: { "idempotent-replayed": "true" },
        };
      }
    }
    throw new Failure("conflict", "A request with this Idempotency-Key is still running.", [], {
      "retry-after": "1",
    });
  }
  try {
    const answer = await work();
    const remember = answer.status < 500 && answer.body.length <= MAX_STORED_BYTES;
    const kept = answerHoldsSecret && answer.status < 300 ? KEPT_SECRET : answer;
    await db.run(remember ? storeAnswer(key, kept, nowMs() + REMEMBER_MS) : releaseIdempotencyKey(key));
    return answer;
  } catch (error) {
    await db.run(releaseIdempotencyKey(key));
    throw error;
  }
}
