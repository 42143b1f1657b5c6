/** Makes any string safe to hand to a model: well-formed Unicode of bounded length. */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The first `maxCharacters` UTF-16 units, never cut inside a character, lone surrogates replaced by U+FFFD. */
export function boundedText(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? text.slice(0, endBefore(text, maxCharacters)) : text;
  return cut.replace(LONE_SURROGATE, "\uFFFD");
}

function endBefore(text: string, end: number): number {
  const next = text.charCodeAt(end);
  const last = text.charCodeAt(end - 1);
  const splitsPair = next >= 0xdc00 && next <= 0xdfff && last >= 0xd800 && last <= 0xdbff;
  return splitsPair ? end - 1 : end;
}
