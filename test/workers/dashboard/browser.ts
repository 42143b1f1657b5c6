/** A browser for tests of pages: keeps its cookie, sends forms with the token of the page they stand on. */
import { env, exports } from "cloudflare:workers";

const ORIGIN = "http://localhost";
let orgs = 0;

const send = (request: Request): Promise<Response> => exports.default.fetch(request);

export const apiCall = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  send(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

export interface TestOrg {
  orgId: string;
  /** Of its owner. */
  key: string;
  keyId: string;
  bearer: { authorization: string };
}

export async function newOrg(): Promise<TestOrg> {
  orgs += 1;
  const response = await apiCall(
    "POST",
    "/api/orgs",
    { name: `desk ${orgs}` },
    { authorization: `Bearer ${env.ADMIN_SECRET}` },
  );
  const body = await response.json<{ org_id: string; key: { key: string; key_id: string } }>();
  const { key, key_id: keyId } = body.key;
  return { orgId: body.org_id, key, keyId, bearer: { authorization: `Bearer ${key}` } };
}

/** A key of the org with the given roles. */
export async function newKey(org: TestOrg, principalId: string, roles: string[]): Promise<string> {
  const response = await apiCall(
    "POST",
    "/api/keys",
    { name: principalId, principal_id: principalId, roles },
    org.bearer,
  );
  return (await response.json<{ key: string }>()).key;
}

export class TestBrowser {
  private cookie = "";
  private csrf = "";

  /** Opens a page, follows no redirect, and remembers the token of its forms. */
  async open(path: string): Promise<Response & { html: string }> {
    return this.take(new Request(`${ORIGIN}${path}`, { headers: this.headers(), redirect: "manual" }));
  }

  /** Sends a form of the page that was opened last. */
  async submit(
    path: string,
    fields: Record<string, string>,
    options: { csrf?: string; headers?: Record<string, string> } = {},
  ): Promise<Response & { html: string }> {
    return this.take(
      new Request(`${ORIGIN}${path}`, {
        method: "POST",
        body: new URLSearchParams({ csrf: options.csrf ?? this.csrf, ...fields }),
        headers: {
          ...this.headers(),
          origin: ORIGIN,
          "sec-fetch-site": "same-origin",
          ...options.headers,
        },
        redirect: "manual",
      }),
    );
  }

  async signIn(key: string): Promise<this> {
    await this.open("/sign-in");
    const response = await this.submit("/sign-in", { key });
    if (response.status !== 303) throw new Error(`signing in answered ${response.status}`);
    await this.open("/");
    return this;
  }

  private headers(): Record<string, string> {
    return { accept: "text/html", ...(this.cookie !== "" && { cookie: this.cookie }) };
  }

  private async take(request: Request): Promise<Response & { html: string }> {
    const response = await send(request);
    const set = response.headers.get("set-cookie");
    if (set !== null) this.cookie = set.split(";")[0] ?? "";
    const html = await response.text();
    this.csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.csrf;
    return Object.assign(response, { html });
  }
}

/** A browser of the org's owner. */
export const signedIn = (org: TestOrg): Promise<TestBrowser> => new TestBrowser().signIn(org.key);
