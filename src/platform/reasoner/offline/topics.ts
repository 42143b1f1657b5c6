/** The few words that say what a text is about, to place a rule that names no occasion of its own. */

import { stopWords } from "./lexicon";
import { stemOf } from "./morphology";

const maxWordsRead = 400;

/** At most `limit` topic words, most frequent first, ties by place. Names and numbers are left out. */
export function topicWords(text: string, limit: number, known: ReadonlySet<string> = new Set()): string[] {
  const counts = new Map<string, { word: string; count: number; at: number }>();
  const words = text.replace(/`{3}[\s\S]*?(?:`{3}|$)/g, " ").match(/[A-Za-z][A-Za-z'-]+/g) ?? [];
  words.slice(0, maxWordsRead).forEach((word, at) => {
    const lower = word.toLowerCase().replace(/'s$/, "");
    const isName = /^[A-Z][a-z]/.test(word) && at > 0;
    if (lower.length < 4 || stopWords.has(lower) || isName || lower.includes("'") || /(?:ly)$/.test(lower))
      return;
    const stem = stemOf(lower);
    if (known.has(stem)) return;
    const entry = counts.get(stem);
    if (entry === undefined) counts.set(stem, { word: lower, count: 1, at });
    else entry.count += 1;
  });
  return [...counts.values()]
    .sort((left, right) => right.count - left.count || left.at - right.at)
    .slice(0, limit)
    .sort((left, right) => left.at - right.at)
    .map((entry) => entry.word);
}

/** The stems of the content words of a text, for comparing rules. */
export function contentStems(text: string): Set<string> {
  const stems = new Set<string>();
  for (const word of text.toLowerCase().match(/[a-z0-9][a-z0-9'+#.-]*/g) ?? []) {
    const plain = word.replace(/[.'-]+$/, "");
    if (plain.length > 1 && !stopWords.has(plain)) stems.add(stemOf(plain));
  }
  return stems;
}
