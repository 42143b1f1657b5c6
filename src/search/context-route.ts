/** `POST /api/context`: the rules of an agent version and a user, ready to stand in a prompt. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Failure } from "../platform/failure";
import { queryOfConversation } from "./conversation-query";
import { withDeadline } from "./deadline";
import { promptContext } from "./prompt-context";
import { contextBody } from "./schemas";

const DEFAULT_MAX_TOKENS = 1200;
const DEADLINE_MS = 30_000;

const contextResponse = z.object({
  /** The block, or an empty text where no rule fits. */
  context: z.string(),
  /** Upper estimate of the block's tokens; never above `max_tokens`. */
  tokens: z.int(),
  format: z.string(),
  citations: z.array(
    z.object({
      tag: z.string(),
      kind: z.enum(["agent_playbook", "user_playbook"]),
      id: z.int(),
      /** `id` as the citations of a published turn carry it. */
      real_id: z.string(),
    }),
  ),
  /** True where only words could be compared, not meaning. */
  degraded: z.boolean(),
  /** Rules that fit but had no room. */
  omitted: z.int(),
  /** The user's own rules that fit but are flagged as unsafe to show to a model. */
  withheld: z.array(z.object({ kind: z.literal("user_playbook"), id: z.int(), flags: z.array(z.string()) })),
});

export const contextRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/context",
  tag: "Search",
  summary: "The approved rules for a conversation, as a block for its prompt",
  description:
    "Approved agent playbooks, then the user's own current ones, without duplicates; of two that contradict each " +
    "other the newer stands first. The rules are fenced as data, each has a citation tag, and the whole block " +
    "never takes more than `max_tokens` by an estimate that errs upwards.",
  scope: "read",
  limit: "search",
  body: contextBody,
  response: contextResponse,
  otherAnswers: { 504: "The search took longer than 30 seconds." },
  async handler({ services, orgId, db }, { body }) {
    const format = body.format ?? "markdown";
    const { context, tokens, citations, degraded, omitted, withheld } = await withDeadline(
      promptContext(services, db, orgId, {
        query: body.query ?? queryOfConversation(body.messages ?? []),
        agentVersion: body.agent_version,
        ...(body.user_id != null && { userId: body.user_id }),
        maxTokens: body.max_tokens ?? DEFAULT_MAX_TOKENS,
        format,
      }),
      DEADLINE_MS,
      () => new Failure("timeout", "The search took longer than 30 seconds."),
    );
    return {
      ...{ context, tokens, format },
      citations: citations.map(({ tag, kind, id }) => ({ tag, kind, id, real_id: String(id) })),
      ...{ degraded, omitted, withheld },
    };
  },
});
