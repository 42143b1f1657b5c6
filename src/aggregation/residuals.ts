/** Residual rules wait for company: who is looked at next, and how long the others cool down. */

export const FIRST_COOL_DOWN_MS = 60_000;
export const MAX_COOL_DOWN_MS = 3_600_000;
/** Doublings that count; the cap comes before the last. */
export const MAX_DOUBLINGS = 6;

/** After the n-th attempt: 1, 2, 4 … minutes, at most an hour; nothing before the first. */
export function coolDownMs(attemptCount: number): number {
  if (attemptCount <= 0) return 0;
  return Math.min(MAX_COOL_DOWN_MS, FIRST_COOL_DOWN_MS * 2 ** Math.min(attemptCount - 1, MAX_DOUBLINGS));
}

export interface ResidualItem {
  userPlaybookId: number;
  /** It was looked at and nothing failed: only other rules can change what becomes of it. */
  waitsForCompany: boolean;
  attemptCount: number;
  lastAttemptAtMs: number;
}

/** When an item may be tried (again). */
export const dueAtMs = ({
  attemptCount,
  lastAttemptAtMs,
}: Pick<ResidualItem, "attemptCount" | "lastAttemptAtMs">): number =>
  attemptCount <= 0 ? 0 : lastAttemptAtMs + coolDownMs(attemptCount);

const byId = (left: ResidualItem, right: ResidualItem) => left.userPlaybookId - right.userPlaybookId;
const byAge = (left: ResidualItem, right: ResidualItem) =>
  left.lastAttemptAtMs - right.lastAttemptAtMs || byId(left, right);

/**
 * At most `budget` items: half of it (rounded up) for items never tried, in id order, the rest for cooled
 * retries, oldest attempt first; what one half leaves free the other fills, so neither starves (trap 49).
 * A rule that could not be looked at before is news: whatever waits for company is looked at with it, cooled
 * or not, since rules that cool at different times would never meet.
 */
export function pageResiduals<Item extends ResidualItem>(
  items: readonly Item[],
  nowMs: number,
  budget: number,
): Item[] {
  const isDue = (item: Item): boolean => dueAtMs(item) <= nowMs;
  const hasNews = items.some((item) => !item.waitsForCompany && isDue(item));
  const eligible = items.filter((item) => isDue(item) || (hasNews && item.waitsForCompany));
  const fresh = eligible.filter(({ attemptCount }) => attemptCount <= 0).sort(byId);
  const retries = eligible.filter(({ attemptCount }) => attemptCount > 0).sort(byAge);
  const freshShare = Math.min(fresh.length, Math.max(Math.ceil(budget / 2), budget - retries.length));
  return [...fresh.slice(0, freshShare), ...retries.slice(0, Math.max(0, budget - freshShare))];
}
