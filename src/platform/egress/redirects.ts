/** What follows from a redirect: the next address, method, headers and body. Pure but for `Headers`. */
import { EgressError } from "./errors";

/** One request of a redirect chain. `body` is null where none is sent. */
export interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: BodyInit | null;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Headers that may follow a request to another origin; a key or a cookie in any other one may not. */
const headersForStrangers = new Set([
  "accept",
  "accept-language",
  "content-type",
  "user-agent",
  "x-request-id",
]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * The hop that a redirect asks for (RFC 9110 §15.4): 303, and 301/302 of a POST, become a GET without a body.
 * @throws EgressError `redirect_invalid` without a usable Location; `redirect_body_lost` when a streamed
 * body would have to be sent twice.
 */
export function nextHop(hop: Hop, status: number, location: string | null): Hop {
  if (location === null || !URL.canParse(location, hop.url.href)) {
    throw new EgressError("redirect_invalid", `${hop.url.host} redirected without a valid Location`);
  }
  const url = new URL(location, hop.url);
  const headers = new Headers(hop.headers);
  const becomesGet =
    (status === 303 && hop.method !== "HEAD") ||
    ((status === 301 || status === 302) && hop.method === "POST");
  if (becomesGet) headers.delete("content-type");
  if (!becomesGet && hop.body instanceof ReadableStream) {
    throw new EgressError(
      "redirect_body_lost",
      `${hop.url.host} redirected a streamed request, which cannot be resent`,
    );
  }
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()]) {
      if (!headersForStrangers.has(name)) headers.delete(name);
    }
  }
  return { url, method: becomesGet ? "GET" : hop.method, headers, body: becomesGet ? null : hop.body };
}
