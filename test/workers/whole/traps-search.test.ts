/** Traps of the specification (§16) about search and the wire, through the front door. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../../src/http/app";
import { routes } from "../../../src/routes";
import { testServices } from "../../support/services";
import { scriptedReasoner } from "../learning/support";
import { newWorld, seedAgent, seedUser, type World } from "../search/seed";
import { newTenant } from "./loop";

const answerSchema = z.looseObject({
  success: z.boolean(),
  degraded: z.boolean().optional(),
  search_mode_effective: z.string().optional(),
  reformulated_query: z.string().optional(),
  profiles: z.array(z.unknown()).optional(),
  user_playbooks: z.array(z.looseObject({ user_playbook_id: z.int() })).default([]),
  agent_playbooks: z.array(z.looseObject({ agent_playbook_id: z.int() })).default([]),
});

/** What the model answers to a reformulation. */
let reformulated = "";
const reasoner = scriptedReasoner({ reformulate: () => ({ query: reformulated }) });

let world: World;
let call: (method: string, path: string, body: unknown) => Promise<Response>;
let settled: () => Promise<void>;
let orgs = 0;

beforeEach(async () => {
  orgs += 1;
  const tenant = await newTenant(`search traps ${orgs}`);
  world = { ...newWorld(), orgId: tenant.orgId };
  const services = testServices({
    ...world.services,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database: () => world.d1.db,
    reasoner: () => reasoner,
  });
  settled = services.settled;
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  call = async (method, path, body) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${tenant.key}` },
        body: JSON.stringify(body),
      }),
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
});

async function search(body: object, path = "/api/search") {
  const response = await call("POST", path, { top_k: 5, ...body });
  const answer = answerSchema.parse(await response.json());
  await settled();
  return {
    answer,
    status: response.status,
    users: answer.user_playbooks.map(({ user_playbook_id }) => user_playbook_id),
    agents: answer.agent_playbooks.map(({ agent_playbook_id }) => agent_playbook_id),
  };
}

describe("search by words", () => {
  it("trap 62: takes over for the whole request when the query cannot be embedded, one try for all arms", async () => {
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher", degrees: 170 },
      { userPlaybookId: 2, degrees: 0 },
    );
    await seedAgent(world, { agentPlaybookId: 3, content: "voucher", degrees: 170 });
    world.embedder.fails = true;
    const found = await search({ query: "voucher @0" });
    expect(found).toMatchObject({ status: 200, users: [1], agents: [3] });
    expect(found.answer).toMatchObject({ success: true, degraded: true, search_mode_effective: "fts" });
    expect(world.embedder.calls).toBe(1);
    world.embedder.fails = false;
    expect((await search({ query: "voucher @0" })).answer).toMatchObject({ degraded: false });
  });

  it("trap 63: treats operators and reserved words as what was typed, and finds words without spaces", async () => {
    await seedUser(
      world,
      { userPlaybookId: 1, content: "give the voucher" },
      { userPlaybookId: 2, content: "返金は三日以内に行う" },
    );
    const words = { search_mode: "fts" };
    for (const query of [
      '"voucher',
      "voucher* NEAR(",
      "voucher AND OR NOT",
      "content:voucher",
      "voucher^2 )",
    ]) {
      expect(await search({ ...words, query }), query).toMatchObject({ status: 200, users: [1] });
    }
    for (const query of ['"""', "*", "()", "^-:"]) {
      expect(await search({ ...words, query }), query).toMatchObject({ status: 200, users: [] });
    }
    expect((await search({ ...words, query: "三日以内" })).users).toEqual([2]);
  });
});

describe("suppression", () => {
  beforeEach(async () => {
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher lost" },
      { userPlaybookId: 2, content: "voucher" },
    );
    await seedAgent(
      world,
      { agentPlaybookId: 7, content: "voucher", sources: [1] },
      { agentPlaybookId: 8, content: "voucher found", sources: [2], playbookStatus: "rejected" },
    );
  });

  it("trap 64: hides a source only behind an agent rule that is really returned", async () => {
    const words = { query: "voucher", search_mode: "fts" };
    expect(await search(words)).toMatchObject({ agents: [7], users: [2] });
    expect((await search({ ...words, agent_playbook_status_filter: ["pending"] })).users.toSorted()).toEqual([
      1, 2,
    ]);
    expect((await search({ ...words, entity_types: ["user_playbooks"] })).users.toSorted()).toEqual([1, 2]);
  });

  it("trap 65: unified search leaves rejected rules out, the agents' own search does not, and without a user there is no profile", async () => {
    const words = { query: "voucher", search_mode: "fts" };
    expect(await search(words)).toMatchObject({ agents: [7], answer: { profiles: [] } });
    expect((await search(words, "/api/search_agent_playbooks")).agents.toSorted()).toEqual([7, 8]);
  });
});

it("trap 66: a session is served what it has not seen, from deeper than top_k, and each search counts after its answer", async () => {
  await seedUser(
    world,
    ...[1, 2, 3, 4].map((userPlaybookId) => ({
      userPlaybookId,
      content: "voucher",
      degrees: userPlaybookId * 10,
    })),
  );
  const query = { query: "voucher @0", top_k: 2, session_id: "s-1" };
  expect((await search(query)).users).toEqual([1, 2]);
  expect((await search(query)).users).toEqual([3, 4]);
  expect((await search(query)).users).toEqual([]);
  expect((await search({ ...query, session_id: "s-2" })).users).toEqual([1, 2]);
  expect((await search({ ...query, session_id: undefined })).users).toEqual([1, 2]);
});

describe("a reformulated query", () => {
  const asked = { query: "voucher", search_mode: "fts", enable_reformulation: true };

  it("trap 67: is used only where it is one, and named only where it differs", async () => {
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher" },
      { userPlaybookId: 2, content: "coupon" },
    );
    reformulated = '\n"coupon"\nand more';
    expect(await search(asked)).toMatchObject({ users: [2], answer: { reformulated_query: "coupon" } });
    for (const answer of [
      "",
      "I'm sorry, I cannot help with that.",
      '{"query": "coupon"}',
      "x".repeat(513),
      "—",
    ]) {
      reformulated = answer;
      const found = await search(asked);
      expect(found.users, answer.slice(0, 40)).toEqual([1]);
      expect(found.answer).not.toHaveProperty("reformulated_query");
    }
    reformulated = "voucher";
    expect((await search(asked)).answer).not.toHaveProperty("reformulated_query");
  });
});

describe("the wire", () => {
  it("trap 69: tells a domain failure by success:false in a 200, under the route's own key, without null keys", async () => {
    const told = async (method: string, path: string, body: object) => {
      const response = await call(method, path, body);
      return { status: response.status, body: await response.json<Record<string, unknown>>() };
    };
    const unknown = [
      await told("PUT", "/api/update_user_playbook", { user_playbook_id: 99, content: "x" }),
      await told("PUT", "/api/update_agent_playbook", { agent_playbook_id: 99, content: "x" }),
      await told("PUT", "/api/update_agent_playbook_status", {
        agent_playbook_id: 99,
        playbook_status: "approved",
      }),
    ];
    for (const { status, body } of unknown) {
      expect(status).toBe(200);
      expect(body).toEqual({ success: false, msg: expect.any(String) });
    }
    const gone = await told("DELETE", "/api/delete_user_playbook", { user_playbook_id: 99 });
    expect(gone).toEqual({ status: 200, body: { success: true, message: expect.any(String) } });
    await seedUser(world, { userPlaybookId: 1, content: "voucher" });
    const { body } = await told("POST", "/api/get_user_playbooks", {});
    expect(JSON.stringify(body)).not.toContain("null");
    expect(await told("PUT", "/api/update_user_playbook", { content: "x" })).toMatchObject({ status: 422 });
  });

  it("trap 70: reads a JSON body on DELETE, and answers whatever User-Agent asks", async () => {
    await seedUser(world, { userPlaybookId: 1, content: "voucher" });
    const missing = await call("DELETE", "/api/delete_user_playbook", {});
    expect(missing.status).toBe(422);
    expect(await missing.json()).toMatchObject({ detail: [{ pointer: "/user_playbook_id" }] });
    const deleted = await call("DELETE", "/api/delete_user_playbook", { user_playbook_id: 1 });
    expect(await deleted.json()).toMatchObject({ success: true });
    const left = await call("POST", "/api/get_user_playbooks", {});
    expect(await left.json()).toMatchObject({ user_playbooks: [] });
    for (const agent of ["curl/8.5.0", "Wget/1.21", "some-crawler-bot", ""]) {
      const health = await createApp<Env>(routes, () => ({
        services: () => testServices(),
        limits: {},
      })).fetch(new Request("http://localhost/health", { headers: { "user-agent": agent } }), env, {
        waitUntil: () => {},
        passThroughOnException: () => {},
        props: {},
      });
      expect(health.status, agent).toBe(200);
    }
  });
});

describe("a rule whose words change", () => {
  const tagsOf = (id: number) =>
    env.DB.prepare("SELECT tags FROM user_playbooks WHERE org_id = ? AND user_playbook_id = ?")
      .bind(world.orgId, id)
      .first<{ tags: string | null }>();

  it("trap 23: goes back to never tagged, which is not the same as tagged with nothing", async () => {
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher", tags: [] },
      { userPlaybookId: 2, content: "coupon", tags: ["refunds"] },
    );
    expect(await tagsOf(1)).toEqual({ tags: "[]" });
    for (const user_playbook_id of [1, 2]) {
      const body = { user_playbook_id, content: `ticket ${user_playbook_id}` };
      expect((await call("PUT", "/api/update_user_playbook", body)).status).toBe(200);
      expect(await tagsOf(user_playbook_id)).toEqual({ tags: null });
    }
  });

  it("trap 24: is found by its new trigger in words and meaning, and no longer by the old one", async () => {
    await seedUser(world, { userPlaybookId: 1, trigger: "voucher @0", content: "Do it.", degrees: 0 });
    const query = { user_id: "ann", agent_version: "v1" };
    const find = async (words: string, mode: string) =>
      (await search({ ...query, query: words, search_mode: mode }, "/api/search_user_playbooks")).users;
    expect(await find("voucher", "fts")).toEqual([1]);
    expect(await find("@0", "vector")).toEqual([1]);
    const change = { user_playbook_id: 1, trigger: "quokka @90" };
    expect((await call("PUT", "/api/update_user_playbook", change)).status).toBe(200);
    expect(await find("voucher", "fts")).toEqual([]);
    expect(await find("quokka", "fts")).toEqual([1]);
    expect(await find("@0", "vector")).toEqual([]);
    expect(await find("@90", "vector")).toEqual([1]);
  });
});
