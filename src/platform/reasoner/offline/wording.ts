/** Puts a draft into words: trigger, content and rationale as guidance to an agent. */

import { prefixOf, withoutInvisible } from "./canonical";
import type { Draft, QuotedCondition, QuotedPart } from "./draft";
import { answerVerbs, notVerbs } from "./lexicon";
import { gerundOf } from "./morphology";
import { aboutTheUser, withoutIdentity } from "./person";
import { restoreQuotations } from "./quotes";
import { contentStems, topicWords } from "./topics";
import { fromGerund, isCommonVerb, opensWithVerb } from "./verbs";

const maxTriggerChars = 240;
const maxContentChars = 600;
const maxQuoteChars = 260;
const maxQuotationChars = 60;

export interface Setting {
  /** What the agent said before, and what the user had asked before that. */
  readonly agentText: string;
  readonly requestText: string;
  readonly names: readonly string[];
}

function tidy(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/\s+([,.;:])/g, "$1")
    .replace(/^[\s,;:.\u2014]+|[\s,;:.!?\u2014]+$/g, "")
    .replace(/\(([^)]*)$/, "$1")
    .trim();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) &&
    (isCommonVerb((/^[A-Za-z-]+/.exec(text)?.[0] ?? "").toLowerCase()) ||
      notVerbs.has((/^[A-Za-z]+/.exec(text)?.[0] ?? "").toLowerCase()))
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

