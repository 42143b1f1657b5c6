/** Who is asking: a key, or on a laptop whoever reaches the loopback address. */
import type { Settings } from "../env";
import { Failure } from "../platform/failure";
import { type Principal, roles, type Scope, scopes, scopesOf } from "../platform/principal";
import type { Services } from "../services";
import type { Browser } from "./browser";
import type { RouteScope } from "./route";

/** The org of a laptop that runs open. */
export const SELF_HOST_ORG = "self-host-org";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Refuses to serve where serving would be open: without an environment, without an admin secret, or, on a
 * laptop, for any Host or Origin but its own (DNS rebinding, cross-site requests).
 */
export function assertServable(settings: Settings, request: Request): void {
  if (settings.ENVIRONMENT === undefined) {
    throw new Failure("unavailable", "ENVIRONMENT is not set: this deployment is closed.");
  }
  if (settings.ENVIRONMENT !== "local") {
    if (settings.ADMIN_SECRET === undefined) {
      throw new Failure("unavailable", "ADMIN_SECRET is not set: this deployment is closed.");
    }
    return;
  }
  const url = new URL(request.url);
  const host = request.headers.get("host") ?? url.host;
  if (!LOOPBACK.has(host.replace(/:\d+$/, ""))) {
    throw new Failure("forbidden", "A local Playmaker answers only requests to a loopback host.");
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== `${url.protocol}//${host}`) {
    throw new Failure("forbidden", "A local Playmaker answers only pages of its own origin.");
  }
}

/** Constant-time comparison of two secrets by their digests. */
async function sameSecret(given: string, secret: string): Promise<boolean> {
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [left, right] = await Promise.all([digest(given), digest(secret)]);
  return left.every((byte, position) => byte === right[position]);
}

/** The key of a program's request. A cookie never counts here: an API that took it would obey other sites' pages. */
const keyOf = (request: Request): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ??
  request.headers.get("x-api-key");

const unauthorized = (message: string): Failure =>
  new Failure("unauthorized", message, [], { "www-authenticate": 'Bearer realm="playmaker"' });

/** `X-Playmaker-Principal: ID; role, role` in place of a key; without it, the owner. */
function localPrincipal(request: Request): Principal {
  const header = request.headers.get("x-playmaker-principal");
  if (header === null) return { orgId: SELF_HOST_ORG, id: "local", roles: ["owner"], scopes };
  const [id = "", list = ""] = header.split(";");
  const named = list.split(",").map((role) => role.trim());
  const held = roles.filter((role) => named.includes(role));
  if (!/^\s*[\w.@-]{1,128}\s*$/.test(id) || held.length === 0) {
    throw unauthorized(`X-Playmaker-Principal must read "ID; role, role" with roles of ${roles.join(", ")}.`);
  }
  return { orgId: SELF_HOST_ORG, id: id.trim(), roles: held, scopes: scopesOf(held) };
}

/** Stands for nobody: routes that need no key. */
export const NOBODY: Principal = { orgId: "", id: "anonymous", roles: [], scopes: [] };

/** @throws Failure("unauthorized" | "forbidden") */
export async function authenticate(
  request: Request,
  services: Services,
  needed: RouteScope,
): Promise<Principal> {
  if (needed === "public") return NOBODY;
  const bearer = keyOf(request);
  if (needed === "admin-secret") {
    const secret = services.settings.ADMIN_SECRET;
    if (secret === undefined || bearer === null || !(await sameSecret(bearer, secret))) {
      throw unauthorized("This route needs the deployment's admin secret as the bearer token.");
    }
    return { orgId: "", id: "admin", roles: [], scopes: [] };
  }
  if (bearer === null) {
    if (services.settings.ENVIRONMENT !== "local")
      throw unauthorized("A key is needed: Authorization: Bearer pm_…");
    return withScope(localPrincipal(request), needed);
  }
  const principal = await services.principalOfKey(bearer);
  if (principal === null) throw unauthorized("The key is unknown, revoked or expired.");
  return withScope(principal, needed);
}

/**
 * Who looks at a page: whoever signed in, or on a laptop its owner.
 * @throws Failure("unauthorized" | "forbidden")
 */
export async function principalOfPage(
  request: Request,
  services: Services,
  needed: RouteScope,
  browser: Browser,
): Promise<Principal> {
  if (needed === "public") return NOBODY;
  if (needed === "admin-secret") throw unauthorized("No page needs the admin secret.");
  const signedIn = browser.isNew ? null : await services.principalOfSession(browser.token);
  if (signedIn !== null) return withScope(signedIn, needed);
  if (services.settings.ENVIRONMENT !== "local") throw unauthorized("Sign in with a key to see this page.");
  return withScope(localPrincipal(request), needed);
}

function withScope(principal: Principal, needed: Scope): Principal {
  if (!principal.scopes.includes(needed)) {
    throw new Failure("forbidden", `This key lacks the scope "${needed}".`);
  }
  return principal;
}
