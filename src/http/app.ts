/** The app: every route of every feature behind the same gates, answered and logged in one way. */
import { Hono } from "hono";
import { Failure } from "../platform/failure";
import { randomIds } from "../platform/ids";
import { createLog } from "../platform/log";
import type { Services } from "../services";
import { assertServable } from "./authenticate";
import { type Dialect, problem, renderFailure } from "./dialects";
import { describeFault } from "./fault";
import type { HttpAnswer } from "./idempotency";
import type { RateLimits } from "./limits";
import { laterArea, notYet } from "./not-yet";
import type { Route } from "./route";
import { runRoute } from "./run-route";

/** What the app needs of its host for one request. */
export interface Host {
  services(requestId: string): Services;
  limits: RateLimits;
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** A page may say more in its own policy. With `no-referrer`, a browser would send a form without Origin. */
const PAGE_HEADERS = {
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};

/** Where people sign in. */
export const SIGN_IN_PATH = "/sign-in";

const requestIdOf = (request: Request): string => {
  const given = request.headers.get("x-correlation-id");
  return given !== null && /^[\w.-]{1,100}$/.test(given) ? given : randomIds.random("req");
};

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("internal", "Something went wrong here. The request id names it in the logs.");
}

/** Whoever opens a page without being signed in is led to the sign-in page, and from there back. */
function signInAnswer(request: Request): HttpAnswer {
  const { pathname, search } = new URL(request.url);
  const next = new URLSearchParams({ next: `${pathname}${search}` });
  return {
    status: 303,
    contentType: "text/html; charset=utf-8",
    body: "",
    headers: { location: `${SIGN_IN_PATH}?${next}` },
  };
}

function failureAnswer(dialect: Dialect, failure: Failure): HttpAnswer {
  const { status, contentType, body } = renderFailure(dialect, failure);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, contentType, body: text, headers: { ...failure.headers } };
}

interface Turn {
  services: Services;
  request: Request;
  requestId: string;
  dialect: Dialect;
  /** The route's pattern: a path itself may name a person. */
  routePath: string;
}

type Caller = { orgId: string; principalId: string };

/** Answers one request, whatever happens, and leaves one line in the log. */
async function respond(
  { services, request, requestId, dialect, routePath }: Turn,
  run: (noteCaller: (caller: Caller) => void) => Promise<HttpAnswer>,
): Promise<Response> {
  const startedMs = services.clock.nowMs();
  let caller: Caller = { orgId: "", principalId: "" };
  let result: HttpAnswer;
  try {
    result = await run((known) => {
      caller = known;
    });
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === "internal") services.log.error("request.fault", describeFault(error));
    const leadsToSignIn = dialect === "page" && failure.kind === "unauthorized" && request.method === "GET";
    result = leadsToSignIn ? signInAnswer(request) : failureAnswer(dialect, failure);
  }
  services.log.info("request", {
    method: request.method,
    route: routePath,
    status: result.status,
    durationMs: services.clock.nowMs() - startedMs,
    ...caller,
  });
  return new Response(result.body, {
    status: result.status,
    headers: {
      ...SECURITY_HEADERS,
      ...(dialect === "page" && PAGE_HEADERS),
      "content-type": result.contentType,
      "x-correlation-id": requestId,
      ...result.headers,
    },
  });
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** The methods of each path, for requests that use another. */
function methodsByPath(routes: readonly Route[]): (path: string) => string[] {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => ({
    pattern: patternOf(path),
    methods: same.flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()])),
  }));
  return (path) => paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
}

/** One Hono app over a list of routes. */
export function createApp<Bindings extends object>(
  routes: readonly Route[],
  hostOf: (env: Bindings, context: Pick<ExecutionContext, "waitUntil">) => Host,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  const methodsOf = methodsByPath(routes);

  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => {
      const host = hostOf(c.env, c.executionCtx);
      const request = c.req.raw;
      const requestId = requestIdOf(request);
      const services = host.services(requestId);
      const { dialect, path: routePath } = route;
      return respond({ services, request, requestId, dialect, routePath }, (noteCaller) =>
        runRoute({
          route,
          request,
          params: c.req.param(),
          services,
          limits: host.limits,
          requestId,
          noteCaller: ({ orgId, id }) => noteCaller({ orgId, principalId: id }),
        }),
      );
    });
  }

  app.notFound((c) => {
    const request = c.req.raw;
    const requestId = requestIdOf(request);
    const services = hostOf(c.env, c.executionCtx).services(requestId);
    return respond({ services, request, requestId, dialect: "own", routePath: "" }, async () => {
      assertServable(services.settings, request);
      const allowed = methodsOf(c.req.path);
      const area = laterArea(request.method, c.req.path);
      if (area !== null) throw notYet(area);
      if (allowed.length === 0) throw new Failure("not_found", "There is no such route.");
      const { status, contentType, body } = problem({
        kind: "method_not_allowed",
        status: 405,
        message: `This route answers ${allowed.join(", ")}.`,
        issues: [],
      });
      return { status, contentType, body: JSON.stringify(body), headers: { allow: allowed.join(", ") } };
    });
  });

  app.onError((error, c) => {
    // Reached only when the host itself cannot start, such as over a bad setting.
    const requestId = requestIdOf(c.req.raw);
    createLog({ requestId }).error("host.fault", { message: error.message });
    const { status, contentType, body } = failureAnswer(
      "own",
      new Failure("unavailable", "This deployment is not configured; its logs name the setting."),
    );
    return new Response(body, {
      status,
      headers: { ...SECURITY_HEADERS, "content-type": contentType, "x-correlation-id": requestId },
    });
  });

  return app;
}
