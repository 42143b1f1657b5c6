/** Characters that hide or reorder text are shown by name, so that a reviewer sees what a model would. */

/** Controls, formats, separators and what fonts ignore; an emoji may keep the selector that colours it. */
const HIDDEN =
  /(?![\n\t])(?!(?<=\p{Emoji})\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longer texts are cut in the page; the API gives them whole. */
export const MAX_SHOWN = 4000;

const nameOf = (character: string): string =>
  `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;

/** Text for a page: hidden characters named, overlong text cut with its full length. */
export function visible(text: string): string {
  const shown =
    text.length > MAX_SHOWN
      ? `${text.slice(0, MAX_SHOWN).toWellFormed()}… (${text.length} characters)`
      : text;
  return shown.replaceAll("\r\n", "\n").replace(HIDDEN, nameOf);
}

/** Whether `visible` would name a character: a form field, which cannot, says so beside itself. */
export const hidesCharacters = (text: string): boolean => {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(text);
};
