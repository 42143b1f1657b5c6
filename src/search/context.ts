/** From ranked rules to the block that goes into a prompt. Pure; the nonce comes in. */
import { type ContextFormat, renderRules } from "./context-text";
import { type PlaybookKind, tagOf } from "./kinds";
import { type ComparableRule, newestWithoutDuplicates, withoutRepetitions } from "./near-duplicates";
import { estimateTokens } from "./tokens";
import { beside, type Why } from "./why";

export interface ContextInput {
  /** Approved agent rules, best first. */
  agentRules: readonly ComparableRule[];
  /** The user's own CURRENT rules, best first, without the sources of the agent rules. */
  userRules: readonly ComparableRule[];
  format: ContextFormat;
  /** The whole block, fence and notice included, is never estimated above it. */
  maxTokens: number;
  /** Letters and digits, unguessable. */
  nonce: string;
}

export interface Citation {
  /** As it stands in the block, in brackets or as an attribute: `ap-12` or `up-7`. */
  tag: string;
  kind: PlaybookKind;
  id: number;
}

export interface ContextBlock {
  /** Empty where no rule fits. */
  context: string;
  tokens: number;
  /** The rules in the block, in its order. */
  citations: Citation[];
  /** Rules that had no room. */
  omitted: number;
}

export interface ExplainedBlock extends ContextBlock {
  /** By citation tag: why a rule is not in the block, or stands behind another in it. */
  whys: ReadonlyMap<string, Why>;
}

interface Cited extends Citation, ComparableRule {}

/**
 * The approved rules, then what the user's own add to them; contradictions newest first within each. A rule
 * without room gives way to the next one that has.
 */
export function buildContext({
  agentRules,
  userRules,
  format,
  maxTokens,
  nonce,
}: ContextInput): ExplainedBlock {
  const approved = newestWithoutDuplicates(agentRules.map((rule) => cite("agent_playbook", rule)));
  const adding = withoutRepetitions(
    userRules.map((rule) => cite("user_playbook", rule)),
    approved.kept,
  );
  const own = newestWithoutDuplicates(adding.kept);
  const offered = [...approved.kept, ...own.kept];
  const whys = new Map<string, Why>();
  for (const { rule, other } of [...approved.behind, ...own.behind]) {
    whys.set(rule.tag, beside("contradicted_by_newer", other));
  }
  for (const { rule, other } of [...approved.dropped, ...adding.dropped, ...own.dropped]) {
    whys.set(rule.tag, beside(rule.kind === other.kind ? "near_duplicate" : "repeats_approved", other));
  }
  const taken: Cited[] = [];
  let block = { context: "", tokens: 0 };
  for (const rule of offered) {
    const context = renderRules(format, [...taken, rule], nonce);
    const tokens = estimateTokens(context);
    if (tokens > maxTokens) {
      whys.set(rule.tag, { code: "no_room" });
      continue;
    }
    taken.push(rule);
    block = { context, tokens };
  }
  return {
    ...block,
    citations: taken.map(({ tag, kind, id }) => ({ tag, kind, id })),
    omitted: offered.length - taken.length,
    whys,
  };
}

const cite = (kind: PlaybookKind, rule: ComparableRule): Cited => ({
  ...rule,
  ...{ kind, tag: tagOf(kind, rule.id) },
});
