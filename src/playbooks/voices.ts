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
const SHORT_TERMS = 5;
const SHORT_COPY_SEC = 600;
/** Below this anybody may say the same ("be brief"). */
const MIN_TERMS = 3;
/** Share of common terms at which two longer texts are one with a word changed. */
const NEAR_COPY = 0.8;
/** Wordings compared with each other; the work grows with its square. */
const MAX_COMPARED = 300;

interface Wording {
  terms: readonly string[];
  distinct: ReadonlySet<string>;
  saidAtSec: number;
}

function wordingOf({ wording, saidAtSec }: Voice): Wording {
  const terms = wordsOf(undisguised(wording))
    .filter((word) => !isEmptyWord(word))
    .map(termOf);
  return { terms, distinct: new Set(terms), saidAtSec };
}

function isCopy(left: Wording, right: Wording): boolean {
  const shorter = Math.min(left.terms.length, right.terms.length);
  if (shorter < MIN_TERMS) return false;
  if (shorter < SHORT_TERMS && Math.abs(left.saidAtSec - right.saidAtSec) > SHORT_COPY_SEC) return false;
  if (left.terms.join(" ") === right.terms.join(" ")) return true;
  if (shorter < SHORT_TERMS) return false;
  let shared = 0;
  for (const term of left.distinct) if (right.distinct.has(term)) shared += 1;
  return shared / (left.distinct.size + right.distinct.size - shared) >= NEAR_COPY;
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
