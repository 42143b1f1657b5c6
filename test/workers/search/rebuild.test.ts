/** A vector index filled from D1. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EmbeddedVectorIndexAdapter } from "../../../src/platform/vectors/embedded-adapter";
import { hybridSearch } from "../../../src/search/hybrid";
import { REBUILD_START, type RebuildPosition, rebuildPage } from "../../../src/search/rebuild";
import { MODEL, newWorld, seedAgent, seedUser } from "./seed";

describe("rebuilding an index", () => {
  it("puts in what belongs there, page by page, and answers as before", async () => {
    const world = newWorld();
    const { orgId } = world;
    const vectors = new EmbeddedVectorIndexAdapter(env.EMBEDDED_VECTORS, MODEL);
    const services = { ...world.services, vectors };
    await seedUser(
      world,
      ...Array.from({ length: 30 }, (_, n) => ({ userPlaybookId: n + 1, degrees: n, isIndexed: false })),
      { userPlaybookId: 31, degrees: 0, isIndexed: false, status: "archived" as const },
      { userPlaybookId: 32, degrees: 0, isIndexed: false, userId: "bob" },
    );
    await seedAgent(
      world,
      { agentPlaybookId: 1, degrees: 1, isIndexed: false },
      { agentPlaybookId: 2, degrees: 2, isIndexed: false, playbookStatus: "rejected" },
    );
    const search = async () => {
      const found = await hybridSearch(services, world.d1.db, {
        ...{ orgId, query: "@0", mode: "vector", topK: 3, threshold: null },
        ...{ userPlaybooks: { userId: "ann" }, agentPlaybooks: {} },
      });
      return [found.userPlaybooks.map(({ id }) => id), found.agentPlaybooks.map(({ id }) => id)];
    };
    const rebuild = async () => {
      let position: RebuildPosition | null = REBUILD_START;
      while (position !== null) position = await rebuildPage(services, world.d1.db, orgId, position);
    };
    expect(await search()).toEqual([[], []]);
    await rebuild();
    expect(await search()).toEqual([[1, 2, 3], [1]]);
    await vectors.clear(orgId);
    await rebuild();
    expect(await search()).toEqual([[1, 2, 3], [1]]);
  });
});
