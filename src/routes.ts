/** Every route of the Worker, in the order of its OpenAPI document. */
import * as z from "zod";
import { aggregationRoutes } from "./aggregation/routes";
import { docsRoutes } from "./dashboard/docs/routes";
import { dashboardRoutes } from "./dashboard/routes";
import { documentRoutes } from "./documents/routes";
import { erasureRoutes } from "./erasure/routes";
import { defineRoute } from "./http/define";
import { openApiDocument } from "./http/openapi";
import type { Route } from "./http/route";
import { interactionRoutes } from "./interactions/routes";
import { learningRoutes } from "./learning/routes";
import { orgRoutes } from "./orgs/routes";
import { usageRoutes } from "./orgs/usage-routes";
import { webhookRoutes } from "./orgs/webhooks/routes";
import { playbookRoutes } from "./playbooks/routes";
import { revocationRoutes } from "./revocations/routes";
import { searchRoutes } from "./search/routes";

const health = defineRoute({
  dialect: "own",
  method: "get",
  path: "/health",
  tag: "Service",
  summary: "Whether the Worker answers",
  scope: "public",
  limit: "none",
  example: {},
  response: z.object({ status: z.literal("healthy"), ok: z.literal(true) }),
  handler: async () => ({ status: "healthy", ok: true }),
});

const openApi = defineRoute({
  dialect: "own",
  method: "get",
  path: "/openapi.json",
  tag: "Service",
  summary: "This API as an OpenAPI 3.1 document",
  scope: "public",
  limit: "none",
  example: {},
  response: z.record(z.string(), z.unknown()),
  handler: async () => openApiDocument(routes),
});

export const routes: readonly Route[] = [
  health,
  openApi,
  ...orgRoutes,
  ...webhookRoutes,
  ...interactionRoutes,
  ...learningRoutes,
  ...usageRoutes,
  ...playbookRoutes,
  ...searchRoutes,
  ...aggregationRoutes,
  ...revocationRoutes,
  ...erasureRoutes,
  ...documentRoutes,
  ...dashboardRoutes,
  ...docsRoutes(() => routes),
];
