/** The search routes over HTTP: what they answer, what they refuse, and what stays hidden. */
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { newWorld, SEEDED_AT_MS, seedAgent, seedUser } from "./seed";

const ORG = "self-host-org";
const AGENT = { "x-playmaker-principal": "bot; agent" };

const answer = z.looseObject({
  success: z.boolean().optional(),
  user_playbooks: z.array(z.looseObject({ user_playbook_id: z.int() })).optional(),
  agent_playbooks: z.array(z.looseObject({ agent_playbook_id: z.int() })).optional(),
  interactions: z.array(z.looseObject({ interaction_id: z.int() })).optional(),
  detail: z
    .union([z.string(), z.array(z.looseObject({ pointer: z.string(), expected: z.string() }))])
    .optional(),
  errors: z.array(z.looseObject({ pointer: z.string() })).optional(),
});

async function post(path: string, body: unknown, headers: Record<string, string> = AGENT) {
  const response = await exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const parsed = answer.parse(await response.json());
  const faults = parsed.errors ?? (Array.isArray(parsed.detail) ? parsed.detail : []);
  return {
    status: response.status,
    body: parsed,
    pointer: faults[0]?.pointer,
    users: parsed.user_playbooks?.map((row) => row.user_playbook_id),
    agents: parsed.agent_playbooks?.map((row) => row.agent_playbook_id),
  };
}

beforeAll(async () => {
  const world = { ...newWorld(), orgId: ORG };
  await seedUser(
    world,
    { userPlaybookId: 1, content: "confirm the voucher by mail", trigger: "a voucher is lost" },
    { userPlaybookId: 2, content: "voucher codes are spelled out", userId: "bob" },
    { userPlaybookId: 3, content: "voucher rules of the next version", agentVersion: "v2" },
    { userPlaybookId: 4, content: "voucher draft", status: "pending" },
    { userPlaybookId: 5, content: "quokka care", createdAt: SEEDED_AT_MS / 1000 + 5 },
  );
  await seedAgent(
    world,
    { agentPlaybookId: 1, content: "replace a lost voucher once", sources: [1] },
    { agentPlaybookId: 2, content: "voucher idea", playbookStatus: "pending" },
    { agentPlaybookId: 3, content: "voucher mistake", playbookStatus: "rejected" },
  );
  await seedUser(
    { ...world, orgId: "another org" },
    { userPlaybookId: 99, content: "voucher of another org" },
  );
});

describe("POST /api/search", () => {
  const search = (body: object) =>
    post("/api/search", { query: "voucher", search_mode: "fts", top_k: 10, ...body });

  it("finds approved and pending agent rules and the CURRENT user rules that they were not made from", async () => {
    const found = await search({});
    expect(found.agents?.toSorted()).toEqual([1, 2]);
    expect(found.users?.toSorted()).toEqual([2, 3]);
    expect(found.body).toMatchObject({
      success: true,
      profiles: [],
      degraded: false,
      search_mode_effective: "fts",
    });
    expect(found.body).not.toHaveProperty("reformulated_query");
  });

  it("keeps the sources of an agent rule that is not returned", async () => {
    expect((await search({ agent_playbook_status_filter: ["pending"] })).users?.toSorted()).toEqual([
      1, 2, 3,
    ]);
    expect((await search({ entity_types: ["user_playbooks"] })).users?.toSorted()).toEqual([1, 2, 3]);
  });

  it("takes one approval state or a list, and an empty list finds nothing", async () => {
    expect((await search({ agent_playbook_status_filter: "rejected" })).agents).toEqual([3]);
    expect((await search({ agent_playbook_status_filter: [] })).agents).toEqual([]);
  });

  it("narrows by user, version and kind", async () => {
    expect((await search({ user_id: "bob" })).users).toEqual([2]);
    expect((await search({ agent_version: "v2" })).users).toEqual([3]);
    expect((await search({ entity_types: [] })).agents).toEqual([]);
    expect((await search({ top_k: 1 })).agents).toHaveLength(1);
  });

  it("shows the fields of the API and nothing of what judging needs", async () => {
    const [row] = (await search({ user_id: "bob" })).body.user_playbooks ?? [];
    expect(row).toEqual({
      ...{ user_playbook_id: 2, user_id: "bob", agent_version: "v1", request_id: "r", playbook_name: "" },
      ...{
        created_at: SEEDED_AT_MS / 1000,
        content: "voucher codes are spelled out",
        source_interaction_ids: [],
      },
    });
  });

  it("answers a query without any word with empty lists", async () => {
    for (const query of ['"', "*", "(", "🙂", "\u0000", "\ud800"]) {
      const found = await search({ query });
      expect(found).toMatchObject({ status: 200, users: [], agents: [] });
    }
  });

  it("refuses what breaks a rule and names it by pointer", async () => {
    const faults: [object, string][] = [
      [{ query: "  " }, "/query"],
      [{ query: undefined }, "/query"],
      [{ top_k: 0 }, "/top_k"],
      [{ top_k: 101 }, "/top_k"],
      [{ threshold: 2 }, "/threshold"],
      [{ search_mode: "magic" }, "/search_mode"],
      [{ entity_types: ["gods"] }, "/entity_types/0"],
      [{ agent_playbook_status_filter: "maybe" }, "/agent_playbook_status_filter"],
      [{ conversation_history: [{ role: "user" }] }, "/conversation_history/0/content"],
    ];
    for (const [body, pointer] of faults) {
      const refused = await search(body);
      expect(refused.status).toBe(422);
      expect(refused.pointer).toBe(pointer);
    }
  });

  it("refuses a key that it does not know", async () => {
    for (const path of ["/api/search", "/api/search_user_playbooks", "/api/context"]) {
      const body = { query: "voucher", agent_version: "v1" };
      expect((await post(path, body, { authorization: "Bearer not-a-key" })).status).toBe(401);
    }
  });
});

