/** A vector index filled from D1, and the work that does it when somebody asks. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { EmbeddedVectorIndexAdapter } from "../../../src/platform/vectors/embedded-adapter";
import { hybridSearch } from "../../../src/search/hybrid";
import { REBUILD_START, type RebuildPosition, rebuildPage } from "../../../src/search/rebuild";
import { searchRoutes } from "../../../src/search/routes";
import { performWork } from "../../../src/work";
import { type TestServices, testServices } from "../../support/services";
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

const ORG = "self-host-org";

/** Services whose index only notes what it is given, and fails when told to. */
function notingServices() {
  const upserts: number[][] = [];
  const state = { fails: false };
  const services = testServices({
    embedder: { model: MODEL, embed: () => Promise.reject(new Error("a rebuild embeds nothing")) },
    vectors: {
      async upsert(entries) {
        if (state.fails) throw new Error("index out of order");
        upserts.push(entries.map(({ entityId }) => entityId));
      },
      remove: async () => {},
      query: async () => [],
    },
  });
  return { services, upserts, state };
}

async function ask(services: TestServices, as: string): Promise<{ status: number; body: unknown }> {
  const app = createApp<object>(searchRoutes, () => ({ services: () => services, limits: {} }));
  const request = new Request("http://localhost/api/rebuild_vector_index", {
    method: "POST",
    headers: { "x-playmaker-principal": as },
  });
  const response = await app.fetch(request, {}, createExecutionContext());
  return { status: response.status, body: await response.json() };
}

/** Gives the org `count` rules with vectors, by one statement each kind of row. */
async function seedMany(services: TestServices, count: number): Promise<void> {
  const world = { ...newWorld(), orgId: ORG };
  await seedUser(world, { userPlaybookId: 1, degrees: 0, isIndexed: false });
  const numbers = sql`SELECT key + 2 AS n FROM json_each(${JSON.stringify(Array.from({ length: count - 1 }, () => 0))})`;
  const columns =
    "user_id, agent_version, request_id, playbook_name, created_at, updated_at_ms, content, " +
    "source_interaction_ids, flags, scope, search_text";
  const copied = { text: columns, params: [] };
  await services.database(ORG).batch([
    sql`INSERT INTO user_playbooks (org_id, user_playbook_id, ${copied})
        SELECT org_id, n, ${copied} FROM user_playbooks, (${numbers}) WHERE org_id = ${ORG} AND user_playbook_id = 1`,
    sql`INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
        SELECT org_id, kind, n, model, dimension, vector, scale, updated_at_ms FROM vectors, (${numbers})
        WHERE org_id = ${ORG} AND kind = 'user_playbook' AND entity_id = 1`,
  ]);
}

describe("asking for a rebuild", () => {
  it("is for admins only", async () => {
    const { services } = notingServices();
    expect((await ask(services, "bot; agent")).status).toBe(403);
    expect((await ask(services, "eddy; editor")).status).toBe(403);
    expect(services.sent).toEqual([]);
  });

  it("is accepted, audited, and done in a few pages a message, whatever fails or comes twice", async () => {
    const { services, upserts, state } = notingServices();
    const db = services.database(ORG);
    await seedMany(services, 3_100);
    const { status, body } = await ask(services, "olga; owner");
    expect([status, body]).toMatchObject([
      202,
      { status: "queued", message: expect.stringContaining("background") },
    ]);
    const audits = await db.all(
      z.object({ principal_id: z.string(), action: z.string() }),
      sql`SELECT principal_id, action FROM audit WHERE org_id = ${ORG}`,
    );
    expect(audits).toEqual([{ principal_id: "olga", action: "rebuild.vector_index" }]);
    const [message, ...others] = services.sent;
    if (message === undefined) throw new Error("nothing was sent");
    expect(others).toEqual([]);

    expect(await Promise.all([performWork(services, message), performWork(services, message)])).toEqual(
      expect.arrayContaining([{ retryInMs: 0 }, { retryInMs: 60_000 }]),
    );
    expect(upserts).toHaveLength(10);
    state.fails = true;
    expect(await performWork(services, message)).not.toBe("done");
    state.fails = false;
    expect(await performWork(services, message)).toBe("done");
    expect(upserts.slice(10).map((page) => [page[0], page.at(-1)])).toEqual([
      [2_501, 3_000],
      [3_001, 3_100],
    ]);
    expect(new Set(upserts.flat()).size).toBe(3_100);
    expect(await performWork(services, message)).toBe("done");
    expect(upserts).toHaveLength(12);
  });
});
