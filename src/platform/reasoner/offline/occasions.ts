/** Tells an occasion that will come again from the moment at hand. */

import { outputs } from "./outputs";
import type { Part, Reading } from "./reading";

export const pointing =
  /^(?:[a-z-]+)\s+(?:it|that|this|them|him|her|those|these|one|so)\b(?!\s+(?:short|brief|simple|concise|to|under|below|at|plain|formal|informal|casual|clear))/i;
export const clockOrDate =
  /\b(?:\d{1,2}(?::\d\d)?\s?(?:am|pm|o'clock)|\d{1,2}:\d\d|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?\b(?<!mon|sun|fri)|\b(?:yet|tonight|today|tomorrow|this (?:one|time|week|weekend|evening|morning|afternoon)|that one|the other one|the (?:first|second|third|fourth|last|next|previous) (?!time\b|step,? (?:and )?then\b)[a-z]+|in (?:this|the) (?:list|file|text|folder|document|table|sheet|picture|message|paragraph))\b|#\s?\w*\d/i;
const genericOccasion =
  /^(?:you(?:'re| are) (?:not sure|unsure|in doubt|stuck|(?!going\b|coming\b|leaving\b|passing\b|driving\b|heading\b|staying\b)[a-z]+ing)$|you (?:don't know|can't find|cannot find|don't have|can't tell|aren't sure)\b|you (?:tell|report to|inform|notify|update|remind) (?:me|us)\b|you(?:'re| are)?\s+(?:about to |going to |ever |need to |have to )?[a-z-]+(?: (?:me|us|up|out|to|for|with|about|on))?\s+(?:(?:any|an?|some|every|each)\b|(?:any|every|some)(?:thing|one|body)\b|(?:this|our) (?:codebase|repo(?:sitory)?|project|workspace|code)\b|(?!this\b|his\b|my\b|the\b|that\b)(?:[a-z-]+ ){0,2}[a-z-]+s\b|(?!this\b|his\b|my\b|the\b|that\b|it\b|them\b|him\b|her\b|your\b|home\b|there\b|back\b|here\b|done\b|me\b)[a-z-]+$)|(?:i|we)(?:'m| am|'re| are)?\s+(?:say|ask|report|mention|tell|want|request|send|describe|complain|share|give|paste|upload|stuck|struggl\w+|unsure|lost|confused|\w+ing|(?!am\b|come\b|arrive\b|get (?:home|back|there|in|to)\b|call\b|land\b|finish\b|leave\b|return\b|was\b|were\b|had\b|did\b|have\b|can\b|will\b)[a-z]+(?<!ed))\b|(?!(?:the|this|that|it|he|she|they|you|i|we|my|our|your)\b)[a-z-]+ing\b(?! (?:the|this|that|my|it|them)\b)|(?:an?|any|some(?:one|body)|anyone|there(?:'s| is| are))\b)/i;

const shapes =
  /^(?:use|include|add|put|keep|give|show|number|label|write|spell|mark|quote|state|list|mention|cite|express|name|format|leave)\b/i;

/** True for an order about one thing at one time: "make it Wednesday at 4". */
export function isOfTheMoment(part: Part): boolean {
  return clockOrDate.test(part.verbPhrase) || pointing.test(part.verbPhrase);
}

export function isMomentary(reading: Reading, part: Part): boolean {
  return (
    reading.durability === "momentary" ||
    (clockOrDate.test(part.verbPhrase) && !(part.rejected !== undefined && clockOrDate.test(part.rejected)))
  );
}

/** "for incident updates, …", "… in management reports": a bare plural is every one of its kind. */
export function hasPluralPlace(part: Part, reading: Reading): boolean {
  return [...part.conditions, ...reading.conditions].some(
    (condition) =>
      condition.kind === "place" &&
      outputs.test(`any ${condition.body}`) &&
      /^(?!any\b|the\b|(?:two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|few|a few|several) )[a-z][a-z -]*s$/i.test(
        condition.body,
      ),
  );
}

export function hasOutputPlace(part: Part, reading: Reading): boolean {
  return [...part.conditions, ...reading.conditions].some(
    (condition) => condition.kind === "place" && outputs.test(condition.body),
  );
}

/** An occasion that will come again: "when you write recipes", "when I report a problem", "before recommending an approach". */
export function hasTime(part: Part, reading: Reading): boolean {
  return [...part.conditions, ...reading.conditions].some(
    (condition) =>
      condition.kind !== "place" &&
      (genericOccasion.test(condition.body) || hasProperty(condition.body)) &&
      !clockOrDate.test(condition.body),
  );
}

const propertyOfOutput =
  /^(?:the|an?|your) ((?:[a-z-]+ )?[a-z-]+) (?:has|have|is|are|gets|exceeds|contains|includes|involves|runs|takes|needs|spans|goes|comes) (?:more|over|longer|at least|several|many|complicated|complex|long|a lot|too|to|numbers|figures|on)\b/i;

/** "when the code has more than a few lines": it holds of any answer. */
function hasProperty(body: string): boolean {
  const subject = propertyOfOutput.exec(body)?.[1] ?? "";
  return subject !== "" && (outputs.test(`any ${subject}`) || /^(?:[a-z-]+ )?code$/i.test(subject));
}

/** "use X in all articles", "put a date on every tube": it holds for each of a kind. */
export function appliesEach(part: Part): boolean {
  if (
    !shapes.test(part.verbPhrase) ||
    /\b(?:all|each|every|any) (?:of )?(?:the|my|our|these|those)\b/i.test(part.verbPhrase)
  )
    return false;
  if (/^use\b/i.test(part.verbPhrase))
    return /\s(?:in|on|for|with|at|to) (?:all|every|each|any) /i.test(part.verbPhrase);
  return /\s(?:in|on|after|before|at|next to|under|with) (?:every|each) /i.test(part.verbPhrase);
}