describe("POST /api/search_user_playbooks", () => {
  const search = (body: object) => post("/api/search_user_playbooks", { search_mode: "fts", ...body });

  it("finds every state but tombstones, or the states asked for", async () => {
    expect((await search({ query: "voucher" })).users?.toSorted()).toEqual([1, 2, 3, 4]);
    expect((await search({ query: "voucher", status_filter: [null] })).users?.toSorted()).toEqual([1, 2, 3]);
    expect((await search({ query: "voucher", status_filter: ["pending"] })).users).toEqual([4]);
    expect((await search({ query: "voucher", status_filter: [] })).users).toEqual([]);
  });

  it("lists the newest without a query", async () => {
    expect((await search({ top_k: 1 })).users).toEqual([5]);
    expect((await search({ query: " ", top_k: 1 })).users).toEqual([5]);
  });

  it("refuses a time range that ends before it starts", async () => {
    const range = { start_time: "2026-03-02T00:00:00Z", end_time: "2026-03-01T00:00:00Z" };
    const refused = await search({ query: "voucher", ...range });
    expect(refused.status).toBe(422);
    expect(refused.pointer).toBe("/end_time");
  });
});

describe("POST /api/search_agent_playbooks", () => {
  const search = (body: object) =>
    post("/api/search_agent_playbooks", { query: "voucher", search_mode: "fts", ...body });

  it("finds every approval state unless told otherwise", async () => {
    expect((await search({})).agents?.toSorted()).toEqual([1, 2, 3]);
    expect((await search({ playbook_status_filter: "approved" })).agents).toEqual([1]);
    expect((await search({ playbook_status_filter: ["pending", "rejected"] })).agents?.toSorted()).toEqual([
      2, 3,
    ]);
    expect((await search({ playbook_status_filter: [] })).agents).toEqual([]);
  });
});

describe("POST /api/search_interactions", () => {
  it("needs a user, answers by words and finds nothing where there is nothing", async () => {
    const refused = await post("/api/search_interactions", { query: "voucher" });
    expect(refused.status).toBe(422);
    expect(refused.pointer).toBe("/user_id");
    for (const query of ["voucher", '"', undefined]) {
      const found = await post("/api/search_interactions", { user_id: "nobody", query });
      expect(found.body).toMatchObject({ success: true, interactions: [], search_mode_effective: "fts" });
    }
  });
});

describe("POST /api/context", () => {
  const context = (body: object) => post("/api/context", { agent_version: "v1", ...body });

  it("gives the approved rules and the user's own as a block with citations", async () => {
    const { status, body } = await context({ query: "the voucher is lost", user_id: "bob" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      format: "markdown",
      citations: [
        { tag: "ap-1", kind: "agent_playbook", id: 1, real_id: "1" },
        { tag: "up-2", kind: "user_playbook", id: 2, real_id: "2" },
      ],
      ...{ omitted: 0, withheld: [] },
    });
    expect(body.context).toContain("[ap-1] Do: replace a lost voucher once");
    expect(body.context).not.toContain("idea");
    expect(z.int().max(1200).safeParse(body.tokens).success).toBe(true);
  });

  it("reads the conversation instead of a query", async () => {
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
      { role: "user", content: "my voucher is lost" },
    ];
    expect((await context({ messages })).body.context).toContain("[ap-1]");
    expect((await context({ messages: [{ role: "user", content: "" }] })).body).toMatchObject({
      context: "",
      tokens: 0,
    });
  });

  it("refuses what breaks a rule and names it by pointer", async () => {
    const faults: [object, string][] = [
      [{}, "/query"],
      [{ query: "a", messages: [{ role: "user", content: "a" }] }, "/query"],
      [{ query: "a", agent_version: undefined }, "/agent_version"],
      [{ query: "a", max_tokens: 0 }, "/max_tokens"],
      [{ query: "a", format: "yaml" }, "/format"],
      [{ messages: [] }, "/messages"],
    ];
    for (const [body, pointer] of faults) {
      const refused = await context(body);
      expect(refused.status).toBe(422);
      expect(refused.pointer).toBe(pointer);
    }
  });
});
