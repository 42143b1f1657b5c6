/** Unified search (specification 9.4): every kind of rule for one query, in one answer. */
import type { Database } from "../db/client";
import type { Services } from "../services";
import { withDeadline } from "./deadline";
import type { AgentPlaybookView, Hit, UserPlaybookView } from "./hits";
import {
  type HybridQuery,
  type HybridTrace,
  hybridTrace,
  resultOf,
  type SearchMode,
  type SearchServices,
} from "./hybrid";
import { tagOf } from "./kinds";
import { type HistoryTurn, reformulate } from "./reformulation";
import { noteFirstServing, rememberServed, unservedOf } from "./served";
import { suppressSources } from "./suppression";
import { sourceOf, type Why } from "./why";

export type EntityType = "profiles" | "user_playbooks" | "agent_playbooks";

export interface UnifiedQuery {
  query: string;
  topK: number;
  threshold: number | null;
  mode: SearchMode;
  agentVersion?: string;
  playbookName?: string;
  userId?: string;
  tags?: readonly string[];
  /** A rule that this session was served in the last day is left out; others take its place. */
  sessionId?: string;
  entityTypes: readonly EntityType[];
  /** Approval states of agent playbooks; an empty list matches nothing. */
  approvals: readonly string[];
  history: readonly HistoryTurn[];
  enableReformulation: boolean;
}

export interface UnifiedResult {
  userPlaybooks: UserPlaybookView[];
  agentPlaybooks: AgentPlaybookView[];
  /** Only where it differs from the query. */
  reformulatedQuery: string | null;
  degraded: boolean;
  effectiveMode: SearchMode;
}

type UnifiedServices = Pick<Services, "clock" | "embedder" | "vectors" | "log" | "reasoner" | "defer">;

export const DEFAULT_UNIFIED_TOP_K = 5;
/** Approval states of agent playbooks that are searched unless others are asked for. */
export const DEFAULT_APPROVALS: readonly string[] = ["approved", "pending"];
const DEADLINE_MS = 30_000;

/** A search with all that it looked at. */
export interface TracedSearch {
  userPlaybooks: Hit<UserPlaybookView>[];
  agentPlaybooks: Hit<AgentPlaybookView>[];
  trace: HybridTrace;
  /** By citation tag, for rules among the best: why one is not returned all the same. */
  whys: ReadonlyMap<string, Why>;
}

/**
 * CURRENT rules only. User rules that are sources of a returned agent rule are left out. What a session is
 * served is noted beside the response, which does not wait for it.
 * @throws what the database throws, and DeadlineExceeded after 30 s
 */
export async function unifiedSearch(
  services: UnifiedServices,
  db: Database,
  orgId: string,
  query: UnifiedQuery,
): Promise<UnifiedResult> {
  const text = await searchedText(services, orgId, query);
  const search = unifiedHybridQuery(orgId, text, query, services.clock.nowMs());
  const found = await withDeadline(tracedSearch(services, db, search), DEADLINE_MS);
  const { userPlaybooks, agentPlaybooks, trace } = found;
  if (query.sessionId !== undefined) {
    const session = { orgId, sessionId: query.sessionId };
    services.defer(rememberServed(services, db, session, { userPlaybooks, agentPlaybooks }));
  }
  services.defer(noteFirstServing(services, db, orgId, unservedOf(agentPlaybooks)));
  return {
    userPlaybooks: userPlaybooks.map(({ view }) => view),
    agentPlaybooks: agentPlaybooks.map(({ view }) => view),
    reformulatedQuery: text === query.query ? null : text,
    degraded: trace.degraded,
    effectiveMode: trace.effectiveMode,
  };
}

/** The query as it is looked up: in a model's plain words where that is asked for. */
export const searchedText = async (
  { reasoner }: Pick<Services, "reasoner">,
  orgId: string,
  { query, history, enableReformulation }: UnifiedQuery,
): Promise<string> => (enableReformulation ? await reformulate(reasoner(orgId), query, history) : query);

/** The search over both kinds that a unified search is. */
export function unifiedHybridQuery(
  orgId: string,
  text: string,
  query: UnifiedQuery,
  nowMs: number,
): HybridQuery {
  const shared = {
    statuses: [null],
    ...(query.agentVersion !== undefined && { agentVersion: query.agentVersion }),
    ...(query.playbookName !== undefined && { playbookName: query.playbookName }),
    ...(query.tags !== undefined && { tags: query.tags }),
    ...(query.sessionId !== undefined && { unserved: { sessionId: query.sessionId, nowMs } }),
  };
  return {
    ...{ orgId, query: text, mode: query.mode, topK: query.topK, threshold: query.threshold },
    userPlaybooks: query.entityTypes.includes("user_playbooks")
      ? { ...shared, ...(query.userId !== undefined && { userId: query.userId }) }
      : null,
    agentPlaybooks: query.entityTypes.includes("agent_playbooks")
      ? { ...shared, approvals: query.approvals }
      : null,
  };
}

/** Reads, and notes nothing as served. */
export async function tracedSearch(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
): Promise<TracedSearch> {
  const trace = await hybridTrace(services, db, query);
  const { userPlaybooks, agentPlaybooks } = resultOf(trace);
  const { kept, hidden } = suppressSources(userPlaybooks, agentPlaybooks);
  return {
    userPlaybooks: kept,
    agentPlaybooks,
    trace,
    whys: new Map(
      hidden.map(({ rule, agentRuleId }) => [tagOf("user_playbook", rule.id), sourceOf(agentRuleId)]),
    ),
  };
}
