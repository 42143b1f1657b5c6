/**
 * Rules that say the same, and rules that contradict each other about the same thing, by their words. Pure.
 * Words cannot tell a paraphrase from a small but decisive difference, so only what adds nothing is dropped.
 */
import { lexemes } from "./lexemes";
import { stopWords } from "./stop-words";

export interface ComparableRule {
  id: number;
  trigger: string;
  content: string;
  /** Unix seconds of its last change. */
  changedAtSec: number;
}

/** Share of the smaller rule's words that the other must have for both to be about the same (specification 9.4). */
const SAME_SUBJECT = 0.6;
/** Share of all their words that two rules must have in common for one to make the other superfluous. */
const SAME_STATEMENT = 0.6;
/** Stems that turn a rule round; of two rules, one with an even and one with an odd number disagree. */
const NEGATIONS: ReadonlySet<string> = new Set([
  ...["not", "no", "never", "without", "avoid", "stop", "refus", "neither", "nor", "cannot"],
  ...["dont", "doesnt", "isnt", "arent", "cant", "wont", "shouldnt", "mustnt"],
]);
/** Words that only stress a rule: `always` is what the opposite of `never` looks like. */
const EMPHASIS: ReadonlySet<string> = new Set(["alway", "pleas", "ensur", "make", "sure"]);

interface Reading<Rule> {
  rule: Rule;
  words: ReadonlySet<string>;
  isNegative: boolean;
}

/** A rule beside another that explains what became of it. */
export interface Beside<Rule> {
  rule: Rule;
  other: Rule;
}

export interface Sifted<Rule> {
  kept: Rule[];
  /** Rules that say what `other` says. */
  dropped: Beside<Rule>[];
}

export interface Ordered<Rule> extends Sifted<Rule> {
  /** Kept rules that stand behind a newer one about the same thing. */
  behind: Beside<Rule>[];
}

/**
 * Orders ranked rules for a prompt: of those that say the same only the newest stays, in the best place of them
 * all; then rules about the same thing stand together, in place of the best ranked one, newest first.
 */
export function newestWithoutDuplicates<Rule extends ComparableRule>(ranked: readonly Rule[]): Ordered<Rule> {
  const { kept, dropped } = onlyNewest(ranked.map(read));
  const groups: Reading<Rule>[][] = [];
  for (const reading of kept) {
    const group = groups.find(([leader]) => leader !== undefined && isSameSubject(leader, reading));
    if (group === undefined) groups.push([reading]);
    else group.push(reading);
  }
  const ordered = groups.map((group) => group.sort(newestFirst));
  return {
    kept: ordered.flat().map(({ rule }) => rule),
    dropped: dropped.map(({ rule, other }) => ({ rule: rule.rule, other: other.rule })),
    behind: ordered.flatMap(behindNewer),
  };
}

/** The rules of `candidates` that say what none of `told` says already, duplicates of each other among them. */
export function withoutRepetitions<Rule extends ComparableRule>(
  candidates: readonly Rule[],
  told: readonly Rule[],
): Sifted<Rule> {
  const readings = told.map(read);
  const kept: Rule[] = [];
  const dropped: Beside<Rule>[] = [];
  for (const rule of candidates) {
    const reading = read(rule);
    const same = readings.find((other) => isSameStatement(other, reading));
    if (same === undefined) kept.push(rule);
    else dropped.push({ rule, other: same.rule });
  }
  return { kept, dropped };
}

/** Of those that say the same the newest, each in the best place that one of them had. */
function onlyNewest<Rule extends ComparableRule>(
  ranked: readonly Reading<Rule>[],
): { kept: Reading<Rule>[]; dropped: Beside<Reading<Rule>>[] } {
  const places = new Map(ranked.map((reading, place) => [reading, place]));
  const placeOf = (reading: Reading<Rule>): number => places.get(reading) ?? Infinity;
  const kept: Reading<Rule>[] = [];
  const dropped: Beside<Reading<Rule>>[] = [];
  for (const reading of ranked.toSorted(newestFirst)) {
    const newer = kept.find((other) => isSameStatement(other, reading));
    if (newer === undefined) {
      kept.push(reading);
    } else {
      dropped.push({ rule: reading, other: newer });
      places.set(newer, Math.min(placeOf(newer), placeOf(reading)));
    }
  }
  return { kept: kept.sort((left, right) => placeOf(left) - placeOf(right)), dropped };
}

/** Of rules that stand together, those that have a newer one about the same thing before them. */
function behindNewer<Rule>(newestFirst: readonly Reading<Rule>[]): Beside<Rule>[] {
  return newestFirst.flatMap((reading, position) => {
    const newer = newestFirst.slice(0, position).find((other) => isSameSubject(other, reading));
    return newer === undefined ? [] : [{ rule: reading.rule, other: newer.rule }];
  });
}

function read<Rule extends ComparableRule>(rule: Rule): Reading<Rule> {
  const words = new Set<string>();
  const negations = new Set<string>();
  for (const { text, surface, kind } of lexemes(`${rule.trigger}\n${rule.content}`)) {
    if (NEGATIONS.has(text) || NEGATIONS.has(surface)) negations.add(text);
    else if (kind !== "last" && !stopWords.has(surface) && !EMPHASIS.has(text)) words.add(text);
  }
  return { rule, words, isNegative: negations.size % 2 === 1 };
}

function isSameSubject(left: Reading<unknown>, right: Reading<unknown>): boolean {
  const smaller = Math.min(left.words.size, right.words.size);
  return smaller > 0 && shared(left, right) / smaller >= SAME_SUBJECT;
}

/** One has no word that the other lacks, few are added, none of these is a number, and both point the same way. */
function isSameStatement(left: Reading<unknown>, right: Reading<unknown>): boolean {
  const [smaller, larger] = left.words.size <= right.words.size ? [left, right] : [right, left];
  if (smaller.words.size === 0 || left.isNegative !== right.isNegative) return false;
  const added = [...larger.words].filter((word) => !smaller.words.has(word));
  return (
    shared(smaller, larger) === smaller.words.size &&
    smaller.words.size / larger.words.size >= SAME_STATEMENT &&
    !added.some((word) => /\p{N}/u.test(word))
  );
}

function shared(left: Reading<unknown>, right: Reading<unknown>): number {
  let count = 0;
  for (const word of left.words) if (right.words.has(word)) count += 1;
  return count;
}

function newestFirst(left: Reading<ComparableRule>, right: Reading<ComparableRule>): number {
  return right.rule.changedAtSec - left.rule.changedAtSec || right.rule.id - left.rule.id;
}
