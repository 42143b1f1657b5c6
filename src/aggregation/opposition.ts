/** Which approved rule a new one speaks against: about the same situation, in the opposite direction. Pure. */
import { containment, termsOf } from "../platform/rules/terms";
import { retrievalText } from "../playbooks/model";
import { contradict } from "./clustering/contradiction";

export interface ComparableRule {
  agentPlaybookId: number;
  /** Blank and null: the rule holds always, and its content tells what it is about. */
  trigger: string | null;
  content: string;
}

/** Share of the smaller situation's terms above which two situations are one. */
const SAME_SITUATION = 0.6;

/** Common terms over all terms: unlike containment, it tells a rule from a longer one that holds its words. */
function shareOfTerms(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of left) if (right.has(term)) shared += 1;
  const all = left.size + right.size - shared;
  return all === 0 ? 0 : shared / all;
}

/**
 * The rule among `approved` that `rule` contradicts: the one most like it where there are several (ties to the
 * newest id), null where there is none.
 */
export function opposedRule<Rule extends ComparableRule>(
  rule: Pick<ComparableRule, "trigger" | "content">,
  approved: readonly Rule[],
): Rule | null {
  const situation = termsOf(retrievalText(rule));
  const whole = termsOf(`${rule.trigger ?? ""}\n${rule.content}`);
  let best: { rule: Rule; likeness: number } | null = null;
  for (const other of approved) {
    if (containment(termsOf(retrievalText(other)), situation) < SAME_SITUATION) continue;
    if (!contradict(other.content, rule.content)) continue;
    const likeness = shareOfTerms(termsOf(`${other.trigger ?? ""}\n${other.content}`), whole);
    const wins =
      best === null ||
      likeness > best.likeness ||
      (likeness === best.likeness && other.agentPlaybookId > best.rule.agentPlaybookId);
    if (wins) best = { rule: other, likeness };
  }
  return best?.rule ?? null;
}
