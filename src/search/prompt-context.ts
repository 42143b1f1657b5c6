/** The rules for a conversation: found, judged, and put into a block for the prompt. */
import type { Database } from "../db/client";
import type { Services } from "../services";
import { buildContext, type ContextBlock } from "./context";
import type { ContextFormat } from "./context-text";
import type { AgentPlaybookView, Hit, UserPlaybookView } from "./hits";
import { hybridSearch } from "./hybrid";
import type { ComparableRule } from "./near-duplicates";
import { suppressSources } from "./suppression";

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
}

/** Rules of one kind that are looked at; the cap on tokens decides how many stay. */
const MAX_RULES = 20;
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
  services: Pick<Services, "clock" | "embedder" | "vectors" | "log" | "ids">,
  db: Database,
  orgId: string,
  { query, agentVersion, userId, maxTokens, format }: PromptContextQuery,
): Promise<PromptContext> {
  const current = { agentVersion, statuses: [null] };
  const found = await hybridSearch(services, db, {
    ...{ orgId, query, mode: "hybrid", topK: MAX_RULES, threshold: null },
    agentPlaybooks: { ...current, approvals: ["approved"] },
    userPlaybooks: userId === undefined ? null : { ...current, userId },
  });
  const own = suppressSources(found.userPlaybooks, found.agentPlaybooks);
  const withheld = own.filter(isUnsafe);
  const block = buildContext({
    agentRules: found.agentPlaybooks.map(toRule),
    userRules: own.filter((hit) => !isUnsafe(hit)).map(toRule),
    ...{ format, maxTokens, nonce: services.ids.random("fence").slice(-NONCE_CHARS) },
  });
  return {
    ...block,
    degraded: found.degraded,
    withheld: withheld.map(({ id, flags }) => ({ kind: "user_playbook", id, flags })),
  };
}

function isUnsafe({ flags }: Hit<unknown>): boolean {
  return flags.some((flag) => UNSAFE_FLAGS.has(flag));
}

function toRule({ id, view, changedAtSec }: Hit<AgentPlaybookView | UserPlaybookView>): ComparableRule {
  return { id, trigger: view.trigger ?? "", content: view.content, changedAtSec };
}
