/** The review desk as a browser uses it: pages and forms, no script. */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index";

const ORIGIN = "http://localhost";
let made = 0;

const api = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  exports.default.fetch(
    new Request(`${ORIGIN}${path}`, { method: "POST", body: JSON.stringify(body), headers }),
  );

async function newOrg(): Promise<{ bearer: { authorization: string }; basic: { authorization: string } }> {
  made += 1;
  const response = await api(
    "/api/orgs",
    { name: `desk ${made}` },
    { authorization: `Bearer ${env.ADMIN_SECRET}` },
  );
  const { key } = await response.json<{ key: { key: string } }>();
  return signInOf(key.key);
}

const signInOf = (key: string) => ({
  bearer: { authorization: `Bearer ${key}` },
  basic: { authorization: `Basic ${btoa(`me:${key}`)}` },
});

async function newRule(bearer: Record<string, string>, content: string, trigger = "asked"): Promise<number> {
  await api(
    "/api/add_agent_playbook",
    { agent_playbooks: [{ agent_version: "v", content, trigger }] },
    bearer,
  );
  const listed = await api("/api/get_agent_playbooks", {}, bearer);
  const { agent_playbooks } = await listed.json<{ agent_playbooks: { agent_playbook_id: number }[] }>();
  return agent_playbooks[0]?.agent_playbook_id ?? 0;
}

const page = (path: string, headers: Record<string, string>) =>
  exports.default.fetch(new Request(`${ORIGIN}${path}`, { headers: { accept: "text/html", ...headers } }));

const submit = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  exports.default.fetch(
    new Request(`${ORIGIN}${path}`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin: ORIGIN, "sec-fetch-site": "same-origin", ...headers },
      redirect: "manual",
    }),
  );

const decision = (rule: number, status: string, version = 1) => ({
  agent_playbook_id: String(rule),
  version: String(version),
  playbook_status: status,
});

describe("the desk", () => {
  it("shows what is hostile as text and loads nothing", async () => {
    const { bearer, basic } = await newOrg();
    await newRule(bearer, `<script>alert(1)</script>\u202e"'&`, `</h2><img src=x onerror=alert(1)>`);
    const response = await page("/", basic);
    const html = await response.text();
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧");
    expect(html).not.toMatch(/<script|<img|javascript:/i);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
  });

  it("lets a browser name the page's origin when it sends a form", async () => {
    const { basic } = await newOrg();
    // With `no-referrer`, Chromium sends `Origin: null`, which the gates refuse.
    expect((await page("/", basic)).headers.get("referrer-policy")).toBe("same-origin");
  });

  it("approves, rejects and takes back, and says so in words that no link can choose", async () => {
    const { bearer, basic } = await newOrg();
    const rule = await newRule(bearer, "Be brief.");
    const approved = await submit("/desk/decide", decision(rule, "approved"), basic);
    expect([approved.status, approved.headers.get("location")]).toEqual([
      303,
      `/?done=approved&rule=${rule}`,
    ]);
    const after = await (await page(approved.headers.get("location") ?? "", basic)).text();
    expect(after).toContain(`Rule #${rule} is approved`);
    expect(await (await page("/?status=approved", basic)).text()).toContain("Be brief.");
    expect((await page("/?done=give-me-your-key&rule=1", basic)).status).toBe(422);
  });

  it("tells the reviewer who comes second who decided", async () => {
    const { bearer, basic } = await newOrg();
    const made = await api(
      "/api/keys",
      { name: "second", principal_id: "second@example.org", roles: ["reviewer"] },
      bearer,
    );
    const second = signInOf((await made.json<{ key: string }>()).key);
    const rule = await newRule(bearer, "Be brief.");
    await submit("/desk/decide", decision(rule, "rejected"), basic);
    const late = await submit("/desk/decide", decision(rule, "approved"), second.basic);
    expect(late.status).toBe(412);
    expect(await late.text()).toMatch(/Somebody was faster.*now rejected, at version 2, decided by owner/s);
  });

  it("names the field of a form that is missing or wrong", async () => {
    const { bearer, basic } = await newOrg();
    const rule = await newRule(bearer, "Be brief.");
    const missing = await submit("/desk/decide", { agent_playbook_id: String(rule) }, basic);
    expect(missing.status).toBe(422);
    expect(await missing.text()).toMatch(/<strong>version<\/strong>.*<strong>playbook_status<\/strong>/s);
    const blank = await submit(
      "/desk/edit",
      { agent_playbook_id: String(rule), version: "1", trigger: "", content: " ", rationale: "" },
      basic,
    );
    expect(await blank.text()).toContain("<strong>content</strong>: must not be blank");
  });

  it("saves an edit and keeps what was meant as text", async () => {
    const { bearer, basic } = await newOrg();
    const rule = await newRule(bearer, "Be brief.");
    const edit = { agent_playbook_id: String(rule), version: "1", trigger: "", content: "<b>Be kind.</b>" };
    const saved = await submit("/desk/edit", { ...edit, rationale: "" }, basic);
    expect(saved.headers.get("location")).toBe(`/?done=saved&rule=${rule}`);
    const html = await (await page("/", basic)).text();
    expect(html).toContain("When: always");
    expect(html).toContain("&lt;b&gt;Be kind.&lt;/b&gt;");
  });
});

describe("the desk's sign-in", () => {
  const deployed = (path: string, init: { method?: string; body?: BodyInit; headers?: HeadersInit }) =>
    worker.fetch(
      new Request(`https://playmaker.example${path}`, init),
      { ...env, ENVIRONMENT: "production" },
      createExecutionContext(),
    );

  it("is asked for by the browser, and a program without one is only told where things are", async () => {
    const asked = await deployed("/", { headers: { accept: "text/html" } });
    expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="playmaker", charset="UTF-8"',
    ]);
    const program = await deployed("/", {});
    expect([program.status, await program.json<object>()]).toMatchObject([200, { docs: "/openapi.json" }]);
  });

  it("counts on pages only: another site's page cannot make a browser drive the API with it", async () => {
    const { basic, bearer } = await newOrg();
    expect((await deployed("/", { headers: { accept: "text/html", ...basic } })).status).toBe(200);
    expect((await deployed("/api/keys", { headers: basic })).status).toBe(401);
    expect((await deployed("/", { headers: { accept: "text/html", ...bearer } })).status).toBe(401);
  });

  it.each([
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a sibling host", { origin: "https://other.playmaker.example", "sec-fetch-site": "same-site" }],
    ["an old browser on another site", { origin: "https://evil.example" }],
    ["nowhere", {}],
  ])("is of no use to a form sent from %s", async (_, headers) => {
    const { basic, bearer } = await newOrg();
    const rule = await newRule(bearer, "Be brief.");
    const body = new URLSearchParams(decision(rule, "approved"));
    const refused = await deployed("/desk/decide", {
      method: "POST",
      body,
      headers: { ...basic, ...headers },
    });
    expect(refused.status).toBe(403);
    expect(await (await page("/", basic)).text()).toContain("Be brief.");
  });
});
