/** How two rules stand to each other, by their words: the same lesson, its reversal, or something else. Pure. */
import { containment } from "../../containment";
import type { TaskInput } from "../port";
import { stemOf } from "./morphology";

export type Row = TaskInput<"consolidate">["fresh"][number];

/** Thresholds on shares of shared stems, chosen on rules of our own (`test/unit/learning`). */
const SAME_LESSON = 0.75;
const SAME_SITUATION = 0.6;
const OTHERWISE_ALIKE = 0.8;
/** As above, where the situations do not tell. */
const NEARLY_EQUAL = 0.9;
const SAME_TOPIC = 0.34;
const MIN_SHARED_STEMS = 2;
const MAX_SUBSTITUTED = 2;
/** The overlap that no two stored rules may have (specification 7.1). */
const FORBIDDEN_CONTENT = 0.7;
const FORBIDDEN_TRIGGER = 0.6;
const FORBIDDEN_MIN_CHARS = 80;

const FUNCTION_WORDS = new Set(
  (
    "a an the this that these those it its they them their there here i me my you your we our us he she his her " +
    "is are was were be been being am do does did done have has had will would shall should can could may might must " +
    "of in on at to for from by with as into onto about over under than then so if when while where which who whom " +
    "what how why because and or but nor also just very too any all each every both some such other another same own " +
    "agent user asks asked ask asking says said make sure please need needs want wants wanted let get got use used using"
  ).split(" "),
);

/** Words that decide a rule's direction; they are compared apart from its topic. */
const NEGATIONS =
  /\b(?:not|never|no|none|without|avoid|stop|skip|omit|refrain|don['’]?t|doesn['’]?t|won['’]?t|can['’]?t|cannot|shouldn['’]?t|mustn['’]?t)\b/g;
const UNCONDITIONAL =
  /\b(?:always|every|any|each|all|no exceptions?|without exceptions?|regardless|unconditionally)\b/;
const CONDITIONAL =
  /\b(?:only (?:\w+ ){0,6}?(?:when|if|for|on|in|where|after|once)|unless|except|explicitly (?:ask|request)\w*)\b/;
/** The user takes an earlier rule back. */
const REVERSAL =
  /\b(?:overrid(?:e|es|ing|den)|overrule[sd]?|revers(?:e|es|ed|ing) (?:that|this|the|my)|chang(?:e|ed|ing) my mind|no longer|not any ?more|anymore|scrap (?:that|the|my)|forget (?:that|the|my|what)|drop (?:that|the|my) (?:\w+ )?(?:rule|habit|convention)|(?:earlier|previous|old|former|prior) (?:\w+ ){0,3}(?:rule|instruction|preference|request|convention|default|wish)|instead of what i|i (?:told|asked|said) (?:you )?(?:earlier|before)|go back to|undo (?:that|the|my)|take (?:that|it) back|replaces? (?:that|the|my) (?:\w+ )?rule|from now on (?:it is|it's) the other way)\b/;
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["before", "after"],
  ["first", "last"],
  ["always", "never"],
  ["with", "without"],
  ["more", "less"],
  ["more", "fewer"],
  ["short", "long"],
  ["brief", "detailed"],
  ["concise", "detailed"],
  ["formal", "informal"],
  ["formal", "casual"],
  ["include", "exclude"],
  ["include", "omit"],
  ["enable", "disable"],
  ["add", "remove"],
  ["start", "end"],
  ["begin", "end"],
  ["top", "bottom"],
  ["automatically", "manually"],
  ["metric", "imperial"],
  ["tabs", "spaces"],
  ["public", "private"],
  ["ascending", "descending"],
  ["upper", "lower"],
  ["uppercase", "lowercase"],
  ["on", "off"],
];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];

const isNumber = (word: string): boolean => /^\d/.test(word);

/** Where a trigger was found, which says nothing about when it applies. */
const OCCASION = /\(as in a conversation about [^)]{0,300}\)/g;

/** Stems of the words that say what a text is about. */
export function topicOf(text: string): Set<string> {
  const stems = wordsOf(text.replace(OCCASION, " "))
    .filter((word) => !FUNCTION_WORDS.has(word) && !isNumber(word))
    .map((word) => stemOf(word));
  const directions = new Set([
    "not",
    "never",
    "no",
    "none",
    "without",
    "avoid",
    "stop",
    "skip",
    "alway",
    "don't",
    "don’t",
    "only",
  ]);
  return new Set(stems.filter((stem) => stem.length > 1 && !directions.has(stem)));
}

function sharedCount(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const item of left) if (right.has(item)) shared += 1;
  return shared;
}

/** Shared items over the smaller set; 0 where a side is empty. */
export function share(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const least = Math.min(left.size, right.size);
  return least === 0 ? 0 : sharedCount(left, right) / least;
}

/** A rule as the pipeline's guards compare it: with every evidence group that it rests on. */
export interface Standing extends Pick<Row, "trigger" | "content"> {
  groups: ReadonlySet<string>;
}

export const standing = (row: Row): Standing => ({
  trigger: row.trigger,
  content: row.content,
  groups: new Set([row.evidenceGroup]),
});

const sharesGroup = (left: Standing, right: Standing): boolean => sharedCount(left.groups, right.groups) > 0;

/** Whether the pipeline would refuse to let both stand. */
export function wouldOverlap(left: Standing, right: Standing): boolean {
  const sameContent =
    left.content.trim() === right.content.trim() ||
    (left.content.length >= FORBIDDEN_MIN_CHARS &&
      right.content.length >= FORBIDDEN_MIN_CHARS &&
      containment(left.content, right.content) >= FORBIDDEN_CONTENT);
  return (
    sameContent && (sharesGroup(left, right) || containment(left.trigger, right.trigger) >= FORBIDDEN_TRIGGER)
  );
}

