/** What stands before every route: closed deployments, keys, scopes, limits, idempotency. */

import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index";

const SECRET = env.ADMIN_SECRET;
const call = (path: string, init: RequestInit = {}) =>
  exports.default.fetch(new Request(`http://localhost${path}`, init));
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, { method: "POST", body: JSON.stringify(body), headers });

async function newOrg(name: string): Promise<{ orgId: string; key: string; keyId: string }> {
  const response = await post("/api/orgs", { name }, { authorization: `Bearer ${SECRET}` });
  expect(response.status).toBe(201);
  const body = await response.json<{ org_id: string; key: { key: string; key_id: string } }>();
  return { orgId: body.org_id, key: body.key.key, keyId: body.key.key_id };
}

describe("a deployment", () => {
  const withEnv = async (
    overrides: Record<string, unknown>,
    headers: Record<string, string> = {},
    path = "/api/keys",
  ) => {
    const context = createExecutionContext();
    const bindings: Env = { ...env, ...overrides };
    return worker.fetch(new Request(`https://playmaker.example${path}`, { headers }), bindings, context);
  };

  it("without an environment serves nothing", async () => {
    for (const path of ["/health", "/api/keys", "/openapi.json"]) {
      expect((await withEnv({ ENVIRONMENT: undefined }, {}, path)).status).toBe(503);
    }
  });

  it("without an admin secret serves nothing", async () => {
    expect((await withEnv({ ENVIRONMENT: "production", ADMIN_SECRET: undefined })).status).toBe(503);
  });

  it("needs a key everywhere but on a laptop, and takes no principal from a header", async () => {
    const response = await withEnv({ ENVIRONMENT: "production" }, { "x-playmaker-principal": "eve; owner" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
  });

  it("names a bad setting in its logs and not in its answers", async () => {
    const response = await withEnv({ REASONER: "psychic" });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("psychic");
  });

  it.each([
    ["another host", { host: "evil.example" }],
    ["another origin", { host: "localhost", origin: "https://evil.example" }],
  ])("on a laptop refuses %s", async (_, headers) => {
    expect((await withEnv({}, headers)).status).toBe(403);
  });
});

describe("a key", () => {
  it("is made with an org, shown once, and stored as a hash", async () => {
    const { orgId, key } = await newOrg("acme");
    const { results } = await env.DB.prepare("SELECT * FROM api_keys WHERE org_id = ?").bind(orgId).all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(key);
  });

  it("is refused when unknown, revoked, or used for what it does not cover", async () => {
    const { key, keyId } = await newOrg("scopes");
    const bearer = { authorization: `Bearer ${key}` };
    const made = await post("/api/keys", { name: "bot", principal_id: "bot", roles: ["agent"] }, bearer);
    const agent = await made.json<{ key: string; scopes: string[] }>();
    expect(agent.scopes).not.toContain("review");
    expect((await call("/api/keys", { headers: { authorization: `Bearer ${agent.key}` } })).status).toBe(403);
    expect((await call("/api/keys", { headers: { authorization: "Bearer pm_unknown" } })).status).toBe(401);
    await post("/api/keys", { name: "next", principal_id: "next", roles: ["owner"] }, bearer);
    expect((await call(`/api/keys/${keyId}`, { method: "DELETE", headers: bearer })).status).toBe(200);
    expect((await call("/api/keys", { headers: bearer })).status).toBe(401);
  });

  it("sees the keys of its own org only", async () => {
    const [one, two] = [await newOrg("one"), await newOrg("two")];
    const listed = await call("/api/keys", { headers: { authorization: `Bearer ${one.key}` } });
    expect(await listed.text()).not.toContain(two.keyId);
    const foreign = await call(`/api/keys/${two.keyId}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${one.key}` },
    });
    const unknown = await call("/api/keys/key_none", {
      method: "DELETE",
      headers: { authorization: `Bearer ${one.key}` },
    });
    expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
  });

  it("is not made without the admin secret", async () => {
    expect((await post("/api/orgs", { name: "x" })).status).toBe(401);
    expect((await post("/api/orgs", { name: "x" }, { authorization: "Bearer wrong" })).status).toBe(401);
  });

  it("leaves an audit row that names who made it", async () => {
    const { orgId, key } = await newOrg("audited");
    await post(
      "/api/keys",
      { name: "bot", principal_id: "bot", roles: ["agent"] },
      { authorization: `Bearer ${key}` },
    );
    const { results } = await env.DB.prepare(
      "SELECT principal_id, action FROM audit WHERE org_id = ? ORDER BY row",
    )
      .bind(orgId)
      .all();
    expect(results).toEqual([
      { principal_id: "admin", action: "create.key" },
      { principal_id: "owner", action: "create.key" },
    ]);
  });
});

