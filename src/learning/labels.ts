/** `NEW-i` and `EXISTING-j`: list positions from 1, as a consolidation names rows. Pure. */

export const newLabel = (position: number): string => `NEW-${position + 1}`;
export const existingLabel = (position: number): string => `EXISTING-${position + 1}`;

/** `[new_2]`, `New 2`, `2` → 2; anything else, negatives and zero included, → undefined. */
function numberIn(label: string, name: "NEW" | "EXISTING"): number | undefined {
  const bare = label.trim().replaceAll(/^[[("']+|[\])"']+$/g, "");
  const match = /^(?:(NEW|EXISTING)[-_ ]?)?(\d{1,9})$/i.exec(bare);
  if (match === null || (match[1] !== undefined && match[1].toUpperCase() !== name)) return undefined;
  const number = Number(match[2]);
  return number > 0 ? number : undefined;
}

/** @returns the position from 0, or undefined */
export function newPosition(label: string, count: number): number | undefined {
  const number = numberIn(label, "NEW");
  return number !== undefined && number <= count ? number - 1 : undefined;
}

/** A position first, a stored row's own id second. */
export function existingPosition(label: string, ids: readonly number[]): number | undefined {
  const number = numberIn(label, "EXISTING");
  if (number === undefined) return undefined;
  if (number <= ids.length) return number - 1;
  const position = ids.indexOf(number);
  return position === -1 ? undefined : position;
}
