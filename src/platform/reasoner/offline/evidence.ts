/** Verbatim spans that stand in exactly one place of their turn. */

import { prefixOf } from "./canonical";

const maxSpanChars = 600;

function isUnique(content: string, span: string): boolean {
  const first = content.indexOf(span);
  return first !== -1 && content.indexOf(span, first + 1) === -1;
}

/** The slice from `start` to `end`, bounded, grown to its right until it stands only once; "" if it never does. */
export function spanOf(content: string, start: number, end: number): string {
  const span = prefixOf(content.slice(start, end), maxSpanChars).trim();
  if (span !== "" && isUnique(content, span)) return span;
  for (const extra of [80, 400, 2_000]) {
    const grown = prefixOf(content.slice(start), end - start + extra).trim();
    if (grown !== "" && isUnique(content, grown)) return grown;
  }
  return "";
}

/** The opening of an agent's turn, for a rule that answers it. */
export function openingSpan(content: string): string {
  const start = content.length - content.trimStart().length;
  const stop = content.slice(start, start + 300).search(/[.!?](?:\s|$)/);
  return spanOf(content, start, stop === -1 ? Math.min(content.length, start + 300) : start + stop + 1);
}