describe("an Idempotency-Key", () => {
  it("gives the first answer again and does the work once", async () => {
    const { key } = await newOrg("idempotent");
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": "add-rule" };
    const body = { user_playbooks: [{ content: "Be brief.", agent_version: "v", request_id: "r" }] };
    const first = await post("/api/add_user_playbook", body, headers);
    const again = await post("/api/add_user_playbook", body, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    const listed = await post("/api/get_user_playbooks", {}, headers);
    expect(await listed.json<{ user_playbooks: unknown[] }>()).toMatchObject({
      user_playbooks: [{ content: "Be brief." }],
    });
  });

  it("keeps no secret that an answer showed once", async () => {
    const { orgId, key } = await newOrg("idempotent-secret");
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": "make-bot" };
    const body = { name: "bot", principal_id: "bot", roles: ["agent"] };
    const made = await (await post("/api/keys", body, headers)).json<{ key: string }>();
    const again = await post("/api/keys", body, headers);
    expect([again.status, (await again.text()).includes(made.key)]).toEqual([409, false]);
    const kept = await env.DB.prepare("SELECT * FROM idempotency_keys WHERE org_id = ?").bind(orgId).all();
    expect(JSON.stringify(kept.results)).not.toContain(made.key);
    const { results } = await env.DB.prepare("SELECT 1 FROM api_keys WHERE org_id = ?").bind(orgId).all();
    expect(results).toHaveLength(2);
  });

  it("is refused with another body, and when malformed", async () => {
    const { key } = await newOrg("idempotent-2");
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": "k" };
    const body = { name: "bot", principal_id: "bot", roles: ["agent"] };
    await post("/api/keys", body, headers);
    expect((await post("/api/keys", { ...body, name: "other" }, headers)).status).toBe(422);
    expect((await post("/api/keys", body, { ...headers, "idempotency-key": "x".repeat(256) })).status).toBe(
      422,
    );
  });

  it("of two requests at once lets one run", async () => {
    const { orgId, key } = await newOrg("idempotent-3");
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": "race" };
    const body = { name: "bot", principal_id: "bot", roles: ["agent"] };
    const statuses = (await Promise.all([1, 2, 3].map(() => post("/api/keys", body, headers)))).map(
      ({ status }) => status,
    );
    expect(statuses).toContain(201);
    const { results } = await env.DB.prepare("SELECT 1 FROM api_keys WHERE org_id = ?").bind(orgId).all();
    expect(results).toHaveLength(2);
  });
});

describe("limits", () => {
  it("answer 429 with the time to wait, per key", async () => {
    const { key } = await newOrg("busy");
    const other = await newOrg("calm");
    const bearer = { authorization: `Bearer ${key}` };
    let allowed = 0;
    let limited: Response | undefined;
    // A minute may end under the test and begin the count anew, once.
    while (limited === undefined && allowed <= 240) {
      const response = await call("/api/keys", { headers: bearer });
      if (response.status === 200) allowed += 1;
      else limited = response;
    }
    expect(allowed).toBeGreaterThanOrEqual(120);
    expect([limited?.status, limited?.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await call("/api/keys", { headers: { authorization: `Bearer ${other.key}` } })).status).toBe(200);
  });

  it("count bodies while they are read", async () => {
    const body = JSON.stringify({ name: "x".repeat(1_100_000) });
    expect((await call("/api/keys", { method: "POST", body })).status).toBe(413);
  });
});

describe("every answer", () => {
  it("carries the caller's correlation id, or one of its own", async () => {
    const given = await call("/health", { headers: { "x-correlation-id": "abc-1" } });
    expect(given.headers.get("x-correlation-id")).toBe("abc-1");
    const odd = await call("/health", { headers: { "x-correlation-id": 'a b"' } });
    expect(odd.headers.get("x-correlation-id")).toMatch(/^req_/);
  });

  it("to an unknown route is a problem document", async () => {
    const response = await call("/api/nothing");
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json",
    ]);
  });
});
