/** A rule's clauses as the classifier reads them: undisguised, without their conditions, split at each action. */
import { readingsOf } from "../fold";

export interface Clause {
  text: string;
  /** What it opens with is something to say, show, ask or check; nothing is moved by that. */
  isSpeech: boolean;
}

/** Longer rules are read up to here; what lies behind makes the whole text suspect anyway. */
const MAX_CHARS = 20_000;

const OPENERS = String.raw`(?:(?:please|always|just|also|then|and|but|so|first|simply|immediately|instead|usually|now|you|agents?|we|should|must|can|may|will|have to|need to|are to|is to|to|the answer|make sure to)\s+)*`;
const SPEECH = new RegExp(
  String.raw`^\W*${OPENERS}(?:say|says|tell|explain|mention|name|show|ask|check|verify|quote|cite|state|point|refer|suggest|propose|recommend|remind|list|describe|apologi[sz]e|note|log|read|write|confirm|repeat|compare|answer|reply|call|estimate|warn|inform|congratulate|give (?:an? |the |one |two |some )?(?:[a-z]+ )?(?:examples?|numbers?|reasons?|dates?|times?|ranges?|ideas?|tips?|answers?|hints?|advice|names?|prices?|rates?|figures?|totals?)|praise|talk|look|search|find|sort|group|mark|count|round|format|convert|link)\b`,
);
/** "Tell customers to pay …": what somebody is told to do counts as done. */
const TELLS_TO_ACT =
  /\b(?:(?:tell|ask|instruct|invite|urge|advise|encourage|remind|get)\b.{1,40}?\bto\s+|(?:have|let|make)\b.{1,40}?\s)(?=(?:pay|send|transfer|wire|refund|deposit|donate|approve|grant|give|unlock|reset|share|forward|upload|export)\b)/;

const LEADING_CONDITION =
  /^\W*(?:(?:and|but|so|also)\s+)?(?:when(?:ever)?|if|once|after|before|until|unless|while|as soon as|as long as|where(?:ver)?|for|in case|because|since)\b[^,]{0,200},\s*/;
const TRAILING_CONDITION =
  /\s(?:when(?:ever)?|if|once|after|before|until|unless|while|as soon as|as long as|because|since)\b[^,]*(?=,|$)/g;

const SENTENCE_END = /(?<=[.!?])\s+|[;\n:•]+|\s[–—-]\s/u;
const NEXT_ACTION = /,\s+(?:and |then |but |so |or |just )*|\s(?:and|then|but)\s(?:then |also |just )?/;

/** A rule's instruction, and the conditions it names, which are no action. */
export function clausesOf(text: string): { clauses: Clause[]; conditions: string[] } {
  const clauses: Clause[] = [];
  const conditions: string[] = [];
  for (const sentence of text.slice(0, MAX_CHARS).split(SENTENCE_END)) {
    for (const reading of readingsOf(sentence)) {
      const leaveOut = (condition: string): string => {
        conditions.push(condition);
        return "";
      };
      const acting = reading.replace(LEADING_CONDITION, leaveOut).replace(TRAILING_CONDITION, leaveOut);
      for (const part of acting.split(NEXT_ACTION)) {
        if (part.trim() === "") continue;
        const told = TELLS_TO_ACT.exec(part);
        if (told !== null) {
          clauses.push({ text: part.slice(told.index + told[0].length).trim(), isSpeech: false });
        } else clauses.push({ text: part.trim(), isSpeech: SPEECH.test(part) });
      }
    }
  }
  return { clauses, conditions };
}
