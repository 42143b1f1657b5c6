/** What the agent was doing when the user spoke: the occasion of a rule that names none of its own. */

import { canonicalise } from "./canonical";
import { notVerbs } from "./lexicon";
import { baseOfGerund, baseOfPastTense, isPast } from "./morphology";
import { hideForeignText } from "./opaque";
import { splitSentences } from "./sentences";
import { isCommonVerb, opensWithVerb } from "./verbs";

const maxCharsRead = 1_500;
const maxSentencesRead = 8;
const maxWords = 9;

const did =
  /\b(?:I|we)(?:'ve| have|'d| had)? (?:(?:also|just|already|now|simply|then|quickly|gone ahead and|went ahead and|directly|have) )*([a-z]+)\b(.*)$/s;
const intends =
  /\b(?:I'll|I will|I'm going to|I am going to|I can|I could|let me|I would|allow me to|[Ww]e can|[Ww]e could|[Yy]ou could|[Yy]ou can|[Yy]ou might(?: want to)?|[Yy]ou may want to|[Ww]e'll|[Ww]e will|[Ll]et's|I plan to|(?:you|we) should) (?:(?:also|just|simply|now|then|always|either|first) )*([a-z-]+)\b(.*)$/s;
const proposes =
  /\b(?:I(?:'d| would)? (?:suggest|recommend|propose|advise)|[Hh]ow about|[Ww]hat about|[Cc]onsider|I'm|I am|[Tt]ry|(?:option|fix|way) (?:is|would be)) (?:you )?([a-z]+ing)\b(.*)$/s;
/** Verbs in which an agent says how it feels or what it knows; they are no act. */
const notActs = new Set(
  "be have apologise apologize hope see understand think know notice need want appreciate mention believe love like feel hear mean get do can would could am was were had is are regret agree note look find happy sorry".split(
    " ",
  ),
);
const objectEnd =
  /[,;:.!?\u2014(].*$|\s(?:and|so|because|but|which|since|as|then|while|if|when|until|to (?:make|keep|be|avoid|save|ensure|hide))\b.*$/s;
const statement =
  /^(?:(?:okay|ok|sure|right|so|well|yes|no|now|certainly|absolutely|of course|great question)[,!.\s]+)*((?:(?:The|Your|Our|A|An|This|These|All|My|Both|Each|Every|the|your)\s+)?(?:[A-Za-z][a-z-]+ ){1,5}?)(?:is|are|was|were|has|have|will|can|takes?|costs?|comes?|came|arrives?|arrived|runs?|ran|covers?|starts?|begins?|ends?|needs?|contains?|opens?|closes?|leaves?|lasts?|shows?|includes?|fell|rose|grew|failed|passed|expires?|weighs?|means|goes|works?)\b/;

/** Sentences of the agent in which it speaks itself: no code, no quotations, no lists of data. */
function ownSentences(agentText: string): string[] {
  return splitSentences(hideForeignText(canonicalise(agentText.slice(0, maxCharsRead))))
    .slice(0, maxSentencesRead)
    .map((sentence) => sentence.text)
    .filter((text) => !/[\ue000|*#]/.test(text));
}

function bounded(verb: string, rest: string): string {
  const object = rest
    .replace(objectEnd, "")
    .replace(/\b(?:to|for|from|with|by|at) [A-Z][a-z]+(?: [A-Z][a-z]+)*/g, "")
    .replace(/\byour\b/gi, "the user's")
    .replace(/\byou\b/gi, "the user")
    .replace(/\b(?:it|them) for the user\b/g, "it")
    .replace(/\s\S*\d\S*/g, "")
    .trim()
    .split(/\s+/)
    .slice(0, maxWords)
    .join(" ")
    .replace(/\s(?:the|a|an|of|to|for|with|in|on|at|by|from|that|straight|into|until|per|about)$/i, "");
  return object === "" || /^(?:it|that|this|them|so|up$|the user$)\b/i.test(object)
    ? ""
    : `${verb} ${object}`;
}

function actIn(sentence: string): string {
  const past = did.exec(sentence);
  const verb = past?.[1] ?? "";
  if (past !== null && isPast(verb)) {
    const base = baseOfPastTense(verb, isCommonVerb);
    if (!notActs.has(base)) return bounded(base, past[2] ?? "");
  }
  const proposal = proposes.exec(sentence);
  if (proposal !== null) {
    const base = baseOfGerund(proposal[1] ?? "", isCommonVerb);
    if (!notActs.has(base)) return bounded(base, proposal[2] ?? "");
  }
  const plan = intends.exec(sentence);
  const planned = plan?.[1] ?? "";
  if (plan !== null && !notActs.has(planned) && !notVerbs.has(planned))
    return bounded(planned, plan[2] ?? "");
  if (opensWithVerb(sentence) && !/^(?:Thank|Let|Note|Sound|Look|See)/i.test(sentence)) {
    const advice = bounded("", sentence).trim();
    return advice.includes(" ") ? `tell the user to ${advice.charAt(0).toLowerCase()}${advice.slice(1)}` : "";
  }
  return "";
}

/** The agent's first act or proposal, in base form: "silence the failing alert"; "" where it only states something. */
export function actOf(agentText: string): string {
  for (const sentence of ownSentences(agentText)) {
    const act = actIn(sentence);
    if (act !== "") return act;
  }
  return "";
}

/** What the agent's statement is about: "rehearsal" for "The rehearsal is set for Friday"; "" if unclear. */
export function subjectOf(agentText: string): string {
  for (const sentence of ownSentences(agentText)) {
    const subject = (statement.exec(sentence)?.[1] ?? "")
      .trim()
      .replace(/^(?:the|your|our|a|an|this|these|all|my|both|each|every)\s+/i, "");
    if (
      /^(?:it|that|this|there|here|what|i|we|you|they|he|she|one|done|everything|nothing|who)\b/i.test(
        subject,
      )
    )
      continue;
    if (subject !== "" && !/[A-Z]/.test(subject.slice(1)))
      return subject.charAt(0).toLowerCase() + subject.slice(1);
  }
  return "";
}

const asked =
  /(?:^|[.!?,]\s)(?:(?:hi|hey|hello|ok|so|and|also|please|now)[,\s]+)*(?:(?:can|could|would|will) you (?:please |kindly )?|please |i (?:need|want|'d like) you to |help me (?:to )?|how (?:do|can|should) (?:i|we) |i(?:'m| am) trying to |i (?:need|want|have) to )([a-z-]+\s[^?!.]{3,120})/i;

/** What the user had asked for, in base form and bounded: "add a retry to the nightly export job"; "" if unclear. */
export function requestOf(requestText: string): string {
  const text = hideForeignText(canonicalise(requestText.slice(0, maxCharsRead)));
  const wanted = asked.exec(text)?.[1] ?? "";
  const verb = /^[a-z-]+/i.exec(wanted)?.[0] ?? "";
  if (verb === "" || !isCommonVerb(verb.toLowerCase()) || notActs.has(verb.toLowerCase())) return "";
  return bounded(
    verb.toLowerCase(),
    wanted
      .slice(verb.length)
      .replace(/\bmy\b/gi, "the user's")
      .replace(/\b(?:me|us)\b/gi, "the user"),
  );
}

const artefacts =
  /\b(summar(?:y|ies)|reports?|e-?mails?|letters?|recipes?|itinerar(?:y|ies)|invoices?|quotes?|minutes|translations?|newsletters?|press releases?|lesson plans?|plans?|lists?|tables?|explanations?|reviews?|posts?|captions?|tickets?|drafts?|specs?|documents?|slides?|schedules?|messages?|essays?|scripts?|proposals?|instructions?|descriptions?|outlines?|briefings?|updates?|code|tutorials?)\b/i;

/** The kind of text at hand, from the request or the first words of the answer: "summary"; "" if unclear. */
export function artefactOf(agentText: string, requestText: string): string {
  const found = artefacts.exec(requestText.slice(0, 400)) ?? artefacts.exec(agentText.slice(0, 160));
  return (found?.[1] ?? "").toLowerCase();
}
