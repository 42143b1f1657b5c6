/** `Idempotency-Key` on every POST: the same key and body get the first answer again. */
import type { Database } from "../db/client";
import { Failure, invalid } from "../platform/failure";
import { sha256Hex } from "../platform/ids";
import type { Log } from "../platform/log";
import { byteLength } from "../platform/text";
import {
  claimIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyKey,
  releaseIdempotencyKey,
  storeAnswer,
} from "./store";
import { located } from "./validation";

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

export interface KeyedRequest {
  db: Database;
  key: IdempotencyKey;
  /** Everything that makes the request itself: address and body. */
  request: string;
  nowMs(): number;
  log: Log;
  work(): Promise<HttpAnswer>;
  answerHoldsSecret: boolean;
}

const misused = (message: string, expected: string): Failure =>
  located("header", invalid("/headers/idempotency-key", message, expected));

/** What the key's first request was answered, for one that could not claim it. */
async function replay(db: Database, key: IdempotencyKey, requestHash: string): Promise<HttpAnswer> {
  const stored = await findIdempotencyKey(db, key);
  if (stored !== null && stored.body_hash !== requestHash) {
    throw misused("This key was used with another request.", "a new key for a new request");
  }
  if (stored?.state === "done" && stored.status !== null && stored.body !== null) {
    return {
      status: stored.status,
      contentType: stored.content_type ?? "application/json",
      body: stored.body,
      headers: { "idempotent-replayed": "true" },
    };
  }
  throw new Failure("conflict", "A request with this Idempotency-Key is still running.", [], {
    "retry-after": "1",
  });
}

/**
 * Runs `work` once per key. Failures are not remembered, so that a retry tries again.
 * @throws Failure("conflict") while the first request is still running, Failure("invalid") when the key
 * was used with another request
 */
export async function onceByKey({ db, key, nowMs, log, ...request }: KeyedRequest): Promise<HttpAnswer> {
  if (key.key.length > 255 || !/^[\x21-\x7e]+$/.test(key.key)) {
    throw misused("The key is malformed.", "1 to 255 visible ASCII characters");
  }
  const requestHash = await sha256Hex(request.request);
  const claimedAtMs = nowMs();
  const claim = { ...key, expiresAtMs: claimedAtMs + CLAIM_MS };
  if (!(await claimIdempotencyKey(db, claim, requestHash, claimedAtMs))) return replay(db, key, requestHash);
  let answer: HttpAnswer;
  try {
    answer = await request.work();
  } catch (error) {
    // The failure is what the caller must hear of; a claim that cannot be released expires.
    await db.run(releaseIdempotencyKey(claim)).catch(() => log.warn("idempotency.not_released"));
    throw error;
  }
  const isKept = answer.status < 500 && byteLength(answer.body) <= MAX_STORED_BYTES;
  const kept = request.answerHoldsSecret && answer.status < 300 ? KEPT_SECRET : answer;
  const end = isKept ? storeAnswer(claim, kept, nowMs() + REMEMBER_MS) : releaseIdempotencyKey(claim);
  try {
    await db.run(end);
  } catch {
    // The work is done: its answer goes out, and the claim stays so that a repetition is not let in.
    log.error("idempotency.not_stored");
  }
  return answer;
}
