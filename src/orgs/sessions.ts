/** Signing in to the desk: a key is shown once, and a random token stands for it until either dies. */
import type { Database } from "../db/client";
import { type Browser, freshBrowser, SESSION_SECONDS } from "../http/browser";
import { type Clock, nowSec } from "../platform/clock";
import { sha256Hex } from "../platform/ids";
import type { Principal } from "../platform/principal";
import type { Services } from "../services";
import { recordAudit } from "./audit";
import { deleteSession, findSessionKey, insertSession } from "./sessions-store";

const hashOf = (token: string): Promise<string> => sha256Hex(token);

/** Asked anew for every page: a revoked key shows no further one. */
export async function principalOfSession(
  db: Database,
  token: string,
  clock: Clock,
): Promise<Principal | null> {
  const key = await findSessionKey(db, await hashOf(token), nowSec(clock));
  if (key === null) return null;
  return { orgId: key.org_id, id: key.principal_id, keyId: key.key_id, roles: key.roles, scopes: key.scopes };
}

interface By {
  services: Pick<Services, "clock" | "ids" | "database" | "principalOfKey">;
  requestId: string;
}

/** Ends what the browser's token stood for before, whoever that was. */
async function endSession({ services }: Pick<By, "services">, token: string): Promise<void> {
  const before = await principalOfSession(services.database(""), token, services.clock);
  if (before === null) return;
  await services.database(before.orgId).run(deleteSession(before.orgId, await hashOf(token)));
}

/**
 * @param before the token that the browser has: it stands for nobody any more, so that one planted beforehand,
 * or left behind by somebody else, is worth nothing
 * @returns the browser's new token, or null for a key that is unknown, revoked or expired
 */
export async function signIn(
  { services, requestId }: By,
  key: string,
  before: string | null,
): Promise<Browser | null> {
  const principal = await services.principalOfKey(key.trim());
  if (principal?.keyId === undefined) return null;
  if (before !== null) await endSession({ services }, before);
  const browser = await freshBrowser(services.ids);
  const at = nowSec(services.clock);
  const sessionHash = await hashOf(browser.token);
  const session = { orgId: principal.orgId, keyId: principal.keyId, sessionHash };
  await services.database(principal.orgId).batch([
    insertSession({ ...session, createdAt: at, expiresAt: at + SESSION_SECONDS }),
    recordAudit({
      principal,
      action: "sign_in.desk",
      entityType: "key",
      entityId: principal.keyId,
      requestId,
      at,
    }),
  ]);
  return browser;
}

/** @returns the browser's next token, which stands for nobody */
export async function signOut(
  { services, requestId }: By,
  principal: Principal,
  token: string,
): Promise<Browser> {
  const { orgId } = principal;
  await services.database(orgId).batch([
    deleteSession(orgId, await hashOf(token)),
    recordAudit({
      principal,
      action: "sign_out.desk",
      entityType: "key",
      entityId: principal.keyId ?? "",
      requestId,
      at: nowSec(services.clock),
    }),
  ]);
  return freshBrowser(services.ids);
}
