/** Classes of wording that tell a manner of working from a wish of the moment. */

import { clockOrDate } from "./occasions";
import type { Part, Reading } from "./reading";

export const expressive =
  /^(?:use|run|write|say|call|spell|quote|show|express|measure|install|deploy|test|format|build|ship|log|store|sign|address|cite|round|convert|report|present|speak|answer|reply|respond|start|end|open|refer|name|label|count|write)\b/i;
export function endsHabit(reading: Reading, part: Part): boolean {
  return (
    part.polarity === "avoid" &&
    /\b(?:stop|quit|cease|(?:don't|do not) keep(?: on)? [a-z]+ing|no more|enough|cut out|knock off|lay off|give up)\b/i.test(
      reading.text,
    ) &&
    part.frame === "ban"
  );
}

export const humanSubject =
  /^(?:all |the |our |my )*(?:residents|guests|students|pupils|visitors|employees|staff|users|customers|passengers|members|everyone|people|kids|children|tenants|drivers|patients|players|applicants|candidates|volunteers|parents|teachers|nurses|doctors|someone|nobody|men|women)\b/i;

/** "out of every transcript you prepare", "for anything you install": each of the agent's own works. */
export const ownWork =
  /\b(?:every|each|any|all) (?:of the )?(?:[a-z-]+ ){1,3}?(?:that |which )?you (?!can\b|could\b|want\b|like\b|have\b|need\b|see\b|know\b)[a-z]{3,}\b|\b(?:anything|everything|whatever|anyone|everyone) (?:that |which )?you (?!can\b|could\b|want\b|like\b|have\b|need\b|see\b|know\b|think\b|say\b)[a-z]{3,}\b/i;

/** A manner of working, not a thing: "one question at a time", "step by step". */
export const bitByBit =
  /\b(?:one|two|three|a few) (?:[a-z-]+ ){0,3}at a time\b|\bone by one\b|\bstep[- ]by[- ]step\b|\b(?:line by line|item by item|point by point|page by page|row by row|section by section|word for word)\b/i;

/** "use the Latin names", "answer in Welsh": how to express things, asked for in passing. */
export const expresses =
  /^(?:use (?!my\b|this\b|that\b)(?:the )?(?:[a-z0-9-]+ ){0,2}(?!yes\b)[a-z]+s$|(?:speak|write|answer|reply|talk|respond|explain (?:it|this|things|that)) (?:to me )?in [a-z]+$)/i;

export const skips =
  /^(?:skip|leave out|omit|drop|cut|lose|spare) (?:all |me )?(?:the |your )?(?!second\b|first\b|third\b|last\b|one\b|next\b)[a-z]/i;

/** "before you tell me", "when you work out my balance": said while correcting, it means every time. */
export function speaksOfAgentsActs(part: Part, reading: Reading): boolean {
  return [...part.conditions, ...reading.conditions].some(
    (condition) =>
      condition.kind !== "place" &&
      /^you(?:'re| are)? (?!get\b|have\b|had\b|can\b|could\b|free\b|done\b|ready\b|finish\b|leave\b|go\b|come\b|arrive\b|see\b|hear\b|did\b|were\b|like\b|want\b|wish\b|think\b|know\b)[a-z]/i.test(
        condition.body,
      ) &&
      !clockOrDate.test(condition.body),
  );
}

export function servesEachOwn(part: Part): boolean {
  return ownWork.test(part.verbPhrase);
}

/** What a preference about answers speaks of. */
export const formOfAnswer =
  /\b(?:version|summary|answers?|repl(?:y|ies)|details?|lists?|tables?|bullets?|bullet points?|figures?|examples?|headline|conclusion|explanations?|steps?|options?|dates?|units?|wording|format|spelling|prose)\b/i;

/** "No tables", "no emojis": never a thing one orders or buys. */
export const shapeOfText =
  /^use (?:more |any |the |those |these )?(?:tables|emojis?|smileys|bullets|bullet points|bulleted lists?|headings|headers|jargon|acronyms|abbreviations|preambles?|intros?|filler|fluff|waffle|disclaimers?|caveats|apologies|exclamation (?:marks|points)|all caps|capitals|small talk|pleasantries|greetings?|sign-?offs?|markdown|footnotes|asterisks|hashtags|essays?|lectures?|walls? of text|flattery|slang|puns|jokes|clich[eé]s|buzzwords|passive(?: voice)?|sarcasm)$/i;

export const writesOutput =
  /^(?:write|start|end|open|begin|close|sign|format|number|label|present|caption|date|title|draft|transpose|cite|structure|phrase|word)\s+(?:every|each)\s/i;
export const contacts =
  /^(?:message|text|e-?mail|call|phone|ring|contact|reach|write to|notify|update|ping|dm)\s+(?:me|us)\b/i;

/** "No phone calls": a way of reaching the user. */
export const channel =
  /^use (?:more |any |the )?(?:phone |e-?mail |text |push |voice |paper )?(?:calls|e-?mails|texts|messages|notifications|voicemails?|voice notes|letters|sms|whatsapp|newsletters|post|mail|phone)$/i;

/** "I'm not technical", "way over my head": how much the user knows decides how to explain. */
export const ownLevel =
  /\bi(?:'m| am) (?:not (?:an? )?(?:very |really |at all |that |so )?(?:technical|tech\w*|developer|programmer|engineer|coder|lawyer|doctor|expert|accountant|native)|no (?:expert|lawyer|developer|coder|engineer|accountant|techie)|(?:quite |very |totally |completely |still |pretty |brand )*new (?:to|at|here)|(?:just )?(?:a |an )(?:(?:complete|total|absolute) )?(?:beginner|novice|newbie|layman|layperson)|lost\b)|\bi(?:'ve| have) (?:absolutely )?no (?:idea|clue) what .{2,40} (?:is|are|means?|stands? for)\b|\bi (?:don't|do not) (?:know|understand|get) (?:what|any of)\b|\b(?:over|above) my head\b|\byou(?:'ve| have)? lost me\b|\b(?:greek|chinese|gibberish) to me\b|\bmy first (?:time|ever)\b|\bi(?:'ve| have) (?:been (?:doing|working|using|running|writing|building|in|at) |done |worked )[^.;]{2,50}\b(?:years|decades|ages|decade|times)\b|\bi do this for a living\b|\bi know (?:what|how|my way|all)\b|\bi(?:'m| am) (?:already |very |quite |well )?(?:familiar|experienced|versed)\b|\bi(?:'m| am) (?:an? )?(?:[a-z-]+ ){0,3}(?:engineer|developer|professional|expert|specialist|nurse|doctor|lawyer|accountant|chemist|architect|designer|buyer|technician|electrician|mechanic|chef|pilot|teacher|analyst|admin|administrator|programmer|scientist|physicist|statistician)\b/i;

/** What such a user then asks for is the way of explaining. */
export const explains =
  /^(?:only )?(?:explain|tell me (?:which|what|where|how)|show me (?:which|what|where|how)|start|begin|use (?!my\b|this\b|that\b)|talk|speak|keep|walk me|take it|go|give me (?:the |a )?(?:basics?|simple|simplest|short|plain|gist|big picture|step)|describe|break|put it|say it|leave out|skip|assume|stick)\b/i;

/** True where the agent's words (lower case) hold a word of what was turned down. */
export function mentions(agentText: string, rejected: string): boolean {
  const words = rejected.toLowerCase().match(/[a-z0-9+#.-]{3,}/g) ?? [];
  return words.some((word) => agentText.includes(word));
}

/** "reproduce it with the seed, find the leak and fix it": several steps are a way of working, whatever "it" is. */
export function isPlanOfAttack(verbPhrase: string): boolean {
  return verbPhrase.split(/,\s+(?:and |then )?|\s+and (?:then )?/).length > 2;
}
