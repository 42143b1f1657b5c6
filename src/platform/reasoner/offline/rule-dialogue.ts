/**
 * What makes a rule once a conversation is under way: the user reacts to an answer the agent gave to
 * their own question, so a wish about the way of answering is about the next answers too.
 */

import { clockOrDate, isMomentary, pointing } from "./occasions";
import { pushesBack } from "./reactions";
import type { Part, Reading } from "./reading";
import { bitByBit, mentions } from "./rule-classes";
import type { Surroundings } from "./surroundings";

const praiseWords =
  "(?:good|great|fine|lovely|nice|perfect|relief|helpful|fair|right|correct|better|ok|okay|all|it|what i (?:wanted|needed)|exactly|clear|clearer|true|useful|brilliant|excellent|handy|a (?:good|great|nice|relief|lot|deal|start|big|huge|pity|shame|help))\\b";
/** "That's a shopping list", "this doesn't even run", "you changed my voice", "too many choices". */
const fault = new RegExp(
  [
    `^(?:that|this|those|these|it|which)(?:'s| is| are| was| were) (?!(?:really |very |much |so |just )?${praiseWords})`,
    "^(?:that|this|those|these|it|half|most|all|none|[^,.]{1,40}?) (?:doesn't|does not|don't|didn't|isn't|aren't|tells? me|says? nothing|means? nothing|could mean|leaves? me|misses|ignores)\\b",
    "^you(?:'ve| have)? (?:just |only |still |again |completely |already |also |even |simply )*(?!mentioned|asked|fixed|solved|helped|saved|sorted|explained|confirmed|handled|managed)(?:[a-z]+ed|gave|sent|left|forgot|told|wrote|put|made|took|cut|did|didn't|haven't|never|keep|kept|lost|chose)\\b",
    "\\byou (?:should|could|might|ought to)(?:'ve| have)\\b|\\bshouldn't have\\b|^why (?:did|didn't|do|don't|are|would|is|was)\\b",
    "\\bi(?:'ve| have)? (?:already |just |clearly |specifically )?(?:asked|said|told you|tried|searched|looked|read|checked|explained|wrote|gave you|sent you)\\b",
    "\\b(?:too (?:many|much|long|short|vague|technical|generic|late|[a-z]+)|way too|far too|not enough)\\b",
    "^who (?:told|asked) you\\b|^what (?:on earth|the (?:heck|hell)|does|do|is|are|makes you)\\b|\\bcould (?:be|mean) any(?:thing|time)?\\b|\\b(?:hard|tedious|tiring|tiresome|difficult|awkward|painful|impossible|a pain) (?:to|for)\\b|\\b(?:got|get|am|i'm) (?:totally |completely )?lost\\b|\\blost me\\b|, why\\?|\\bi (?:don't|do not|can't|cannot|couldn't) (?:follow|read|use|work|understand|see|tell|open|find|do|make|need|want|like|care|have|speak|know)\\b|\\bno (?:idea|clue) what\\b",
    "\\bi (?:shouldn't have to|hate|can't stand|nearly|almost|had to|only (?:noticed|found|saw|see|find))\\b",
    "\\b(?:useless|pointless|annoying|confusing|vague|unreadable|irrelevant|misleading|meaningless|generic|guesswork|guessing|overkill|jargon|gibberish|lecture|essay|novel|wall of)\\b",
    "^(?:no (?:time|patience|use) for|hm+|stop|no no|ouch|yikes|argh)\\b|\\bthough\\W*$",
    "\\bis (?:just |simply |really )?(?:an? )?(?:silly|bad|terrible|awful|ridiculous|dumb|poor|odd|strange|wrong)\\b|\\b(?:has|says|have) nothing\\b",
    "\\bnot (?:helpful|useful|what i|the point|an answer|how|again|very|interested|my)\\b",
  ].join("|"),
  "i",
);

/** True where a sentence of the turn finds fault with the agent's answer. */
export function findsFault(reading: Reading | undefined): boolean {
  return (
    reading !== undefined &&
    reading.veto !== "irony" &&
    reading.veto !== "hearsay" &&
    (pushesBack(reading) || fault.test(reading.openers.rest) || fault.test(reading.text))
  );
}

/** Verbs by which an answer is shaped or a way of working named; none that acts once on the world. */
const shapes =
  /^(?:only |just )?(?:tell|give|show|explain|say|rank|list|name|quote|write|use|keep|start|begin|open|put|include|check|look|read|ask|answer|reply|respond|mention|label|summari[sz]e|compare|confirm|be|skip|leave|omit|drop|speak|talk|call|describe|provide|let|stick|stay|state|mark|sort|group|break|spell|round|convert|translate|format|warn|verify|test|get|go|take|pick|choose|recommend|suggest|stop|lead|address|walk|point|highlight|note|count|fix|correct|limit|cite|link|paste|attach|follow|treat|assume|work|offer|make|wait|come|find|double-check)\b/i;
