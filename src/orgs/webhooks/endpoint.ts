/** An org's endpoint: set, given a new secret, removed. A signing secret leaves this file once, in the clear. */
import type { Statement } from "../../db/sql";
import type { RequestScope } from "../../http/route";
import { toBase64 } from "../../platform/base64";
import { nowSec } from "../../platform/clock";
import { Failure, invalid } from "../../platform/failure";
import { randomBytes } from "../../platform/ids";
import type { Secrets } from "../../platform/secrets";
import { recordAudit, recordAuditIfChanged } from "../audit";
import { deleteEndpoint, findEndpoint, insertEndpoint, rotateSecret, updateEndpoint } from "./endpoint-store";
import { endpointUrl } from "./endpoint-url";
import { type Endpoint, SECRET_NAME, type WebhookEvent } from "./model";

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** How long the secret before the present one signs as well. */
const ROTATION_SEC = 86_400;

const newSecret = (): string => `whsec_${toBase64(randomBytes(SECRET_BYTES))}`;

/** @throws Failure("unavailable") where the deployment cannot store a secret */
export function needSecrets({ services }: Pick<RequestScope, "services">): Secrets {
  if (services.secrets !== null) return services.secrets;
  throw new Failure(
    "unavailable",
    "This deployment cannot store secrets, and webhooks are signed with one: set SECRETS_KEYS.",
  );
}

/** @throws Failure("not_found") */
export async function needEndpoint({ db, orgId }: Pick<RequestScope, "db" | "orgId">): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, orgId);
  if (endpoint === null) throw new Failure("not_found", "No webhook is set.");
  return endpoint;
}

/**
 * Runs a change of the endpoint.
 * @returns the endpoint as it is now
 * @throws Failure("conflict") when somebody else changed it meanwhile; nothing is written then
 */
async function commit(
  { db, orgId }: RequestScope,
  statements: readonly Statement[],
  isIn: (now: Endpoint) => boolean,
): Promise<Endpoint> {
  let fault: unknown = null;
  try {
    await db.batch(statements);
  } catch (error) {
    // The batch may be in and only its answer lost.
    fault = error ?? new Error("the batch failed");
  }
  const now = await findEndpoint(db, orgId);
  if (now !== null && isIn(now)) return now;
  if (fault === null || now !== null) {
    throw new Failure(
      "conflict",
      "The webhook was changed by somebody else meanwhile; look at it and try again.",
    );
  }
  throw fault;
}

/**
 * Sets the endpoint, and enables one that was disabled.
 * @returns it with its secret where this call made it, null where it has one
 * @throws Failure
 */
export async function setEndpoint(
  scope: RequestScope,
  asked: { url: string; events: WebhookEvent[] },
): Promise<{ endpoint: Endpoint; secret: string | null }> {
  const { services, db, orgId, principal, requestId } = scope;
  const secrets = needSecrets(scope);
  const judged = endpointUrl(asked.url, services.settings.ENVIRONMENT === "local");
  if (!("url" in judged)) throw invalid("/url", judged.message, judged.expected, "url");
  const events = [...new Set(asked.events)];
  const at = nowSec(services.clock);
  const audit = (action: string): Statement =>
    recordAudit({
      principal,
      action,
      entityType: "webhook",
      entityId: orgId,
      requestId,
      at,
      details: { events },
    });
  const before = await findEndpoint(db, orgId);
  if (before !== null) {
    const change = { url: judged.url, events, updatedAt: at };
    const isIn = (now: Endpoint) => now.secret === before.secret && now.url === judged.url;
    const statements = [...updateEndpoint(before, change), audit("update.webhook")];
    return { endpoint: await commit(scope, statements, isIn), secret: null };
  }
  const secret = newSecret();
  const sealed = await secrets.seal(orgId, SECRET_NAME, secret);
  const statements = [
    insertEndpoint({ orgId, url: judged.url, events, secret: sealed, createdAt: at }),
    audit("create.webhook"),
  ];
  return { endpoint: await commit(scope, statements, (now) => now.secret === sealed), secret };
}

/** Gives the endpoint a new secret; the one before signs as well for a day. @throws Failure */
export async function rotateEndpointSecret(
  scope: RequestScope,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const { services, orgId, principal, requestId } = scope;
  const secrets = needSecrets(scope);
  const before = await needEndpoint(scope);
  const secret = newSecret();
  const sealed = await secrets.seal(orgId, SECRET_NAME, secret);
  const at = nowSec(services.clock);
  const statements = [
    ...rotateSecret(before, { secret: sealed, previousUntil: at + ROTATION_SEC, updatedAt: at }),
    recordAudit({
      principal,
      action: "rotate.webhook_secret",
      entityType: "webhook",
      entityId: orgId,
      requestId,
      at,
    }),
  ];
  return { endpoint: await commit(scope, statements, (now) => now.secret === sealed), secret };
}

/** Removes the endpoint; one that is not there is removed already. Messages under way fail at their next turn. */
export async function removeEndpoint({
  services,
  db,
  orgId,
  principal,
  requestId,
}: RequestScope): Promise<void> {
  await db.batch([
    deleteEndpoint(orgId),
    recordAuditIfChanged({
      principal,
      action: "delete.webhook",
      entityType: "webhook",
      entityId: orgId,
      requestId,
      at: nowSec(services.clock),
    }),
  ]);
}
