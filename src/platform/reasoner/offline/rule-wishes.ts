/** When a wish, a preference, a need or a dislike states a rule by itself. */

import { hasOutputPlace, hasTime, isMomentary, pointing } from "./occasions";
import { outputs } from "./outputs";
import type { Part, Reading } from "./reading";
import { formOfAnswer, mentions, servesEachOwn, speaksOfAgentsActs } from "./rule-classes";
import type { Surroundings } from "./surroundings";

export function wishIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  return !momentary && !pointing.test(part.verbPhrase) && isGeneralWish(reading, part, around);
}

export function dislikeIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  return (
    !momentary &&
    (/\byou\b|\bbeing (?:[a-z]+ed|given|told|shown|sent|made)\b/i.test(reading.text) || around.followsAgent)
  );
}

export function preferenceIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (momentary) return false;
  if (
    /\b(?:'d|would)\b/i.test(reading.text) &&
    /^(?:use|give me) (?:an?|the|my) (?!.*(?:s|ing)\b)/i.test(part.verbPhrase) &&
    !formOfAnswer.test(part.verbPhrase) &&
    !around.benefitFollows
  )
    return false;
  if (
    /^(?:use|give me) ((?:[a-z]+ )?[a-z]+s)\b/i.test(part.verbPhrase) &&
    outputs.test(`any ${/^(?:use|give me) ((?:[a-z]+ )?[a-z]+s)\b/i.exec(part.verbPhrase)?.[1] ?? ""}`)
  )
    return true;
  return (
    part.rejected !== undefined ||
    around.followsAgent ||
    /^use (?!my\b|a\b|the\b)[a-z ]+s (?:in|as|by|with|without) /i.test(part.verbPhrase) ||
    /^(?:give|show|tell|send) me\b/i.test(part.verbPhrase) ||
    formOfAnswer.test(part.verbPhrase) ||
    (around.benefitFollows && /^[a-z]+ .+ (?:in|as|by|with|without|on|to) /i.test(part.verbPhrase))
  );
}

export function needIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (momentary || around.answersOffer) return false;
  if (around.followsAgent && around.goesStraight) return true;
  if (around.followsAgent && /\b(?:every|each|all|any|anything|everything)\b/i.test(part.verbPhrase))
    return true;
  if (!momentary && reading.conditions.length > 0 && hasTime(part, reading)) return true;
  if (
    around.followsAgent &&
    /\bi (?:just |already |specifically )?(?:asked|said|wanted)\b/i.test(reading.text) &&
    mentions(around.agentText, part.verbPhrase.replace(/,.*$/s, "").replace(/^offer (?:the |an? )?/i, ""))
  )
    return true;
  return (
    !momentary &&
    around.followsAgent &&
    (reading.openers.refuses || (reading.openers.interrupts && around.pushesBack))
  );
}

export function wantIsRule(reading: Reading, part: Part): boolean {
  const momentary = isMomentary(reading, part);
  if (
    !momentary &&
    /^(?:show|tell|give) me\b|^provide\b/i.test(part.verbPhrase) &&
    hasTime(part, reading) &&
    speaksOfAgentsActs(part, reading)
  )
    return true;
  if (
    !momentary &&
    /\bneed (?:you|y'all) to\b/i.test(reading.text) &&
    (hasTime(part, reading) || servesEachOwn(part))
  )
    return true;
  const every = /^provide (?:all|every|each|any) (?:the )?((?:[a-z-]+ )?[a-z-]+) (?:in|with|as)\s/i.exec(
    part.verbPhrase,
  )?.[1];
  if (!momentary && every !== undefined && outputs.test(`any ${every}`)) return true;
  return (
    !momentary &&
    (hasOutputPlace(part, reading) ||
      (/^provide\b/i.test(part.verbPhrase) &&
        part.conditions.some(
          (condition) =>
            condition.kind !== "place" &&
            /^(?:you|i ask|i report|i complain|i request)\b/i.test(condition.body),
        ) &&
        hasTime(part, reading)) ||
      reading.conditions.some((condition) => /^any\b/i.test(condition.body)))
  );
}

/** The wish is said to make reading or working easier, so it is about the manner of the answers. */
const savesTheUser =
  /\b(?:sav(?:e|es) (?:me|us)|spar(?:e|es) (?:me|us)|(?:easier|clearer|quicker|simpler|harder) (?:for (?:me|us) )?to (?:follow|read|understand|check|find|scan|compare|see|keep|digest|review|use))\b/i;

function isGeneralWish(reading: Reading, part: Part, around: Surroundings): boolean {
  if (/^give me an? /i.test(part.verbPhrase) && hasTime(part, reading)) return true;
  if (
    /^(?:make sure that|put (?:all |each |every |the )?[a-z -]+?s (?:at|in|on|first|last|next|before|after|above|below|up|together|separate)) /i.test(
      `${part.verbPhrase} `,
    )
  )
    return true;
  if (/\b(?:when|if) i (?:can |could )?(?:also )?(?:see|saw|read)\b/i.test(reading.text))
    return /^show me\b/i.test(part.verbPhrase);
  if (/\b(?:when|if) you\b/i.test(reading.text) && !/\bif you (?:could|would|can)\b/i.test(reading.text))
    return true;
  if (savesTheUser.test(reading.text) && !/^[a-z]+ (?:me|us) (?:a|an|the|my)\b/i.test(part.verbPhrase))
    return true;
  if (/^write [a-z -]+s (?:with|without|so that)\b/i.test(part.verbPhrase)) return true;
  if (/\brather\b|\bprefer\b/i.test(reading.text)) return true;
  if (part.polarity === "avoid") return around.followsAgent;
  return reading.openers.shiftsTopic && around.underHeading
    ? true
    : around.benefitFollows || reading.durability === "general";
}
