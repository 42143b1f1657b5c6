/** When a message is tried again. Pure. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Waits after the first, second … failed attempt: the schedule that Standard Webhooks recommends. */
export const WAITS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** A longer wish of the receiver's is cut to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Milliseconds that a `Retry-After` asks for (RFC 9110 §10.2.3); 0 where it asks for nothing we understand. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const text = header.trim();
  const wishMs = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(wishMs) ? Math.min(Math.max(0, wishMs), MAX_RETRY_AFTER_MS) : 0;
}

/**
 * @param attempts made so far, the one that just failed included
 * @returns the wait until the next one, or null when there is none
 */
export function waitMs(attempts: number, retryAfter: number): number | null {
  const planned = WAITS_MS[attempts - 1];
  return planned === undefined ? null : Math.max(planned, retryAfter);
}
