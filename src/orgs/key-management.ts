/** Making and revoking keys; the API and the desk call the same functions. */
import type { RequestScope } from "../http/route";
import { nowSec } from "../platform/clock";
import { Failure } from "../platform/failure";
import { type Role, type Scope, scopesOf } from "../platform/principal";
import { recordAudit, recordAuditIfChanged } from "./audit";
import { forgetKeys, hashKey, newKey } from "./keys";
import { keyOfId, revokeUnlessLast } from "./keys-store";
import { findKey, insertKey, insertOrg } from "./store";

export interface KeyRequest {
  name: string;
  principal_id: string;
  roles: Role[];
  expires_in_days?: number | undefined;
}

/** A key as it is shown once. */
export interface NewKeyView {
  key: string;
  key_id: string;
  name: string;
  principal_id: string;
  roles: Role[];
  scopes: Scope[];
  /** Seconds since the epoch. */
  created_at: number;
  expires_at: number | null;
  revoked_at: null;
}

const SECONDS_PER_DAY = 86_400;

/** A key for `orgId` and the statements that make it. */
async function makeKey(scope: RequestScope, orgId: string, keyId: string, request: KeyRequest) {
  const { services, principal, requestId } = scope;
  const createdAt = nowSec(services.clock);
  const { expires_in_days: days, roles, ...named } = request;
  const view: NewKeyView = {
    key: newKey(),
    key_id: keyId,
    ...named,
    roles,
    scopes: scopesOf(roles),
    created_at: createdAt,
    expires_at: days === undefined ? null : createdAt + Math.max(1, Math.round(days * SECONDS_PER_DAY)),
    revoked_at: null,
  };
  const keyHash = await hashKey(view.key);
  const statements = [
    insertKey({
      orgId,
      keyHash,
      keyId,
      name: view.name,
      principalId: view.principal_id,
      roles,
      scopes: view.scopes,
      createdBy: principal.id,
      createdAt,
      expiresAt: view.expires_at,
    }),
    recordAudit({
      principal: { orgId, id: principal.id },
      action: "create.key",
      entityType: "key",
      entityId: keyId,
      requestId,
      at: createdAt,
      details: { for: view.principal_id, roles },
    }),
  ];
  /** A key whose batch took effect although the call failed must be shown: nobody will see it again. */
  const isIn = async () => (await findKey(services.database(orgId), keyHash)) !== null;
  return { statements, view, isIn };
}

/** @param keyId given where the same request must not make two keys; a second one throws what the database throws */
export async function createKey(
  scope: RequestScope,
  request: KeyRequest,
  keyId = scope.services.ids.random("key"),
): Promise<NewKeyView> {
  const key = await makeKey(scope, scope.orgId, keyId, request);
  try {
    await scope.db.batch(key.statements);
  } catch (error) {
    if (!(await key.isIn())) throw error;
  }
  return key.view;
}

/** An org and its first key, an owner's. */
export async function createOrg(
  scope: RequestScope,
  request: { name: string; principal_id: string },
): Promise<{ org_id: string; name: string; key: NewKeyView }> {
  const { services } = scope;
  const orgId = services.ids.random("org");
  const { name, principal_id } = request;
  const key = await makeKey(scope, orgId, services.ids.random("key"), {
    name: "first key",
    principal_id,
    roles: ["owner"],
  });
  try {
    await services.database(orgId).batch([insertOrg(orgId, name, nowSec(services.clock)), ...key.statements]);
  } catch (error) {
    if (!(await key.isIn())) throw error;
  }
  return { org_id: orgId, name, key: key.view };
}

/** Why the last key that may manage keys stays. */
export const LAST_OWNER =
  "This is the last key of an owner that works; without it nobody could make keys or change settings. " +
  "Create another owner's key first, then revoke this one.";

/**
 * Revokes a key; one that is revoked stays so. It stops working here at once and everywhere within 30 s, and
 * browsers that signed in with it are signed out.
 * @throws Failure("not_found"), Failure("conflict") for the last key that works and may manage keys
 */
export async function revokeKey(scope: RequestScope, keyId: string): Promise<void> {
  const { db, orgId, services, principal, requestId } = scope;
  const at = nowSec(services.clock);
  let changes: number | undefined;
  try {
    const [revoked] = await db.batch([
      revokeUnlessLast(orgId, keyId, at),
      recordAuditIfChanged({
        principal,
        action: "revoke.key",
        entityType: "key",
        entityId: keyId,
        requestId,
        at,
      }),
    ]);
    changes = revoked?.changes;
  } finally {
    // Also after a failure, which may have come when the key was revoked already.
    forgetKeys(orgId);
  }
  if (changes === 1) return;
  const key = await keyOfId(db, orgId, keyId);
  if (key === null) throw new Failure("not_found", "There is no such key.");
  if (key.revoked_at === null) throw new Failure("conflict", LAST_OWNER);
}
