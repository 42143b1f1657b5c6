/** The app: every route of every feature behind the same gates, in the same order. */
import { Hono } from "hono";
import type { Principal } from "../orgs/principal";
import { Failure } from "../platform/failure";
import { createLog } from "../platform/log";
import type { Services } from "../services";
import { assertServable, authenticate } from "./authenticate";
import { DEFAULT_MAX_BODY_BYTES, parseForm, parseJson, readBody } from "./body";
import { type Dialect, renderAnswer, renderFailure } from "./dialects";
import { type HttpAnswer, onceByKey } from "./idempotency";
import { assertWithinLimit, type RateLimits } from "./limits";
import { Reply, type Route } from "./route";

/** What the app needs of its host for one request. */
export interface Host {
  services(requestId: string): Services;
  limits: RateLimits;
}

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const requestIdOf = (request: Request, services: Services): string => {
  const given = request.headers.get("x-correlation-id");
  return given !== null && /^[\w.-]{1,100}$/.test(given) ? given : services.ids.random("req");
};

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("internal", "Something went wrong here. The request id names it in the logs.");
}

/** On a page, a missing key makes the browser ask for one. */
const askForSignIn = (route: Route, failure: Failure): Failure =>
  route.dialect === "page" && failure.kind === "unauthorized"
    ? new Failure("unauthorized", "Sign in with a key: any name, and the key as the password.", [], {
        "www-authenticate": 'Basic realm="playmaker", charset="UTF-8"',
      })
    : failure;

function failureAnswer(dialect: Dialect, failure: Failure): HttpAnswer {
  const { status, contentType, body } = renderFailure(dialect, failure);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, contentType, body: text, headers: { ...failure.headers } };
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

const parseBody = (route: Route, text: string): unknown =>
  route.bodyType === "form" ? parseForm(text) : parseJson(text === "" ? "{}" : text);

const queryOf = (request: Request): Record<string, string> =>
  Object.fromEntries(new URL(request.url).searchParams);

/** Runs one route's gates and handler. */
async function answer(
  route: Route,
  request: Request,
  params: Record<string, string>,
  services: Services,
  limits: RateLimits,
  requestId: string,
  noteCaller: (principal: Principal) => void,
): Promise<HttpAnswer> {
  assertServable(services.settings, request);
  const scope = typeof route.scope === "function" ? route.scope(request.headers) : route.scope;
  const principal = await authenticate(request, services, scope, route.dialect === "page");
  noteCaller(principal);
  if (route.bodyType === "form") assertSameOrigin(request);
  const runsOpen = services.settings.ENVIRONMENT === "local" && !request.headers.has("authorization");
  if (!runsOpen) await assertWithinLimit(limits, principal, route.limit);
  const text =
    route.body === undefined ? "" : await readBody(request, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const db = services.database(principal.orgId);

  const work = async (): Promise<HttpAnswer> => {
    const body = route.body === undefined ? undefined : parseBody(route, text);
    const input = route.validate({ body, query: queryOf(request), params });
    const result = await route.handler(
      { services, principal, orgId: principal.orgId, db, requestId, headers: request.headers },
      input,
    );
    const reply = result instanceof Reply ? result : new Reply(200, result);
    const contentType = reply.headers["content-type"] ?? "application/json";
    const rendered =
      typeof reply.body === "string" && reply.headers["content-type"] !== undefined
        ? reply.body
        : JSON.stringify(renderAnswer(route.dialect, reply.body));
    return { status: reply.status, contentType, body: rendered, headers: { ...reply.headers } };
  };

  const key = request.headers.get("idempotency-key");
  if (route.method !== "post" || key === null || scope === "public") return work();
  const claim = { orgId: principal.orgId, principalId: principal.id, route: route.path, key };
  return onceByKey(db, claim, text, () => services.clock.nowMs(), work, route.answerHoldsSecret);
}

/** One Hono app over a list of routes. */
export function createApp<Bindings extends object>(
  routes: readonly Route[],
  hostOf: (env: Bindings, context: Pick<ExecutionContext, "waitUntil">) => Host,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();

  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
      const host = hostOf(c.env, c.executionCtx);
      const request = c.req.raw;
      const requestId = requestIdOf(request, host.services(""));
      const services = host.services(requestId);
      const startedMs = services.clock.nowMs();
      let caller = { orgId: "", principalId: "" };
      let result: HttpAnswer;
      try {
        result = await answer(
          route,
          request,
          c.req.param(),
          services,
          host.limits,
          requestId,
          (principal) => {
            caller = { orgId: principal.orgId, principalId: principal.id };
          },
        );
      } catch (error) {
        const failure = askForSignIn(route, failureOf(error));
        if (failure.kind === "internal") {
          services.log.error("request.fault", {
            message: error instanceof Error ? `${error.name}: ${error.message}` : "",
          });
        }
        result = failureAnswer(route.dialect, failure);
      }
      services.log.info("request", {
        method: route.method,
        route: route.path,
        status: result.status,
        durationMs: services.clock.nowMs() - startedMs,
        ...caller,
      });
      return new Response(result.body, {
        status: result.status,
        headers: {
          ...SECURITY_HEADERS,
          "content-type": result.contentType,
          "x-correlation-id": requestId,
          ...result.headers,
        },
      });
    });
  }

  app.notFound((c) => {
    const { status, contentType, body } = renderFailure(
      "own",
      new Failure("not_found", "There is no such route."),
    );
    return c.newResponse(JSON.stringify(body), status === 404 ? 404 : 500, {
      ...SECURITY_HEADERS,
      "content-type": contentType,
    });
  });

  app.onError((error, c) => {
    // Reached only when the host itself cannot start, such as over a bad setting.
    createLog({}).error("host.fault", { message: error.message });
    const failure = new Failure(
      "unavailable",
      "This deployment is not configured; its logs name the setting.",
    );
    const { contentType, body } = renderFailure("own", failure);
    return c.newResponse(JSON.stringify(body), 503, { ...SECURITY_HEADERS, "content-type": contentType });
  });

  return app;
}
