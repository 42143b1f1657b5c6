/** `POST /api/context`: the rules of an agent version and a user, ready to stand in a prompt. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Failure } from "../platform/failure";
import { contextView, contextViewShape } from "./context-view";
import { queryOfConversation } from "./conversation-query";
import { withDeadline } from "./deadline";
import { DEFAULT_MAX_TOKENS, promptContext } from "./prompt-context";
import { contextBody } from "./schemas";
import { noteFirstServing } from "./served";

const DEADLINE_MS = 30_000;

const contextResponse = z.object({
  /** The block, or an empty text where no rule fits. */
  context: z.string(),
  ...contextViewShape,
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
  example: {
    body: {
      query: "Get this change into main for me",
      agent_version: "helper-1",
      user_id: "ada",
      format: "markdown",
      max_tokens: 800,
    },
  },
  response: contextResponse,
  otherAnswers: { 504: "The search took longer than 30 seconds." },
  async handler({ services, orgId, db }, { body }) {
    const format = body.format ?? "markdown";
    const found = await withDeadline(
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
    services.defer(noteFirstServing(services, db, orgId, found.unserved));
    return { context: found.context, ...contextView(found, format) };
  },
});
