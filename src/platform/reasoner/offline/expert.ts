/**
 * The offline reading of experts' answers: a rule only where the expert plainly instructs and the agent had
 * not said it. The expert's own sentences are the rule. Deterministic; prefers missing a rule to inventing one.
 */
import type { ExpertPair, TaskInput, TaskOutput } from "../port";
import { actOf, requestOf } from "./acts";
import { prefixOf, withoutInvisible } from "./canonical";
import { openingSpan, spanOf } from "./evidence";
import { looksLikeInjection } from "./injection";
import { aboutTheUser, namesIn, withoutIdentity } from "./person";
import { capitalised, tidy } from "./phrasing";
import { readTurn } from "./read-turn";
import type { Reading } from "./reading";
import { splitSentences } from "./sentences";
import { contentStems } from "./topics";

type Candidate = TaskOutput<"extractExpert">["playbooks"][number];

const maxRules = 24;
const maxSentences = 6;
const maxContentChars = 600;
const maxTriggerChars = 240;
const maxQuestionChars = 1_500;
const maxQuestionWords = 25;
const maxHintWords = 12;
/** With fewer content words a question is too vague to be found again, and an instruction says too little. */
const minStems = 2;
/** Share of an instruction's content words that the agent's answer must lack. */
const minNovelty = 0.6;
/** An outspoken correction may repeat more of the agent's words: it turns them round. */
const minOutspokenNovelty = 0.2;

