/** The page of learning, and the form that starts an aggregation. */
import * as z from "zod";
import { startAggregation } from "../../aggregation/operations";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { seeOther } from "../frame";
import { html } from "../html";
import { hrefOf } from "../parts";
import { readOverview } from "./overview";
import { learningPage, startOutcomes } from "./page";

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: "/desk/learning",
  tag: "Review desk",
  summary: "How learning and aggregation stand",
  scope: "read",
  limit: "read",
  query: z.object({
    done: z.enum(startOutcomes).optional(),
    versions_after: z.string().max(1000).optional(),
    before: z.coerce.number().int().min(0).optional(),
    before_id: z.string().max(200).optional(),
  }),
  response: html,
  async handler(scope, { query }) {
    const { before, before_id: operationId } = query;
    const overview = await readOverview(scope, {
      versionsAfter: query.versions_after ?? null,
      operationsBefore:
        before === undefined || operationId === undefined ? null : { createdAt: before, operationId },
    });
    return learningPage(scope, { overview, done: query.done ?? null });
  },
});

const aggregate = defineRoute({
  dialect: "page",
  method: "post",
  path: "/desk/learning/aggregate",
  tag: "Review desk",
  summary: "Start an aggregation",
  scope: "write",
  limit: "aggregate",
  bodyType: "form",
  body: z.object({ csrf: z.string(), agent_version: z.string().max(1000) }),
  response: html,
  async handler({ services, orgId, requestId }, { body }) {
    const start = await startAggregation(services, { orgId, agentVersion: body.agent_version, requestId });
    return start.operationId === null
      ? seeOther(hrefOf("/desk/learning", { done: start.code }))
      : seeOther(`${hrefOf("/desk/learning", { done: "started" })}#${start.operationId}`);
  },
});

export const learningPageRoutes: Route[] = [show, aggregate];
