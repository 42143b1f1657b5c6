/** Words the trigger of a rule: the earliest point at which it matters, phrased as a situation that will come again. */

import { actOf, artefactOf, requestOf, subjectOf } from "./acts";
import { prefixOf } from "./canonical";
import type { Draft, QuotedCondition, QuotedPart } from "./draft";
import { answerVerbs } from "./lexicon";
import { gerundOf } from "./morphology";
import { outputs } from "./outputs";
import { withoutIdentity } from "./person";
import { capitalised, gerundPhrase, headEnd, headOf, lowered, phrase, tidy } from "./phrasing";
import { contentStems, topicWords } from "./topics";
import { fromGerund, isCommonVerb, opensWithVerb } from "./verbs";

const maxTriggerChars = 240;
/** With fewer content words an occasion is too vague to be found again. */
const minOwnStems = 2;

export interface Setting {
  /** What the agent said before, and what the user had asked before that. */
  readonly agentText: string;
  readonly requestText: string;
  readonly names: readonly string[];
}

const styleObject =
  /^(?:(?:keep|make(?! sure)|write|be|get|cut|shorten|answer|reply|respond)\b.{0,30}\b(?:it|this|that|things|short|brief|concise|terse|simple|formal|informal|casual|polite|plain)\b(?! (?:which|that|you|I)\b)|(?:keep|make|write|give|be|get|cut|shorten|answer|reply|respond|limit|cap|stick|stay|go|use|skip|offer|leave|show|provide|start|open|begin|end|close|drop|lose|work)\b.{0,30}\b(?:repl(?:y|ies)|responses?|answers?|messages?|explanations?|sentences?|paragraphs?|bullets?|bullet points?|words|filler|fluff|preamble|intros?|introductions?|small talk|pleasantries|emojis?|jargon|flattery|praise|compliments|chit-?chat|chatter|plain (?:english|language|words)|short|brief|concise|terse|direct|blunt|formal|informal|casual|polite|to the point|straight to|waffle|disclaimers?|apologies|tone|exclamation (?:marks?|points?)|headings?|tables?|prose|lists?|steps?|analog(?:y|ies)|examples?)\b)/i;
/** What such a verb is done to is the form of the answer; where it is done says more. */
const shapingVerb =
  /^(?:put|add|include|give|show|use|write|label|state|mark|list|name|leave|mention|quote|note|keep)\b/i;

