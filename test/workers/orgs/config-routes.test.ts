/** The Config over HTTP: what Reflexio's client is answered, who may ask, and what a race leaves. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../../src/http/app";
import { configHistory } from "../../../src/orgs/config-history-store";
import { forgetConfig } from "../../../src/orgs/config-store";
import { orgRoutes } from "../../../src/orgs/routes";
import { testServices } from "../../support/services";

const ORG = "self-host-org";
const services = testServices();
const app = createApp<Env>(orgRoutes, () => ({ services: () => services, limits: {} }));

async function call(method: string, path: string, body?: unknown, as = "ada; owner") {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { "x-playmaker-principal": as },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await app.fetch(request, env, createExecutionContext());
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
}

const set = (body: unknown, as?: string) => call("POST", "/api/set_config", body, as);
const update = (body: unknown, as?: string) => call("POST", "/api/update_config", body, as);
const get = async () => (await call("GET", "/api/get_config")).body;

beforeEach(async () => {
  await set({ review_gate: null, user_detail_stripping_config: null });
});

describe("get_config", () => {
  it("keeps keys whose value is null, which Reflexio's client requires", async () => {
    const config = await get();
    expect(config).toMatchObject({ storage_config: null, window_size: 10, stride_size: 8 });
    expect(Object.hasOwn(config, "extraction_preset")).toBe(true);
  });
});

describe("set_config", () => {
  it("replaces the whole Config and can be read back", async () => {
    await set({ agent_context_prompt: "a shop", window_size: 20 });
    expect(await set({ window_size: 30 })).toMatchObject({ status: 200, body: { success: true } });
    expect(await get()).toMatchObject({ agent_context_prompt: null, window_size: 30 });
  });

  it("leaves the review gate alone where the body does not name it", async () => {
    await update({ review_gate: { min_distinct_users: 9 } });
    await set({ window_size: 30 });
    expect(await get()).toMatchObject({ review_gate: { min_distinct_users: 9 }, window_size: 30 });
    await set({ review_gate: null });
    expect(await get()).toMatchObject({ review_gate: null });
  });

  it("says what of Reflexio has no effect here, and stores none of it", async () => {
    const { body } = await set({ storage_config: { storage_type: "sqlite", db_path: "/secret.db" } });
    expect(body).toMatchObject({ success: true, msg: expect.stringContaining("/storage_config") });
    const { results } = await env.DB.prepare("SELECT body FROM configs WHERE org_id = ?").bind(ORG).all();
    expect(JSON.stringify(results)).not.toContain("secret");
  });

  it("refuses unknown fields and impossible sizes by pointer, and changes nothing", async () => {
    const before = await get();
    expect(await set({ window: 3 })).toMatchObject({
      status: 422,
      body: { detail: [{ pointer: "/window", loc: ["body", "window"] }] },
    });
    expect(await set({ window_size: 3, stride_size: 4 })).toMatchObject({
      status: 422,
      body: { detail: [{ pointer: "/stride_size" }] },
    });
    for (const body of ["[]", "null", "3", "{"]) expect((await set(body)).status).toBe(422);
    expect(await get()).toEqual(before);
  });

  it("is audited with who did it", async () => {
    await set({ window_size: 41 }, "grace; owner");
    const [newest] = await configHistory(services.database(ORG), ORG, 1);
    expect(newest).toMatchObject({ by: "grace" });
  });
});

describe("update_config", () => {
  it("trap 12: merges top-level fields and replaces a section whole", async () => {
    const section = { extraction_definition_prompt: "what matters", context_prompt: "in a shop" };
    await update({ user_playbook_extractor_config: section, shadow_mode_enabled: true });
    await update({ user_playbook_extractor_config: { extraction_definition_prompt: "other" } });
    expect(await get()).toMatchObject({
      shadow_mode_enabled: true,
      user_playbook_extractor_config: { extraction_definition_prompt: "other", context_prompt: null },
    });
  });

  it("trap 12: refuses a section without its prompt in a shape of its own, and changes nothing", async () => {
    const before = await get();
    const { status, body } = await update({ user_playbook_extractor_config: { stride_size_override: 3 } });
    expect(status).toBe(422);
    const pointer = "/user_playbook_extractor_config/extraction_definition_prompt";
    expect(body).toMatchObject({
      error: expect.stringContaining(pointer),
      hint: expect.stringContaining("replaces"),
      validation_errors: [{ pointer, msg: expect.any(String), expected: expect.any(String) }],
    });
    expect(await get()).toEqual(before);
  });

  it("of two at once loses neither", async () => {
    await Promise.all([update({ window_size: 33 }), update({ agent_context_prompt: "a ship" })]);
    forgetConfig(ORG);
    expect(await get()).toMatchObject({ window_size: 33, agent_context_prompt: "a ship" });
  });
});

describe("the Config of an org", () => {
  it.each(["agent", "editor", "reviewer"])(
    "is neither shown to nor changed by a key of role %s",
    async (role) => {
      for (const [method, path] of [
        ["GET", "/api/get_config"],
        ["POST", "/api/set_config"],
        ["POST", "/api/update_config"],
        ["POST", "/api/admin/cache/invalidate"],
      ] as const) {
        const answer = await call(method, path, method === "GET" ? undefined : {}, `x; ${role}`);
        expect(answer.status, path).toBe(403);
      }
    },
  );
});

describe("who is asking and what is answering", () => {
  it("whoami names the org and the scopes, and no credential", async () => {
    expect((await call("GET", "/api/whoami", undefined, "bot; agent")).body).toMatchObject({
      ...{ success: true, org_id: ORG, principal_id: "bot", storage_configured: true },
      scopes: ["read", "publish"],
    });
  });

  it("my_config stays closed, even to an owner", async () => {
    const { status, body } = await call("GET", "/api/my_config");
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, message: expect.stringContaining("no storage credentials") });
  });

  it("the cache of another org is not touched, and the own one is forgotten once", async () => {
    const invalidate = (body: object) => call("POST", "/api/admin/cache/invalidate", body);
    await get();
    expect((await invalidate({ org_id: "somebody-else" })).status).toBe(403);
    expect((await invalidate({ org_id: ORG })).body).toEqual({ invalidated: true, org_id: ORG });
    expect((await invalidate({})).body).toEqual({ invalidated: false, org_id: ORG });
  });

  it("the version needs no key", async () => {
    expect((await call("GET", "/meta/version")).body).toEqual({
      ...{ server_version: "1.0.0", api_version: "v1", min_client_version: "0.2.16" },
    });
  });
});
