/** A search with every rule explained, and the prompt's block that the same input would give. */
import type { Database } from "../db/client";
import { Failure } from "../platform/failure";
import type { Services } from "../services";
import type { ContextFormat } from "./context-text";
import { withDeadline } from "./deadline";
import { type BlockSeenBy, type Explained, explained } from "./explained";
import type { SearchMode } from "./hybrid";
import type { PlaybookKind } from "./kinds";
import { lookFurther } from "./look-further";
import { contextSearch, type PromptContext, tracedContext } from "./prompt-context";
import { searchedText, tracedSearch, type UnifiedQuery, unifiedHybridQuery } from "./unified";

export interface ExplainQuery extends Omit<UnifiedQuery, "entityTypes" | "playbookName" | "tags"> {
  /** Of the block, which takes an agent version too. */
  maxTokens: number;
  format: ContextFormat;
  /** Whether the reader holds the scope `review`; others do not see whose rule one is. */
  mayNameUsers: boolean;
}

export interface Explanation {
  /** Only where it differs from the query. */
  reformulatedQuery: string | null;
  degraded: boolean;
  effectiveMode: SearchMode;
  /** Least cosine similarity of hits by meaning; null where meaning was not compared. */
  threshold: number | null;
  /** At most 100 of each kind, what was returned first. */
  userPlaybooks: Explained[];
  agentPlaybooks: Explained[];
  /** Rules that were looked at and are not listed. */
  unlisted: number;
  /** Null where no agent version is named. */
  context: ExplainedContext | null;
}

export interface ExplainedContext extends PromptContext {
  /** Of the block's own search; null where meaning was not compared. */
  threshold: number | null;
}

type ExplainServices = Pick<Services, "clock" | "embedder" | "vectors" | "log" | "ids" | "reasoner">;
type PerKind<Value> = Record<PlaybookKind, Value>;

/** At least the 50 that a search may return, the 20 that a block looks at and 30 that neither kept. */
const MAX_LISTED = 100;
const DEADLINE_MS = 30_000;

/**
 * Explains for somebody who waits.
 * @throws what `explainSearch` throws, and Failure("timeout") after 30 s
 */
export const explainInTime = (...given: Parameters<typeof explainSearch>): Promise<Explanation> =>
  withDeadline(
    explainSearch(...given),
    DEADLINE_MS,
    () => new Failure("timeout", "The search took longer than 30 seconds."),
  );

/**
 * Explains what `unifiedSearch` and `promptContext` do, by running them. Notes nothing as served.
 * @throws what the database throws
 */
export async function explainSearch(
  services: ExplainServices,
  db: Database,
  orgId: string,
  query: ExplainQuery,
): Promise<Explanation> {
  const unified = { ...query, entityTypes: ["user_playbooks", "agent_playbooks"] as const };
  const text = await searchedText(services, orgId, unified);
  const search = unifiedHybridQuery(orgId, text, unified, services.clock.nowMs());
  const { trace, whys } = await tracedSearch(services, db, search);
  const seen = await lookFurther(services, db, search, trace);
  const block = await explainedBlock(services, db, orgId, query);

  const rulesOf = (kind: PlaybookKind): Explained[] =>
    explained(kind, { seen: seen[kind], whys }, block?.seenBy[kind] ?? null, query);
  const [users, agents] = [rulesOf("user_playbook"), rulesOf("agent_playbook")];
  return {
    reformulatedQuery: text === query.query ? null : text,
    degraded: trace.degraded,
    effectiveMode: trace.effectiveMode,
    threshold: trace.vector === null ? null : trace.threshold,
    userPlaybooks: users.slice(0, MAX_LISTED),
    agentPlaybooks: agents.slice(0, MAX_LISTED),
    unlisted: Math.max(users.length - MAX_LISTED, 0) + Math.max(agents.length - MAX_LISTED, 0),
    context: block?.context ?? null,
  };
}

async function explainedBlock(
  services: ExplainServices,
  db: Database,
  orgId: string,
  { query, agentVersion, userId, maxTokens, format }: ExplainQuery,
): Promise<{ context: ExplainedContext; seenBy: PerKind<BlockSeenBy> } | null> {
  if (agentVersion === undefined) return null;
  const asked = { query, agentVersion, ...(userId !== undefined && { userId }) };
  const { trace, whys, ...context } = await tracedContext(services, db, orgId, {
    ...asked,
    ...{ maxTokens, format },
  });
  const seen = await lookFurther(services, db, contextSearch(orgId, asked), trace);
  const shared = { whys, cited: new Set(context.citations.map(({ tag }) => tag)) };
  return {
    context: { ...context, threshold: trace.vector === null ? null : trace.threshold },
    seenBy: {
      user_playbook: {
        ...{ ...shared, seen: seen.user_playbook },
        otherwise: { code: userId === undefined ? "no_user" : "not_found" },
      },
      agent_playbook: { ...shared, seen: seen.agent_playbook, otherwise: { code: "not_found" } },
    },
  };
}
