/** Text to the form in which the word index compares it: no case, no accents, no typographic variants. */
import { normalised } from "../platform/text";

/** Accents and points that people leave out: Latin/Greek/Cyrillic diacritics, Hebrew points, Arabic vowel signs. */
const OPTIONAL_MARKS =
  /[\u0300-\u036f]|[\u0591-\u05bd]|\u05bf|\u05c1|\u05c2|\u05c4|\u05c5|\u05c7|[\u064b-\u065f]|\u0670|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g;
/** Format characters that are invisible and part words: soft hyphen, zero-width characters, variation selectors. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]|[\ufe00-\ufe0f]/g;
const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u2032\uff07]/g;
const HYPHENS = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
/** Letters without a decomposition that are commonly typed otherwise. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
  þ: "th",
  ς: "σ",
};
const SPECIAL_LETTERS = /[ßæœøđðłıþς]/g;

/**
 * Folds `text`. Well-formed, without NUL; decomposed by compatibility, stripped of optional marks and composed
 * again, so that kana, Hangul and Indic vowel signs keep what tells words apart.
 */
export function fold(text: string): string {
  const visible = text.replace(/\p{Cs}|\0/gu, " ").replace(INVISIBLE, "");
  const bare = normalised(visible, "NFKD")
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, "-")
    .replace(OPTIONAL_MARKS, "");
  return normalised(bare, "NFC")
    .toLowerCase()
    .replace(OPTIONAL_MARKS, "")
    .replace(SPECIAL_LETTERS, (letter) => LETTERS[letter] ?? letter);
}
