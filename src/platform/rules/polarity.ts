/**
 * What a rule wants and what it refuses, read word by word, so that rules in opposite directions about
 * the same thing are told apart where an embedding finds them alike. Errs towards "no contradiction".
 */
import { commonVerbs } from "../reasoner/offline/lexicon";
import { isEmptyWord, termOf, wordsOf } from "./terms";

/** A noun phrase: its last content word, and what narrows it (`passive` voice, comments that `restate`). */
interface Thing {
  head: string;
  qualifiers: ReadonlySet<string>;
}

/** One refused thing: a refused action (`repeat` the number) or a refused object (no `comments`). */
interface Refusal {
  /** Null where an object is refused whatever is done with it. */
  action: string | null;
  things: readonly Thing[];
}

/** One clause that asks for something. */
type Wish = ReadonlySet<string>;

export interface Directions {
  wishes: readonly Wish[];
  /** Every term of every wish. */
  wanted: ReadonlySet<string>;
  refusals: readonly Refusal[];
  /** `earlier` is to come before `later`; an empty `later` means before everything. */
  orders: readonly { earlier: ReadonlySet<string>; later: ReadonlySet<string> }[];
  /** Whether a wish names one of two things that exclude each other. */
  hasPole: boolean;
}

/** Longer rules are judged by their beginning. */
const MAX_CHARS = 4_000;
/** What a clause cannot reach over. */
const CLAUSE_END = /[.;:!?\n•–—()]+|,?\s(?=(?:but|so that|because|since|unless)\s)/;
const OBJECT_REFUSERS = new Set([
  "skip",
  "omit",
  "avoid",
  "without",
  "no",
  "exclude",
  "drop",
  "refrain",
  "minimise",
  "minimize",
]);
const ACTION_REFUSERS = new Set(["never", "don't", "dont", "stop", "doesn't", "mustn't", "shouldn't"]);
/** Verbs whose object, not they themselves, is what is refused: `do not use npm`. */
const LIGHT_VERBS = new Set(
  "use give send write put add include show offer provide present make have be do start begin open lead default fall".split(
    " ",
  ),
);
const PREPOSITIONS = new Set(
  "of on with for to in from by about at into over as such than where when if before after until".split(" "),
);
/** Heads too general to disagree about. */
const GENERAL = new Set(
  "answer reply repli respons messag updat detail inform way type form anyth someth further extra".split(" "),
);
/** Wishes that exclude each other when they are about the same thing. */
const OPPOSITES: readonly (readonly [string, string])[] = (
  "short long|formal casual|formal inform|metric imperi|tab space|british american|simpl advanc|basic advanc|" +
  "rais lower|increas decreas|accept declin|accept reject|open close|enabl disabl|show hide|allow forbid|public privat|" +
  "newest oldest|ascend descend|upper lower|singular plural|activ passiv|synchron asynchron|begin end|start end|includ exclud"
)
  .split("|")
  .map((pair) => {
    const [one = "", other = ""] = pair.split(" ");
    return [one, other];
  });

const contentOf = (words: readonly string[]): Set<string> =>
  new Set(words.filter((word) => !isEmptyWord(word)).map(termOf));

/** The coordinated noun phrases of a refusal; a relative clause narrows the phrase before it. */
function thingsOf(words: readonly string[]): Thing[] {
  const things: { head: string; qualifiers: Set<string> }[] = [];
  let phrase: string[] = [];
  let reading: "phrase" | "relative" | "nothing" = "phrase";
  const close = () => {
    const head = phrase.pop();
    if (head !== undefined && !GENERAL.has(head)) {
      things.push({
        head,
        qualifiers: new Set(phrase.filter((term) => term !== head && !GENERAL.has(term))),
      });
    }
    phrase = [];
  };
  for (const word of words) {
    if (reading !== "relative" && /^(?:,|and|or|nor)$/.test(word)) {
      close();
      reading = "phrase";
    } else if (/^(?:that|which|who|whose)$/.test(word)) {
      close();
      reading = "relative";
    } else if (reading === "phrase" && PREPOSITIONS.has(word)) {
      close();
      reading = "nothing";
    } else if (!isEmptyWord(word)) {
      if (reading === "phrase") phrase.push(termOf(word));
      if (reading === "relative") things.at(-1)?.qualifiers.add(termOf(word));
    }
  }
  close();
  return things;
}

