/** When a sentence that says it lasts states a rule. */

import { clockOrDate } from "./occasions";
import type { Part, Reading } from "./reading";
import { expressive } from "./rule-classes";
import type { Surroundings } from "./surroundings";

/** As `isRule`, for a sentence that says it lasts: "from now on", "always". */
export function lastingIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const saysSo = reading.durability === "lasting";
  if (part.frame === "need" || part.frame === "want")
    return saysSo || /\b(?:always|never|every|each|any|whenever)\b/i.test(reading.text);
  if (part.frame === "fragment")
    return (saysSo || /,\s*always\b|\b(?:always|ever)\W*$/i.test(reading.text)) && !reading.isQuestion;
  if (part.frame === "contrast") return !clockOrDate.test(part.verbPhrase);
  if (part.frame === "practice")
    return (
      part.rejected !== undefined ||
      (part.polarity === "avoid" && expressive.test(part.verbPhrase)) ||
      around.followsAgent ||
      /\bhere\b|\bthis\b/i.test(reading.text)
    );
  if (part.frame === "custom") return around.followsAgent && (around.pushesBack || saysSo);
  if (part.frame === "norm")
    return (
      saysSo ||
      reading.conditions.some((condition) => /^(?:in|at|on|for) (?:this|our)\b/i.test(condition.body)) ||
      /\b(?:must|should|need|needs|have to|has to|never|always)\b/i.test(part.verbPhrase)
    );
  if (part.frame === "request" && !saysSo) return isClearRequest(reading, around);
  return true;
}

const serving =
  /\b(?:include|add|show|explain|send|give|use|write|format|check|ask|cite|tell|keep|start|put|list|confirm|mention|provide|reply|answer|present|quote|convert|round|warn|remind|number|label|summari[sz]e|verify|avoid|mark|attach|link|state|note|spell|break|walk|begin|end|call|offer|leave|make|address|translate|highlight|review|group|sort)\b/i;

/** "Can you always park there?" asks for a fact; a request speaks of the agent's own work. */
function isClearRequest(reading: Reading, around: Surroundings): boolean {
  if (
    /^(?:could|would|will)\b/i.test(reading.openers.rest) ||
    /\b(?:please|me|my|us|our|i|i'm|instead)\b/i.test(reading.text)
  )
    return true;
  return serving.test(reading.text) || around.benefitFollows;
}
