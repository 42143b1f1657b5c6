/** Orgs and keys over HTTP. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type RequestScope, type Route } from "../http/route";
import { nowSec } from "../platform/clock";
import { Failure } from "../platform/failure";
import { roles, scopes, scopesOf } from "../platform/principal";
import { recordAudit, recordAuditIfChanged } from "./audit";
import { forgetKeys, hashKey, newKey } from "./keys";
import { insertKey, insertOrg, type KeyRow, listKeys, revokeKey } from "./store";

const name = z.string().trim().min(1).max(200);
const principalId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/, "1 to 128 letters, digits, dots, dashes, underscores or @");

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

interface KeyRequest {
  name: string;
  principal_id: string;
  roles: (typeof roles)[number][];
  expires_in_days?: number | undefined;
}

/** Makes a key for `orgId`; the statements still have to be run. */
async function makeKey(scope: RequestScope, orgId: string, request: KeyRequest) {
  const { services, principal, requestId } = scope;
  const createdAt = nowSec(services.clock);
  const key = newKey();
  const keyId = services.ids.random("key");
  const expiresAt =
    request.expires_in_days === undefined ? null : createdAt + Math.round(request.expires_in_days * 86_400);
  const held = scopesOf(request.roles);
  return {
    statements: [
      insertKey({
        orgId,
        keyHash: await hashKey(key),
        keyId,
        name: request.name,
        principalId: request.principal_id,
        roles: request.roles,
        scopes: held,
        createdBy: principal.id,
        createdAt,
        expiresAt,
      }),
      recordAudit({
        principal: { orgId, id: principal.id },
        action: "create.key",
        entityType: "key",
        entityId: keyId,
        requestId,
        at: createdAt,
        details: { for: request.principal_id, roles: request.roles },
      }),
    ],
    view: {
      key,
      key_id: keyId,
      name: request.name,
      principal_id: request.principal_id,
      roles: request.roles,
      scopes: held,
      created_at: createdAt,
      expires_at: expiresAt,
      revoked_at: null,
    },
  };
}

const createOrg = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/orgs",
  tag: "Orgs and keys",
  summary: "Create an org and its first key",
  description: "Needs the deployment's admin secret as the bearer token. The key is shown once.",
  scope: "admin-secret",
  limit: "none",
  body: z.object({ name, principal_id: principalId.default("owner") }),
  response: z.object({ org_id: z.string(), name: z.string(), key: newKeyView }),
  answerHoldsSecret: true,
  otherAnswers: { 201: "The org was created." },
  async handler(scope, { body }) {
    const orgId = scope.services.ids.random("org");
    const key = await makeKey(scope, orgId, {
      name: "first key",
      principal_id: body.principal_id,
      roles: ["owner"],
    });
    await scope.services
      .database(orgId)
      .batch([insertOrg(orgId, body.name, nowSec(scope.services.clock)), ...key.statements]);
    return new Reply(201, { org_id: orgId, name: body.name, key: key.view });
  },
});

const createKey = defineRoute({
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
    name,
    principal_id: principalId,
    roles: z.array(z.enum(roles)).min(1).max(roles.length),
    expires_in_days: z.number().positive().max(3650).optional(),
  }),
  response: newKeyView,
  answerHoldsSecret: true,
  otherAnswers: { 201: "The key was created." },
  async handler(scope, { body }) {
    const key = await makeKey(scope, scope.orgId, body);
    await scope.db.batch(key.statements);
    return new Reply(201, key.view);
  },
});

const getKeys = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/keys",
  tag: "Orgs and keys",
  summary: "List the org's keys, without the keys themselves",
  scope: "admin",
  limit: "read",
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
  scope: "admin",
  limit: "write",
  params: z.object({ key_id: z.string().max(100) }),
  response: z.object({ key_id: z.string(), revoked: z.literal(true) }),
  async handler({ db, orgId, services, principal, requestId }, { params }) {
    const at = nowSec(services.clock);
    const [revoked] = await db.batch([
      revokeKey(orgId, params.key_id, at),
      recordAuditIfChanged({
        principal,
        action: "revoke.key",
        entityType: "key",
        entityId: params.key_id,
        requestId,
        at,
      }),
    ]);
    forgetKeys(orgId);
    const known = (await listKeys(db, orgId)).some((key) => key.key_id === params.key_id);
    if (revoked?.changes !== 1 && !known) throw new Failure("not_found", "There is no such key.");
    return { key_id: params.key_id, revoked: true };
  },
});

export const orgRoutes: Route[] = [createOrg, createKey, getKeys, deleteKey];
