/** The search routes. */
import * as z from "zod";
import type { Database } from "../db/client";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import type { Services } from "../services";
import { contextRoute } from "./context-route";
import { withDeadline } from "./deadline";
import { explainRoute } from "./explain-route";
import {
  agentPlaybookHitSchema,
  interactionHitRow,
  interactionHitSchema,
  userPlaybookHitSchema,
} from "./hits";
import { type HybridQuery, type HybridResult, hybridSearch, searchModes } from "./hybrid";
import { rebuildRoute } from "./rebuild-route";
import { reformulate } from "./reformulation";
import {
  approvalsOf,
  boundsOf,
  filterOf,
  searchAgentPlaybooksBody,
  searchInteractionsBody,
  searchUserPlaybooksBody,
  unifiedSearchBody,
} from "./schemas";
import { interactions } from "./store";
import { DEFAULT_APPROVALS, DEFAULT_UNIFIED_TOP_K, unifiedSearch } from "./unified";
import { orgToken, wordQuery } from "./words";

const DEFAULT_TOP_K = 10;
const DEADLINE_MS = 30_000;
const FAILED = { success: false, msg: "Search failed" };

const outcome = {
  success: z.boolean(),
  msg: z.string().optional(),
  reformulated_query: z.string().nullable().optional(),
  degraded: z.boolean().optional(),
  search_mode_effective: z.enum(searchModes).optional(),
};

const unified = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/search",
  tag: "Search",
  summary: "Rules of every kind that fit a query",
  description:
    "Without `user_id` no profiles are searched, and user playbooks of every user are. Agent playbooks that are " +
    "approved or pending are found unless `agent_playbook_status_filter` says otherwise. User playbooks from which " +
    "a returned agent playbook was made are left out. With `session_id` a rule is returned once a session and day; " +
    "the next best ones take its place.",
  scope: "read",
  limit: "search",
  body: unifiedSearchBody,
  example: {
    body: { query: "get this change into main", agent_version: "helper-1", user_id: "ada", top_k: 5 },
  },
  response: z.object({
    ...outcome,
    profiles: z.array(z.unknown()).optional(),
    user_playbooks: z.array(userPlaybookHitSchema).optional(),
    agent_playbooks: z.array(agentPlaybookHitSchema).optional(),
  }),
  handler: ({ services, orgId, db }, { body }) =>
    orFailed(services, async () => {
      const sessionId = textOf(body.session_id);
      const found = await unifiedSearch(services, db, orgId, {
        query: body.query,
        topK: body.top_k ?? DEFAULT_UNIFIED_TOP_K,
        threshold: body.threshold ?? null,
        mode: body.search_mode ?? "hybrid",
        ...(body.agent_version != null && { agentVersion: body.agent_version }),
        ...(body.playbook_name != null && { playbookName: body.playbook_name }),
        ...(body.user_id != null && { userId: body.user_id }),
        ...(body.tags != null && { tags: body.tags }),
        ...(sessionId !== null && { sessionId }),
        entityTypes: body.entity_types ?? ["profiles", "user_playbooks", "agent_playbooks"],
        approvals: approvalsOf(body.agent_playbook_status_filter) ?? DEFAULT_APPROVALS,
        history: body.conversation_history ?? [],
        enableReformulation: body.enable_reformulation === true,
      });
      return {
        success: true,
        profiles: [],
        user_playbooks: found.userPlaybooks,
        agent_playbooks: found.agentPlaybooks,
        reformulated_query: found.reformulatedQuery,
        degraded: found.degraded,
        search_mode_effective: found.effectiveMode,
      };
    }),
});

const searchUserPlaybooks = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/search_user_playbooks",
  tag: "Search",
  summary: "User playbooks that fit a query; without one the newest",
  description:
    "Without `status_filter` rows of every lifecycle state but merged and superseded ones are found.",
  scope: "read",
  limit: "search",
  body: searchUserPlaybooksBody,
  example: { body: { query: "pull request", user_id: "ada" } },
  response: z.object({ ...outcome, user_playbooks: z.array(userPlaybookHitSchema).optional() }),
  handler: ({ services, orgId, db }, { body }) =>
    orFailed(services, async () => {
      const userPlaybooks = { ...filterOf(body), ...(body.user_id != null && { userId: body.user_id }) };
      const found = await searchKind(services, db, orgId, body, { userPlaybooks, agentPlaybooks: null });
      return { ...found.outcome, user_playbooks: found.result.userPlaybooks.map(({ view }) => view) };
    }),
});

