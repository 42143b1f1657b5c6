/**
 * The one guarded fetch: every request to a model endpoint, webhook, executor or image goes through it.
 * It refuses what a server must not be talked into calling, and bounds redirects, time and size.
 */
import { classifyHost } from "./addresses";
import { boundedResponse } from "./body";
import { EgressError } from "./errors";
import { type Hop, isRedirect, nextHop } from "./redirects";

export { EgressError, type EgressErrorCode, egressErrorCodes } from "./errors";

/** Redirects followed before giving up; each target is judged like the first address. */
export const maxRedirects = 3;

export interface EgressSettings {
  /** The only hosts that may be called, compared with `URL.hostname`; without it, any public host. */
  allowHosts?: readonly string[];
  /** The only ports that may be called on public hosts; without it, any. */
  allowPorts?: readonly number[];
  /** True on a developer's machine and in tests: 127.0.0.0/8, ::1 and localhost are then called too. */
  allowLoopback: boolean;
  /** From the call until the last byte of the body. */
  timeoutMs: number;
  /** Of the decoded body. */
  maxResponseBytes: number;
  /** `return` hands a redirect to the caller as it came; `follow` where absent. */
  redirects?: "follow" | "return";
  /** Sent as `x-request-id` unless the request has one. */
  requestId?: string;
}

export interface EgressDeps {
  /** Stands in for the platform's fetch in tests. */
  fetcher?: (url: string, init: RequestInit) => Promise<Response>;
  /** Makes the deadline; tests pass one that they can end. */
  timeoutSignal?: (timeoutMs: number) => AbortSignal;
}

/** Like `fetch`, but every failure is an `EgressError`, also those of the body while it is read. */
export type Egress = (request: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

function checkSettings(settings: EgressSettings): void {
  for (const name of ["timeoutMs", "maxResponseBytes"] as const) {
    if (!Number.isInteger(settings[name]) || settings[name] <= 0) {
      throw new RangeError(`egress: ${name} must be a positive integer, got ${settings[name]}`);
    }
  }
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function judge(url: URL, settings: EgressSettings): void {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new EgressError("scheme_refused", `only http and https are called, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new EgressError(
      "credentials_in_url",
      `the address of ${url.host} carries credentials; use a header`,
    );
  }
  const host = url.hostname.replace(/\.$/, "");
  const hostClass = classifyHost(host);
  if (hostClass === "internal" || (hostClass === "loopback" && !settings.allowLoopback)) {
    throw new EgressError("host_refused", `${host} is not a public host`);
  }
  if (settings.allowHosts !== undefined && !settings.allowHosts.includes(host)) {
    throw new EgressError("host_refused", `${host} is not among the allowed hosts`);
  }
  if (
    hostClass === "public" &&
    settings.allowPorts !== undefined &&
    !settings.allowPorts.includes(portOf(url))
  ) {
    throw new EgressError("port_refused", `port ${portOf(url)} of ${host} is not among the allowed ports`);
  }
}

function firstHop(
  request: RequestInfo | URL,
  init: RequestInit | undefined,
  requestId: string | undefined,
): Hop {
  const base = request instanceof Request ? request : undefined;
  const address = base === undefined ? String(request) : base.url;
  if (!URL.canParse(address)) throw new EgressError("invalid_url", "the address is not an absolute URL");
  const headers = new Headers(init?.headers ?? base?.headers);
  if (requestId !== undefined && !headers.has("x-request-id")) headers.set("x-request-id", requestId);
  return {
    url: new URL(address),
    method: (init?.method ?? base?.method ?? "GET").toUpperCase(),
    headers,
    body: init?.body ?? base?.body ?? null,
  };
}

/** @throws RangeError when a bound is not a positive integer */
export function createEgress(settings: EgressSettings, deps: EgressDeps = {}): Egress {
  checkSettings(settings);
  const fetcher = deps.fetcher ?? ((url: string, init: RequestInit) => fetch(url, init));
  const timeoutSignal = deps.timeoutSignal ?? ((timeoutMs: number) => AbortSignal.timeout(timeoutMs));

  return async (request, init) => {
    const callerSignal = init?.signal ?? (request instanceof Request ? request.signal : null);
    const deadline = timeoutSignal(settings.timeoutMs);
    const signal = callerSignal === null ? deadline : AbortSignal.any([callerSignal, deadline]);
    let hop = firstHop(request, init, settings.requestId);

    const explain = (cause: unknown): EgressError => {
      if (cause instanceof EgressError) return cause;
      if (deadline.aborted) {
        return new EgressError("timeout", `${hop.url.host} did not finish in ${settings.timeoutMs} ms`, {
          cause,
        });
      }
      if (signal.aborted)
        return new EgressError("aborted", `the call to ${hop.url.host} was given up`, { cause });
      return new EgressError("network", `the connection to ${hop.url.host} failed`, { cause });
    };

    for (let redirects = 0; ; redirects += 1) {
      judge(hop.url, settings);
      const { method, headers, body } = hop;
      let response: Response;
      try {
        signal.throwIfAborted();
        // Node refuses a streamed body without this word; workerd ignores it.
        const duplex = body instanceof ReadableStream ? { duplex: "half" as const } : {};
        response = await fetcher(hop.url.href, {
          method,
          headers,
          body,
          signal,
          redirect: "manual",
          ...duplex,
        });
      } catch (cause) {
        throw explain(cause);
      }
      if (!isRedirect(response.status) || settings.redirects === "return") {
        return boundedResponse(response, settings.maxResponseBytes, explain);
      }
      await response.body?.cancel().catch(() => undefined);
      if (redirects === maxRedirects) {
        throw new EgressError(
          "too_many_redirects",
          `${hop.url.host} redirected more than ${maxRedirects} times`,
        );
      }
      hop = nextHop(hop, response.status, response.headers.get("location"));
    }
  };
}
