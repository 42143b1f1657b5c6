/** How a user reacts to what the agent just said: pushing back, declining, objecting, mocking. */

import type { Reading } from "./reading";
import { mentions } from "./rule-classes";

/** The agent asked for leave; "no, don't" is then an answer and no rule. */
export const offer =
  /\b(?:shall i|should i|would you like|do you want|can i|may i|want me to|do you need|would you prefer|is it ok)\b[^?]{0,200}\?\s*$/i;
export const failure =
  /\b(?:failed|failure|crash(?:ed|es)|error|timed? out|unavailable|not available|stuck|lost|went down|is down|offline|could(?:n't| not)|unable to)\b/i;
/** Praise after bad news: the orders that follow are not meant. */
export const mockPraise =
  /^(?:oh,? )?(?:brilliant|wonderful|lovely|fantastic|marvell?ous|superb|splendid|terrific|charming|stunning|bravo|amazing|impressive|excellent|great|perfect|fabulous|magnificent|outstanding)(?:[,!.]| job| work| stuff)(?! (?:that|this|the) (?:order|sequence|way|worked|did|fixed|solved|sorted))/i;
/** The agent hands the work back to the user. */
export const deflection =
  /\b(?:contact|check(?:ing)?|visit(?:ing)?|ask(?:ing)?|call(?:ing)?|consult(?:ing)?|refer(?:ring)? to|go(?:ing)? to|see|head to|reach(?:ing)? out to|follow(?:ing)?|track(?:ing)?|view(?:ing)?|find|get in touch with|contacting)\b.{0,60}\b(?:website|web ?site|pages?|carrier|courier|merchant|seller|vendor|manufacturer|guides?|articles?|faqs?|documentation|docs|help cent(?:er|re)|support|bank|department|provider|store|link|portal|landlord|office|team|airline|hotel|app)\b/i;
export const objection =
  /\b(?:i(?:'ve| have)? already|i already|that's (?:why|your job|what you)|you're (?:the|customer|my|supposed|our)|you are (?:the|customer|my|supposed|our)|your (?:end|side|system|job|own)|don't (?:even )?know|can't you|don't you|why (?:should|would|do) i|i(?:'ve| have) (?:checked|tried|done|read|looked)|yoursel(?:f|ves))\b/i;
export const straight =
  /\b(?:straight|right|directly) to\b|\bjust (?:the|give me|tell me|answer)\b|\bget to the point\b/i;

export function pushesBack(reading: Reading | undefined): boolean {
  return (
    reading !== undefined &&
    (reading.openers.refuses || reading.openers.interrupts || reading.isComplaint || reading.rejectsApproach)
  );
}

/** "I don't take taxis": what the agent named is nothing for this user, today or later. */
export function declines(before: Reading, agentText: string): boolean {
  const thing =
    /^i (?:don't|do not|never|can't|cannot|won't) (?:[a-z]+ ){1,3}?((?:[a-z-]+ )?[a-z-]{3,})[.!]*$/i.exec(
      before.openers.rest,
    )?.[1];
  return before.veto === null && thing !== undefined && mentions(agentText, thing.replace(/s$/, ""));
}

/** "Which building?" — the agent's answer left something out, so what follows is about such answers. */
export function asksBack(before: Reading | undefined): boolean {
  return before?.isQuestion === true && before.text.split(" ").length <= 5;
}
