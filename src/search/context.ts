/** From ranked rules to the block that goes into a prompt. Pure; the nonce comes in. */
import { type ContextFormat, renderRules } from "./context-text";
import { type ComparableRule, newestWithoutDuplicates, withoutRepetitions } from "./near-duplicates";
import { estimateTokens } from "./tokens";

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
  kind: "agent_playbook" | "user_playbook";
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

interface Cited extends Citation {
  trigger: string;
  content: string;
}

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
}: ContextInput): ContextBlock {
  const approved = newestWithoutDuplicates(agentRules);
  const own = newestWithoutDuplicates(withoutRepetitions(userRules, approved));
  const offered = [
    ...approved.map((rule) => cite("agent_playbook", "ap", rule)),
    ...own.map((rule) => cite("user_playbook", "up", rule)),
  ];
  const taken: Cited[] = [];
  let block = { context: "", tokens: 0 };
  for (const rule of offered) {
    const context = renderRules(format, [...taken, rule], nonce);
    const tokens = estimateTokens(context);
    if (tokens > maxTokens) continue;
    taken.push(rule);
    block = { context, tokens };
  }
  return {
    ...block,
    citations: taken.map(({ tag, kind, id }) => ({ tag, kind, id })),
    omitted: offered.length - taken.length,
  };
}

function cite(kind: Citation["kind"], prefix: string, rule: ComparableRule): Cited {
  const { id, trigger, content } = rule;
  return { tag: `${prefix}-${id}`, kind, id, trigger, content };
}
