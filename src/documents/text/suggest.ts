/** "Did you mean": the known name that a mistyped one is nearest to. Work is bounded whatever is typed. */

/** Longer names are not compared, and of more names only the first ones. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 1000;
/** More mistakes than these make it another word. */
const MAX_DISTANCE = 3;

/**
 * The candidate nearest to what was written, or null when none is near: a third of its letters may differ, at least
 * one and at most three. Upper and lower case count as the same. The first of equals wins.
 */
export function suggest(written: string, candidates: Iterable<string>): string | null {
  if (written === "" || written.length > MAX_LENGTH) return null;
  const typed = written.toLowerCase();
  let limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(written.length / 3)));
  let best: string | null = null;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MAX_CANDIDATES || limit < 0) break;
    if (candidate === written || candidate.length > MAX_LENGTH) continue;
    const distance = editDistance(typed, candidate.toLowerCase(), limit);
    if (distance === null) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** `did you mean "done"?`, or undefined when no candidate is near. */
export function didYouMean(written: string, candidates: Iterable<string>): string | undefined {
  const near = suggest(written, candidates);
  return near === null ? undefined : `did you mean "${near}"?`;
}

/**
 * Optimal string alignment: insertions, deletions, replacements and swaps of neighbours, each letter touched once.
 * Only the band of the table within `limit` of its diagonal is computed.
 * @returns null when the distance is greater than `limit`
 */
export function editDistance(a: string, b: string, limit: number): number | null {
  if (limit < 0 || Math.abs(a.length - b.length) > limit) return null;
  const outside = limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current: number[] = [];
    current[0] = row;
    let least = row;
    for (let column = Math.max(1, row - limit); column <= Math.min(b.length, row + limit); column++) {
      let cell = Math.min(
        (last[column] ?? outside) + 1,
        (current[column - 1] ?? outside) + 1,
        (last[column - 1] ?? outside) + (a[row - 1] === b[column - 1] ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cell = Math.min(cell, (beforeLast[column - 2] ?? outside) + 1);
      }
      current[column] = cell;
      least = Math.min(least, cell);
    }
    // A swap reaches back two rows, yet its result is never below the least of the row it jumps over.
    if (least > limit) return null;
    beforeLast = last;
    last = current;
  }
  const distance = last[b.length] ?? outside;
  return distance <= limit ? distance : null;
}
