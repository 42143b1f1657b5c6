/** How long a failed attempt of an operation waits (specification 8.10). Pure. */

/** The last failure ends the operation. */
export const MAX_ATTEMPTS = 5;
const FIRST_BACK_OFF_MS = 60_000;
const MAX_BACK_OFF_MS = 3_600_000;

/** 1, 2, 4 … minutes after the n-th attempt, at most an hour. */
export const backOffMs = (attempts: number): number =>
  Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.max(0, attempts - 1));
