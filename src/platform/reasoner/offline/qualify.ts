/** Decides whether a sentence states a rule by itself, and how sure its surroundings must be. */

import {
  appliesEach,
  clockOrDate,
  hasOutputPlace,
  hasPluralPlace,
  hasTime,
  isMomentary,
  outputs,
  pointing,
} from "./occasions";
import type { Part, Reading } from "./reading";

export interface Surroundings {
  /** The agent said something before this turn in the window. */
  readonly followsAgent: boolean;
  /** The agent's last words offered to do something. */
  readonly answersOffer: boolean;
  /** The turn or its preceding sentence refuses, stops or criticises. */
  readonly pushesBack: boolean;
  /** The turn is this sentence and nothing else. */
  readonly isWholeTurn: boolean;
  /** This sentence or one of the two before it stops the agent: "hold on". */
  readonly wasInterrupted: boolean;
  /** A heading made rules of what follows. */
  readonly underHeading: boolean;
  /** The next sentence says what good it does. */
  readonly benefitFollows: boolean;
  /** The next sentence, or this one, says what to do instead. */
  readonly alternativeFollows: boolean;
  /** The next sentence, or this one, names the bare thing wanted: "straight to the answer", "just the steps". */
  readonly goesStraight: boolean;
  /** The sentence before says what the agent keeps doing: "you keep sending Word files". */
  readonly followsBlame: boolean;
  /** The text of the agent's preceding turn, lower case. */
  readonly agentText: string;
}

const expressive =
  /^(?:use|run|write|say|call|spell|quote|show|express|measure|install|deploy|test|format|build|ship|log|store|sign|address|cite|round|convert|report|present|speak|answer|reply|respond|start|end|open|refer|name|label|count|write)\b/i;
function endsHabit(reading: Reading, part: Part): boolean {
  return (
    part.polarity === "avoid" &&
    /\b(?:stop|quit|cease|no more|enough|cut out|knock off|lay off|give up)\b/i.test(reading.text) &&
    part.frame === "ban"
  );
}

const humanSubject =
  /^(?:all |the |our |my )*(?:residents|guests|students|pupils|visitors|employees|staff|users|customers|passengers|members|everyone|people|kids|children|tenants|drivers|patients|players|applicants|candidates|volunteers|parents|teachers|nurses|doctors|someone|nobody|men|women)\b/i;

/** "out of every transcript you prepare", "for anything you install": each of the agent's own works. */
const ownWork =
  /\b(?:every|each|any|all) (?:of the )?(?:[a-z-]+ ){1,3}?(?:that |which )?you (?!can\b|could\b|want\b|like\b|have\b|need\b|see\b|know\b)[a-z]{3,}\b|\b(?:anything|everything|whatever|anyone|everyone) (?:that |which )?you (?!can\b|could\b|want\b|like\b|have\b|need\b|see\b|know\b|think\b|say\b)[a-z]{3,}\b/i;

const skips = /^(?:skip|leave out|omit|drop|cut|lose|spare) (?:all |me )?(?:the |your )?(?!second\b|first\b|third\b|last\b|one\b|next\b)[a-z]/i;

/** "before you tell me", "when you work out my balance": said while correcting, it means every time. */
function speaksOfAgentsActs(part: Part, reading: Reading): boolean {
  return [...part.conditions, ...reading.conditions].some(
    (condition) =>
      condition.kind !== "place" &&
      /^you(?:'re| are)? (?!get\b|have\b|had\b|can\b|could\b|free\b|done\b|ready\b|finish\b|leave\b|go\b|come\b|arrive\b|see\b|hear\b|did\b|were\b|like\b|want\b|wish\b|think\b|know\b)[a-z]/i.test(
        condition.body,
      ) &&
      !clockOrDate.test(condition.body),
  );
}

function servesEachOwn(part: Part): boolean {
  return ownWork.test(part.verbPhrase);
}

