/** Unified search (specification 9.4): every kind of rule for one query, in one answer. */
import type { Database } from "../db/client";
import type { Services } from "../services";
import { withDeadline } from "./deadline";
import type { AgentPlaybookView, UserPlaybookView } from "./hits";
import { hybridSearch, type SearchMode } from "./hybrid";
import { type HistoryTurn, reformulate } from "./reformulation";
import { rememberServed } from "./served";
import { suppressSources } from "./suppression";

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

const DEADLINE_MS = 30_000;

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
  const text = query.enableReformulation
    ? await reformulate(services.reasoner(orgId), query.query, query.history)
    : query.query;
  const shared = {
    statuses: [null],
    ...(query.agentVersion !== undefined && { agentVersion: query.agentVersion }),
    ...(query.playbookName !== undefined && { playbookName: query.playbookName }),
    ...(query.tags !== undefined && { tags: query.tags }),
    ...(query.sessionId !== undefined && {
      unserved: { sessionId: query.sessionId, nowMs: services.clock.nowMs() },
    }),
  };
  const found = await withDeadline(
    hybridSearch(services, db, {
      ...{ orgId, query: text, mode: query.mode, topK: query.topK, threshold: query.threshold },
      userPlaybooks: query.entityTypes.includes("user_playbooks")
        ? { ...shared, ...(query.userId !== undefined && { userId: query.userId }) }
        : null,
      agentPlaybooks: query.entityTypes.includes("agent_playbooks")
        ? { ...shared, approvals: query.approvals }
        : null,
    }),
    DEADLINE_MS,
  );
  const userPlaybooks = suppressSources(found.userPlaybooks, found.agentPlaybooks);
  if (query.sessionId !== undefined) {
    const session = { orgId, sessionId: query.sessionId };
    services.defer(
      rememberServed(services, db, session, { userPlaybooks, agentPlaybooks: found.agentPlaybooks }),
    );
  }
  return {
    userPlaybooks: userPlaybooks.map(({ view }) => view),
    agentPlaybooks: found.agentPlaybooks.map(({ view }) => view),
    reformulatedQuery: text === query.query ? null : text,
    degraded: found.degraded,
    effectiveMode: found.effectiveMode,
  };
}