const searchAgentPlaybooks = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/search_agent_playbooks",
  tag: "Search",
  summary: "Agent playbooks that fit a query; without one the newest",
  description:
    "Without `playbook_status_filter` rows of every approval state are found; an empty list finds nothing.",
  scope: "read",
  limit: "search",
  body: searchAgentPlaybooksBody,
  example: {
    body: { query: "pull request", agent_version: "helper-1", playbook_status_filter: ["approved"] },
  },
  response: z.object({ ...outcome, agent_playbooks: z.array(agentPlaybookHitSchema).optional() }),
  handler: ({ services, orgId, db }, { body }) =>
    orFailed(services, async () => {
      const approvals = approvalsOf(body.playbook_status_filter);
      const agentPlaybooks = { ...filterOf(body), ...(approvals !== undefined && { approvals }) };
      const found = await searchKind(services, db, orgId, body, { userPlaybooks: null, agentPlaybooks });
      return { ...found.outcome, agent_playbooks: found.result.agentPlaybooks.map(({ view }) => view) };
    }),
});

const searchInteractions = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/search_interactions",
  tag: "Search",
  summary: "A user's turns that share words with a query; without one the newest",
  description: "Turns are searched by words alone, whatever `search_mode` says.",
  scope: "read",
  limit: "search",
  body: searchInteractionsBody,
  example: { body: { user_id: "ada", query: "push to main" } },
  response: z.object({ ...outcome, interactions: z.array(interactionHitSchema).optional() }),
  handler: ({ services, orgId, db }, { body }) =>
    orFailed(services, async () => {
      const query = textOf(body.query);
      const match = query === null ? null : wordQuery(query, orgToken(orgId));
      const filter = {
        userId: body.user_id,
        ...(body.request_id != null && { requestId: body.request_id }),
        ...boundsOf(body),
        ...(body.most_recent_k != null && { mostRecent: body.most_recent_k }),
      };
      const limit = body.top_k ?? DEFAULT_TOP_K;
      const isUnsearchable = query !== null && match === null;
      return {
        success: true,
        interactions: isUnsearchable
          ? []
          : await db.all(interactionHitRow, interactions(orgId, match, filter, limit)),
        degraded: false,
        search_mode_effective: "fts",
      };
    }),
});

interface KindBody {
  query?: string | null | undefined;
  search_mode?: HybridQuery["mode"] | null | undefined;
  top_k?: number | null | undefined;
  threshold?: number | null | undefined;
  enable_reformulation?: boolean | null | undefined;
}

/** What the searches of one kind have in common. */
async function searchKind(
  services: Services,
  db: Database,
  orgId: string,
  body: KindBody,
  kinds: Pick<HybridQuery, "userPlaybooks" | "agentPlaybooks">,
): Promise<{ result: HybridResult; outcome: object }> {
  const asked = textOf(body.query);
  const query =
    asked !== null && body.enable_reformulation === true
      ? await reformulate(services.reasoner(orgId), asked, [])
      : asked;
  const result = await withDeadline(
    hybridSearch(services, db, {
      ...{ orgId, query, ...kinds, mode: body.search_mode ?? "hybrid" },
      topK: body.top_k ?? DEFAULT_TOP_K,
      threshold: body.threshold ?? null,
    }),
    DEADLINE_MS,
  );
  return {
    result,
    outcome: {
      success: true,
      reformulated_query: query === asked ? null : query,
      degraded: result.degraded,
      search_mode_effective: result.effectiveMode,
    },
  };
}

/** A blank query is none. */
function textOf(query: string | null | undefined): string | null {
  return query == null || query.trim() === "" ? null : query;
}

/** A failed search is an answer in this dialect; its reason is for the log. */
async function orFailed(services: Services, search: () => Promise<unknown>): Promise<unknown> {
  try {
    return await search();
  } catch (error) {
    services.log.error("search.failed", { reason: error instanceof Error ? error.name : "unknown" });
    return FAILED;
  }
}

export const searchRoutes: Route[] = [
  unified,
  searchUserPlaybooks,
  searchAgentPlaybooks,
  searchInteractions,
  contextRoute,
  explainRoute,
  rebuildRoute,
];
