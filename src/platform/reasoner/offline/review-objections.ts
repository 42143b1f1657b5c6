/** Why a candidate rule must not be kept, in the order in which the reasons win (specification §10). */
import type { ChronologyTurn, TaskInput } from "../port";
import { isSpokenByUser } from "./extract";
import { looksLikeInjection } from "./injection";
import { readTurn } from "./read-turn";
import { contentStems } from "./topics";

type Candidate = TaskInput<"reviewCandidates">["candidates"][number];
type Known = TaskInput<"reviewCandidates">["existing"][number];

export interface ReviewObjection {
  readonly code: string;
  readonly reason: string;
}

const maxRuleChars = 1_200;

/** A rule about what the user or a third party does, or is, is no decision of the agent. */
const notAgents =
  /^(?:when [^:]{0,200}: )?(?:the )?(?:user|customer|client|they|he|she|residents|guests|employees|staff|everyone)\s+(?:is|are|was|has|have|lives?|works?|likes?|loves?|prefers?|wants?|owns?|uses?|should|must|will|needs? to|always|never)\b/i;
const absence =
  /\b(?:the user (?:did not|didn't|never|has not|hasn't) (?:mention|ask|object|complain|say|request|want)|no (?:complaint|objection)|without (?:any )?objection|since nothing was said|was not asked)\b/i;
const internal =
  /\b(?:tool call (?:failed|succeeded)|internal (?:state|status|error)|status code \d{3}|session (?:id|token)|retry count|system prompt|stack trace|(?:playbook|extraction|window|turn) (?:id|label|number))\b/i;
const causality =
  /\b(?:because the user is (?:a|an)\b|caused by the agent's model|due to the user's (?:age|gender|nationality|religion|race))\b/i;
const guesswork =
  /\b(?:perhaps|maybe|might (?:want|prefer|like)|probably|possibly|presumably|it seems that the user|could be that)\b/i;
const late =
  /\b(?:after the (?:user|customer) (?:complains|corrects|objects|has complained)|once the user is (?:angry|annoyed|unhappy)|when the user corrects)\b/i;
const platitude =
  /^(?:always )?(?:be|stay|try to be|act) (?:more |very )?(?:helpful|polite|nice|good|accurate|careful|professional|friendly|clear|correct|better)\b.{0,40}$|^(?:help|assist|listen to|understand|satisfy|respect|serve) the (?:user|customer)s?\W*$|^(?:give|provide) (?:good|better|the best|helpful|accurate|correct) (?:answers?|help|service|support|responses?)\W*$|^do (?:better|a good job|your best|what the user (?:says|wants|asks))\W*$|^follow (?:the )?(?:instructions|user's instructions|user's preferences)\W*$/i;

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const smaller = Math.min(left.size, right.size);
  return smaller === 0 ? 0 : [...left].filter((stem) => right.has(stem)).length / smaller;
}

/** True when at least one cited unit lies in a user's turn and the sentence around it is no question, quotation or hypothesis. */
function speaksForItself(
  candidate: Candidate,
  turns: ReadonlyMap<string, ChronologyTurn>,
): "yes" | "no-voice" | "no-rule" {
  let hasVoice = false;
  for (const unit of candidate.evidence) {
    const turn = turns.get(unit.turn);
    if (turn === undefined || !isSpokenByUser(turn)) continue;
    hasVoice = true;
    const at = turn.content.indexOf(unit.text);
    const from = at === -1 ? 0 : at;
    const to = at === -1 ? turn.content.length : at + unit.text.length;
    const said = readTurn(turn.content).filter(
      (reading) => reading.sentence.start < to && reading.sentence.end > from,
    );
    if (said.some((reading) => reading.veto === null)) return "yes";
  }
  return hasVoice ? "no-rule" : "no-voice";
}

const turnedDown = /(?:\b(?:do not|don't|never|avoid|not|rather than|instead of|without)\b)([^;.]*)/gi;

/** What a rule orders and what it turns down, as stems, with its numbers and its order in time. */
function directionOf(content: string): { wanted: Set<string>; unwanted: Set<string>; marks: string } {
  const unwanted = contentStems([...content.matchAll(turnedDown)].map((match) => match[1] ?? "").join(" "));
  const marks = (content.toLowerCase().match(/\b(?:before|after|first|last|\d[\d.,]*)\b/g) ?? [])
    .sort()
    .join(" ");
  return { wanted: contentStems(content.replace(turnedDown, " ")), unwanted, marks };
}

function isWithin(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return [...left].every((stem) => right.has(stem));
}

/** True when a known rule says all of it and points the same way; a reversal is news. */
function isRedundant(candidate: Candidate, known: readonly Known[]): boolean {
  const mine = directionOf(candidate.content);
  const trigger = contentStems(candidate.trigger);
  if (mine.wanted.size + mine.unwanted.size === 0) return false;
  return known.some((rule) => {
    const theirs = directionOf(rule.content);
    return (
      mine.marks === theirs.marks &&
      isWithin(mine.wanted, theirs.wanted) &&
      isWithin(mine.unwanted, theirs.unwanted) &&
      overlap(trigger, contentStems(rule.trigger)) >= 0.6
    );
  });
}

function grounding(candidate: Candidate): number {
  const rule = contentStems(candidate.content);
  const cited = contentStems(candidate.evidence.map((unit) => unit.text).join(" "));
  if (rule.size === 0) return 0;
  return [...rule].filter((stem) => cited.has(stem)).length / rule.size;
}

/** Share of a rule's content words that must stand in its evidence; models paraphrase, so it is low. */
const minGrounding = 0.2;

/** The first objection that holds, or null. */
export function objectionTo(
  candidate: Candidate,
  turns: ReadonlyMap<string, ChronologyTurn>,
  known: readonly Known[],
): ReviewObjection | null {
  const text = `${candidate.trigger}\n${candidate.content}`.slice(0, maxRuleChars);
  const voice = speaksForItself(candidate, turns);
  const needsVoice = !["observed-failure", "verified-success", "expert-gap"].includes(candidate.evidenceKind);
  const stems = contentStems(candidate.content);
  if (notAgents.test(candidate.content))
    return {
      code: "not_agent_decision",
      reason: "It describes a person instead of telling the agent what to do.",
    };
  if (absence.test(text))
    return { code: "absence_inference", reason: "It concludes from what was not said." };
  if (internal.test(text))
    return { code: "internal_status", reason: "It speaks of the system's inner state." };
  if (causality.test(text))
    return { code: "unsupported_causality", reason: "It gives a cause that nobody stated." };
  if (guesswork.test(candidate.content)) return { code: "speculative", reason: "It guesses." };
  if (looksLikeInjection(text))
    return {
      code: "unsupported_evidence",
      reason: "It would hand out secrets, redirect the agent or drop a safeguard.",
    };
  if (candidate.evidence.length === 0)
    return { code: "unsupported_evidence", reason: "No evidence is cited." };
  if (needsVoice && voice === "no-voice") return { code: "unsupported_evidence", reason: "No user said it." };
  if (voice === "no-rule")
    return { code: "unsupported_evidence", reason: "The cited words ask, quote, suppose or joke." };
  if (grounding(candidate) < minGrounding)
    return { code: "unsupported_evidence", reason: "The evidence does not speak of it." };
  if (isRedundant(candidate, known)) return { code: "redundant", reason: "A known rule already says it." };
  if (stems.size === 0 || platitude.test(candidate.content.trim()))
    return { code: "generic", reason: "Any agent would do so anyway." };
  if (late.test(candidate.trigger))
    return { code: "late_trigger", reason: "It applies only when it is too late." };
  return null;
}
