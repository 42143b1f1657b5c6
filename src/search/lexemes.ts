/**
 * Text to lexemes, for stored rows and for queries by the same function, so that what is typed finds what was
 * written (`deploying`/`deployments`, `C++`, `don't`, `cafe`/`café`, `部署`).
 */
import porter2 from "wink-porter2-stemmer";
import { fold } from "./fold";

/**
 * `word`: a stem. `part`: a stem out of a name. `name`: a name with its symbols, whole. `joined`: a name without
 * its hyphens and apostrophes. `pair` and `last`: two neighbouring characters, and the last single one, of a
 * script written without spaces.
 */
export type LexemeKind = "word" | "part" | "name" | "joined" | "pair" | "last";

export interface Lexeme {
  /** Letters, digits and private-use characters only: one token for FTS5's `unicode61`. */
  text: string;
  kind: LexemeKind;
  /** The folded word before stemming, for the stop words. */
  surface: string;
  /** Number of the run of text that it came from; lexemes of one run share it. */
  run: number;
}

type Stemmer = (word: string) => string;

/** Longer runs carry no more meaning for a search; both sides cut alike. */
const MAX_WORD_CHARS = 64;

/** A run of word characters, joined to others by one or two symbols, with the plus signs of `c++` or the sharp of `c#`. */
const RUN = /[\p{L}\p{N}\p{M}]+(?:[-_.'+/#@&:~=*\\]{1,2}[\p{L}\p{N}\p{M}]+)*(?:\+{1,2}|#(?![#\p{L}]))?/gu;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const PLAIN = /^[a-z0-9]+$/;
const ENGLISH = /^[a-z]{3,}$/;
const POSSESSIVE = /'s?$/;
/** Scripts written without spaces, and Hangul, whose endings vary too much for whole words. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\u3005]+/gu;

/** Lexemes of `text` in order of appearance. Takes time and space linear in its length. */
export function* lexemes(text: string): Generator<Lexeme> {
  const stem = rememberingStemmer();
  let run = 0;
  for (const [found] of fold(text).matchAll(RUN)) {
    run += 1;
    yield* lexemesOfRun(found, run, stem);
  }
}

function* lexemesOfRun(found: string, run: number, stem: Stemmer): Generator<Lexeme> {
  const plain = found.replace(POSSESSIVE, "");
  const parts = plain.match(WORDS) ?? [];
  const isName = parts.length > 1 || parts[0] !== plain;
  if (isName && plain.length <= MAX_WORD_CHARS) {
    yield { text: encode(plain), kind: "name", surface: plain, run };
    const joined = plain.replace(/[-']/g, "");
    if (joined !== plain && joined === parts.join("")) {
      yield { text: encode(stem(joined)), kind: "joined", surface: joined, run };
    }
  }
  for (const part of parts) yield* lexemesOfWord(part, isName ? "part" : "word", run, stem);
}

function* lexemesOfWord(word: string, kind: "word" | "part", run: number, stem: Stemmer): Generator<Lexeme> {
  let from = 0;
  for (const match of word.matchAll(DENSE)) {
    yield* plainLexeme(word.slice(from, match.index), kind, run, stem);
    yield* denseLexemes(match[0], run);
    from = match.index + match[0].length;
  }
  yield* plainLexeme(word.slice(from), kind, run, stem);
}

function* plainLexeme(word: string, kind: "word" | "part", run: number, stem: Stemmer): Generator<Lexeme> {
  if (word === "") return;
  const surface = cut(word);
  yield { text: encode(stem(surface)), kind, surface, run };
}

function* denseLexemes(word: string, run: number): Generator<Lexeme> {
  let previous = "";
  for (const character of word) {
    const pair = previous + character;
    if (previous !== "") yield { text: encode(pair), kind: "pair", surface: pair, run };
    previous = character;
  }
  yield { text: encode(previous), kind: "last", surface: previous, run };
}

/** Stems of one text; words repeat, and stemming is what costs. */
function rememberingStemmer(): Stemmer {
  const stems = new Map<string, string>();
  return (word) => {
    if (!ENGLISH.test(word)) return word;
    const known = stems.get(word);
    if (known !== undefined) return known;
    const found = porter2(word);
    stems.set(word, found);
    return found;
  };
}

function cut(word: string): string {
  // A pair of surrogates is never split: the second half would be a character of its own.
  return word.length <= MAX_WORD_CHARS ? word : word.slice(0, MAX_WORD_CHARS).replace(/[\ud800-\udbff]$/, "");
}

/**
 * Moves every UTF-16 unit that FTS5 might take for a separator (symbols, combining marks, halves of astral
 * characters) to the private-use plane 15, whose characters it keeps in a token.
 */
function encode(lexeme: string): string {
  if (PLAIN.test(lexeme)) return lexeme;
  let encoded = "";
  for (let at = 0; at < lexeme.length; at += 1) {
    const unit = lexeme.charAt(at);
    encoded += /[\p{L}\p{N}]/u.test(unit) ? unit : String.fromCodePoint(0xf0000 + lexeme.charCodeAt(at));
  }
  return encoded;
}