/** A thing of this moment: "tell me my balance", "give me the code for order 77". */
const particular =
  /\b(?:another|too|as well|one more|(?:my|our) (?:friends?|neighbou?r|wife|husband|partner|boss|colleague|mother|mum|father|dad|sister|brother|son|daughter)|right away|at once|my (?:order|account|balance|card|money|invoice|booking|ticket|case|name|number|flight|room|parcel|package|refund)|#\s?\d+|\d{3,})\b/i;
const formNoun =
  /\b(?:words?|english|language|sentences?|lines?|bullets?|steps?|click by click|figures?|numbers?|facts?|summary|answer|version|format|table|list|options?|recommendation|date|day|time|price|code|snippet|example|diff|headline|minimum|basics?|essentials?|short|brief|plain|simple|detail|pdf|csv|e-?mail|chat|paper|text|sms|phone|screenshots?|links?|units?|metric|celsius|euros?|pounds?|dollars?)\b/i;
const shapedHow =
  /\b(?:in|on|by|as|via|with|without|through|before|first|until|instead|not|only|one|short|brief|plain|simple|exact|actual|always|every|each)\b/i;
/** "…, I read this between patients", "…, my English is poor". */
const habitReason =
  /,\s+(?:because |since |as )?(?:half |most of |some of )?(?:i|we|my|our|the [a-z]+|they) (?!was\b|were\b|had\b|did\b|went\b|will\b|'ll\b|'m (?:going|about|off|leaving|late)\b|am (?:going|about|off)\b|have to (?:go|leave|run)\b|need it\b|need to\b|leave\b|guess\b|think\b)[a-z]/i;

/** "A text is better", "a diff would be more useful". */
const comparative =
  /\b(?:is|are|works?|suits?|would be|would help|would suit) (?:me |us )?(?:much |far |a lot |way )?(?:more than|better|easier|best|simpler|nicer|handier|clearer|quicker|more [a-z]+)\b/i;
/** "say it the way you'd say it to a baker": the manner matters, not the thing. */
const manner =
  /^be (?:a bit |a little |much )?(?:[a-z]+er|more [a-z]+|less [a-z]+)\b|^(?:say|put|explain|tell me|write|phrase|describe|word|show me|do|have|get) (?:it|that|this|them)\b.{0,8}\b(?:the way|like|as if|as you|in (?:[a-z]+ ){0,2}(?:words|english|terms|language|steps|bits|chunks|order|writing|one go)|without)\b/i;

/** "My accountant doesn't read German", "I file my bills": a lasting fact that gives the reason. */
const standingFact =
  /^(?:half |most of |some of )?(?:i|we|my|our) (?:[a-z-]+ )?(?:don't|doesn't|can't|cannot|never|always|only|is|are|works?|reads?|uses?|keeps?|files?|has|have(?! to\b)|needs?(?! to (?:go|leave)\b)|speaks?|lives?|share|copy|check|print)\b/i;

export function givesReason(reading: Reading | undefined): boolean {
  return (
    reading !== undefined &&
    reading.veto === null &&
    reading.durability !== "momentary" &&
    standingFact.test(reading.openers.rest)
  );
}

function isDirected(part: Part): boolean {
  return (
    part.frame === "order" ||
    part.frame === "request" ||
    part.frame === "wish" ||
    part.frame === "duty" ||
    part.frame === "want" ||
    part.frame === "preference" ||
    part.frame === "contrast" ||
    part.frame === "fragment"
  );
}

/** "No textbook, please." */
const unwantedTalk =
  /^use (?:a |any |more |the )?(?:textbooks?|lectures?|essays?|tours?|speech(?:es)?|sermons?|lessons?|theory|history|tips|pep talks?|novels?|sales (?:talk|pitch)|advertising|adverts?|small talk|jargon|buzzwords?)\b/i;
const handsOver =
  /^[a-z-]+ (?:it|them|that|this)(?: yourself)?,? (?:and|then|and then) (?:paste|show|tell|quote|report|list|give)\b/i;

/** As `isRule`, in a conversation under way; false everywhere else. */
export function dialogueIsRule(reading: Reading, part: Part, around: Surroundings): boolean {
  if (
    !around.inDialogue ||
    (reading.isQuestion &&
      !(part.frame === "request" && (around.reasonFollows || manner.test(part.verbPhrase)))) ||
    isMomentary(reading, part)
  )
    return false;
  if (clockOrDate.test(part.verbPhrase) || particular.test(part.verbPhrase)) return false;
  const isPointing = pointing.test(part.verbPhrase);
  if (
    part.frame === "custom" &&
    /^(?:write|spell|say|call|format|name|label|round|quote|number|sign)\b/i.test(part.verbPhrase)
  )
    return part.polarity === "do";
  if (part.frame === "custom" || part.frame === "practice")
    return part.polarity === "avoid"
      ? mentions(around.agentText, part.verbPhrase.slice(0, 5))
      : around.findsFault ||
          /^use [a-z-]+$/i.test(part.verbPhrase) ||
          /^(?:with|for) us\b/i.test(reading.openers.rest);
  if (part.frame === "norm")
    return (
      around.findsFault &&
      /^(?:nothing|nobody|no one|everything|no) |^(?!my\b|the\b|these\b|those\b)[a-z' -]+s'? (?:needs?|must|should|have to|are for|belong)\b/i.test(
        part.verbPhrase,
      )
    );
  if (part.polarity === "avoid") {
    if (part.frame === "fragment")
      return (
        (around.findsFault && /^do anything\b/i.test(part.verbPhrase)) ||
        (!around.answersOffer && unwantedTalk.test(part.verbPhrase))
      );
    if (part.frame === "need")
      return (
        /^(?:make|contact|talk to) me\b/i.test(part.verbPhrase) ||
        (/\bno need\b/i.test(reading.text) && !around.answersOffer) ||
        (!around.answersOffer && mentions(around.agentText, part.verbPhrase.replace(/^[a-z]+ /i, "")))
      );
    if (part.frame === "dislike" && /^use\b/i.test(part.verbPhrase)) return formNoun.test(part.verbPhrase);
    if (part.frame === "duty") return !isPointing;
    return (
      (part.frame === "ban" || part.frame === "dislike" || part.frame === "wish" || part.frame === "order") &&
      !isPointing &&
      !around.answersOffer &&
      (around.findsFault ||
        shapes.test(part.verbPhrase) ||
        /\b(?:things|anything|stuff)\b/i.test(part.verbPhrase))
    );
  }
  if (!isDirected(part)) return false;
  if (/^use (?:fewer|less|more|no|shorter|longer|simpler)\b/i.test(part.verbPhrase))
    return !around.answersOffer;
  if (/^give me (?:an?|one|fewer|some)\b/i.test(part.verbPhrase) && part.frame === "want")
    return !around.answersOffer && formNoun.test(part.verbPhrase);
  if (/^(?:e-?mail|text|call|message|phone|ring|write to) (?:me|us)$/i.test(part.verbPhrase))
    return /\b(?:letters?|call|e-?mails?|text|phone|sms|post|app|mail|message)\b/.test(around.agentText);
  if (/^(?:give me only|keep to)\b/i.test(part.verbPhrase)) return !around.answersOffer;
  if (bitByBit.test(part.verbPhrase) || /\b(?:click|page|number) by \w+/i.test(part.verbPhrase)) return true;
  if (part.conditions.some((condition) => condition.kind === "before" && /^you\b/i.test(condition.body)))
    return true;
  if (/^(?:drop|skip|leave out|omit|cut)\b/i.test(part.verbPhrase) && habitReason.test(reading.text))
    return !isPointing;
  if (
    /\bis what (?:i|we|my|our)\b|^(?:nobody|no one)\b/i.test(reading.openers.rest) &&
    part.frame === "fragment"
  )
    return true;
  if (manner.test(part.verbPhrase)) return around.findsFault || /^be\b/i.test(part.verbPhrase);
  if (/\bunless i (?:say|ask|tell|okay|approve|agree)\b/i.test(part.verbPhrase)) return true;
  if (comparative.test(reading.text) && (part.frame === "fragment" || part.frame === "preference"))
    return !clockOrDate.test(part.rejected ?? "");
  if (part.frame === "fragment")
    return (
      (around.findsFault || around.statesLevel) && !around.answersOffer && formNoun.test(part.verbPhrase)
    );
  if (habitReason.test(reading.text) && shapedHow.test(part.verbPhrase) && !around.answersOffer) return true;
  const isReasoned =
    around.benefitFollows &&
    (!reading.explainsBenefit || /,\s+(?:it|that|this|they|otherwise|because|so)\b/i.test(reading.text));
  if (
    (around.reasonFollows || isReasoned) &&
    !around.answersOffer &&
    (shapes.test(part.verbPhrase) || part.frame === "request") &&
    (isReasoned || shapedHow.test(part.verbPhrase))
  )
    return !isPointing;
  if (/^provide the (?:[a-z-]+ ){1,3}[a-z]+ed$/i.test(part.verbPhrase)) return true;
  if (/,? (?:and )?then (?:the next|wait|tell|ask|continue|go on)\b/i.test(part.verbPhrase))
    return around.findsFault;
  if (handsOver.test(part.verbPhrase)) return around.findsFault;
  if (isPointing && part.rejected === undefined) return false;
  if (part.frame === "duty") return true;
  return around.findsFault && (shapes.test(part.verbPhrase) || part.rejected !== undefined);
}
