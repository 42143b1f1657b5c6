/** One request through its route's gates, in their one order, to its handler. */

import { Failure } from "../platform/failure";
import type { Principal } from "../platform/principal";
import type { Services } from "../services";
import { assertServable, authenticate, principalOfPage } from "./authenticate";
import { DEFAULT_MAX_BODY_BYTES, parseForm, readBytes, textOf } from "./body";
import { assertOwnForm, type Browser, browserOf, cookieOf } from "./browser";
import { renderAnswer } from "./dialects";
import { type HttpAnswer, onceByKey } from "./idempotency";
import { bodyOf, paramsOf, queryOf } from "./input";
import { assertWithinLimit, type RateLimits } from "./limits";
import { Reply, type RequestScope, type Route } from "./route";

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

/** A browser that had no cookie gets one, unless the page has set another. */
function withCookie(services: Services, browser: Browser | null, answer: HttpAnswer): HttpAnswer {
  if (browser?.isNew !== true || answer.headers["set-cookie"] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "set-cookie": cookieOf(services.settings, browser) } };
}

/** What came with a refused form is not lost: its page shows it again. */
async function orRefused(route: Route, scope: RequestScope, text: string, work: () => Promise<unknown>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || route.refused === undefined) throw error;
    const shown = await route.refused(scope, { failure: error, typed: parseForm(text) });
    if (shown === null) throw error;
    return shown;
  }
}

/** @throws Failure for whatever a gate or the handler refuses */
export async function runRoute(call: RouteCall): Promise<HttpAnswer> {
  const { route, request, services, limits, requestId } = call;
  assertServable(services.settings, request);
  const isPage = route.dialect === "page" && route.isAsset !== true;
  const browser = isPage ? await browserOf(request, services.settings, services.ids) : null;
  const needed = typeof route.scope === "function" ? route.scope(request.headers) : route.scope;
  const principal =
    browser === null
      ? await authenticate(request, services, needed)
      : await principalOfPage(request, services, needed, browser);
  call.noteCaller(principal);
  // What is open to everybody is nobody's to use up, and a laptop's owner is not rationed.
  const isRationed =
    needed !== "public" && (services.settings.ENVIRONMENT !== "local" || principal.keyId !== undefined);
  if (isRationed) await assertWithinLimit(limits, principal, route.limit);
  const bytes =
    route.body === undefined
      ? new Uint8Array()
      : await readBytes(request, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const text = textOf(bytes);
  if (browser !== null && route.bodyType === "form") assertOwnForm(request, browser, parseForm(text));
  const { orgId } = principal;
  const db = services.database(orgId);
  const scope: RequestScope = {
    services,
    principal,
    orgId,
    db,
    requestId,
    headers: request.headers,
    browser,
  };

  const work = async (): Promise<HttpAnswer> =>
    answerOf(
      route,
      await orRefused(route, scope, text, async () => {
        const input = route.validate({
          body: route.body === undefined ? undefined : bodyOf(route, text, bytes),
          query: queryOf(request),
          params: paramsOf(call.params),
        });
        return route.handler(scope, input);
      }),
    );

  if (browser !== null) return withCookie(services, browser, await work());
  const key = request.headers.get("idempotency-key");
  if (route.method !== "post" || key === null || needed === "public") return work();
  const { pathname, search } = new URL(request.url);
  return onceByKey({
    db,
    key: { orgId, principalId: principal.id, route: route.path, key },
    request: JSON.stringify([pathname, search, text]),
    nowMs: () => services.clock.nowMs(),
    log: services.log,
    work,
    answerHoldsSecret: route.answerHoldsSecret ?? false,
  });
}
