/** HTTP for who is asking and what is answering, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { Failure } from "../platform/failure";
import { forgetConfig } from "./config-store";

/** The version of this API, as its OpenAPI document says. */
export const SERVER_VERSION = "1.0.0";
/** The oldest client that the answers are held against. */
const MIN_CLIENT_VERSION = "0.2.16";

const common = { dialect: "reflexio", tag: "Service" } as const;

const version = defineRoute({
  ...common,
  method: "get",
  path: "/meta/version",
  summary: "The versions of the server, its API and the clients it serves",
  scope: "public",
  limit: "none",
  example: {},
  response: z.object({
    server_version: z.string(),
    api_version: z.literal("v1"),
    min_client_version: z.string(),
  }),
  handler: async () => ({
    server_version: SERVER_VERSION,
    api_version: "v1",
    min_client_version: MIN_CLIENT_VERSION,
  }),
});

const healthz = defineRoute({
  ...common,
  method: "get",
  path: "/healthz",
  summary: "Whether the Worker answers",
  scope: "public",
  limit: "none",
  example: {},
  response: z.object({ status: z.literal("healthy"), ok: z.literal(true) }),
  handler: async () => ({ status: "healthy", ok: true }),
});

const whoami = defineRoute({
  ...common,
  method: "get",
  path: "/api/whoami",
  summary: "Which org and principal the key stands for",
  scope: "read",
  limit: "read",
  example: {},
  response: z.object({
    success: z.literal(true),
    org_id: z.string(),
    principal_id: z.string(),
    roles: z.array(z.string()),
    scopes: z.array(z.string()),
    storage_type: z.string(),
    /** Never an address or a credential. */
    storage_label: z.string(),
    storage_configured: z.literal(true),
  }),
  handler: async ({ orgId, principal }) => ({
    success: true,
    org_id: orgId,
    principal_id: principal.id,
    roles: principal.roles,
    scopes: principal.scopes,
    storage_type: "d1",
    storage_label: "the deployment's D1 database",
    storage_configured: true,
  }),
});

const myConfig = defineRoute({
  ...common,
  method: "get",
  path: "/api/my_config",
  summary: "Raw storage credentials: always closed",
  description:
    "An org has no storage credentials of its own, and none of the deployment's leave it. The configuration is at " +
    "`GET /api/get_config`.",
  scope: "read",
  limit: "read",
  example: {},
  response: z.object({ success: z.boolean(), message: z.string() }),
  handler: async () => ({
    success: false,
    message: "This deployment shows no storage credentials. The configuration is at GET /api/get_config.",
  }),
});

const invalidateCache = defineRoute({
  ...common,
  method: "post",
  path: "/api/admin/cache/invalidate",
  summary: "Forget what is cached of the org's configuration",
  description: "It forgets here; every other isolate reads anew within 30 seconds by itself.",
  scope: "admin",
  limit: "config",
  body: z.object({ org_id: z.string().max(1_000).nullish() }),
  example: { body: {} },
  response: z.object({ invalidated: z.boolean(), org_id: z.string() }),
  otherAnswers: { 403: "`org_id` names another org than the key's." },
  async handler({ orgId }, { body }) {
    if (body.org_id != null && body.org_id !== orgId) {
      throw new Failure("forbidden", "org_id names another org than the one that the key stands for.");
    }
    return { invalidated: forgetConfig(orgId), org_id: orgId };
  },
});

export const identityRoutes: Route[] = [version, healthz, whoami, myConfig, invalidateCache];
