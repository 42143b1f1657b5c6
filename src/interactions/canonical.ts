/** JSON that is equal for equal values, and a bound on nesting that keeps recursion safe. Pure. */

/** Levels of a JSON value; real tool data stays far below. */
export const MAX_NESTING = 64;

/** Whether a value nests deeper than {@link MAX_NESTING}; walks without recursion. */
export function nestsTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((entry) =>
      entry !== null && typeof entry === "object" ? Object.values(entry) : [],
    );
  }
  return false;
}

const sortKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value;

/** JSON with the keys of every object in code-unit order. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys);