/** What a preference about answers speaks of. */
const formOfAnswer =
  /\b(?:version|summary|answers?|repl(?:y|ies)|details?|lists?|tables?|bullets?|bullet points?|figures?|examples?|headline|conclusion|explanations?|steps?|options?|dates?|units?|wording|format|spelling|prose)\b/i;

/** "No tables", "no emojis": never a thing one orders or buys. */
const shapeOfText =
  /^use (?:more |any |the |those |these )?(?:tables|emojis?|smileys|bullets|bullet points|bulleted lists?|headings|headers|jargon|acronyms|abbreviations|preambles?|intros?|filler|fluff|waffle|disclaimers?|caveats|apologies|exclamation (?:marks|points)|all caps|capitals|small talk|pleasantries|greetings?|sign-?offs?|markdown|footnotes|asterisks|hashtags|essays?|lectures?|walls? of text|flattery|slang|puns|jokes|clich[eé]s|buzzwords|passive(?: voice)?|sarcasm)$/i;

const writesOutput =
  /^(?:write|start|end|open|begin|close|sign|format|number|label|present|caption|date|title|draft|transpose|cite|structure|phrase|word)\s+(?:every|each)\s/i;
const contacts =
  /^(?:message|text|e-?mail|call|phone|ring|contact|reach|write to|notify|update|ping|dm)\s+(?:me|us)\b/i;

