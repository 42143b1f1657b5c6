/** Recognises a verb phrase without a tagger: by its place, by a list of common verbs, by what follows. */

import { commonVerbs, notVerbs } from "./lexicon";
import { baseOfGerund, baseOfPastTense, isOnlyPast } from "./morphology";
import { standIn } from "./quotes";

const objectStart =
  /^(?:the|a|an|my|our|your|all|any|every|each|both|some|me|us|it|them|this|that|these|those|him|her|one|two|three|only|no|more|less|fewer|up|out|off|down|with|to|in|on|for|from|by|and|at|into|through)$/i;
const verbPrefix = /^(?:re|un|pre|auto|double|cross|spell|fact|hand|co|under|over)-?(?=[a-z]{3})/;
const nounReading =
  /^[a-z-]+(?:\s[a-z-]+)?\s(?:is|are|was|were|has|have|had|will|can|does|did|would|could|should|came|went|looks?|seems?|arrived|failed|works|worked)\b/i;

function firstWord(phrase: string): string {
  return /^[A-Za-z][A-Za-z'-]*/.exec(phrase)?.[0] ?? "";
}

export function isCommonVerb(word: string): boolean {
  return commonVerbs.has(word) || commonVerbs.has(word.replace(verbPrefix, ""));
}

/** True where a clause that begins so can be an order: "cite the page", "deglaze the pan". */
export function opensWithVerb(phrase: string): boolean {
  const word = firstWord(phrase);
  const lower = word.toLowerCase();
  if (lower === "" || notVerbs.has(lower) || /'/.test(lower)) return false;
  const next = phrase.slice(word.length).trimStart();
  if (/^[#:]/.test(next) || nounReading.test(phrase.slice(0, 60))) return false;
  if (isCommonVerb(lower)) return true;
  if (/(?:s|ed|ing|ly|tion|ment|ness|ity)$/.test(lower) && !/ss$/.test(lower)) return false;
  if (
    /^[a-z-]+ [\w-]+ (?:on|in|into|to|onto|at|under|over|after|before|for|with|from) (?:every|each|all|any)\b/i.test(
      phrase,
    )
  )
    return true;
  return word === lower || /^[A-Z][a-z]+$/.test(word)
    ? (objectStart.test(firstWord(next)) && next !== "") || standIn.test(next.charAt(0))
    : false;
}

/** True where grammar already says that a verb comes ("never …", "could you …"): only exclude what cannot be one. */
export function canBeVerb(phrase: string): boolean {
  const lower = firstWord(phrase).toLowerCase();
  if (lower === "" || (notVerbs.has(lower) && lower !== "mind" && lower !== "like"))
    return (
      /^(?:like|back|time|second|second-guess|down|up)\s(?:the|a|my|any|all)\b/i.test(phrase) ||
      /^be\b/i.test(phrase)
    );
  if (isOnlyPast(lower) || (/[^sui]s$/.test(lower) && !isCommonVerb(lower))) return false;
  return (
    !/(?:'|ly$)/.test(lower) || /^(?:apply|reply|supply|rely|multiply|fly|comply|imply|anomaly)$/.test(lower)
  );
}

/** The phrase with its first verb, after adverbs, turned from `-ing` into its base; null if it is no gerund. */
export function fromGerund(phrase: string): string | null {
  const match = /^((?:always |never |just |simply |only |not |even )*)([a-z-]+ing)\b(.*)$/is.exec(phrase);
  if (
    match === null ||
    /^(?:thing|something|nothing|everything|anything|string|ring|king|spring|bring|sing|swing|cling|fling|sling|sting|ping|wring|morning|evening|during|pricing|billing|meeting|wedding|ceiling|building)$/i.test(
      match[2] ?? "",
    )
  )
    return null;
  return `${match[1] ?? ""}${baseOfGerund((match[2] ?? "").toLowerCase(), isCommonVerb)}${match[3] ?? ""}`;
}

/** "gave me the time and added a note" → "give me the time and add a note". */
export function fromPast(phrase: string): string {
  const adverbs = /^(?:always |never |just |simply |only |also |either )*/i.exec(phrase)?.[0] ?? "";
  const rest = phrase.slice(adverbs.length);
  const verb = firstWord(rest);
  const base = baseOfPastTense(verb.toLowerCase(), isCommonVerb);
  const tail = rest
    .slice(verb.length)
    .replace(
      /\b(and|then|or) ([a-z]+ed|ran|gave|put|sent|wrote|told|showed|kept|made|left|took)\b/g,
      (_match, joint: string, past: string) => `${joint} ${baseOfPastTense(past, isCommonVerb)}`,
    );
  return `${adverbs}${base}${tail}`;
}
