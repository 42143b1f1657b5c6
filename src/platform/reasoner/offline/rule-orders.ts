/** When an order, a ban or a request states a rule by itself. */

import { appliesEach, hasOutputPlace, hasPluralPlace, hasTime, isMomentary, pointing } from "./occasions";
import type { Part, Reading } from "./reading";
import {
  bitByBit,
  contacts,
  endsHabit,
  expresses,
  expressive,
  mentions,
  servesEachOwn,
  skips,
  speaksOfAgentsActs,
  writesOutput,
} from "./rule-classes";
import type { Surroundings } from "./surroundings";

export function banIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  if (/^you (?:do not|don't)\b/i.test(reading.openers.rest))
    return around.followsAgent && reading.openers.refuses && !pointing.test(part.verbPhrase);
  const momentary = isMomentary(reading, part);
  if (endsHabit(reading, part)) return !pointing.test(part.verbPhrase);
  if (momentary) return false;
  if (
    around.followsAgent &&
    around.pushesBack &&
    (speaksOfAgentsActs(part, reading) || hasTime(part, reading))
  )
    return true;
  if (/^[a-z]+ so (?:many|much)\b/i.test(part.verbPhrase)) return true;
  if (
    /^(?:give|show|send|offer|ask|quote|read) (?:me|us) (?!this\b|yes\b)(?:[a-z]+ )?[a-z]+s\b(?! (?:to|for|this|that|today))/i.test(
      part.verbPhrase,
    )
  )
    return true;
  if (
    /^(?:translate|rename|abbreviate|capitali[sz]e|convert|round|shorten|paraphrase|reword|rephrase|reformat|hyphenate|indent|reorder|spell out) (?:the |any |my |our )?(?:[a-z-]+ ){0,2}[a-z]{3,}s\b/i.test(
      part.verbPhrase,
    ) &&
    reading.parts.some(
      (other) => other.polarity === "do" && /^(?:leave|keep|write|use|quote)\b/i.test(other.verbPhrase),
    )
  )
    return true;
  if (/^(?:put|write|type|format|answer|mark|spell) everything (?:in|as|with)\b/i.test(part.verbPhrase))
    return true;
  if (around.followsAgent && /^use [\ue100-\ue1ff]/.test(part.verbPhrase)) return true;
  if (
    around.followsAgent &&
    !around.answersOffer &&
    /\b(?:everything|all [a-z ]{0,20}|so (?:many|much) [a-z ]{0,20}|[a-z]+s) ?at once\b/i.test(
      part.verbPhrase,
    )
  )
    return true;
  if (hasPluralPlace(part, reading)) return true;
  if (around.followsBlame && /^do that$/i.test(part.verbPhrase)) return true;
  if (pointing.test(part.verbPhrase)) return false;
  if (
    around.followsAgent &&
    /\b(?:anything|anyone|anybody|any [a-z]+)\b/i.test(part.verbPhrase) &&
    !around.answersOffer
  )
    return true;
  if (/^you\b/i.test(reading.openers.rest) || /\bspare (?:me|us)\b/i.test(reading.text))
    return (
      around.followsAgent ||
      (/^you(?:'re)? (?:just )?(?:keep|kept|constantly|always|forever|still)\b/i.test(reading.openers.rest) &&
        expressive.test(part.verbPhrase) &&
        reading.parts.some((other) => other.polarity === "do" && !pointing.test(other.verbPhrase)))
    );
  if (around.answersOffer) return false;
  if (
    around.followsAgent &&
    /\b(?:me|us)\b/i.test(part.verbPhrase) &&
    /\b(?:an?|any) [a-z]|\b(?:to|with|about|at|on|in) [a-z-]+s\b/i.test(part.verbPhrase) &&
    mentions(around.agentText, part.verbPhrase.replace(/^[a-z]+ (?:me|us)/i, ""))
  )
    return true;
  if (/\b(?:like you did|like that|like last time|as you did|again)\b/i.test(reading.text))
    return around.followsAgent;
  if (
    part.conditions.some(
      (condition) => condition.kind === "place" && /^(?:in|on|for|across|within)\b/i.test(condition.body),
    )
  )
    return true;
  return (around.followsAgent && (around.pushesBack || around.alternativeFollows)) || hasTime(part, reading);
}

export function orderIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (momentary) return false;
  if (
    around.followsAgent &&
    /^(?:keep|make) (?:it|this|things|your [a-z]+) (?:short|brief|concise|simple|terse|plain|formal|informal)\b/i.test(
      part.verbPhrase,
    )
  )
    return true;
  if (pointing.test(part.verbPhrase))
    return (
      hasOutputPlace(part, reading) ||
      hasTime(part, reading) ||
      servesEachOwn(part) ||
      (part.rejected !== undefined && reading.durability === "general") ||
      (hasPluralPlace(part, reading) && reading.conditions.length > 0) ||
      (around.followsAgent && around.pushesBack && speaksOfAgentsActs(part, reading)) ||
      (/^(?:do|use|apply|follow)\b/i.test(part.verbPhrase) && reading.durability === "general")
    );
  if (
    writesOutput.test(part.verbPhrase) ||
    (contacts.test(part.verbPhrase) &&
      (part.rejected !== undefined || /\bfor (?:anything|everything|all|any|every) /i.test(reading.text)))
  )
    return true;
  if (hasTime(part, reading)) return true;
  if (
    around.followsAgent &&
    !around.answersOffer &&
    (/^be (?:more )?(?:specific|precise|exact|brief|concise|direct|honest|clear|frank|blunt)\b/i.test(
      part.verbPhrase,
    ) ||
      /^(?:speak|write|answer|reply|talk|respond)(?: to (?:me|us))? in [A-Z][a-z]+(?:$|,)/.test(
        part.verbPhrase,
      ))
  )
    return true;
  if (
    /^use [A-Za-z0-9.+#-]+ for (?:the |our |all |my )?[a-z-]+s\b/i.test(part.verbPhrase) &&
    /^(?!the\b|this\b|that\b|an?\b|my\b)[A-Za-z0-9.+#-]+$/.test(part.rejected ?? "")
  )
    return true;
  if (around.followsAgent && /^keep to (?:an?|one|two|three|four|five|\d+) /i.test(part.verbPhrase))
    return true;
  if (
    around.followsAgent &&
    /^(?:include|add|put|give|show|use|label|state|mark|list|name|mention|quote|note|cite|attach|explain)\b/i.test(
      part.verbPhrase,
    ) &&
    reading.conditions.some(
      (condition) =>
        condition.kind === "place" && /^(?:any|every|each|all) (?!of\b)[a-z]/i.test(condition.body),
    )
  )
    return true;
  if (
    around.declinesOffered &&
    /^(?:suggest|recommend|offer|propose|list|show|use|name)\b/i.test(part.verbPhrase)
  )
    return true;
  if (part.polarity === "avoid" && around.followsAgent && !around.answersOffer)
    return around.pushesBack || around.alternativeFollows;
  if (around.followsAgent && around.pushesBack && speaksOfAgentsActs(part, reading)) return true;
  if (
    around.followsAgent &&
    around.pushesBack &&
    /\s(?:in|on|for|to|with|from) (?:all|every|each|any) /i.test(part.verbPhrase)
  )
    return true;
  if (/^only [a-z-]+ (?:[a-z-]+ )?[a-z-]{3,}s\b/i.test(part.verbPhrase) && reading.durability === "general")
    return true;
  if (skips.test(part.verbPhrase) && around.followsAgent && !around.answersOffer && around.goesStraight)
    return true;
  if (around.followsAgent && bitByBit.test(part.verbPhrase)) return true;
  if (servesEachOwn(part)) return true;
  if (hasOutputPlace(part, reading) || appliesEach(part)) return true;
  if (hasPluralPlace(part, reading) && (around.followsAgent || reading.conditions.length > 0)) return true;
  if (
    around.benefitFollows &&
    around.followsAgent &&
    !around.answersOffer &&
    /^(?:leave out|skip|omit|drop|hide|cut|lose|spare)\b/i.test(part.verbPhrase)
  )
    return true;
  if (part.rejected !== undefined && (reading.durability === "general" || speaksOfAgentsActs(part, reading)))
    return true;
  if (/^[a-z]+ing (?:[a-z]+ )?(?!this\b)[a-z]+s$/i.test(part.rejected ?? "")) return true;
  if (
    /^[a-z]+ing\b/i.test(part.rejected ?? "") &&
    /^[a-z]+ (?!this\b|us\b|yes\b)[a-z]+s\b/i.test(part.verbPhrase)
  )
    return true;
  if (around.followsAgent && /^[a-z]+ing (?:me|us)\b/i.test(part.rejected ?? "")) return true;
  if (
    around.followsAgent &&
    !around.answersOffer &&
    /^(?:give|send|show|offer|suggest|recommend) (?:me |us )?(?:an? )?[a-z]/i.test(part.verbPhrase) &&
    /^(?:an? (?!.*\bone\b)|(?!the\b|this\b|that\b|my\b)[a-z-]+s\b)/i.test(part.rejected ?? "") &&
    mentions(around.agentText, part.rejected ?? "")
  )
    return true;
  if (part.rejected !== undefined && around.followsAgent)
    return (
      expressive.test(part.verbPhrase) && (around.pushesBack || mentions(around.agentText, part.rejected))
    );
  return false;
}

export function requestIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const momentary = isMomentary(reading, part);
  if (momentary) return false;
  if (around.followsAgent && /^[a-z]+ing (?:me|us)\b/i.test(part.rejected ?? "")) return true;
  if (hasTime(part, reading) || servesEachOwn(part)) return true;
  if (
    around.followsAgent &&
    !around.answersOffer &&
    (bitByBit.test(part.verbPhrase) ||
      expresses.test(part.verbPhrase) ||
      /^(?:explain|describe|present|illustrate|write|format|list|mark|introduce|define|label|number|phrase|word) (?!me\b|us\b|the\b|my\b|these\b|those\b|this\b|that\b|our\b|it\b)(?:[a-z-]+ )?[a-z]+s (?:with|in|as|by|using|through|like)\b/i.test(
        part.verbPhrase,
      ))
  )
    return true;
  if (
    (expressive.test(part.verbPhrase) ||
      /^(?:keep|give|include|add|put|mark|list|limit)\b/i.test(part.verbPhrase)) &&
    /\b(?:all|every|each|any) (?!(?:of )?(?:the|my|our|these|those)\b)[a-z]/i.test(part.verbPhrase)
  )
    return true;
  if (part.polarity === "avoid" && /^[a-z]+ so (?:many|much)\b/i.test(part.verbPhrase)) return true;
  if (around.benefitFollows) return !pointing.test(part.verbPhrase) || part.verbPhrase.split(" ").length > 3;
  if (part.polarity === "avoid" && /\b(?:stop|quit)\s+[a-z-]+ing\b/i.test(reading.text))
    return (
      around.followsAgent ||
      /^[a-z]+ (?!this\b|that\b|the\b|my\b|yes\b)(?:me |us )?(?:[a-z-]+ )?[a-z]{3,}s\b/i.test(part.verbPhrase)
    );
  return (
    around.followsAgent &&
    around.wasInterrupted &&
    !/^(?:check|tell|find|see|look|get|send|call|do|explain (?:that|this|why|what))\b/i.test(part.verbPhrase)
  );
}
