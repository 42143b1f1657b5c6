/** The user's words as words about the user, and the small repairs that make them read as guidance. */

import { notVerbs } from "./lexicon";
import { gerundOf } from "./morphology";
import { aboutTheUser } from "./person";
import { restoreQuotations } from "./quotes";
import { isCommonVerb } from "./verbs";

const maxQuotationChars = 60;

/** Single spaces, no stray marks at the ends, no unclosed bracket. */
export function tidy(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/\s+([,.;:])/g, "$1")
    .replace(/,,+/g, ",")
    .replace(/^[\s,;:.\u2014]+|[\s,;:.!?\u2014]+$/g, "")
    .replace(/\(([^()]*)$/, "$1")
    .trim();
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Lower-cases the first letter where the word is an ordinary one; names and acronyms stay. */
export function lowered(text: string): string {
  const first = (/^[A-Za-z-]+/.exec(text)?.[0] ?? "").toLowerCase();
  return /^[A-Z][a-z]/.test(text) && (isCommonVerb(first) || notVerbs.has(first))
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

const reasonClause =
  /,\s+(?:(?:it's )?(?:company|team|house|office|school) policy|because|otherwise|since|as I|so I\b|so that|I'm|I am|I \w+|we're|it's|it \w+s\b|(?:nobody|no one|nothing|everybody|everyone|someone|there)(?:'s| is| are| was)|(?:nobody|no one|everybody|everyone) [a-z]+s?\b|that's|they're|they \w+|which (?:is|means)|(?:the |my |our |your |those |these )?(?:[\w-]+ ){1,3}?(?:[a-z]{3,}s (?:me|us|my|our|anything|everything|nothing)|is|are|was|were|has|have|had|means?|makes?|confuses?|annoys?|drives?|throws?|takes?|works?|looks?|helps?|don't|doesn't|do not|does not|isn't|aren't|can't|cannot|won't|keeps?|gets?)\b(?! not)).*$/s;
const reasonTail =
  /\s+(?:because|otherwise|since (?:I|we|it|they|the)|so I can|so that|so (?:it|they|we|the) |as I'm|cause(?= (?:I|it|we|they|that|you|this)\b))\s.*$/s;
const ownOutput =
  /\byour (?=(?:[a-z-]+ )?(?:answers?|repl(?:y|ies)|responses?|messages?|e-?mails?|explanations?|summar(?:y|ies)|reports?|examples?|suggestions?|sentences?|paragraphs?|lists?|tables?|notes?|code|writing|output)\b)/gi;

/** A piece of a rule: the user in the third person, quotations put back, reasons cut off. */
export function phrase(text: string, quotations: readonly string[]): string {
  const kept = text
    .replace(reasonClause, "")
    .replace(reasonTail, "")
    .replace(/^answer$/i, "answer directly")
    .replace(ownOutput, "")
    .replace(
      /\b(before|after|when|whenever|without|while) you ([a-z]+)\b(?: (and|or) ([a-z]+)(?= (?:the|an?|any|my|it|them|each|every|all)\b))?/g,
      (whole, word: string, verb: string, joint: string | undefined, second: string | undefined) => {
        if (!isCommonVerb(verb)) return whole;
        const tail = joint === undefined || second === undefined ? "" : ` ${joint} ${gerundOf(second)}`;
        return `${word === "whenever" ? "when" : word} ${gerundOf(verb)}${tail}`;
      },
    );
  return tidy(restoreQuotations(aboutTheUser(kept), quotations, maxQuotationChars));
}

/** "send updates" → "sending updates", after adverbs. */
export function gerundPhrase(verbPhrase: string): string {
  const match =
    /^((?:only |just |always |never |not |automatically |immediately |directly )*)([A-Za-z-]+)(.*)$/s.exec(
      verbPhrase,
    );
  if (match === null) return verbPhrase;
  return `${gerundOf((match[2] ?? "").toLowerCase())}${match[3] ?? ""}`;
}

/** Where the manner of an act begins, which is the rule itself and not its occasion. */
export const headEnd =
  /\s(?:in|on|at|by|via|with|without|as|using|instead|rather|than|before|after|when|if|so|because|and|or|but|not|until|unless|first|directly|immediately|straight|under|over|below|above|into|like|through|between|within|no more|that|which|who|even)\b.*$|[,\u2014(:].*$/s;

/** Verb and object without the manner: "send updates via SMS" → "send updates". */
export function headOf(verbPhrase: string): string {
  const asked =
    /^(?:say|tell|mention|state|explain|note|show|give|specify) (?:(?:me|us|the user) )?(?:where|which|what|how|why|whether|who|when)\b.*$/i.exec(
      verbPhrase,
    );
  if (asked !== null)
    return verbPhrase
      .replace(/[,;\u2014(].*$/s, "")
      .split(" ")
      .slice(0, 11)
      .join(" ");
  const indirect = /^([a-z-]+ (?:me|us|the user|them|him|her)\s)(.*)$/is.exec(verbPhrase);
  const lead = indirect?.[1] ?? "";
  const rest = indirect?.[2] ?? verbPhrase;
  return `${lead}${rest.replace(headEnd, "")}`.split(" ").slice(0, 8).join(" ").trim();
}