const pleasantry =
  /\b(?:let (?:me|us) know|feel free|(?:have|enjoy) (?:a|an|the|your) (?:\w+ )?(?:day|week|weekend|evening|time)|reach out|get in touch|contact (?:me|us)|thank|welcome|sorry|apologi[sz]e|happy to|hope|look(?:ing)? forward|take care|don't hesitate|do not hesitate|rest assured|bear with|note that)\b|^(?:great|good|nice|perfect|excellent|agreed|correct|right|nothing|well done)\b/i;
const ownDeeds = /\b(?:I|I'm|I've|I'll|I'd|my|me)\b|\bwe(?:'ve|'ll| have| will| are)\b/;
const permission = /\b(?:you|they|customers?|users?|one) (?:can|could|may|might)\b/i;
const outspoken =
  /\b(?:always|never|must|should|shall|only|do not|don't|cannot|can't|instead|rather than|avoid|stop|first|not before|before|unless|required|forbidden)\b/i;
const normWord = /\b(?:must|should|shall|never|always|only|needs? to|ha(?:s|ve) to|required|forbidden)\b/i;

/** True for a sentence that tells its reader what to do or what not to do. */
function instructs(reading: Reading): boolean {
  const { text } = reading;
  if (reading.veto !== null || reading.isQuestion || reading.isHeading) return false;
  if (pleasantry.test(text) || ownDeeds.test(text) || permission.test(text)) return false;
  return reading.parts.some(
    ({ frame }) =>
      frame === "order" ||
      frame === "ban" ||
      ((frame === "duty" || frame === "norm" || frame === "practice") && normWord.test(text)),
  );
}

/** Share of the content words of `text` that `said` lacks; 0 where there are too few to tell. */
function novelty(text: string, said: ReadonlySet<string>): number {
  const stems = [...contentStems(text)];
  if (stems.length < minStems) return 0;
  return stems.filter((stem) => !said.has(stem)).length / stems.length;
}

const isSubstantial = (text: string): boolean => contentStems(text).size >= minStems;

const asking = /\?$|^(?:what|how|when|where|who|which|why|can|could|should|may|do|does|is|are)\b/i;

/** The first words of a sentence as words about the user: "should I repot" → "should the user repot". */
function reported(sentence: string): string {
  const words = withoutInvisible(sentence).split(" ").slice(0, maxQuestionWords).join(" ");
  const turned = words
    .replace(/\bdo I\b/gi, "does the user")
    .replace(/\b(should|can|could|may|must|shall|would|did|will) I\b/gi, "$1 the user");
  return tidy(aboutTheUser(turned));
}

/** What was asked or told, in words about the user; "" where nothing plain was. */
function occasionOf({ question, answer }: ExpertPair): string {
  const text = (question?.content ?? "").slice(0, maxQuestionChars);
  const request = requestOf(text);
  if (isSubstantial(request)) return `asked to ${request}`;
  const sentences = splitSentences(text).map((sentence) => sentence.text);
  const asked = sentences.findLast((sentence) => asking.test(sentence) && isSubstantial(sentence));
  if (asked !== undefined) return `asked: ${reported(asked)}`;
  const told = sentences.find(isSubstantial);
  if (told !== undefined) return `told: ${reported(told)}`;
  const act = actOf(answer.content);
  return act === "" ? "" : `about to ${act}`;
}

/** The expert's instructions that the agent's answer lacks, bounded, in order. */
function instructionsOf({ answer, expert }: ExpertPair): Reading[] {
  const said = contentStems(answer.content.slice(0, 20_000));
  const instructions = readTurn(expert.content).filter(instructs);
  const isNew = instructions.some(({ text }) => {
    const share = novelty(text, said);
    return share >= minNovelty || (outspoken.test(text) && share >= minOutspokenNovelty);
  });
  if (!isNew) return [];
  // One new step makes the procedure new: what leads up to it and follows it belongs to it.
  const distinct = new Map(instructions.map((reading) => [reading.sentence.start, reading]));
  return [...distinct.values()].slice(0, maxSentences);
}

function ruleOf(pair: ExpertPair): Candidate | null {
  const { question, answer, expert } = pair;
  if (looksLikeInjection((question?.content ?? "").slice(0, maxQuestionChars))) return null;
  const occasion = occasionOf(pair);
  if (occasion === "") return null;
  const names = namesIn((question?.content ?? "").slice(0, 2_000));
  const clean = (text: string): string => withoutIdentity(withoutInvisible(text), names);
  const sentences: string[] = [];
  const evidence: Candidate["evidence"] = [];
  let length = 0;
  for (const { sentence } of instructionsOf(pair)) {
    const verbatim = expert.content.slice(sentence.start, sentence.end);
    const source_span = spanOf(expert.content, sentence.start, sentence.end);
    const text = capitalised(clean(verbatim).replace(/^(?:\d{1,2}[.)]|[-*+•])\s+/, ""));
    length += text.length + 1;
    if (length > maxContentChars) break;
    if (source_span === "") continue;
    sentences.push(/[.!?]$/.test(text) ? text : `${text}.`);
    evidence.push({ turn_ref: expert.label, source_span });
  }
  const content = sentences.join(" ");
  if (!isSubstantial(content)) return null;
  const opening = openingSpan(answer.content);
  if (opening !== "") evidence.push({ turn_ref: answer.label, source_span: opening });
  const hint = content.replace(/["“”]/g, "'").split(" ").slice(0, maxHintWords).join(" ");
  return {
    rationale: `An expert's answer says what the agent's left out or had otherwise: "${hint}…"`,
    evidence_kind: "expert-gap",
    trigger: capitalised(prefixOf(clean(occasion), maxTriggerChars)),
    content,
    evidence,
  };
}

/** One rule a pair at most: the expert's instructions, for the question that was asked. */
export function extractExpertOffline(input: TaskInput<"extractExpert">): TaskOutput<"extractExpert"> {
  const playbooks = input.pairs.map(ruleOf).filter((rule): rule is Candidate => rule !== null);
  return { playbooks: playbooks.slice(-maxRules) };
}

/** The gate answers what the extraction would find, which costs nothing here. */
export function shouldExtractExpertOffline(
  input: TaskInput<"shouldExtractExpert">,
): TaskOutput<"shouldExtractExpert"> {
  return { shouldExtract: extractExpertOffline(input).playbooks.length > 0 };
}
