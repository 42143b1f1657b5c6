/** A deterministic upper estimate of a text's model tokens. Pure; needs no model's vocabulary. */

const PIECES = /[A-Za-z]+|[\t\n\r ]+|[^\tA-Za-z\n\r ]/gu;
/** Lower case or capitalised, syllables of a natural length: what tokenizers have learned pieces of. */
const WORDLIKE = /^[A-Za-z][a-z]{0,19}$/;
const UNNATURAL =
  /[^aeiouy]{5}|^[^aeiouyAEIOUY]{3,}$|^[aeiouyAEIOUY]{3,}$|[aeiou]{4}|[qjxzkvw].*[qjxzkvw]|[qjxzv][^aeiouy]/;
const CHARS_PER_WORD_PIECE = 2.5;

/**
 * Tokens that `text` takes at most: one for every two and a half letters of a natural word and one for every
 * letter of any other, one for every digit and sign, one for every character of white space but a single blank
 * before a word, the UTF-8 bytes of everything outside ASCII (byte-level tokenizers never need more), and one
 * for the seam to what stands before. About twice what current tokenizers count in English.
 */
export function estimateTokens(text: string): number {
  if (text === "") return 0;
  let tokens = 1;
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOfPiece(piece);
  return tokens;
}

function tokensOfPiece(piece: string): number {
  if (piece === " ") return 0;
  if (/^[\t\n\r ]/.test(piece)) return piece.length;
  if (/^[A-Za-z]/.test(piece)) {
    const isNatural = WORDLIKE.test(piece) && !UNNATURAL.test(piece);
    return isNatural ? Math.ceil(piece.length / CHARS_PER_WORD_PIECE) : piece.length;
  }
  return utf8Bytes(piece.codePointAt(0) ?? 0);
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
