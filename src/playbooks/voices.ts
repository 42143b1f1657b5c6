/** How many people really stand behind a rule: accounts that repeat one text, or share a conversation, are one voice. */
import { isEmptyWord, termOf, wordsOf } from "../platform/rules/terms";
import { undisguised } from "./flagging/fold";

/**
 * One person under several spellings of one id: case, look-alike letters, invisible characters and the tag of
 * an e-mail address (`ana+2@…`) make no second one.
 */
export const personOf = (userId: string): string =>
  undisguised(userId.trim()).replace(/^([^+@\s]+)\+[^@\s]*(?=@)/, "$1");

/** What one source says, whose it is, and where it was said. */
export interface Voice {
  /** Null counts as nobody. */
  userId: string | null;
  /** The user's own words. */
  wording: string;
  /** When it was said; seconds. */
  saidAtSec: number;
  /** Sessions of its turns; empty where that is not known. */
  sessions: readonly string[];
}

/** Shorter texts are said alike by accident: they count as copies only within this time. */
const SHORT_WORDS = 7;
const SHORT_COPY_SEC = 600;
/** With fewer words that say something anybody may say the same ("be brief"). */
const MIN_TERMS = 3;
/** What a text says after so many words is not compared. */
const MAX_WORDS = 80;
/** Share of words in the same order at which two longer texts are one with a word changed. */
const NEAR_COPY = 0.8;
/** Below this share of common words there is no need to look at their order. */
const MAY_BE_COPY = 0.6;
/** Wordings compared with each other; the work grows with its square. */
const MAX_COMPARED = 120;

interface Wording {
  /** Words by their stems. */
  words: readonly string[];
  distinct: ReadonlySet<string>;
  /** Those that say something, in order. */
  said: string;
  saidCount: number;
  saidAtSec: number;
}

function wordingOf({ wording, saidAtSec }: Voice): Wording {
  const words = wordsOf(undisguised(wording)).slice(0, MAX_WORDS);
  const said = words.filter((word) => !isEmptyWord(word)).map(termOf);
  const stems = words.map(termOf);
  return {
    ...{ words: stems, distinct: new Set(stems), saidAtSec },
    ...{ said: said.join(" "), saidCount: said.length },
  };
}

/** Length of the longest common subsequence: words in the same order, whatever stands between them. */
function commonInOrder(left: readonly string[], right: readonly string[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const term of left) {
    const next = [0];
    for (const [at, other] of right.entries()) {
      next.push(term === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

function isCopy(left: Wording, right: Wording): boolean {
  if (Math.min(left.saidCount, right.saidCount) < MIN_TERMS) return false;
  const isShort = Math.min(left.words.length, right.words.length) < SHORT_WORDS;
  if (isShort && Math.abs(left.saidAtSec - right.saidAtSec) > SHORT_COPY_SEC) return false;
  if (left.said === right.said) return true;
  if (isShort) return false;
  let shared = 0;
  for (const word of left.distinct) if (right.distinct.has(word)) shared += 1;
  if (shared < Math.max(left.distinct.size, right.distinct.size) * MAY_BE_COPY) return false;
  const longer = Math.max(left.words.length, right.words.length);
  return commonInOrder(left.words, right.words) >= longer * NEAR_COPY;
}

/** For each voice the number of the text it repeats: voices with the same number are copies, link by link. */
function textsOf(voices: readonly Voice[]): number[] {
  const wordings = voices.map(wordingOf);
  const text = voices.map((_, at) => at);
  for (const [at, wording] of wordings.entries()) {
    for (let before = 0; before < at; before += 1) {
      const other = wordings[before];
      const [mine, theirs] = [text[at], text[before]];
      if (other === undefined || mine === undefined || theirs === undefined || mine === theirs) continue;
      if (!isCopy(wording, other)) continue;
      for (const [place, number] of text.entries()) if (number === mine) text[place] = theirs;
    }
  }
  return text;
}

/**
 * The most people who can each be given a thing of their own, counted up to `enough`: a maximum matching of
 * people and things by augmenting paths.
 */
function mostWithTheirOwn(things: ReadonlyMap<string, ReadonlySet<string>>, enough: number): number {
  const holder = new Map<string, string>();
  const give = (person: string, tried: Set<string>): boolean => {
    for (const thing of things.get(person) ?? []) {
      if (tried.has(thing)) continue;
      tried.add(thing);
      const current = holder.get(thing);
      if (current !== undefined && !give(current, tried)) continue;
      holder.set(thing, person);
      return true;
    }
    return false;
  };
  let count = 0;
  for (const person of things.keys()) {
    if (count >= enough) break;
    if (give(person, new Set())) count += 1;
  }
  return count;
}

/** Distinct people behind the sources; sources without a user add nobody. */
export const distinctPeople = (voices: readonly Voice[]): number =>
  new Set(voices.flatMap(({ userId }) => (userId === null ? [] : [personOf(userId)]))).size;

/**
 * People who stand behind a rule independently, counted up to `enough`: as many as can each be given a wording
 * and a session that are nobody else's. What is not known of a source is not held against it.
 */
export function independentPeople(voices: readonly Voice[], enough: number): number {
  const compared = voices.filter(({ userId }) => userId !== null).slice(0, Math.max(MAX_COMPARED, enough));
  const texts = textsOf(compared);
  const wordings = new Map<string, Set<string>>();
  const sessions = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, person: string, thing: string) => {
    const known = map.get(person);
    if (known === undefined) map.set(person, new Set([thing]));
    else known.add(thing);
  };
  for (const [at, voice] of compared.entries()) {
    if (voice.userId === null) continue;
    const person = personOf(voice.userId);
    add(wordings, person, `text ${texts[at]}`);
    if (voice.sessions.length === 0) add(sessions, person, `source ${at}`);
    for (const session of voice.sessions) add(sessions, person, `session ${session}`);
  }
  return Math.min(mostWithTheirOwn(wordings, enough), mostWithTheirOwn(sessions, enough));
}
