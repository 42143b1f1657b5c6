/** Bounds what is read of a very long turn: its start and its end, where people put what they ask. */

const headChars = 24_000;
const tailChars = 8_000;

/** A verbatim piece of a turn and where it stands, in UTF-16 units. */
export interface Excerpt {
  readonly offset: number;
  readonly text: string;
}

/** True when `end` lies inside a fenced block opened before it. */
function isFenced(text: string, end: number): boolean {
  let count = 0;
  for (let at = text.indexOf("```"); at !== -1 && at < end; at = text.indexOf("```", at + 3)) count += 1;
  return count % 2 === 1;
}

/** The whole turn, or its first 24,000 and last 8,000 units; a tail that begins inside a fence begins after it. */
export function excerptsOf(text: string): Excerpt[] {
  if (text.length <= headChars + tailChars) return [{ offset: 0, text }];
  const head = { offset: 0, text: text.slice(0, headChars) };
  let start = text.length - tailChars;
  if (isFenced(text, start)) {
    const close = text.indexOf("```", start);
    if (close === -1) return [head];
    start = close + 3;
  }
  const gap = text.slice(start).search(/\s/);
  if (gap === -1) return [head];
  return [head, { offset: start + gap, text: text.slice(start + gap) }];
}
