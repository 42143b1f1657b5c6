/** What reading an answer gives: a value in the port's shape, or what was wrong, in words for the repair. */
export type Outcome<T> = { ok: true; output: T } | { ok: false; problems: string[] };

export function unusable(...problems: string[]): { ok: false; problems: string[] } {
  return { ok: false, problems };
}
