/** What a browser carries: one cookie with a random token, from which the token of its forms is derived. */
import type { Settings } from "../env";
import { Failure } from "../platform/failure";
import { base32, type Ids, sha256Bytes } from "../platform/ids";

/**
 * Every browser has a token before it has signed in, so that the sign-in form is protected as well; signing
 * in gives it another one.
 */
export interface Browser {
  token: string;
  /** Every form carries it as `csrf`; another site's page can neither read nor guess it. */
  csrf: string;
  /** True where the answer has to set the cookie. */
  isNew: boolean;
}

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 7 * 86_400;
const CSRF_CHARS = 32;
const TOKEN = /^web_[a-z2-7]{26}$/;

/** Off a laptop the name itself forbids other hosts, other paths and plain HTTP (RFC 6265bis, 4.1.3.2). */
const nameOf = ({ ENVIRONMENT }: Pick<Settings, "ENVIRONMENT">): string =>
  ENVIRONMENT === "local" ? "playmaker" : "__Host-playmaker";

const tokenOf = (settings: Pick<Settings, "ENVIRONMENT">, cookies: string): string | null => {
  const name = `${nameOf(settings)}=`;
  const found = cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(name));
  const token = found?.slice(name.length) ?? "";
  return TOKEN.test(token) ? token : null;
};

async function browserWith(token: string, isNew: boolean): Promise<Browser> {
  const digest = await sha256Bytes(JSON.stringify(["csrf", token]));
  return { token, isNew, csrf: base32(digest).slice(0, CSRF_CHARS) };
}

export const freshBrowser = (ids: Ids): Promise<Browser> => browserWith(ids.random("web"), true);

/** The browser that asks; one without a cookie is given one. */
export function browserOf(
  request: Request,
  settings: Pick<Settings, "ENVIRONMENT">,
  ids: Ids,
): Promise<Browser> {
  const token = tokenOf(settings, request.headers.get("cookie") ?? "");
  return token === null ? freshBrowser(ids) : browserWith(token, false);
}

/** The `Set-Cookie` header; scripts cannot read it and other sites' forms do not send it. */
export function cookieOf(settings: Pick<Settings, "ENVIRONMENT">, { token }: Browser): string {
  const secure = settings.ENVIRONMENT === "local" ? "" : "; Secure";
  return `${nameOf(settings)}=${token}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * A browser sends its cookie with every request, also with one that another site's page made it send; such
 * a page can forge neither these headers nor the token.
 * @throws Failure("forbidden")
 */
export function assertOwnForm(
  request: Request,
  browser: Browser,
  fields: Readonly<Record<string, string>>,
): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = site === "same-origin" || (site === null && origin === new URL(request.url).origin);
  if (!own) throw new Failure("forbidden", "This form must be sent from the page it stands on.");
  if (browser.isNew || fields.csrf !== browser.csrf) {
    throw new Failure(
      "forbidden",
      "This form is out of date: your sign-in has changed since. Go back, reload the page and send it again.",
    );
  }
}