/** Objects of a preposition directly after a contrast: `rather than by phone call`. */
const withoutLeadingPreposition = (words: readonly string[]): readonly string[] =>
  words[0] !== undefined && PREPOSITIONS.has(words[0]) ? words.slice(1) : words;

function refusalOf(kind: "object" | "action", words: readonly string[]): Refusal | null {
  const [first = "", ...rest] = words.filter(
    (word, index) => !(index === 0 && /^(?:ever|just|simply|to)$/.test(word)),
  );
  const isAction = kind === "action" || /ing$/.test(first);
  const action = isAction && !LIGHT_VERBS.has(first) && !isEmptyWord(first) ? termOf(first) : null;
  const objects = isAction ? rest : withoutLeadingPreposition(words);
  const things = thingsOf(withoutLeadingPreposition(objects));
  return action === null && things.length === 0 ? null : { action, things };
}

interface Opening {
  kind: "object" | "action";
  /** Words the negation itself takes. */
  length: number;
}

/** The negation that begins at `index`, if any. */
function negationAt(words: readonly string[], index: number): Opening | null {
  const word = words[index] ?? "";
  const next = words[index + 1] ?? "";
  if (word === "no" && /^(?:more|longer|later|less|fewer|matter)$/.test(next)) return null;
  const afterNegation = word === "do" && next === "not" ? (words[index + 2] ?? "") : next;
  if (/^(?:not|do|don't|dont)$/.test(word) && /^(?:only|just|merely|yet)$/.test(afterNegation)) return null;
  if ((word === "rather" && next === "than") || (word === "instead" && next === "of"))
    return { kind: "object", length: 2 };
  if (/^(?:leave|leaving)$/.test(word) && next === "out") return { kind: "object", length: 2 };
  if (/^(?:hold|holding)$/.test(word) && next === "back") return { kind: "object", length: 2 };
  if (word === "do" && next === "not") return { kind: "action", length: 2 };
  if (ACTION_REFUSERS.has(word)) return { kind: "action", length: 1 };
  if (word === "not") return { kind: commonVerbs.has(next) ? "action" : "object", length: 1 };
  const base = word
    .replace(/p?ping$/, "p")
    .replace(/ting$/, "t")
    .replace(/ing$/, "");
  return OBJECT_REFUSERS.has(word) || (word !== base && OBJECT_REFUSERS.has(base))
    ? { kind: "object", length: 1 }
    : null;
}

/** True where the words after a comma or `and` begin a wish of their own: `, and keep it short`. */
function resumes(words: readonly string[], index: number): boolean {
  if (!/^(?:,|and|then)$/.test(words[index] ?? "")) return false;
  let next = index + 1;
  while (/^(?:,|and|then|just|always|only|instead|please)$/.test(words[next] ?? "")) next += 1;
  const word = words[next] ?? "";
  return commonVerbs.has(word) && !/^(?:the|a|an|or|and|,)$/.test(words[next - 1] ?? "")
    ? next > index
    : false;
}

function readClause(clause: string, wishes: Wish[], refusals: Refusal[]): void {
  const words = clause.split(/(,)/).flatMap((part) => (part === "," ? [","] : wordsOf(part)));
  let wanted: string[] = [];
  for (let index = 0; index < words.length; ) {
    const negation = negationAt(words, index);
    if (negation === null) {
      wanted.push(words[index] ?? "");
      index += 1;
      continue;
    }
    const start = index + negation.length;
    let end = start;
    while (end < words.length && !(end > start && (resumes(words, end) || negationAt(words, end) !== null)))
      end += 1;
    const refusal = refusalOf(negation.kind, words.slice(start, end));
    if (refusal !== null) refusals.push(refusal);
    index = end;
    if (resumes(words, end)) {
      if (wanted.length > 0) wishes.push(contentOf(wanted));
      wanted = [];
    }
  }
  const content = contentOf(wanted.filter((word) => word !== ","));
  if (content.size > 0) wishes.push(content);
}

function ordersOf(text: string): Directions["orders"] {
  const orders: { earlier: Set<string>; later: Set<string> }[] = [];
  const plain = text.toLowerCase();
  const near = (part: string, take: "start" | "end") => {
    const words = wordsOf(part.split(/[.\n]/).at(take === "end" ? -1 : 0) ?? "");
    return contentOf(take === "end" ? words.slice(-6) : words.slice(0, 6));
  };
  const push = (earlier: Set<string>, later: Set<string>) => {
    const first = new Set([...earlier].filter((term) => !later.has(term)));
    if (first.size > 0) orders.push({ earlier: first, later });
  };
  for (const match of plain.matchAll(/\bbefore\b/g)) {
    push(near(plain.slice(0, match.index), "end"), near(plain.slice(match.index + 6), "start"));
  }
  for (const match of plain.matchAll(/\bfirst\b,?(?=\s+[a-z])([^.\n]{3,160}?)\bthen\b/g)) {
    push(near(match[1] ?? "", "start"), near(plain.slice(match.index + match[0].length), "start"));
  }
  for (const match of plain.matchAll(/\b([a-z]+)[\s-]first\b/g)) {
    const term = match[1] ?? "";
    if (!isEmptyWord(term)) push(new Set([termOf(term)]), new Set());
  }
  return orders;
}

const poleTerms: ReadonlySet<string> = new Set(OPPOSITES.flat());

/** Reads one rule's instruction. */
export function directionsOf(content: string): Directions {
  const wishes: Wish[] = [];
  const refusals: Refusal[] = [];
  for (const clause of content.slice(0, MAX_CHARS).split(CLAUSE_END)) readClause(clause, wishes, refusals);
  const wanted = new Set(wishes.flatMap((wish) => [...wish]));
  return {
    wishes,
    wanted,
    refusals,
    orders: ordersOf(content.slice(0, MAX_CHARS)),
    hasPole: [...wanted].some((term) => poleTerms.has(term)),
  };
}

const meets = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  [...left].some((term) => right.has(term));

const isAbout = (wish: Wish, { head, qualifiers }: Thing): boolean =>
  wish.has(head) && (qualifiers.size === 0 || meets(qualifiers, wish));

function refuses(by: Directions, of: Directions): boolean {
  return by.refusals.some(({ action, things }) => {
    if (action !== null) {
      if (!of.wanted.has(action)) return false;
      return of.wishes.some(
        (wish) => wish.has(action) && (things.length === 0 || things.some((thing) => isAbout(wish, thing))),
      );
    }
    // What a rule both wants and refuses is qualified in some way these words do not show.
    return things.some(
      (thing) =>
        of.wanted.has(thing.head) &&
        !by.wanted.has(thing.head) &&
        of.wishes.some((wish) => isAbout(wish, thing)),
    );
  });
}

function reversesOrder(left: Directions, right: Directions): boolean {
  return left.orders.some((one) =>
    right.orders.some(
      (other) =>
        (meets(one.earlier, other.later) && (one.later.size === 0 || meets(one.later, other.earlier))) ||
        (meets(other.earlier, one.later) && (other.later.size === 0 || meets(other.later, one.earlier))),
    ),
  );
}

function takesOppositePoles(left: Directions, right: Directions): boolean {
  if (!left.hasPole || !right.hasPole) return false;
  const has = (directions: Directions, term: string) => directions.wanted.has(term);
  const meet = (one: string, other: string) =>
    left.wishes.some((wish) =>
      right.wishes.some(
        (answer) =>
          wish.has(one) &&
          answer.has(other) &&
          (Math.min(wish.size, answer.size) <= 2 || [...wish].some((term) => answer.has(term))),
      ),
    );
  return OPPOSITES.some(
    ([one, other]) =>
      (meet(one, other) && !has(left, other) && !has(right, one)) ||
      (meet(other, one) && !has(left, one) && !has(right, other)),
  );
}

/** True where following one of two rules about the same situation breaks the other. Symmetric. */
export const opposes = (left: Directions, right: Directions): boolean =>
  refuses(left, right) ||
  refuses(right, left) ||
  reversesOrder(left, right) ||
  takesOppositePoles(left, right);
