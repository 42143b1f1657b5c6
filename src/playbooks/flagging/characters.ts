/** Characters that hide or pretend: zero-width, bidirectional and tag characters, letters of foreign scripts. */
import { INVISIBLE, isConfusable } from "./fold";

const EMOJI_TAGS = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}/gu;
/** A joiner inside an emoji, or between letters of a script that is written with it. */
const LAWFUL_JOINER =
  /(?<=\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{M}])[\u200b-\u200d]/gu;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const DIRECTION_MARKS = /[\u200e\u200f\u061c]/g;
const CONTROLS = /\p{Cc}/gu;

/** Invisible characters outside their lawful uses (emoji, joiners of Arabic and Indic scripts, right-to-left marks). */
export function hasInvisibleCharacters(text: string): boolean {
  const lawful = text.replace(EMOJI_TAGS, "").replace(LAWFUL_JOINER, "");
  const rest = RIGHT_TO_LEFT.test(lawful) ? lawful.replace(DIRECTION_MARKS, "") : lawful;
  if (rest.search(INVISIBLE) >= 0) return true;
  return (rest.match(CONTROLS) ?? []).some((control) => !"\t\n\r".includes(control));
}

/** Letters in circles and boxes are symbols to Unicode. */
const WORD = /[\p{L}\p{M}\p{N}\u24b6-\u24e9\u{1f130}-\u{1f149}\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
/** Scripts that no unit or formula borrows from: such a letter inside a Latin word is always a disguise. */
const NEVER_BORROWED = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Letters in costume: full-width, mathematical, circled, small capitals. */
const STYLED =
  /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d6a3}\u24b6-\u24e9\u{1f130}-\u{1f149}\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u1d00-\u1d22\ua730\ua731]/u;

/** One word of two alphabets, a foreign word made only of Latin look-alikes, or letters in costume. */
export function hasLookAlikes(text: string): boolean {
  const words = text.match(WORD) ?? [];
  const latinText = words.filter((word) => LATIN.test(word)).length * 2 > words.length;
  const denseText = DENSE.test(text);
  return words.some((word) => {
    const letters = [...word];
    if (!denseText && letters.filter((letter) => STYLED.test(letter)).length >= 2) return true;
    const foreign = letters.filter((letter) => FOREIGN.test(letter));
    if (foreign.length === 0) return false;
    if (letters.length >= 3 && LATIN.test(word) && NEVER_BORROWED.test(word)) return true;
    if (!foreign.every(isConfusable)) return false;
    // Units and symbols (`μm`, `Δt`, `kΩ`) are no disguise: those letters pass for no Latin one, or stand alone.
    if (LATIN.test(word)) return letters.length >= 3;
    return latinText && letters.length >= 3;
  });
}
