/** Publishing and its status. */
import * as z from "zod";
import { PUBLISH_MAX_BODY_BYTES } from "../http/body";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { Failure } from "../platform/failure";
import { deletionRoutes } from "./deletion-routes";
import { identifier, publishBodySchema } from "./model";
import { publish } from "./publish";
import { readRoutes } from "./read-routes";
import { sessionOutcomeRoutes } from "./session-outcomes-routes";
import { learningStatusOf } from "./status";
import { waitForLearning } from "./wait";

const publishInteraction = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/publish_interaction",
  tag: "Interactions",
  summary: "Publish the turns of a conversation",
  description:
    "Answers after the write. Send the same `request_id` again after any failure: it is stored once. With " +
    "`wait_for_response=true` the answer comes when learning is done, has failed or waits for more turns, " +
    "at the latest after 60 s.",
  scope: "publish",
  limit: "publish",
  maxBodyBytes: PUBLISH_MAX_BODY_BYTES,
  body: publishBodySchema,
  query: z.object({ wait_for_response: z.stringbool().prefault("false") }),
  example: {
    body: {
      user_id: "ada",
      session_id: "ada-1",
      request_id: "ada-1-1",
      agent_version: "helper-1",
      force_extraction: true,
      interaction_data_list: [
        { role: "Assistant", content: "The fix is in. I pushed it straight to main." },
        { role: "User", content: "No, do not push to main. Open a pull request and let me review it." },
      ],
    },
  },
  response: z.object({
    success: z.boolean(),
    message: z.string(),
    warnings: z.array(z.string()),
    request_id: z.string(),
    learning_status: z.enum(["done", "deferred"]).optional(),
    learning_reason: z.string().optional(),
    playbooks_added: z.int().optional(),
  }),
  otherAnswers: {
    409: "The request_id is taken by a request with another body",
    503: "The write was not confirmed; send the same request_id again",
  },
  async handler({ services, orgId }, { body, query }) {
    const { requestId, turns, warnings } = await publish(services, orgId, body);
    const learning = query.wait_for_response
      ? await waitForLearning(services, orgId, requestId)
      : { learning_status: "deferred" as const };
    return {
      success: true,
      message: `Stored ${turns} ${turns === 1 ? "turn" : "turns"}.`,
      warnings,
      request_id: requestId,
      ...learning,
    };
  },
});

const learningStatus = defineRoute({
  dialect: "reflexio",
  method: "get",
  path: "/api/learning_status",
  tag: "Interactions",
  summary: "Whether a published request was learned from",
  description: "`done` means that learning has passed the request's turns, not that it found a rule.",
  scope: "read",
  limit: "read",
  query: z.object({ request_id: identifier }),
  example: { query: { request_id: "ada-1-1" }, after: "post /api/publish_interaction" },
  response: z.object({
    status: z.enum(["pending", "processing", "done", "failed"]),
    reason: z.string(),
  }),
  otherAnswers: { 404: "No such request" },
  async handler({ services, orgId, db }, { query }) {
    const coverage = await learningStatusOf(db, orgId, query.request_id, services.clock.nowMs());
    if (coverage === null) throw new Failure("not_found", "There is no request with that request_id.");
    return coverage;
  },
});

export const interactionRoutes: Route[] = [
  publishInteraction,
  learningStatus,
  ...readRoutes,
  ...deletionRoutes,
  ...sessionOutcomeRoutes,
];
