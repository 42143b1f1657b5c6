/** Whether a reviewer's rewording says more than what it revises. Pure; a lower bound, not a proof. */
import type { EvidenceUnit, RuleText } from "./model";

/** A narrower rule may need other words, but not many more of them. */
const LENGTH_FACTOR = 1.25;
const LENGTH_ALLOWANCE_CHARS = 80;
/** Share of the revision's longer words that must come from the candidate or its evidence. */
const KNOWN_WORDS_SHARE = 0.5;
const LONGER_WORD_CHARS = 4;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Facts that nobody may add: numbers, addresses, links. */
const factsOf = (text: string): string[] =>
  (text.toLowerCase().match(/https?:\/\/\S+|[\w+.-]{1,64}@[\w.-]+|\d+(?:[.,]\d+)*/g) ?? []).map((fact) =>
    fact.replace(/[.,;:!?)\]]+$/, ""),
  );

/** True where the revision brings a number, address or link of its own, or is mostly new. */
export function widens(revision: RuleText, candidate: RuleText, units: readonly EvidenceUnit[]): boolean {
  const evidence = units.map((unit) => unit.text).join("\n");
  const known = `${candidate.trigger}\n${candidate.content}\n${candidate.rationale}\n${evidence}`;
  const facts = new Set(factsOf(known));
  if (factsOf(`${revision.trigger}\n${revision.content}`).some((fact) => !facts.has(fact))) return true;
  if (revision.content.length > candidate.content.length * LENGTH_FACTOR + LENGTH_ALLOWANCE_CHARS)
    return true;
  // Stems are compared by their first letters: "reviewing" is known where "review" stands.
  const stems = new Set(wordsOf(known).map((word) => word.slice(0, LONGER_WORD_CHARS)));
  const longer = wordsOf(revision.content).filter((word) => word.length >= LONGER_WORD_CHARS);
  const knownCount = longer.filter((word) => stems.has(word.slice(0, LONGER_WORD_CHARS))).length;
  return longer.length > 0 && knownCount / longer.length < KNOWN_WORDS_SHARE;
}
