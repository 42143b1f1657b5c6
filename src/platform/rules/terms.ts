/** The content words of a rule as stems, for comparing what rules talk about. Pure and linear. */
import stem from "wink-porter2-stemmer";
import { normalised } from "../text";

/** Longer texts say nothing new to a comparison. */
const MAX_CHARS = 8_000;

/** Words that name no topic; negations are among them, `polarity.ts` reads those itself. */
const EMPTY_WORDS = new Set(
  `a an the this that these those some any all every each own other another such same it its they them their he she his her
  you your i me my we our us who whom whose which what when where why how there here and or but so if because although
  while as than since until unless in on at by for with from to of about into over under after before between through
  during within against across off up down is are was were be been being am has have had having do does did doing done
  will would shall should can could may might must not no never nor don't doesn't didn't isn't aren't won't can't cannot
  without also just only even too very quite rather really more most less then now always ever again still yet already
  please etc via per one ones user users user's agent agent's thing things way ways kind bit lot person people
  instead first last next well much many let get got go goes going gone make makes made get
  whenever whether it's that's`.split(/\s+/),
);

const WORD = /[\p{L}\p{N}]+(?:['’._+#/-][\p{L}\p{N}]+)*[+#]{0,2}/gu;
/** Scripts written without spaces are compared by neighbouring characters. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** Words that say the same for the purpose of comparing rules, by the beginning of their stem. */
const CONCEPTS: readonly (readonly [concept: string, stems: string])[] = [
  [
    "explain",
    "explain explan describ descript introduct introductori paragraph prose theori elabor walkthrough",
  ],
  ["email", "email e-mail mail inbox"],
  ["sms", "sms text-messag texting"],
  ["phone", "phone telephon call caller"],
  ["short", "short shorter brief briefli concis terse succinct brevity breviti pithi"],
  ["long", "lengthi verbos thorough exhaust in-depth comprehens detail"],
  ["code", "code snippet sourc implement"],
  ["ask", "ask question enquir inquir"],
  ["list", "list bullet enumer"],
];
const conceptOfStem = new Map(
  CONCEPTS.flatMap(([concept, stems]) => stems.split(" ").map((entry) => [entry, concept])),
);

/** A word's comparable form: the concept it names, else its Porter2 stem. */
export function termOf(word: string): string {
  const lower = word.toLowerCase().replaceAll("’", "'");
  const cut = stem(lower.replace(/'s$/, ""));
  return conceptOfStem.get(cut) ?? conceptOfStem.get(lower) ?? cut;
}

/** Lower-case words in order, hyphenated pairs such as `code-first` taken apart. */
export const wordsOf = (text: string): string[] =>
  (normalised(text.slice(0, MAX_CHARS), "NFKC").toLowerCase().match(WORD) ?? []).flatMap((word) =>
    /^[a-z]+-[a-z]+$/.test(word) && word !== "e-mail" && word !== "in-depth" ? word.split("-") : [word],
  );

export const isEmptyWord = (word: string): boolean => EMPTY_WORDS.has(word.replaceAll("’", "'"));

/** The set of content terms of a text. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  for (const word of wordsOf(text)) {
    if (isEmptyWord(word)) continue;
    if (!UNSPACED.test(word)) terms.add(termOf(word));
    else if (word.length === 1) terms.add(word);
    else for (let start = 0; start + 1 < word.length; start += 1) terms.add(word.slice(start, start + 2));
  }
  return terms;
}

/** Shared terms over the size of the smaller set (not Jaccard, trap 31); 0 where either is empty. */
export function containment(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const term of small) if (large.has(term)) shared += 1;
  return shared / small.size;
}
