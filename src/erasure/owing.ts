/** Whether a rule's text owes anything to a user's words. Pure. */
import { normalised } from "../platform/text";
import { stopWords } from "../search/stop-words";

/** Words in a row that prove a quotation. */
const RUN = 5;

const wordsOf = (text: string): string[] =>
  normalised(text, "NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function runsOf(words: readonly string[]): Set<string> {
  const runs = new Set<string>();
  for (let first = 0; first + RUN <= words.length; first += 1)
    runs.add(words.slice(first, first + RUN).join(" "));
  return runs;
}

/** Words and runs of many texts. */
class Vocabulary {
  readonly words = new Set<string>();
  readonly runs = new Set<string>();
  constructor(texts: Iterable<string>) {
    for (const text of texts) {
      const words = wordsOf(text);
      for (const word of words) this.words.add(word);
      for (const run of runsOf(words)) this.runs.add(run);
    }
  }
}

/**
 * True where the text could have been written without the user: every word but a stop word, and every run of five
 * words, that it shares with the user's texts is also found in the texts of others that it rests on. It errs towards
 * false: a rule that merely happens to use a word of the user's is written anew.
 * @param rest texts of the sources that stay
 */
export function owesNothingTo(text: string, users: Iterable<string>): (rest: Iterable<string>) => boolean {
  const own = new Vocabulary(users);
  const words = wordsOf(text);
  return (rest) => {
    const others = new Vocabulary(rest);
    const owesWord = words.some(
      (word) => own.words.has(word) && !others.words.has(word) && !stopWords.has(word),
    );
    return !owesWord && [...runsOf(words)].every((run) => !own.runs.has(run) || others.runs.has(run));
  };
}