/** The occasion a condition names: "you quote the manual" → "quoting the manual". */
export function occasionOf(condition: QuotedCondition): string {
  const words = (text: string): string => phrase(text, condition.quotations);
  const body = condition.body.replace(/^(?:that|there's)\s/i, (lead) =>
    /^there/i.test(lead) ? "there is " : "",
  );
  if (condition.kind === "place") {
    if (/^(?:in|on|for|across|within)\b/i.test(body))
      return `working ${words(body.charAt(0).toLowerCase() + body.slice(1))}`;
    if (/^the (?:end|start|beginning|top|bottom|close) of\b/i.test(body)) return `at ${words(body)}`;
    return outputs.test(body) ? `preparing or giving ${words(body)}` : `dealing with ${words(body)}`;
  }
  const agent =
    /^(?:you(?:'re| are)?)\s+(?:(?:about|going|planning) to |need to |have to |want to |ever |do |first |next |start to |happen to |also )*(.+)$/is.exec(
      body,
    );
  if (agent !== null) {
    const verb = agent[1] ?? "";
    const base = fromGerund(verb) ?? verb;
    return condition.kind === "before" ? `about to ${words(base)}` : words(gerundPhrase(base));
  }
  const together = /^we(?:'re| are)?\s+(?:have to |need to |want to )?([a-z]+\b.+)$/is.exec(body);
  if (together !== null && isCommonVerb((/^[a-z]+/i.exec(together[1] ?? "")?.[0] ?? "").toLowerCase()))
    return words(gerundPhrase(together[1] ?? ""));
  const base = fromGerund(body);
  if (base !== null)
    return condition.kind === "before"
      ? `about to ${words(base)}`
      : condition.kind === "after"
        ? `having finished ${words(body)}`
        : words(body);
  if (condition.kind === "before") return `before ${words(body)}`;
  if (condition.kind === "after") return `after ${words(body)}`;
  if (opensWithVerb(body) && !/^(?:the|a|an|any|my)\b/i.test(body)) return words(gerundPhrase(body));
  return words(body);
}

/** "everyone you quote", "the tickets you draft": the agent's own act names the occasion. */
function fromRelative(part: QuotedPart): string {
  const found =
    /\b(everyone|everybody|anyone|everything|anything|whatever|(?:(?!(?:the|all|any|every|each|of|in|on|to|into|from|for|these|those|my|our|your|or|and|with|at|by|as|no)\b)[a-z-]+ )?[a-z-]+s|(?:every|each|any) [a-z-]+) (?:that |which |whom )?you ([a-z-]{3,})\b(?!')/i.exec(
      part.verbPhrase,
    );
  const verb = found?.[2] ?? "";
  if (found !== null && isCommonVerb(verb.toLowerCase()))
    return phrase(`${gerundOf(verb.toLowerCase())} ${found[1] ?? ""}`, part.quotations);
  const doing =
    /\b(?:which|what|whose) ([a-z-]+(?: [a-z-]+)?) you(?:'re| are) ([a-z]+ing)((?: from| on| with| to| for| about| in)?)\b/i.exec(
      part.verbPhrase,
    );
  return doing === null
    ? ""
    : phrase(`${doing[2] ?? ""}${doing[3] ?? ""} any ${doing[1] ?? ""}`, part.quotations);
}

/** "for updates", "for things like this": what the choice is for. */
function purposeOf(part: QuotedPart): string {
  if (/\s(?:for|in|on|when) /.test(`${part.verbPhrase} ${part.rejected ?? ""}`)) return "";
  const found = /\s(for [a-z]+(?: [a-z]+)?)\s*$/i.exec(part.verbPhrase);
  return found === null ? "" : ` ${phrase(found[1] ?? "", part.quotations)}`;
}

function fromPart(part: QuotedPart, hasPlace: boolean): string {
  const words = (text: string): string => lowered(phrase(text, part.quotations));
  const verb = (/^[a-z-]+/i.exec(part.verbPhrase)?.[0] ?? "").toLowerCase();
  if (part.polarity === "avoid") {
    if (/^use [\ue100-\ue1ff]/.test(part.verbPhrase))
      return `writing any reply to the user, about to ${words(part.verbPhrase)}`;
    if (/^(?:use|offer)\s/.test(part.verbPhrase) && styleObject.test(part.verbPhrase))
      return `writing any reply to the user, about to ${words(part.verbPhrase)}`;
    return `about to ${words(part.verbPhrase).split(" ").slice(0, 16).join(" ")}`;
  }
  if (part.rejected !== undefined) {
    const rejected = fromGerund(part.rejected);
    if (rejected !== null) return `about to ${words(rejected)}`;
    if (/^(?:use|provide)\s/i.test(part.verbPhrase)) {
      const chosen = part.verbPhrase.replace(/^(?:use|provide)\s+/i, "").replace(headEnd, "");
      return `choosing between ${words(chosen)} and ${words(part.rejected)}${purposeOf(part)}`;
    }
    return `${words(gerundPhrase(headOf(part.verbPhrase)))}, about to use ${words(part.rejected)}`;
  }
  const basis = /^(?:work on the basis|make sure) that (.+)$/is.exec(part.verbPhrase);
  if (basis !== null) {
    const subject =
      /^((?:(?:the|an?|all|every|each|any|our|my) )?(?:\S+ ){1,7}?)(?:must|should|shall|needs?|has|have|may|can|cannot|can't|don't|doesn't|is|are|was|were|come|go|stand|follow|appear|always|never|[a-z]+s)\s/i.exec(
        basis[1] ?? "",
      )?.[1] ?? "";
    return subject === "" || /^(?:(?:it|that|this|they|those|these|there)\b|(?:the|an?|all) $)/i.test(subject)
      ? ""
      : `dealing with ${words(subject)}`;
  }
  if (part.frame === "norm") {
    const subject =
      /^((?:\S+ ){1,7}?)(?:must|should|shall|needs?|has|have|ought|may|can|cannot|can't|mustn't|shouldn't|are|is|go|get|come|belong|stay|start|end|run|take|requires?|receive|follow)\s/i.exec(
        part.verbPhrase,
      )?.[1] ?? "";
    return subject === "" ? "" : `dealing with ${words(subject)}`;
  }
  if (
    /^(?:contact|text|call|message|e-?mail|ring|phone|notify|reach|ping|dm|write to) (?:me|us)\b/i.test(
      part.verbPhrase,
    )
  )
    return "contacting or notifying the user";
  const used =
    /^use [^,]{2,40}? for ((?:the |all |every |our |my )[a-z-]+(?: [a-z-]+)?|[a-z-]{3,}s)(?:,|$)/i.exec(
      part.verbPhrase,
    )?.[1];
  if (used !== undefined && !/^(?:me|us|this|that|it|now|everything|anything)\b/i.test(used))
    return `working on ${words(used)}`;
  if (answerVerbs.has(verb) || (hasPlace && shapingVerb.test(part.verbPhrase))) return "";
  const head = headOf(part.verbPhrase);
  if (head.split(" ").length < 2 || /^[a-z-]+ (?:it|that|this|them|me|us|the user|him|her)$/i.test(head))
    return "";
  return words(gerundPhrase(head));
}

/** What the agent was doing or telling, or what it had been asked; "" where none is plain. */
function situationOf(setting: Setting): string {
  const act = actOf(setting.agentText);
  if (act !== "") return `about to ${act}`;
  const subject = subjectOf(setting.agentText);
  if (subject !== "") return `telling the user about the ${subject}`;
  const request = requestOf(setting.requestText);
  return request === "" ? "" : `asked to ${request}`;
}

function topicsOf(setting: Setting, known: ReadonlySet<string>): string {
  const words = topicWords(
    withoutIdentity(`${setting.agentText}\n${setting.requestText}`, setting.names),
    3,
    known,
  );
  return words.length === 0 ? "" : `working on ${words.join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

function styleOccasion(draft: Draft, setting: Setting): string {
  const artefact = draft.answersAgent ? artefactOf(setting.agentText, setting.requestText) : "";
  return artefact === "" || /^(?:messages?|code)$/.test(artefact)
    ? "writing any reply to the user"
    : `writing any reply to the user, such as ${/s$/.test(artefact) ? "" : /^[aeiou]/.test(artefact) ? "an " : "a "}${artefact}`;
}

/** "give the building together with the room": the room is what brings the rule up. */
function companionOf(part: QuotedPart): string {
  const found =
    /^(?:give|include|put|add|state|name|quote|show|tell|mention|list|send|note|write)\b.*\s(?:together with|along with|alongside|next to|beside|with|right after|after|behind)\s+((?:the|any|your) [a-z-]+(?: [a-z-]+)?)$/i.exec(
      part.verbPhrase,
    );
  return found === null ? "" : phrase(`giving ${found[1] ?? ""}`, part.quotations);
}

function ownOccasions(draft: Draft): { occasions: string[]; isTimed: boolean } {
  const conditions = [
    ...draft.conditions,
    ...draft.parts.flatMap((part) =>
      part.conditions
        .filter((condition) => part.polarity === "do" || !/^(?:before|after)$/.test(condition.kind))
        .map((condition) => ({ ...condition, quotations: part.quotations })),
    ),
  ];
  const timed = conditions.filter(
    (condition) => condition.kind !== "place" && !/^(?:every|each|all)\b/i.test(condition.body),
  );
  const places = conditions.filter((condition) => condition.kind === "place");
  const occasions = [
    ...new Set([...timed, ...places].map(occasionOf).filter((occasion) => occasion.length > 3)),
  ].slice(0, 2);
  const isVague = timed.every((condition) => /^(?:it|they|that|this)\b/i.test(condition.body));
  if (isVague) {
    const first = draft.parts.find((part) => part.polarity === "avoid") ?? draft.parts[0];
    const hasPlace = places.some((condition) => /^any\b/i.test(condition.body));
    const own =
      (first === undefined ? "" : fromPart(first, hasPlace)) ||
      (draft.parts.map((part) => fromPart(part, hasPlace)).find((text) => text !== "") ?? "");
    if (own !== "") occasions.unshift(own);
    const given = draft.parts.find(
      (part) =>
        part.polarity === "do" &&
        /^(?:give|show|tell|send) (?:me|us) (?!it\b|that\b|them\b)/i.test(part.verbPhrase),
    );
    if (given !== undefined && first?.polarity === "avoid")
      occasions.push(phrase(gerundPhrase(headOf(given.verbPhrase)), given.quotations));
  }
  for (const companion of draft.parts.map(companionOf).filter((occasion) => occasion !== ""))
    if (timed.length === 0) occasions.push(companion);
  for (const relative of draft.parts.map(fromRelative).filter((occasion) => occasion !== "")) {
    const stems = contentStems(relative);
    const same = occasions.findIndex(
      (occasion) =>
        /^preparing|^dealing/.test(occasion) && [...contentStems(occasion)].some((stem) => stems.has(stem)),
    );
    if (same === -1) occasions.push(relative);
    else occasions[same] = relative;
  }
  return { occasions, isTimed: timed.length > 0 };
}

/** The thing the rule is about, where nothing else says when it applies. */
function objectOccasion(draft: Draft): string {
  const object = draft.parts
    .map((part) =>
      phrase(
        part.verbPhrase
          .replace(
            /^(?:use|include|add|keep|provide|make|have|stick to|prefer)\s+(?!it\b|that\b|this\b)/i,
            "",
          )
          .replace(headEnd, ""),
        part.quotations,
      ),
    )
    .find((text) => text.split(" ").length < 7 && text.length > 3);
  return object === undefined ? "" : `dealing with ${lowered(object)}`;
}

/** A ban, a rejected thing or a place already says what the agent is about to do. */
function namesBan(draft: Draft): boolean {
  return draft.parts.some(
    (part) =>
      part.polarity === "avoid" ||
      part.rejected !== undefined ||
      part.conditions.some((condition) => condition.kind === "place"),
  );
}

/** The earliest point at which the rule matters, phrased like the request that will bring it up. */
export function triggerOf(draft: Draft, setting: Setting): string {
  const { occasions, isTimed } = ownOccasions(draft);
  const isStyle =
    !isTimed &&
    !draft.conditions.some((condition) => /\bany\b/i.test(condition.body)) &&
    (draft.reshapes || draft.parts.some((part) => styleObject.test(part.verbPhrase)));
  if (draft.kind === "verified-success" && !isTimed) occasions.shift();
  if (draft.kind === "rejected-approach" && !isTimed) {
    const act = actOf(setting.agentText);
    if ((act !== "" || draft.masked !== "") && !/^about to/.test(occasions[0] ?? "about to"))
      occasions.shift();
    if (draft.masked !== "" && !/\b(?:it|that|this|them)$/i.test(draft.masked))
      occasions.unshift(`about to do what only ${phrase(draft.masked, [])}`);
    if (act !== "") occasions.unshift(`about to ${act}`);
  }
  if (draft.kind === "correction" && !isTimed && !isStyle && !namesBan(draft)) {
    const act = actOf(setting.agentText);
    if (act !== "") occasions.unshift(`about to ${act}`);
  }
  if (draft.kind === "preference" && draft.answersAgent && !isTimed && !isStyle && !namesBan(draft)) {
    const subject = subjectOf(setting.agentText);
    if (subject !== "") occasions.push(`telling the user about the ${subject}`);
  }
  if (isStyle && !occasions.some((occasion) => /^writing/.test(occasion)))
    occasions.unshift(styleOccasion(draft, setting));
  if (draft.isForNovice) occasions.unshift("helping a user who is new to the topic");
  const isThin = contentStems(occasions.slice(0, 2).join(" ")).size < minOwnStems;
  const isNamed = isTimed && (occasions[0] ?? "").split(" ").length > 3;
  if (isThin && !isStyle && !isNamed) {
    const situation = situationOf(setting);
    if (situation !== "") occasions.unshift(situation);
    else if (occasions.length === 0) occasions.push(objectOccasion(draft) || topicsOf(setting, new Set()));
  }
  const text = [...new Set(occasions.filter((occasion) => occasion !== ""))].slice(0, 2).join("; ");
  const fallback = `acting or replying where this matters: ${draft.parts
    .map((part) =>
      phrase(part.verbPhrase.replace(/^(?:use|include|add|put|keep|provide|make)\s+/i, ""), part.quotations),
    )
    .join("; ")}`;
  return capitalised(
    prefixOf(withoutIdentity(tidy(text === "" ? fallback : text), setting.names), maxTriggerChars),
  );
}