/** Whether a merged rule would count as having taken in another rule of the same source. */
export const wouldAbsorb = (merged: Standing, other: Standing): boolean =>
  sharesGroup(merged, other) && containment(merged.content, other.content) >= FORBIDDEN_CONTENT;

const isNegated = (text: string): boolean => (text.toLowerCase().match(NEGATIONS) ?? []).length % 2 === 1;

const numbersOf = (text: string): string => [...new Set(wordsOf(text).filter(isNumber))].sort().join(" ");

/** One text has a word where the other has its opposite. */
function hasOppositeWords(left: string, right: string): boolean {
  const [mine, theirs] = [new Set(wordsOf(left)), new Set(wordsOf(right))];
  const only = (word: string, here: ReadonlySet<string>, there: ReadonlySet<string>) =>
    here.has(word) && !there.has(word);
  return OPPOSITES.some(
    ([one, other]) =>
      (only(one, mine, theirs) && only(other, theirs, mine)) ||
      (only(other, mine, theirs) && only(one, theirs, mine)),
  );
}

const OPPOSITE_STEMS = new Set(OPPOSITES.flat().map((word) => stemOf(word)));

/** The topic without the words that only give it a direction. */
const undirectedTopicOf = (text: string): Set<string> =>
  new Set([...topicOf(text)].filter((stem) => !OPPOSITE_STEMS.has(stem)));

/** What comes first and what comes second, where a text puts two things in order. */
function orderOf(text: string): [first: Set<string>, second: Set<string>] | null {
  const parts = /^(.*?)\b(before|after|instead of|rather than)\b(.*)$/s.exec(text.toLowerCase());
  if (parts === null) return null;
  const [left, right] = [topicOf(parts[1] ?? ""), topicOf(parts[3] ?? "")];
  return parts[2] === "after" ? [right, left] : [left, right];
}

/** "A before B" has become "B before A". */
function swapsOrder(left: string, right: string): boolean {
  const [mine, theirs] = [orderOf(left), orderOf(right)];
  if (mine === null || theirs === null) return false;
  return share(mine[0], theirs[1]) >= SAME_SITUATION && share(mine[1], theirs[0]) >= SAME_SITUATION;
}

/** Direction, order, bounds or numbers differ. */
const differsInDirection = (left: string, right: string): boolean =>
  isNegated(left) !== isNegated(right) ||
  numbersOf(left) !== numbersOf(right) ||
  hasOppositeWords(left, right) ||
  swapsOrder(left, right);

/** The sentence of the proof in which something is taken back must speak of what the older rule is about. */
function takesBack(newer: Row, older: Row): boolean {
  const said = `${newer.span}\n${newer.rationale}\n${newer.content}`;
  if (!REVERSAL.test(said.toLowerCase())) return false;
  const topic = topicOf(`${older.trigger} ${older.content}`);
  const mine = topicOf(`${newer.trigger} ${newer.content}`);
  return sharedCount(mine, topic) >= MIN_SHARED_STEMS && share(mine, topic) >= SAME_TOPIC;
}

/** A rule without bounds was bounded: "always" has become "only when". */
function bounds(newer: Row, older: Row): boolean {
  const all = (row: Row) => `${row.trigger}. ${row.content}. ${row.span}`.toLowerCase();
  if (!CONDITIONAL.test(all(newer)) || CONDITIONAL.test(all(older)) || !UNCONDITIONAL.test(all(older)))
    return false;
  const mine = topicOf(`${newer.trigger} ${newer.content}`);
  const theirs = topicOf(`${older.trigger} ${older.content}`);
  return sharedCount(mine, theirs) > MIN_SHARED_STEMS && share(mine, theirs) >= SAME_TOPIC;
}

/** One word or two took another's place: "by size" has become "by author". */
function substitutes(mine: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean {
  const shared = sharedCount(mine, theirs);
  const isFew = (own: ReadonlySet<string>) => own.size > shared && own.size - shared <= MAX_SUBSTITUTED;
  return isFew(mine) && isFew(theirs);
}

export type Relation = "same" | "reversed" | "other";

/** How `newer` stands to `older`; `reversed` means that both cannot be followed and the newer one counts. */
export function relationOf(newer: Row, older: Row): Relation {
  if (takesBack(newer, older) || bounds(newer, older)) return "reversed";
  if (wouldOverlap(standing(newer), standing(older)))
    return differsInDirection(newer.content, older.content) ? "reversed" : "same";
  const content = share(topicOf(newer.content), topicOf(older.content));
  const situation = share(topicOf(newer.trigger), topicOf(older.trigger));
  const sameSituation = situation >= SAME_SITUATION || newer.evidenceGroup === older.evidenceGroup;
  if (differsInDirection(newer.content, older.content)) {
    const [mine, theirs] = [undirectedTopicOf(newer.content), undirectedTopicOf(older.content)];
    const alike = share(mine, theirs);
    const enough = situation >= SAME_SITUATION ? OTHERWISE_ALIKE : NEARLY_EQUAL;
    const telling = situation >= SAME_SITUATION || sharedCount(mine, theirs) >= 2 * MIN_SHARED_STEMS;
    return alike >= enough && telling ? "reversed" : "other";
  }
  if (content < SAME_LESSON || !sameSituation) return "other";
  return substitutes(topicOf(newer.content), topicOf(older.content)) ? "reversed" : "same";
}
