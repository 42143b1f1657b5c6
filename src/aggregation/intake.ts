/** Which new rules aggregation still takes in: the newest ones above a floor that never falls. */

/** Rules of one agent version that take part at most (specification 8.6, step 2). */
export const INTAKE_WINDOW_ROWS = 20_000;

/**
 * The floor after a look at the rows: at least the old one (trap 50), else the id of the `window`-th newest
 * row that is undisposed or residual without a cluster.
 */
export function raisedFloor(
  oldFloor: number,
  openIds: readonly number[],
  window = INTAKE_WINDOW_ROWS,
): number {
  if (openIds.length < window) return oldFloor;
  const newestFirst = [...openIds].sort((left, right) => right - left);
  return Math.max(oldFloor, newestFirst[window - 1] ?? oldFloor);
}

/** The undisposed ids to stage, newest first, at most `budget` and never below the floor. */
export const idsToStage = (undisposedIds: readonly number[], floor: number, budget: number): number[] =>
  undisposedIds
    .filter((id) => id >= floor)
    .sort((left, right) => right - left)
    .slice(0, Math.max(0, budget));
