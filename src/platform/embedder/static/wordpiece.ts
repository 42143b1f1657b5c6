/** The second half of BERT's tokenizer: the longest known pieces of each word, from left to right. */

/** Longer words are unknown, as in BERT; it also bounds the work for one word. */
const MAX_WORD_CHARACTERS = 100;
const CONTINUATION = "##";

export interface Vocabulary {
  /** Index of a token's vector; a piece inside a word starts with `##`. */
  indexOf: ReadonlyMap<string, number>;
  /** UTF-16 length of the longest token; no piece longer than this is tried. */
  longestToken: number;
}

/**
 * Appends the indexes of the word's pieces to `into`. A word that cannot be covered adds nothing.
 * Takes at most `word.length * longestToken` look-ups.
 */
export function addWordPieces(word: string, vocabulary: Vocabulary, into: number[]): void {
  if (word.length > 2 * MAX_WORD_CHARACTERS) return;
  if (word.length > MAX_WORD_CHARACTERS && [...word].length > MAX_WORD_CHARACTERS) return;
  const before = into.length;
  let start = 0;
  while (start < word.length) {
    const prefix = start === 0 ? "" : CONTINUATION;
    let end = Math.min(word.length, start + vocabulary.longestToken);
    let index: number | undefined;
    for (; end > start; end--) {
      index = vocabulary.indexOf.get(prefix + word.slice(start, end));
      if (index !== undefined) break;
    }
    if (index === undefined) {
      into.length = before;
      return;
    }
    into.push(index);
    start = end;
  }
}