/** The user's words as words about the user, cut where a new clause only gives a reason. */
function phrase(text: string, quotations: readonly string[]): string {
  const kept = text
    .replace(
      /,\s+(?:because|otherwise|since|as I|so I\b|so that I|I'm|I am|it's|that's|which (?:is|means)|the \w+ (?:\w+ )?(?:is|was|has|are)|[A-Z][a-z]+ (?:means|is|are|makes)).*$/s,
      "",
    )
    .replace(/\s+(?:because|otherwise|since I|so I can|so that|as I'm|cause)\s.*$/s, "")
    .replace(/^answer$/i, "answer directly");
  return tidy(aboutTheUser(restoreQuotations(kept, quotations, maxQuotationChars)));
}

function gerundPhrase(verbPhrase: string): string {
  const match =
    /^((?:only |just |always |never |not |automatically |immediately |directly )*)([A-Za-z-]+)(.*)$/s.exec(
      verbPhrase,
    );
  if (match === null) return verbPhrase;
  return `${gerundOf((match[2] ?? "").toLowerCase())}${match[3] ?? ""}`;
}

const headEnd =
  /\s(?:in|on|at|by|via|with|without|as|using|instead|rather|than|before|after|when|if|so|because|and|or|but|not|until|unless|first|directly|immediately|straight|under|over|below|above|into|like|through|between|within|no more|that|which|who|even)\b.*$|[,\u2014(:].*$/s;

/** Verb and object without the manner, which is the rule itself: "send updates via SMS" → "send updates". */
function headOf(verbPhrase: string): string {
  const indirect = /^([a-z-]+ (?:me|us|the user|them|him|her)\s)(.*)$/is.exec(verbPhrase);
  const lead = indirect?.[1] ?? "";
  const rest = indirect?.[2] ?? verbPhrase;
  return `${lead}${rest.replace(headEnd, "")}`.split(" ").slice(0, 8).join(" ").trim();
}

const styleObject =
  /^(?:keep|make|write|give|be|get|cut|shorten|answer|reply|respond|limit|cap|stick|stay|go|use|skip|offer|leave|show|provide)\b.{0,30}\b(?:it|this|that|things|repl(?:y|ies)|responses?|answers?|messages?|explanations?|sentences?|paragraphs?|bullets?|bullet points?|words|filler|fluff|preamble|intros?|introductions?|small talk|pleasantries|emojis?|jargon|plain (?:english|language|words)|short|brief|concise|terse|direct|blunt|formal|informal|casual|polite|to the point|waffle|disclaimers?|apologies|tone|exclamation (?:marks?|points?)|headings?|tables?|prose|lists?|steps?|analog(?:y|ies)|examples?)\b/i;

function fromCondition(condition: QuotedCondition): string {
  const words = (text: string): string => phrase(text, condition.quotations);
  const body = condition.body.replace(/^(?:that|there's)\s/i, (lead) =>
    /^there/i.test(lead) ? "there is " : "",
  );
  if (condition.kind === "place") {
    if (/^(?:in|on|for|across|within)\b/i.test(body)) return `working ${words(body)}`;
    return /^any\b/i.test(body) ? `preparing or giving ${words(body)}` : `dealing with ${words(body)}`;
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
    /\b(everyone|everybody|anyone|everything|anything|whatever|[a-z-]+s|(?:every|each|any) [a-z-]+) (?:that |which |whom )?you ([a-z-]{3,})\b(?!')/i.exec(
      part.verbPhrase,
    );
  const verb = found?.[2] ?? "";
  if (found === null || !isCommonVerb(verb.toLowerCase())) return "";
  return phrase(`${gerundOf(verb.toLowerCase())} ${found[1] ?? ""}`, part.quotations);
}

function fromPart(part: QuotedPart): string {
  const words = (text: string): string => lowered(phrase(text, part.quotations));
  const verb = (/^[a-z-]+/i.exec(part.verbPhrase)?.[0] ?? "").toLowerCase();
  if (part.polarity === "avoid") {
    if (/^(?:use|offer)\s/.test(part.verbPhrase) && styleObject.test(part.verbPhrase))
      return `writing any reply, about to ${words(part.verbPhrase)}`;
    return `about to ${words(part.verbPhrase).split(" ").slice(0, 16).join(" ")}`;
  }
  if (part.rejected !== undefined) {
    const rejected = fromGerund(part.rejected);
    if (rejected !== null) return `about to ${words(rejected)}`;
    if (/^(?:use|provide)\s/i.test(part.verbPhrase)) {
      const chosen = part.verbPhrase.replace(/^(?:use|provide)\s+/i, "").replace(headEnd, "");
      return `choosing between ${words(chosen)} and ${words(part.rejected)}${purposeOf(part)}`;
    }
    return `about to ${words(headOf(part.verbPhrase))} or to use ${words(part.rejected)}`;
  }
  if (part.frame === "norm") {
    const subject =
      /^((?:\S+ ){1,7}?)(?:must|should|shall|needs?|has|have|ought|may|can|cannot|can't|mustn't|shouldn't|are|is|go|get|come|belong|stay|start|end|run|take|requires?|receive|follow)\s/i.exec(
        part.verbPhrase,
      )?.[1] ?? "";
    return subject === "" ? "" : `dealing with ${words(subject)}`;
  }
  if (answerVerbs.has(verb)) return "";
  const head = headOf(part.verbPhrase);
  if (head.split(" ").length < 2 || /^[a-z-]+ (?:it|that|this|them|me|us|the user|him|her)$/i.test(head))
    return "";
  return `about to ${words(head)}`;
}

/** "for updates", "for things like this": what the choice is for. */
function purposeOf(part: QuotedPart): string {
  if (/\s(?:for|in|on|when) /.test(part.verbPhrase)) return "";
  const found =
    /\s((?:for|in|on|when) (?!me\b|us\b|now\b|things\b|this\b|that\b|it\b)[a-z][^,.;\u2014]{2,60})$/i.exec(
      `${part.verbPhrase} ${part.rejected ?? ""}`,
    ) ?? /\s(for [a-z]+(?: [a-z]+)?)\s*$/i.exec(part.verbPhrase);
  return found === null || (part.rejected ?? "").includes(found[1] ?? "")
    ? ""
    : ` ${phrase(found[1] ?? "", part.quotations)}`;
}

function settingWords(setting: Setting, known: ReadonlySet<string>, limit: number): string[] {
  return topicWords(
    withoutIdentity(`${setting.agentText}\n${setting.requestText}`, setting.names),
    limit,
    known,
  );
}

/** The earliest point at which the rule matters, phrased like the request that will bring it up. */
export function triggerOf(draft: Draft, setting: Setting): string {
  const conditions = [
    ...draft.conditions,
    ...draft.parts.flatMap((part) =>
      part.conditions.map((condition) => ({ ...condition, quotations: part.quotations })),
    ),
  ];
  const timed = conditions.filter(
    (condition) => condition.kind !== "place" && !/^(?:every|each|all)\b/i.test(condition.body),
  );
  const places = conditions.filter((condition) => condition.kind === "place");
  const occasions: string[] = [
    ...new Set([...timed, ...places].map(fromCondition).filter((occasion) => occasion.length > 3)),
  ].slice(0, 2);
  if (timed.length === 0) {
    const banned = draft.parts.find((part) => part.polarity === "avoid") ?? draft.parts[0];
    const own =
      (banned === undefined ? "" : fromPart(banned)) ||
      (draft.parts.map(fromPart).find((text) => text !== "") ?? "");
    if (own !== "" && (places.length === 0 || /^(?:about to|choosing|writing|dealing)/.test(own)))
      occasions.unshift(own);
  }
  occasions.push(...draft.parts.map(fromRelative).filter((occasion) => occasion !== ""));
  if (occasions.length === 0) {
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
    if (object !== undefined && !styleObject.test(draft.parts[0]?.verbPhrase ?? ""))
      occasions.push(`about to answer or act in a case for ${lowered(object)}`);
  }
  if (draft.isForNovice) occasions.unshift("helping a user who is new to the topic");
  const isStyle =
    (draft.reshapes && timed.length === 0) ||
    (draft.parts.some((part) => styleObject.test(part.verbPhrase)) && timed.length === 0);
  if (isStyle && !occasions.some((occasion) => /^writing/.test(occasion)))
    occasions.unshift("writing any reply to the user");
  const text = [...new Set(occasions)].slice(0, 2).join("; ");
  const known = contentStems(text);
  const isNarrow = /^(?:choosing|writing any)/.test(text);
  const needsSetting = text === "" || ((draft.answersAgent || isNarrow) && known.size < 7) || known.size < 2;
  const words = needsSetting ? settingWords(setting, known, text === "" || known.size < 2 ? 5 : 4) : [];
  const about =
    words.length === 0
      ? ""
      : text === ""
        ? `answering a request about ${words.join(", ")}`
        : ` (as in a conversation about ${words.join(", ")})`;
  const object =
    text === "" && about === ""
      ? `acting or replying where this matters: ${draft.parts.map((part) => phrase(part.verbPhrase.replace(/^(?:use|include|add|put|keep|provide|make)\s+/i, ""), part.quotations)).join("; ")}`
      : "";
  return capitalised(
    prefixOf(withoutIdentity(tidy(`${text}${about}${object}`), setting.names), maxTriggerChars),
  );
}

function sentenceFor(part: QuotedPart): string {
  const words = (text: string): string => phrase(text, part.quotations);
  if (part.frame === "norm") return `hold to this: ${words(lowered(part.verbPhrase))}`;
  const manner = part.conditions.find((condition) => condition.kind === "when");
  const when =
    manner === undefined ? "" : ` when ${lowered(fromCondition({ ...manner, quotations: part.quotations }))}`;
  if (part.polarity === "avoid") return `do not ${lowered(words(part.verbPhrase))}${when}`;
  if (part.rejected === undefined) return `${lowered(words(part.verbPhrase))}${when}`;
  const rejected = words(fromGerund(part.rejected) === null ? part.rejected : part.rejected);
  return `${lowered(words(part.verbPhrase))}${when}, not ${rejected.replace(/^(?:the )?/, (lead) => lead)}`;
}

/** What the agent is to do, and what the user turned down. */
export function contentOf(draft: Draft, setting: Setting): string {
  const ordered = [
    ...draft.parts.filter((part) => part.polarity === "do"),
    ...draft.parts.filter((part) => part.polarity === "avoid"),
  ];
  const lines = [...new Set(ordered.map(sentenceFor).filter((line) => line.length > 3))];
  const lead = draft.conditions[0];
  const when =
    lead === undefined || lead.kind === "place"
      ? ""
      : lead.kind === "before"
        ? `before ${lowered(fromCondition(lead).replace(/^about to /i, "you "))}: `
        : `when ${lowered(fromCondition(lead))}: `;
  const pointed = draft.antecedent === "" ? "" : ` (what the user means: ${phrase(draft.antecedent, [])})`;
  const text = withoutIdentity(tidy(`${when}${lines.join("; ")}${pointed}`), setting.names);
  return `${capitalised(prefixOf(text, maxContentChars))}.`;
}

const reasons = {
  correction: "The user corrected what the agent had done",
  "rejected-approach": "The user turned down the agent's approach and named a better one",
  preference: "The user asked for this as a lasting preference",
  "verified-success": "The user confirmed that this procedure worked",
  "observed-failure": "The user reported that the agent's way had failed",
  "expert-gap": "An expert answered differently from the agent",
} as const;

/** Why the rule exists, with a hint of the user's own words. */
export function rationaleOf(draft: Draft, spoken: string, setting: Setting): string {
  const clean = withoutIdentity(withoutInvisible(spoken.replace(/["\u201c\u201d]/g, "'")), setting.names);
  const quote = clean.length > maxQuoteChars ? `${prefixOf(clean, maxQuoteChars).trimEnd()}…` : clean;
  return `${reasons[draft.kind]}: "${quote}"`;
}
