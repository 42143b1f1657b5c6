/** One request through its route's gates, in their one order, to its handler. */

import { Failure } from "../platform/failure";
import type { Principal } from "../platform/principal";
import type { Services } from "../services";
import { assertServable, authenticate } from "./authenticate";
import { DEFAULT_MAX_BODY_BYTES, readBody } from "./body";
import { renderAnswer } from "./dialects";
import { type HttpAnswer, onceByKey } from "./idempotency";
import { bodyOf, paramsOf, queryOf } from "./input";
import { assertWithinLimit, type RateLimits } from "./limits";
import { Reply, type Route } from "./route";

export interface RouteCall {
  route: Route;
  request: Request;
  /** Path parameters as the router found them. */
  params: Readonly<Record<string, string>>;
  services: Services;
  limits: RateLimits;
  requestId: string;
  /** Told who asks as soon as that is known. */
  noteCaller(principal: Principal): void;
}

/**
 * A browser sends a person's sign-in with every request, also with one that another site's page made it
 * send; such a page cannot forge these headers.
 * @throws Failure("forbidden")
 */
function assertSameOrigin(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = site === "same-origin" || (site === null && origin === new URL(request.url).origin);
  if (!own) throw new Failure("forbidden", "This form must be sent from the page it stands on.");
}

/** An answer as text; a handler that names its content type has rendered its text itself. */
function answerOf(route: Route, result: unknown): HttpAnswer {
  const reply = result instanceof Reply ? result : new Reply(200, result);
  const contentType = reply.headers["content-type"];
  const isRendered = contentType !== undefined && typeof reply.body === "string";
  return {
    status: reply.status,
    contentType: contentType ?? "application/json",
    body: isRendered ? String(reply.body) : JSON.stringify(renderAnswer(route.dialect, reply.body)),
    headers: { ...reply.headers },
  };
}

/** @throws Failure for whatever a gate or the handler refuses */
export async function runRoute(call: RouteCall): Promise<HttpAnswer> {
  const { route, request, services, limits, requestId } = call;
  assertServable(services.settings, request);
  if (route.bodyType === "form") assertSameOrigin(request);
  const scope = typeof route.scope === "function" ? route.scope(request.headers) : route.scope;
  const principal = await authenticate(request, services, scope, route.dialect === "page");
  call.noteCaller(principal);
  // What is open to everybody is nobody's to use up, and a laptop's owner is not rationed.
  const isRationed =
    scope !== "public" && (services.settings.ENVIRONMENT !== "local" || principal.keyId !== undefined);
  if (isRationed) await assertWithinLimit(limits, principal, route.limit);
  const text =
    route.body === undefined ? "" : await readBody(request, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const db = services.database(principal.orgId);

  const work = async (): Promise<HttpAnswer> => {
    const input = route.validate({
      body: route.body === undefined ? undefined : bodyOf(route, text),
      query: queryOf(request),
      params: paramsOf(call.params),
    });
    const { orgId } = principal;
    return answerOf(
      route,
      await route.handler({ services, principal, orgId, db, requestId, headers: request.headers }, input),
    );
  };

  const key = request.headers.get("idempotency-key");
  if (route.method !== "post" || key === null || scope === "public") return work();
  const { pathname, search } = new URL(request.url);
  return onceByKey({
    db,
    key: { orgId: principal.orgId, principalId: principal.id, route: route.path, key },
    request: JSON.stringify([pathname, search, text]),
    nowMs: () => services.clock.nowMs(),
    log: services.log,
    work,
    answerHoldsSecret: route.answerHoldsSecret ?? false,
  });
}
