/** The rules for a conversation: found, judged, and put into a block for the prompt. */
import type { Database } from "../db/client";
import type { Services } from "../services";
import { buildContext, type ContextBlock } from "./context";
import type { ContextFormat } from "./context-text";
import type { AgentPlaybookView, Hit, UserPlaybookView } from "./hits";
import { type HybridQuery, type HybridTrace, hybridTrace, resultOf } from "./hybrid";
import { tagOf } from "./kinds";
import type { ComparableRule } from "./near-duplicates";
import { unservedOf } from "./served";
import type { DecisionKey } from "./served-store";
import { suppressSources } from "./suppression";
import { sourceOf, type Why } from "./why";

export interface PromptContextQuery {
  /** What the rules should fit. */
  query: string;
  agentVersion: string;
  /** Absent: approved agent rules only. */
  userId?: string;
  maxTokens: number;
  format: ContextFormat;
}

export interface PromptContext extends ContextBlock {
  degraded: boolean;
  /** Rules of the user's own that fit but are flagged as unsafe to show to a model. */
  withheld: { kind: "user_playbook"; id: number; flags: string[] }[];
  /** Decisions whose rules stand in the block and have not been served before. */
  unserved: DecisionKey[];
}

/** A context with what its search looked at and what became of each rule. */
export interface TracedContext extends PromptContext {
  trace: HybridTrace;
  /** By citation tag, for rules among the best: why one is not in the block, or stands behind another in it. */
  whys: ReadonlyMap<string, Why>;
}

type ContextServices = Pick<Services, "clock" | "embedder" | "vectors" | "log" | "ids">;

export const DEFAULT_MAX_TOKENS = 1200;
/** Rules of one kind that are looked at; the cap on tokens decides how many stay. */
export const MAX_BLOCK_RULES = 20;
/** Flags of user rules, which nobody has reviewed, that keep them out of prompts. */
const UNSAFE_FLAGS: ReadonlySet<string> = new Set([
  "instruction_like",
  "secret",
  "invisible_characters",
  "look_alike",
]);
/** Characters of a random id's end that make the fence: 60 bits that no rule can have foreseen. */
const NONCE_CHARS = 12;

/** Approved agent rules and the user's own CURRENT ones, of one agent version. */
export async function promptContext(
  services: ContextServices,
  db: Database,
  orgId: string,
  query: PromptContextQuery,
): Promise<PromptContext> {
  const { trace: _trace, whys: _whys, ...context } = await tracedContext(services, db, orgId, query);
  return context;
}

/** The search behind a context. */
export function contextSearch(
  orgId: string,
  { query, agentVersion, userId }: Pick<PromptContextQuery, "query" | "agentVersion" | "userId">,
): HybridQuery {
  const current = { agentVersion, statuses: [null] };
  return {
    ...{ orgId, query, mode: "hybrid", topK: MAX_BLOCK_RULES, threshold: null },
    agentPlaybooks: { ...current, approvals: ["approved"] },
    userPlaybooks: userId === undefined ? null : { ...current, userId },
  };
}

export async function tracedContext(
  services: ContextServices,
  db: Database,
  orgId: string,
  query: PromptContextQuery,
): Promise<TracedContext> {
  const trace = await hybridTrace(services, db, contextSearch(orgId, query));
  const found = resultOf(trace);
  const { kept: own, hidden } = suppressSources(found.userPlaybooks, found.agentPlaybooks);
  const unsafe = own.filter(isUnsafe);
  const { whys, ...block } = buildContext({
    agentRules: found.agentPlaybooks.map(toRule),
    userRules: own.filter((hit) => !isUnsafe(hit)).map(toRule),
    ...{ format: query.format, maxTokens: query.maxTokens },
    nonce: services.ids.random("fence").slice(-NONCE_CHARS),
  });
  const cited = new Set(block.citations.map(({ tag }) => tag));
  return {
    ...block,
    degraded: found.degraded,
    withheld: unsafe.map(({ id, flags }) => ({ kind: "user_playbook", id, flags })),
    unserved: unservedOf(found.agentPlaybooks.filter(({ id }) => cited.has(tagOf("agent_playbook", id)))),
    trace,
    whys: new Map<string, Why>([
      ...whys,
      ...unsafe.map(({ id, flags }) => [tagOf("user_playbook", id), unsafeWhy(flags)] as const),
      ...hidden.map(
        ({ rule, agentRuleId }) => [tagOf("user_playbook", rule.id), sourceOf(agentRuleId)] as const,
      ),
    ]),
  };
}

const isUnsafe = ({ flags }: Hit<unknown>): boolean => flags.some((flag) => UNSAFE_FLAGS.has(flag));

const unsafeWhy = (flags: readonly string[]): Why => ({
  code: "unsafe_flag",
  flags: flags.filter((flag) => UNSAFE_FLAGS.has(flag)),
});

function toRule({ id, view, changedAtSec }: Hit<AgentPlaybookView | UserPlaybookView>): ComparableRule {
  return { id, trigger: view.trigger ?? "", content: view.content, changedAtSec };
}
