/** When a statement or a scrap states a rule by itself: "labels are printed in black", "no tables". */

import { isMomentary } from "./occasions";
import { outputs } from "./outputs";
import type { Part, Reading } from "./reading";
import { bitByBit, channel, mentions, shapeOfText } from "./rule-classes";
import type { Surroundings } from "./surroundings";

export function practiceIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  return part.rejected !== undefined
    ? !momentary && (around.followsAgent || reading.durability === "general")
    : reading.durability === "general";
}

export function customIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  return !momentary && around.followsAgent && around.pushesBack;
}

export function normIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (
    !momentary &&
    !reading.isQuestion &&
    outputs.test(
      `any ${/^((?:[a-z-]+ ){1,3}?)(?:(?:to|for|from|in|on|about|with) (?:[a-z-]+ ){1,3}?)?(?:should|must|need to|have to)\b/i.exec(part.verbPhrase)?.[1]?.trim() ?? ""}`,
    ) &&
    /^[a-z-]+s\b|^[a-z-]+ [a-z-]+s\b/i.test(part.verbPhrase)
  )
    return true;
  if (
    !momentary &&
    around.followsAgent &&
    !around.answersOffer &&
    /\b(?:is|are) (?:quite |more than |perfectly )?(?:enough|plenty|sufficient|fine)(?: for (?!me\b|us\b|now\b|today\b|that\b|this\b|it\b)[a-z]|$)/i.test(
      part.verbPhrase,
    ) &&
    /\s(?:in|for) (?!the\b|this\b|my\b)[a-z]/i.test(part.verbPhrase)
  )
    return true;
  if (
    !momentary &&
    !reading.isQuestion &&
    /,\s*(?:never|not)\s/i.test(part.verbPhrase) &&
    reading.conditions.some((condition) => /^(?:in|at|on|for) (?:this|our)\b/i.test(condition.body))
  )
    return true;
  if (
    !momentary &&
    around.followsAgent &&
    !around.answersOffer &&
    !reading.isQuestion &&
    /^(?!this\b|yes\b|things\b)(?:[a-z-]+ )?[a-z-]{3,}s (?:should|must|need to|have to|ought to) (?:always |never |not |only |all )?[a-z]+/i.test(
      part.verbPhrase,
    )
  )
    return true;
  return (
    !momentary &&
    reading.durability === "general" &&
    /\b(?:must|need to|needs to|have to|has to)\b/i.test(part.verbPhrase) &&
    !reading.isQuestion
  );
}

export function contrastIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (
    /\bi (?:just |already )?(?:said|told you|asked for)\b/i.test(reading.text) &&
    part.rejected !== undefined &&
    mentions(around.agentText, part.rejected)
  )
    return !momentary;
  if (
    !momentary &&
    reading.conditions.some((condition) => /^(?:in|at|on|for) (?:this|our)\b/i.test(condition.body))
  )
    return true;
  return (
    !momentary &&
    around.followsAgent &&
    !around.answersOffer &&
    part.rejected !== undefined &&
    !/\b(?:the|this|that|one)\b|[A-Z0-9]/.test(
      `${part.verbPhrase.replace(/^use [A-Z]/, "use ")} ${part.rejected}`,
    ) &&
    (mentions(around.agentText, part.rejected) || (around.isWholeTurn && !/\?\s*$/.test(around.agentText)))
  );
}

export function fragmentIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (around.followsAgent && !around.answersOffer && !momentary) {
    const text = /^use (?:all )?((?:[a-z-]+ )?[a-z]+s) (?:in|as|with|without) /i.exec(part.verbPhrase)?.[1];
    if (part.polarity === "do" && text !== undefined && outputs.test(`any ${text}`)) return true;
    if (part.polarity === "do" && bitByBit.test(part.verbPhrase)) return true;
    if (part.polarity === "avoid" && channel.test(part.verbPhrase)) return true;
  }
  if (
    around.followsAgent &&
    part.polarity === "do" &&
    !momentary &&
    /^use [a-z -]{3,40} (?:for|in|on|with) (?:anything|everything|every|each|all|any)\b/i.test(
      part.verbPhrase,
    )
  )
    return true;
  return (
    around.followsAgent &&
    !around.answersOffer &&
    part.polarity === "avoid" &&
    (/\byour\b/i.test(part.verbPhrase) || shapeOfText.test(part.verbPhrase) || around.goesStraight)
  );
}
