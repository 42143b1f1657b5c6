/** Signing in: a key for a cookie, a token for every form, and both dead with the key. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index";
import { apiCall, newKey, newOrg, signedIn, TestBrowser } from "./browser";

const abroad = (path: string, headers: Record<string, string> = {}) =>
  worker.fetch(
    new Request<unknown, IncomingRequestCfProperties>(`https://playmaker.example${path}`, {
      redirect: "manual",
      headers,
    }),
    { ...env, ENVIRONMENT: "production" },
    createExecutionContext(),
  );

describe("signing in", () => {
  it("leads from a page to the sign-in page and from there back", async () => {
    const response = await abroad("/?status=approved", { accept: "text/html" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/sign-in?next=%2F%3Fstatus%3Dapproved");
    const page = await (await abroad("/sign-in?next=%2Fdesk%2Fkeys", { accept: "text/html" })).text();
    expect(page).toContain('name="next" value="/desk/keys"');
  });

  it.each([
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/sign-out",
    "/a\nb",
  ])("leads to no other site: %s", async (next) => {
    const browser = new TestBrowser();
    const { html } = await browser.open(`/sign-in?next=${encodeURIComponent(next)}`);
    expect(html).toContain('name="next" value="/"');
    const org = await newOrg();
    const response = await browser.submit("/sign-in", { key: org.key, next });
    expect(response.headers.get("location")).toBe("/");
  });

  it("gives a cookie that scripts cannot read and other sites' forms do not send", async () => {
    const local = (await new TestBrowser().open("/sign-in")).headers.get("set-cookie") ?? "";
    expect(local).toMatch(/^playmaker=web_[a-z2-7]{26}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const deployed = (await abroad("/sign-in")).headers.get("set-cookie") ?? "";
    expect(deployed).toMatch(
      /^__Host-playmaker=web_[a-z2-7]{26}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(deployed).not.toMatch(/domain/i);
  });

  it("changes the cookie, so that one planted beforehand is worth nothing", async () => {
    const org = await newOrg();
    const browser = new TestBrowser();
    const before = (await browser.open("/sign-in")).headers.get("set-cookie") ?? "";
    const after = (await browser.submit("/sign-in", { key: org.key })).headers.get("set-cookie") ?? "";
    expect(after).toContain("playmaker=web_");
    expect(after.split(";")[0]).not.toBe(before.split(";")[0]);
  });

  it("ends what the browser's cookie stood for before", async () => {
    const org = await newOrg();
    const browser = await new TestBrowser().signIn(await newKey(org, "wim", ["reviewer"]));
    await browser.open("/sign-in");
    await browser.submit("/sign-in", { key: await newKey(org, "xia", ["reviewer"]) });
    const { results } = await env.DB.prepare(
      "SELECT k.principal_id FROM desk_sessions s JOIN api_keys k ON k.key_id = s.key_id WHERE s.org_id = ?",
    )
      .bind(org.orgId)
      .all();
    expect(results).toEqual([{ principal_id: "xia" }]);
  });

  it("keeps the token's hash alone", async () => {
    const org = await newOrg();
    await signedIn(org);
    const { results } = await env.DB.prepare("SELECT * FROM desk_sessions WHERE org_id = ?")
      .bind(org.orgId)
      .all();
    expect(results).toHaveLength(1);
    expect(results[0]?.session_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(results)).not.toContain("web_");
  });

  it.each([
    ["an unknown key", `pm_${"a".repeat(32)}`],
    ["a blank one", "   "],
    ["none", ""],
    ["something else", "hello"],
  ])("says beside the field that %s is not right, and does not show it again", async (_, key) => {
    const browser = new TestBrowser();
    await browser.open("/sign-in");
    const response = await browser.submit("/sign-in", { key, next: "/desk/keys" });
    expect(response.status).toBe(422);
    expect(response.html).toMatch(/id="field-key"[^>]*aria-invalid="true"/);
    expect(response.html).toContain('id="field-key-fault"');
    expect(response.html).toContain('name="next" value="/desk/keys"');
    if (key.trim() !== "") expect(response.html).not.toContain(key);
  });

  it("dies with its key at once", async () => {
    const org = await newOrg();
    const key = await newKey(org, "rita", ["reviewer"]);
    const browser = await new TestBrowser().signIn(key);
    expect((await browser.open("/")).html).toContain("rita (reviewer)");
    const keys = await (await apiCall("GET", "/api/keys", undefined, org.bearer)).json<{
      keys: { key_id: string; principal_id: string }[];
    }>();
    const { key_id } = keys.keys.find(({ principal_id }) => principal_id === "rita") ?? { key_id: "" };
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE org_id = ? AND key_id = ?")
      .bind(org.orgId, key_id)
      .run();
    // On a laptop whoever has not signed in is its owner.
    expect((await browser.open("/")).html).not.toContain("rita");
  });

  it("ends when its time or its key's time is over", async () => {
    const org = await newOrg();
    const browser = await new TestBrowser().signIn(await newKey(org, "tess", ["reviewer"]));
    await env.DB.prepare("UPDATE desk_sessions SET expires_at = 1 WHERE org_id = ?").bind(org.orgId).run();
    expect((await browser.open("/")).html).not.toContain("tess");
    const other = await new TestBrowser().signIn(await newKey(org, "uma", ["reviewer"]));
    await env.DB.prepare("UPDATE api_keys SET expires_at = 1 WHERE org_id = ? AND principal_id = 'uma'")
      .bind(org.orgId)
      .run();
    expect((await other.open("/")).html).not.toContain("uma");
  });

  it("ends by signing out, and the old cookie stands for nobody", async () => {
    const org = await newOrg();
    const browser = await new TestBrowser().signIn(await newKey(org, "vera", ["reviewer"]));
    const response = await browser.submit("/sign-out", {});
    expect([response.status, response.headers.get("location")]).toEqual([303, "/sign-in?out=1"]);
    const { results } = await env.DB.prepare("SELECT * FROM desk_sessions WHERE org_id = ?")
      .bind(org.orgId)
      .all();
    expect(results).toEqual([]);
  });
});

describe("forms", () => {
  const form = { agent_playbook_id: "1", version: "1", playbook_status: "approved" };

  it.each([
    ["without the token", { csrf: "" }],
    ["with another browser's", { csrf: "a".repeat(32) }],
    ["from another site", { headers: { "sec-fetch-site": "cross-site" } }],
    ["from a subdomain", { headers: { "sec-fetch-site": "same-site" } }],
  ])("%s change nothing", async (_, options) => {
    const browser = await signedIn(await newOrg());
    const response = await browser.submit("/desk/decide", form, options);
    expect(response.status).toBe(403);
  });

  it("of a browser that has no cookie change nothing", async () => {
    const response = await worker.fetch(
      new Request("http://localhost/desk/decide", {
        method: "POST",
        body: new URLSearchParams({ ...form, csrf: "a".repeat(32) }),
        headers: { origin: "http://localhost", "sec-fetch-site": "same-origin" },
      }),
      env,
      createExecutionContext(),
    );
    expect(response.status).toBe(403);
  });
});

describe("a cookie", () => {
  it("opens no API: other sites' pages could send it", async () => {
    const org = await newOrg();
    const response = await abroad("/api/keys", { cookie: `__Host-playmaker=web_${"a".repeat(26)}` });
    expect(response.status).toBe(401);
    expect(org.key).toMatch(/^pm_/);
  });

  it("is not set by what is the same for everybody", async () => {
    const response = await abroad("/desk/desk.css");
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
    expect(response.headers.get("cache-control")).toContain("immutable");
  });
});
