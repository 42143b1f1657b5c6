/** Orgs and keys over HTTP. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { roles, scopes } from "../platform/principal";
import { configRoutes } from "./config-routes";
import { identityRoutes } from "./identity-routes";
import { createKey, createOrg, revokeKey } from "./key-management";
import { keyName, MAX_KEY_DAYS, principalId } from "./key-schema";
import { type KeyRow, listKeys } from "./store";

const keyView = z.object({
  key_id: z.string(),
  name: z.string(),
  principal_id: z.string(),
  roles: z.array(z.string()),
  scopes: z.array(z.enum(scopes)),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
});
const newKeyView = keyView.extend({
  key: z.string().meta({ description: "Shown once; only its hash is kept." }),
});

const view = ({ org_id: _, ...rest }: KeyRow) => rest;

const postOrg = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/orgs",
  tag: "Orgs and keys",
  summary: "Create an org and its first key",
  description: "Needs the deployment's admin secret as the bearer token. The key is shown once.",
  scope: "admin-secret",
  limit: "none",
  body: z.object({ name: keyName, principal_id: principalId.default("owner") }),
  example: { body: { name: "Acme" } },
  response: z.object({ org_id: z.string(), name: z.string(), key: newKeyView }),
  answerHoldsSecret: true,
  otherAnswers: { 201: "The org was created." },
  handler: async (scope, { body }) => new Reply(201, await createOrg(scope, body)),
});

const postKey = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/keys",
  tag: "Orgs and keys",
  summary: "Create a key for a person or an agent",
  description:
    "Roles give scopes: agent, editor, reviewer, owner. Only a reviewer's or owner's key can approve rules.",
  scope: "admin",
  limit: "write",
  body: z.object({
    name: keyName,
    principal_id: principalId,
    roles: z.array(z.enum(roles)).min(1).max(roles.length),
    expires_in_days: z.number().positive().max(MAX_KEY_DAYS).optional(),
  }),
  example: {
    body: { name: "support bot", principal_id: "support-bot", roles: ["agent"], expires_in_days: 90 },
    yields: { key_id: { pointer: "/key_id", sample: "key_w5k2qx7c3n4ha6tzr2yvm5j3pe" } },
  },
  response: newKeyView,
  answerHoldsSecret: true,
  otherAnswers: { 201: "The key was created." },
  handler: async (scope, { body }) => new Reply(201, await createKey(scope, body)),
});

const getKeys = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/keys",
  tag: "Orgs and keys",
  summary: "List the org's keys, without the keys themselves",
  scope: "admin",
  limit: "read",
  example: {},
  response: z.object({ keys: z.array(keyView) }),
  handler: async ({ db, orgId }) => ({ keys: (await listKeys(db, orgId)).map(view) }),
});

const deleteKey = defineRoute({
  dialect: "own",
  method: "delete",
  path: "/api/keys/{key_id}",
  tag: "Orgs and keys",
  summary: "Revoke a key",
  description: "It stops working here at once and everywhere within 30 seconds.",
  otherAnswers: {
    404: "There is no such key.",
    409: "It is the last key of an owner that works.",
  },
  scope: "admin",
  limit: "write",
  params: z.object({ key_id: z.string().max(100) }),
  example: { params: { key_id: "{{key_id}}" } },
  response: z.object({ key_id: z.string(), revoked: z.literal(true) }),
  async handler(scope, { params }) {
    await revokeKey(scope, params.key_id);
    return { key_id: params.key_id, revoked: true };
  },
});

export const orgRoutes: Route[] = [postOrg, postKey, getKeys, deleteKey, ...identityRoutes, ...configRoutes];
