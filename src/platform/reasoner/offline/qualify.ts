/** Decides whether a sentence states a rule by itself, and how sure its surroundings must be. */

import type { Frame } from "./directive";
import { isMomentary } from "./occasions";
import type { Part, Reading } from "./reading";
import { endsHabit, explains, humanSubject } from "./rule-classes";
import { dialogueIsRule } from "./rule-dialogue";
import { lastingIsRule } from "./rule-lasting";
import { banIsRule, orderIsRule, requestIsRule } from "./rule-orders";
import { contrastIsRule, customIsRule, fragmentIsRule, normIsRule, practiceIsRule } from "./rule-statements";
import { dislikeIsRule, needIsRule, preferenceIsRule, wantIsRule, wishIsRule } from "./rule-wishes";
import type { Surroundings } from "./surroundings";

/** The agent is to act of its own accord, which only makes sense for the next time too. */
const unasked =
  /\bwithout (?:me|us|my|our) (?:having to )?(?:ask|request|chas|remind|prompt)\w*|\bwithout being (?:asked|told|prompted|reminded)|\b(?:proactively|unprompted|unasked|of your own accord)\b|\bbefore i (?:have to |need to )?ask\b/i;

const judges: Partial<Record<Frame, typeof banIsRule>> = {
  ban: banIsRule,
  order: orderIsRule,
  duty: orderIsRule,
  request: requestIsRule,
  wish: wishIsRule,
  dislike: dislikeIsRule,
  preference: preferenceIsRule,
  practice: practiceIsRule,
  custom: customIsRule,
  need: needIsRule,
  norm: normIsRule,
  want: wantIsRule,
  contrast: contrastIsRule,
  fragment: fragmentIsRule,
};

/** True when `part` of `reading` is a rule where it stands. */
export function isRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const lasts = reading.durability === "lasting" || reading.durability === "habitual";
  if (part.frame === "praise" || /^[a-z]+ (?:it )?like (?:that|this)$/i.test(part.verbPhrase)) return false;
  if (
    reading.isQuestion &&
    part.frame !== "request" &&
    part.frame !== "wish" &&
    !(lasts && /^(?:can|could|would|will|do|may)\b/i.test(reading.openers.rest))
  )
    return false;
  if (
    part.frame === "norm" &&
    around.followsAgent &&
    reading.openers.refuses &&
    /\b(?:must not|mustn't|should not|shouldn't|should never|must never|can't|cannot)\b.*\b(?:from|by) you\b/i.test(
      reading.text,
    )
  )
    return true;
  if (
    part.frame === "norm" &&
    around.followsAgent &&
    reading.openers.refuses &&
    (/^(?:nothing|everything|no)\b/i.test(part.verbPhrase) || reading.durability === "general")
  )
    return true;
  if (part.frame === "norm" && humanSubject.test(part.verbPhrase)) return false;
  if (around.followsAgent && !around.answersOffer && reading.durability !== "momentary") {
    const isAsked =
      part.frame === "order" || part.frame === "request" || part.frame === "wish" || part.frame === "duty";
    if (isAsked && part.polarity === "do" && unasked.test(reading.text) && !isMomentary(reading, part))
      return true;
    if (isAsked && part.polarity === "do" && around.statesLevel && explains.test(part.verbPhrase))
      return true;
    if (
      isAsked &&
      part.polarity === "do" &&
      around.objectsToDeflection &&
      /^(?:look|check|find out|find it out|track|trace|search|pull up|investigate|look into|use whatever|go through|walk me)\b|^(?:get|ask|call|contact|request|do|arrange|sort|handle|take)\b.*\byoursel(?:f|ves)\b/i.test(
        part.verbPhrase,
      )
    )
      return true;
  }
  if (around.underHeading)
    return part.frame !== "fragment" || part.polarity === "avoid" || reading.sentence.startsBlock;
  if (lasts) return lastingIsRule(reading, part, around);
  if (reading.durability === "momentary" && !endsHabit(reading, part)) return false;
  return (judges[part.frame]?.(reading, part, around) ?? false) || dialogueIsRule(reading, part, around);
}