/** True when `part` of `reading` is a rule where it stands. */
export function isRule(reading: Reading, part: Part, around: Surroundings): boolean {
  const lasts = reading.durability === "lasting" || reading.durability === "habitual";
  if (part.frame === "praise") return false;
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
    /\b(?:must not|mustn't|should not|shouldn't|should never|must never|can't|cannot)\b.*\b(?:from|by) you\b/i.test(reading.text)
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
  if (around.underHeading)
    return part.frame !== "fragment" || part.polarity === "avoid" || reading.sentence.startsBlock;
  if (lasts) return lastingIsRule(reading, part, around);
  if (reading.durability === "momentary" && !endsHabit(reading, part)) return false;
  const momentary = isMomentary(reading, part);
  switch (part.frame) {
    case "ban":
      if (endsHabit(reading, part)) return !pointing.test(part.verbPhrase);
      if (momentary) return false;
      if (around.followsAgent && around.pushesBack && (speaksOfAgentsActs(part, reading) || hasTime(part, reading)))
        return true;
      if (/^[a-z]+ so (?:many|much)\b/i.test(part.verbPhrase)) return true;
      if (around.followsBlame && /^do that$/i.test(part.verbPhrase)) return true;
      if (pointing.test(part.verbPhrase)) return false;
      if (
        around.followsAgent &&
        /\b(?:anything|anyone|anybody|any [a-z]+)\b/i.test(part.verbPhrase) &&
        !around.answersOffer
      )
        return true;
      if (/^you\b/i.test(reading.openers.rest) || /\bspare (?:me|us)\b/i.test(reading.text))
        return around.followsAgent;
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
      return (
        (around.followsAgent && (around.pushesBack || around.alternativeFollows)) || hasTime(part, reading)
      );
    case "order":
    case "duty":
      if (momentary) return false;
      if (pointing.test(part.verbPhrase))
        return (
          hasOutputPlace(part, reading) ||
          hasTime(part, reading) ||
          (hasPluralPlace(part, reading) && reading.conditions.length > 0) ||
          (around.followsAgent && around.pushesBack && speaksOfAgentsActs(part, reading)) ||
          (/^(?:do|use|apply|follow)\b/i.test(part.verbPhrase) && reading.durability === "general")
        );
      if (
        writesOutput.test(part.verbPhrase) ||
        (contacts.test(part.verbPhrase) && part.rejected !== undefined)
      )
        return true;
      if (hasTime(part, reading)) return true;
      if (part.polarity === "avoid" && around.followsAgent && !around.answersOffer)
        return around.pushesBack || around.alternativeFollows;
      if (around.followsAgent && around.pushesBack && speaksOfAgentsActs(part, reading)) return true;
      if (around.followsAgent && around.pushesBack && /\s(?:in|on|for|to|with|from) (?:all|every|each|any) /i.test(part.verbPhrase))
        return true;
      if (/^only [a-z-]+ (?:[a-z-]+ )?[a-z-]{3,}s\b/i.test(part.verbPhrase) && reading.durability === "general") return true;
      if (skips.test(part.verbPhrase) && around.followsAgent && !around.answersOffer && around.goesStraight) return true;
      if (servesEachOwn(part)) return true;
      if (hasOutputPlace(part, reading) || appliesEach(part)) return true;
      if (hasPluralPlace(part, reading) && (around.followsAgent || reading.conditions.length > 0))
        return true;
      if (
        around.benefitFollows &&
        around.followsAgent &&
        !around.answersOffer &&
        /^(?:leave out|skip|omit|drop|hide|cut|lose|spare)\b/i.test(part.verbPhrase)
      )
        return true;
      if (part.rejected !== undefined && reading.durability === "general") return true;
      if (/^[a-z]+ing (?:[a-z]+ )?(?!this\b)[a-z]+s$/i.test(part.rejected ?? "")) return true;
      if (part.rejected !== undefined && around.followsAgent)
        return (
          expressive.test(part.verbPhrase) && (around.pushesBack || mentions(around.agentText, part.rejected))
        );
      return false;
    case "request":
      if (momentary) return false;
      if (hasTime(part, reading) || servesEachOwn(part)) return true;
      if (
        (expressive.test(part.verbPhrase) || /^(?:keep|give|include|add|put|mark|list|limit)\b/i.test(part.verbPhrase)) &&
        /\b(?:all|every|each|any) (?!(?:of )?(?:the|my|our|these|those)\b)[a-z]/i.test(part.verbPhrase)
      )
        return true;
      if (around.benefitFollows)
        return !pointing.test(part.verbPhrase) || part.verbPhrase.split(" ").length > 3;
      if (part.polarity === "avoid" && /\b(?:stop|quit)\s+[a-z-]+ing\b/i.test(reading.text))
        return around.followsAgent;
      return (
        around.followsAgent &&
        around.wasInterrupted &&
        !/^(?:check|tell|find|see|look|get|send|call|do|explain (?:that|this|why|what))\b/i.test(
          part.verbPhrase,
        )
      );
    case "wish":
      return !momentary && !pointing.test(part.verbPhrase) && isGeneralWish(reading, part, around);
    case "dislike":
      return !momentary && (/\byou\b|\bbeing (?:[a-z]+ed|given|told|shown|sent|made)\b/i.test(reading.text) || around.followsAgent);
    case "preference":
      if (momentary) return false;
      return (
        part.rejected !== undefined ||
        around.followsAgent ||
        /^use (?!my\b|a\b|the\b)[a-z ]+s (?:in|as|by|with|without) /i.test(part.verbPhrase) ||
        /^(?:give|show|tell|send) me\b/i.test(part.verbPhrase) ||
        formOfAnswer.test(part.verbPhrase) ||
        (around.benefitFollows && /^[a-z]+ .+ (?:in|as|by|with|without|on|to) /i.test(part.verbPhrase))
      );
    case "practice":
      return part.rejected !== undefined
        ? !momentary && (around.followsAgent || reading.durability === "general")
        : reading.durability === "general";
    case "need":
      if (momentary || around.answersOffer) return false;
      if (around.followsAgent && /\b(?:every|each|all|any|anything|everything)\b/i.test(part.verbPhrase)) return true;
      if (!momentary && reading.conditions.length > 0 && hasTime(part, reading)) return true;
      return (
        !momentary &&
        around.followsAgent &&
        (reading.openers.refuses || (reading.openers.interrupts && around.pushesBack))
      );
    case "norm":
      if (
        !momentary &&
        !reading.isQuestion &&
        outputs.test(
          `any ${/^((?:[a-z-]+ ){1,3}?)(?:(?:to|for|from|in|on|about|with) (?:[a-z-]+ ){1,3}?)?(?:should|must|need to|have to)\b/i.exec(part.verbPhrase)?.[1]?.trim() ?? ""}`,
        ) &&
        /^[a-z-]+s\b|^[a-z-]+ [a-z-]+s\b/i.test(part.verbPhrase)
      )
        return true;
      return (
        !momentary &&
        reading.durability === "general" &&
        /\b(?:must|need to|needs to|have to|has to)\b/i.test(part.verbPhrase) &&
        !reading.isQuestion
      );
    case "want":
      if (!momentary && /\bneed (?:you|y'all) to\b/i.test(reading.text) && (hasTime(part, reading) || servesEachOwn(part)))
        return true;
      return (
        !momentary &&
        (hasOutputPlace(part, reading) ||
          reading.conditions.some((condition) => /^any\b/i.test(condition.body)))
      );
    case "contrast":
      if (
        /\bi (?:just |already )?(?:said|told you|asked for)\b/i.test(reading.text) &&
        part.rejected !== undefined &&
        mentions(around.agentText, part.rejected)
      )
        return !momentary;
      if (!momentary && reading.conditions.some((condition) => /^(?:in|at|on|for) (?:this|our)\b/i.test(condition.body)))
        return true;
      return (
        !momentary &&
        around.followsAgent &&
        !around.answersOffer &&
        part.rejected !== undefined &&
        !/\b(?:the|this|that|one)\b|[A-Z0-9]/.test(
          `${part.verbPhrase.replace(/^use [A-Z]/, "use ")} ${part.rejected}`,
        ) &&
        (mentions(around.agentText, part.rejected) ||
          (around.isWholeTurn && !/\?\s*$/.test(around.agentText)))
      );
    case "fragment":
      return (
        around.followsAgent &&
        !around.answersOffer &&
        part.polarity === "avoid" &&
        (/\byour\b/i.test(part.verbPhrase) || shapeOfText.test(part.verbPhrase) || around.goesStraight)
      );
    default:
      return false;
  }
}

function lastingIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
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
  if (part.frame === "norm")
    return saysSo || /\b(?:must|should|need|needs|have to|has to|never|always)\b/i.test(part.verbPhrase);
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

/** The wish is said to make reading or working easier, so it is about the manner of the answers. */
const savesTheUser =
  /\b(?:sav(?:e|es) (?:me|us)|spar(?:e|es) (?:me|us)|(?:easier|clearer|quicker|simpler|harder) (?:for (?:me|us) )?to (?:follow|read|understand|check|find|scan|compare|see|keep|digest|review|use))\b/i;

function isGeneralWish(reading: Reading, part: Part, around: Surroundings): boolean {
  if (/^give me an? /i.test(part.verbPhrase) && hasTime(part, reading)) return true;
  if (/^make sure that /i.test(part.verbPhrase)) return true;
  if (/\b(?:when|if) you\b/i.test(reading.text) && !/\bif you (?:could|would|can)\b/i.test(reading.text))
    return true;
  if (savesTheUser.test(reading.text) && !/^[a-z]+ (?:me|us) (?:a|an|the|my)\b/i.test(part.verbPhrase)) return true;
  if (/^write [a-z -]+s (?:with|without|so that)\b/i.test(part.verbPhrase)) return true;
  if (/\brather\b|\bprefer\b/i.test(reading.text)) return true;
  if (part.polarity === "avoid") return around.followsAgent;
  return reading.openers.shiftsTopic && around.underHeading
    ? true
    : around.benefitFollows || reading.durability === "general";
}

function mentions(agentText: string, rejected: string): boolean {
  const words = rejected.toLowerCase().match(/[a-z0-9+#.-]{3,}/g) ?? [];
  return words.some((word) => agentText.includes(word));
}
