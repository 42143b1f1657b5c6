/**
 * Texts of a document as labels of a Mermaid flowchart, so that none ends its label, opens a comment, a directive, a
 * link, markup or another statement: everything but letters, digits and a few signs becomes an entity (`#34;`).
 */

/** Longer lines are cut, in characters. */
const MAX_LINE = 60;
/** Signs that mean nothing inside a quoted label. */
const PLAIN = /[\p{L}\p{M}\p{N} ,]/u;
/** Between letters these mean nothing either; elsewhere they number lists and set words in italics. */
const PLAIN_BETWEEN = /[._]/;
const LETTER = /[\p{L}\p{N}]/u;

/** One line of a label; line breaks and other controls are spaces, an empty text is a space. */
export function labelLine(text: string): string {
  const start = text.slice(0, 10 * MAX_LINE).replace(/[\s\p{C}]+/gu, " ");
  const characters = [...start.trim()];
  const kept = characters.length > MAX_LINE ? [...characters.slice(0, MAX_LINE - 1), "…"] : characters;
  const isPlain = (character: string, index: number): boolean =>
    PLAIN.test(character) ||
    (PLAIN_BETWEEN.test(character) &&
      LETTER.test(kept[index - 1] ?? "") &&
      LETTER.test(kept[index + 1] ?? ""));
  return (
    kept.map((character, index) => (isPlain(character, index) ? character : entityOf(character))).join("") ||
    " "
  );
}

/** A quoted label of one or more lines. */
export const label = (...lines: string[]): string => `"${lines.map(labelLine).join("<br/>")}"`;

const entityOf = (character: string): string => `#${character.codePointAt(0) ?? 0xfffd};`;
