/** Hybrid search over the real database and the strict index fake. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import type { VectorQuery } from "../../../src/platform/vectors/port";
import { type HybridQuery, hybridSearch } from "../../../src/search/hybrid";
import { NOW_MS, newWorld, SEEDED_AT_MS, seedAgent, seedUser, type World } from "./seed";

async function search(world: World, query: Partial<HybridQuery>) {
  const found = await hybridSearch(world.services, world.d1.db, {
    ...{ orgId: world.orgId, query: "@0", mode: "hybrid", topK: 5, threshold: null },
    ...{ userPlaybooks: { statuses: [null] }, agentPlaybooks: { statuses: [null] } },
    ...query,
  });
  return {
    ...found,
    users: found.userPlaybooks.map(({ id }) => id),
    agents: found.agentPlaybooks.map(({ id }) => id),
  };
}

describe("hybrid search", () => {
  it("joins what shares words and what is near in meaning, rules in both first", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "explain at length when and why a refund takes time", degrees: 170 },
      { userPlaybookId: 2, content: "give the money back", degrees: 5 },
      { userPlaybookId: 3, content: "always refund quickly", degrees: 10 },
      { userPlaybookId: 4, content: "greet people", degrees: 90 },
    );
    const found = await search(world, { query: "@0 refund" });
    expect(found.users[0]).toBe(3);
    expect(found.users.toSorted()).toEqual([1, 2, 3]);
    expect(found).toMatchObject({ degraded: false, effectiveMode: "hybrid" });
  });

  it("answers by words alone, by meaning alone, or by both, as asked", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "offer a refund", degrees: 170 },
      { userPlaybookId: 2, content: "give the money back", degrees: 5 },
    );
    expect((await search(world, { query: "@0 refund", mode: "fts" })).users).toEqual([1]);
    expect(world.embedder.calls).toBe(0);
    expect((await search(world, { query: "@0 refund", mode: "vector" })).users).toEqual([2]);
  });

  it("cuts hits by meaning at the threshold, and hits by words never", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "refund", degrees: 80 },
      { userPlaybookId: 2, degrees: 20 },
      { userPlaybookId: 3, degrees: 70 },
    );
    expect((await search(world, { query: "@0 refund" })).users.toSorted()).toEqual([1, 2]);
    expect((await search(world, { query: "@0", threshold: 0.2 })).users).toEqual([2, 3]);
    expect((await search(world, { query: "@0", threshold: 0.99 })).users).toEqual([]);
  });

  it("takes at most four statements in one batch", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, content: "refund", degrees: 0 });
    await seedAgent(world, { agentPlaybookId: 1, content: "refund", degrees: 0 });
    await search(world, { query: "@0 refund" });
    expect(world.d1.batches).toEqual([4]);
    expect(world.fake.calls.query).toBe(2);
  });

  it("asks the index once more when the judgement leaves too few, within six statements", async () => {
    const world = newWorld();
    for (let id = 1; id <= 30; id += 1) {
      await seedUser(world, {
        userPlaybookId: id,
        degrees: 1,
        ...(id > 1 && { status: "archived" as const }),
      });
    }
    await seedUser(world, { userPlaybookId: 31, degrees: 20 }, { userPlaybookId: 32, degrees: 30 });
    const found = await search(world, { query: "@0 nothing-shared", topK: 3 });
    expect(found.users).toEqual([1, 31, 32]);
    expect(world.d1.batches).toEqual([4, 2]);
    expect(world.fake.calls.query).toBe(4);
  });

  it("finds a rule by meaning before the index shows it, and only its present vector counts", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, degrees: 3, vectorAtMs: NOW_MS - 119_000, isIndexed: false },
      { userPlaybookId: 2, degrees: 3, vectorAtMs: NOW_MS - 121_000, isIndexed: false },
    );
    expect((await search(world, {})).users).toEqual([1]);
  });

  it("looks at no more than the 200 newest of the rows that changed just now", async () => {
    const world = newWorld();
    for (let id = 1; id <= 202; id += 1) {
      await seedUser(world, {
        userPlaybookId: id,
        degrees: 60 - id / 10,
        vectorAtMs: NOW_MS - 1000 + id,
        isIndexed: false,
      });
    }
    const found = await search(world, { topK: 100, threshold: 0 });
    expect(found.users).toHaveLength(100);
    const all = await search(world, { topK: 100, threshold: 0, agentPlaybooks: null, query: "@59" });
    expect(all.users).not.toContain(1);
    expect(all.users).not.toContain(2);
    expect(all.users).toContain(3);
  });

  it("judges the index's hints in D1: org, lifecycle, approval, version, user", async () => {
    const world = newWorld();
    const other = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, degrees: 0 },
      { userPlaybookId: 2, degrees: 0, status: "pending" },
      { userPlaybookId: 3, degrees: 0, status: "superseded" },
      { userPlaybookId: 4, degrees: 0, userId: "bob" },
      { userPlaybookId: 5, degrees: 0, agentVersion: "v2" },
    );
    await seedAgent(
      world,
      { agentPlaybookId: 1, degrees: 0, playbookStatus: "rejected" },
      { agentPlaybookId: 2, degrees: 0, playbookStatus: "pending" },
      { agentPlaybookId: 3, degrees: 0 },
    );
    await seedUser(other, { userPlaybookId: 9, degrees: 0 });
    const agentPlaybooks = { statuses: [null], approvals: ["approved"] };
    const found = await search(world, {
      agentPlaybooks,
      userPlaybooks: { statuses: [null], userId: "ann", agentVersion: "v1" },
    });
    expect(found.users).toEqual([1]);
    expect(found.agents).toEqual([3]);
    expect((await search(world, { agentPlaybooks: { approvals: [] } })).agents).toEqual([]);
    expect((await search(world, { agentPlaybooks: {} })).agents).toEqual([1, 2, 3]);
    expect((await search(world, { userPlaybooks: {} })).users).toEqual([1, 2, 4, 5]);
    expect((await search(world, { userPlaybooks: { statuses: ["superseded"] } })).users).toEqual([3]);
    expect((await search(world, { userPlaybooks: { statuses: [] } })).users).toEqual([]);
  });

  it("believes no entry of another org, kind or model that the index hands out", async () => {
    const world = newWorld();
    const other = newWorld();
    await seedUser(world, { userPlaybookId: 7, degrees: 0, isIndexed: false });
    await seedUser(other, { userPlaybookId: 7, degrees: 0 });
    const query = (input: VectorQuery) => other.services.vectors.query({ ...input, orgId: other.orgId });
    const services = {
      ...world.services,
      vectors: { query, upsert: async () => {}, remove: async () => {} },
    };
    const found = await hybridSearch(services, world.d1.db, {
      ...{ orgId: world.orgId, query: "@0", mode: "vector", topK: 5, threshold: null },
      ...{ userPlaybooks: {}, agentPlaybooks: null },
    });
    expect(found.userPlaybooks).toEqual([]);
  });

  it("never compares with vectors of another model", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, degrees: 0 });
    await world.d1.db.run(sql`UPDATE vectors SET model = 'former' WHERE org_id = ${world.orgId}`);
    expect((await search(world, { mode: "vector" })).users).toEqual([]);
  });

  it("answers by words and says so when the model fails or knows no word of the query", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, content: "offer a refund", degrees: 0 });
    expect(await search(world, { query: "refund" })).toMatchObject({
      users: [1],
      degraded: true,
      effectiveMode: "fts",
    });
    world.embedder.fails = true;
    for (const mode of ["hybrid", "vector"] as const) {
      const found = await search(world, { query: "@0 refund please", mode });
      expect(found).toMatchObject({ users: [1], degraded: true, effectiveMode: "fts" });
    }
    expect(world.embedder.calls).toBe(3);
    expect(world.warnings).toContain("search.embedding_failed");
  });

  it("answers by words and says so when the index fails", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, content: "offer a refund", degrees: 0 });
    const query = async () => Promise.reject(new Error("VECTOR_QUERY_ERROR (code = 50000): down"));
    const services = {
      ...world.services,
      vectors: { upsert: async () => {}, remove: async () => {}, query },
    };
    const found = await hybridSearch(services, world.d1.db, {
      ...{ orgId: world.orgId, query: "@0 refund", mode: "hybrid", topK: 5, threshold: null },
      ...{ userPlaybooks: {}, agentPlaybooks: null },
    });
    expect(found).toMatchObject({ degraded: true, effectiveMode: "fts" });
    expect(found.userPlaybooks.map(({ id }) => id)).toEqual([1]);
  });

  it("embeds a repeated query once", async () => {
    const world = newWorld();
    await search(world, { query: "@0  Refund" });
    await search(world, { query: "@0 refund " });
    expect(world.embedder.calls).toBe(1);
  });

  it("lists the newest rows where there is no query", async () => {
    const world = newWorld();
    const seconds = SEEDED_AT_MS / 1000;
    await seedUser(
      world,
      { userPlaybookId: 1, createdAt: seconds },
      { userPlaybookId: 2, createdAt: seconds + 9 },
      { userPlaybookId: 3, createdAt: seconds + 9 },
    );
    expect((await search(world, { query: null, topK: 2 })).users).toEqual([3, 2]);
    expect(world.embedder.calls).toBe(0);
  });

  it("narrows by name, tags and time", async () => {
    const world = newWorld();
    const seconds = SEEDED_AT_MS / 1000;
    await seedUser(
      world,
      { userPlaybookId: 1, content: "refund", playbookName: "money", tags: ["a", "b"], createdAt: seconds },
      { userPlaybookId: 2, content: "refund", tags: ["c"], createdAt: seconds + 10 },
      { userPlaybookId: 3, content: "refund", tags: null, createdAt: seconds + 20 },
    );
    const by = async (filter: HybridQuery["userPlaybooks"]) =>
      (await search(world, { query: "refund", mode: "fts", userPlaybooks: filter })).users;
    expect(await by({ playbookName: "money" })).toEqual([1]);
    expect(await by({ tags: ["b", "c"] })).toEqual([1, 2]);
    expect(await by({ tags: [] })).toEqual([]);
    expect(await by({ fromSec: seconds + 10, toSec: seconds + 20 })).toEqual([2, 3]);
    expect(await by({ toSec: seconds })).toEqual([1]);
  });

  it("brings the sources of agent playbooks along", async () => {
    const world = newWorld();
    await seedAgent(world, { agentPlaybookId: 1, content: "refund", sources: [4, 5] });
    const found = await search(world, { query: "refund", mode: "fts" });
    expect(found.agentPlaybooks[0]?.sourceIds).toEqual([4, 5]);
  });
});
