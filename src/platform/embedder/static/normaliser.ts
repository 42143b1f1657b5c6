/** The first half of BERT's uncased tokenizer: cleans a text and splits it into words and punctuation marks. */
import { normalised } from "../../text";

/** Removed before anything else; tab, line feed and carriage return count as white space instead. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/u;
const WHITE_SPACE = /\p{White_Space}/u;
const NONSPACING_MARK = /\p{Mn}/gu;
const ASCII_ONLY = /^[\t\n\r\x20-\x7E]*$/;
const PIECES = /[!-/:-@[-`{-~]|\p{P}|(?:(?![!-/:-@[-`{-~]|\p{P}|\p{White_Space}).)+/gsu;

/**
 * Words and single punctuation marks in lower case without accents; a CJK ideograph is a word of its own.
 * Takes time linear in the text's length.
 */
export function basicTokens(text: string): string[] {
  const folded = ASCII_ONLY.test(text) ? text.toLowerCase() : foldUnicode(text);
  return folded.match(PIECES) ?? [];
}

function foldUnicode(text: string): string {
  let cleaned = "";
  for (const character of text) {
    if (character === "\t" || character === "\n" || character === "\r") cleaned += " ";
    else if (CONTROL.test(character)) continue;
    else if (WHITE_SPACE.test(character)) cleaned += " ";
    else if (isIdeograph(character.codePointAt(0) ?? 0)) cleaned += ` ${character} `;
    else cleaned += character;
  }
  const stripped = normalised(cleaned, "NFD").replace(NONSPACING_MARK, "");
  let lower = "";
  // Character by character: a whole string would turn a final capital sigma into another letter.
  for (const character of stripped) lower += character.toLowerCase();
  return lower;
}

/** The blocks that BERT calls Chinese characters. */
function isIdeograph(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x20000 && code <= 0x2a6df) ||
    (code >= 0x2a700 && code <= 0x2b73f) ||
    (code >= 0x2b740 && code <= 0x2b81f) ||
    (code >= 0x2b920 && code <= 0x2ceaf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x2f800 && code <= 0x2fa1f)
  );
}
