/** Unified search within a session: what it was served makes room for what it was not. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { searchRoutes } from "../../../src/search/routes";
import { recordServed, servedIds } from "../../../src/search/served-store";
import { type TestServices, testServices } from "../../support/services";
import { NOW_MS, newWorld, seedAgent, seedUser, type World } from "./seed";

const DAY_MS = 86_400_000;
const ORG = "self-host-org";
const database = new Database(env.DB);

const answer = z.object({
  success: z.literal(true),
  degraded: z.boolean(),
  user_playbooks: z.array(z.object({ user_playbook_id: z.int() })),
  agent_playbooks: z.array(z.object({ agent_playbook_id: z.int() })),
});

interface Bench {
  world: World;
  services: TestServices;
  clock: { nowMs: number };
  logged: string[];
  /** Searches and waits for what follows the response. */
  search(body: object): Promise<{ users: number[]; agents: number[] }>;
  context(): Promise<string>;
  /** Does not wait for what follows the response. */
  post(path: string, body: object): Promise<unknown>;
  /** The next note fails before or after it is written, or never ends. */
  failNext(when: "before" | "after" | "never"): void;
}

let made = 0;

/** The app over counted D1; each bench has rules of its own user and ids, as all share the open app's org. */
function bench(): Bench & { userId: string; ids(...positions: number[]): number[] } {
  made += 1;
  const [userId, first] = [`served user ${made}`, made * 1_000];
  const world = { ...newWorld(), orgId: ORG };
  const clock = { nowMs: NOW_MS };
  const logged: string[] = [];
  let fault: "before" | "after" | "never" | null = null;
  const faulty = new Proxy(world.d1.db, {
    get(target, property) {
      if (property !== "batch") return Reflect.get(target, property);
      return async (statements: readonly Statement[]) => {
        const isNote = statements.some(({ text }) => text.startsWith("INSERT INTO served_rules"));
        const when = isNote ? fault : null;
        if (isNote) fault = null;
        if (when === "never") return new Promise(() => {});
        if (when === "before") throw new Error("database lost");
        const results = await target.batch(statements);
        if (when === "after") throw new Error("answer lost");
        return results;
      };
    },
  });
  const services = testServices({
    ...world.services,
    clock: { nowMs: () => clock.nowMs },
    log: {
      info: () => {},
      warn: (event) => void logged.push(event),
      error: (event) => void logged.push(event),
    },
    database: () => faulty,
  });
  const app = createApp<Env>(searchRoutes, () => ({ services: () => services, limits: {} }));
  const post = async (path: string, body: object): Promise<unknown> => {
    world.d1.batches.length = 0;
    const response = await app.request(
      `http://localhost${path}`,
      {
        method: "POST",
        body: JSON.stringify({ query: "@0 voucher", user_id: userId, agent_version: "v1", ...body }),
      },
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
    return response.json();
  };
  const settledPost = async (path: string, body: object): Promise<unknown> => {
    const found = await post(path, body);
    await services.settled();
    return found;
  };
  return {
    ...{ world, services, clock, logged, userId, post },
    failNext: (when) => {
      fault = when;
    },
    ids: (...positions) => positions.map((position) => first + position),
    async search(body) {
      const found = answer.parse(await settledPost("/api/search", { top_k: 2, ...body }));
      return {
        users: found.user_playbooks.map((row) => row.user_playbook_id),
        agents: found.agent_playbooks.map((row) => row.agent_playbook_id),
      };
    },
    context: async () =>
      z.object({ context: z.string() }).parse(await settledPost("/api/context", {})).context,
  };
}

/** `count` rules of the bench's user, the first the nearest to the query by words and meaning. */
async function withRules(count: number) {
  const here = bench();
  await seedUser(
    here.world,
    ...here
      .ids(...Array.from({ length: count }, (_, position) => position + 1))
      .map((userPlaybookId, position) => ({
        ...{ userPlaybookId, userId: here.userId, degrees: position },
        content: `voucher ${"word ".repeat(position)}`,
      })),
  );
  return here;
}

const servedTo = (orgId: string, sessionId: string, nowMs: number) =>
  database.all(z.object({ entity_id: z.int() }), servedIds({ orgId, sessionId, nowMs }, "user_playbook"));

describe("a session", () => {
  it.each(["hybrid", "fts", "vector"])(
    "is served each rule once, and the next best in its place: %s",
    async (mode) => {
      const { search, ids } = await withRules(5);
      const query = { search_mode: mode, session_id: `once ${mode}`, entity_types: ["user_playbooks"] };
      expect((await search(query)).users).toEqual(ids(1, 2));
      expect((await search(query)).users).toEqual(ids(3, 4));
      expect((await search(query)).users).toEqual(ids(5));
      expect((await search(query)).users).toEqual([]);
    },
  );

  it("is served everything there is, beyond what one look into the index finds", async () => {
    const { search, ids } = await withRules(80);
    const query = { search_mode: "vector", session_id: "deep", entity_types: ["user_playbooks"], top_k: 10 };
    const seen: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const { users } = await search({ ...query, threshold: 0 });
      expect(users).toHaveLength(10);
      seen.push(...users);
    }
    expect(seen).toEqual(ids(...Array.from({ length: 80 }, (_, position) => position + 1)));
  });

  it("keeps user and agent rules of the same id apart", async () => {
    const { search, ids, world } = await withRules(1);
    const [agentPlaybookId = 0] = ids(1);
    await seedAgent(world, { agentPlaybookId, content: "voucher of everyone", degrees: 1 });
    const agentOnly = { session_id: "kinds", entity_types: ["agent_playbooks"], top_k: 100 };
    expect((await search(agentOnly)).agents).toContain(agentPlaybookId);
    expect(await search({ session_id: "kinds", top_k: 100 })).toEqual({ users: ids(1), agents: [] });
  });

  it("leaves other sessions, searches without one and prompts as they are", async () => {
    const { search, context, ids } = await withRules(3);
    const plain = await search({});
    const before = await context();
    await search({ session_id: "first" });
    expect((await search({ session_id: "second" })).users).toEqual(ids(1, 2));
    expect(await search({})).toEqual(plain);
    for (const session_id of [null, "", " "]) {
      expect(await search({ session_id })).toEqual(plain);
      expect(await search({ session_id })).toEqual(plain);
    }
    const rulesOf = (block: string) => block.match(/\[[au]p-\d+\]/g);
    expect(rulesOf(before)).not.toBeNull();
    expect(rulesOf(await context())).toEqual(rulesOf(before));
  });

  it("is not the session of that name of another org", async () => {
    const { search, ids } = await withRules(2);
    const [id = 0] = ids(1);
    const foreign = { orgId: "another org", sessionId: "shared name" };
    await database.run(recordServed(foreign, [{ kind: "user_playbook", id }], NOW_MS + DAY_MS));
    expect((await search({ session_id: "shared name" })).users).toEqual(ids(1, 2));
    expect(await servedTo(foreign.orgId, foreign.sessionId, NOW_MS)).toEqual([{ entity_id: id }]);
  });

  it("is served again after a day", async () => {
    const { search, ids, clock } = await withRules(2);
    await search({ session_id: "daily" });
    clock.nowMs += DAY_MS - 1;
    expect((await search({ session_id: "daily" })).users).toEqual([]);
    clock.nowMs += 1;
    expect((await search({ session_id: "daily" })).users).toEqual(ids(1, 2));
  });

  it("adds no statement to the read, and notes what it was served in a batch of its own", async () => {
    const { search, world } = await withRules(3);
    await search({ session_id: "counted" });
    expect(world.d1.batches).toEqual([4, 2]);
    await search({});
    expect(world.d1.batches).toEqual([4]);
  });

  it("needs no second look into the index while it was served few", async () => {
    const { search, ids, world } = await withRules(16);
    const query = { search_mode: "vector", session_id: "few", entity_types: ["user_playbooks"] };
    for (let turn = 0; turn < 8; turn += 1) {
      expect((await search(query)).users).toEqual(ids(turn * 2 + 1, turn * 2 + 2));
      expect(world.d1.batches).toEqual([1, 2]);
    }
  });

  it("that was served nothing leaves nothing", async () => {
    const { search, world } = await withRules(0);
    await search({ session_id: "empty", entity_types: ["user_playbooks"] });
    expect(world.d1.batches).toEqual([2]);
  });

  it.each([
    ["before", []],
    ["after", [3]],
  ] as const)("gets its answer though the note fails %s its effect", async (when, left) => {
    const { search, ids, logged, failNext } = await withRules(3);
    const query = { session_id: `lost ${when}`, entity_types: ["user_playbooks"] };
    failNext(when);
    expect((await search(query)).users).toEqual(ids(1, 2));
    expect(logged).toEqual(["search.served_not_recorded"]);
    expect((await search(query)).users).toEqual(left.length === 0 ? ids(1, 2) : ids(...left));
  });

  it("gets its answer before the note is written", async () => {
    const { post, failNext } = await withRules(1);
    failNext("never");
    expect(answer.parse(await post("/api/search", { session_id: "waiting" })).user_playbooks).toHaveLength(1);
  });
});
