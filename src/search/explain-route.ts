/** `POST /api/search/explain`: why a search answers as it does, and the block that the same input gives. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { contextView, contextViewShape } from "./context-view";
import { type Explanation, explainInTime } from "./explain";
import type { Explained, Trail } from "./explained";
import { searchModes } from "./hybrid";
import { DEFAULT_MAX_TOKENS } from "./prompt-context";
import { approvalsOf, explainBody } from "./schemas";
import { DEFAULT_APPROVALS, DEFAULT_UNIFIED_TOP_K } from "./unified";
import { whySchema } from "./why";

const rank = z.int().min(1).nullable();
const trail = {
  /** Null where words did not list it. */
  word_rank: rank,
  /** BM25, more is better. */
  word_score: z.number().nullable(),
  /** Null where meaning did not list it. */
  meaning_rank: rank,
  /** Null where it was not compared. */
  cosine: z.number().nullable(),
  fused_rank: rank,
  /** Sum over both lists of 1 / (60 + rank). */
  fused_score: z.number().nullable(),
  why: whySchema.nullable(),
};

const explainedSchema = z.object({
  id: z.int(),
  trigger: z.string().nullable(),
  content: z.string(),
  agent_version: z.string(),
  /** Null for user playbooks. */
  playbook_status: z.string().nullable(),
  /** Null for agent playbooks and for readers without the scope "review". */
  user_id: z.string().nullable(),
  flags: z.array(z.string()),
  returned: z.boolean(),
  ...trail,
  /** The same in the search for the block; `tag` is null where the rule is not in it. */
  block: z.object({ tag: z.string().nullable(), ...trail }).nullable(),
});

const threshold = z.number().nullable();

const explainResponse = z.object({
  /** Null where it is the query. */
  reformulated_query: z.string().nullable(),
  degraded: z.boolean(),
  search_mode_effective: z.enum(searchModes),
  /** Null where meaning was not compared. */
  threshold,
  user_playbooks: z.array(explainedSchema),
  agent_playbooks: z.array(explainedSchema),
  /** Rules that were looked at and are not listed. */
  unlisted: z.int(),
  context: z.object({ block: z.string(), threshold, ...contextViewShape }).nullable(),
});

export const explainRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/search/explain",
  tag: "Search",
  summary: "A search with scores explained, and the prompt's block that the same input gives",
  description:
    "Runs `/api/search` and, with `agent_version`, `/api/context`, and tells of every rule that either looked at: " +
    "its rank and score by words and by meaning, its place after both, and `why` it was not returned or, in " +
    "`block`, why the block does not hold it. A rule with the reason `contradicted_by_newer` is in the block, " +
    "behind a newer one about the same thing. Returned rules come first; at most 100 of each kind are listed. " +
    'Nothing is noted as served. Users are named to the scope "review" only.',
  scope: "read",
  limit: "search",
  body: explainBody,
  example: {
    body: { query: "get this change into main", agent_version: "helper-1", user_id: "ada" },
  },
  response: explainResponse,
  otherAnswers: { 504: "The search took longer than 30 seconds." },
  async handler({ services, orgId, db, principal }, { body }) {
    const format = body.format ?? "markdown";
    const found = await explainInTime(services, db, orgId, {
      query: body.query,
      topK: body.top_k ?? DEFAULT_UNIFIED_TOP_K,
      threshold: body.threshold ?? null,
      mode: body.search_mode ?? "hybrid",
      ...(body.agent_version != null && { agentVersion: body.agent_version }),
      ...(body.user_id != null && { userId: body.user_id }),
      ...(body.session_id != null && { sessionId: body.session_id }),
      approvals: approvalsOf(body.approvals) ?? DEFAULT_APPROVALS,
      history: body.conversation_history ?? [],
      enableReformulation: body.enable_reformulation === true,
      ...{ maxTokens: body.max_tokens ?? DEFAULT_MAX_TOKENS, format },
      mayNameUsers: principal.scopes.includes("review"),
    });
    return answerOf(found, format);
  },
});

const answerOf = (found: Explanation, format: string): z.output<typeof explainResponse> => ({
  reformulated_query: found.reformulatedQuery,
  degraded: found.degraded,
  search_mode_effective: found.effectiveMode,
  threshold: found.threshold,
  user_playbooks: found.userPlaybooks.map(ruleView),
  agent_playbooks: found.agentPlaybooks.map(ruleView),
  unlisted: found.unlisted,
  context: found.context && {
    ...{ block: found.context.context, threshold: found.context.threshold },
    ...contextView(found.context, format),
  },
});

const ruleView = (rule: Explained): z.output<typeof explainedSchema> => ({
  ...{ id: rule.id, trigger: rule.trigger, content: rule.content, agent_version: rule.agentVersion },
  ...{ playbook_status: rule.playbookStatus, user_id: rule.userId, flags: rule.flags },
  returned: rule.returned,
  ...trailView(rule),
  block: rule.block && { tag: rule.block.tag, ...trailView(rule.block) },
});

const trailView = (found: Trail) => ({
  ...{ word_rank: found.wordRank, word_score: found.wordScore },
  ...{ meaning_rank: found.meaningRank, cosine: found.cosine },
  ...{ fused_rank: found.fusedRank, fused_score: found.fusedScore },
  why: found.why,
});
