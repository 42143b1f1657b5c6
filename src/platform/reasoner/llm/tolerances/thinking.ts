/** Drops what a thinking model says to itself before its answer, where an endpoint leaves it in the text. */

const opening = /^\s*<think(ing)?>/i;
const closing = /<\/think(ing)?>/gi;

/** The text after the last closing mark; nothing when the thinking never ends, since then there is no answer. */
export function withoutThinking(text: string): string {
  let answerStart = -1;
  for (const match of text.matchAll(closing)) answerStart = match.index + match[0].length;
  if (answerStart !== -1) return text.slice(answerStart);
  return opening.test(text) ? "" : text;
}
