/** What a rule's prose must not carry over from the call that made it. Pure. */
import type { RuleText } from "./model";

const TURN_LABEL = /\bT\d+\b/i;
const LIST_LABEL = /\b(?:NEW|EXISTING)[-_ ]\d+\b/;
const CANDIDATE_LABEL = /\bC\d+-E\d+\b/i;
const FENCE = /<<\/?data\b/i;

const texts = ({ trigger, content, rationale }: RuleText): string => `${trigger}\n${content}\n${rationale}`;

/** Whether a call-local label of a turn, a piece of evidence or a list position stands in the prose. */
export function leaksLabel(rule: RuleText): boolean {
  const all = texts(rule);
  return TURN_LABEL.test(all) || LIST_LABEL.test(all) || CANDIDATE_LABEL.test(all);
}

/** Words in a row that no rule shares with a prompt by chance. */
const ECHO_WORDS = 10;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function* runs(words: readonly string[]): Generator<string> {
  for (let start = 0; start + ECHO_WORDS <= words.length; start += 1) {
    yield words.slice(start, start + ECHO_WORDS).join(" ");
  }
}

/** Recognises rules that repeat a prompt, or its fence, in place of a lesson. */
export function echoDetector(promptTexts: readonly string[]): (rule: RuleText) => boolean {
  const known = new Set(promptTexts.flatMap((text) => [...runs(wordsOf(text))]));
  return (rule) => {
    if (FENCE.test(texts(rule))) return true;
    for (const text of [rule.trigger, rule.content, rule.rationale]) {
      for (const run of runs(wordsOf(text))) if (known.has(run)) return true;
    }
    return false;
  };
}
