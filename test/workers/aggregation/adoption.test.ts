/** Clusters that were founded under another embedding model are brought over before anything is compared. */
import { expect, test } from "vitest";
import * as z from "zod";
import { adoptForeignClusters } from "../../../src/aggregation/adoption";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { claimLease } from "../../../src/db/leases";
import { sql } from "../../../src/db/sql";
import { type Embedder, EmbedderError } from "../../../src/platform/embedder/port";
import {
  agentRules,
  clusters,
  items,
  makeWorld,
  seedRules,
  twoAlike,
  type World,
  wordEmbedder,
} from "./support";

/** The same words on other axes: its vectors and those of the first model have nothing to do with each other. */
const other: Embedder = {
  model: { ...wordEmbedder.model, name: "words-v2" },
  embed: async (texts, purpose) =>
    (await wordEmbedder.embed(texts, purpose)).map((vector) => vector.toReversed()),
};

/** A cluster of the first model, and the world once the second is bound. */
async function rebound(embedder: Embedder = other): Promise<World> {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  world.clock.advance(3_600_000);
  return { ...world, services: { ...world.services, embedder } };
}

const modelOfClusters = (world: World) =>
  world.db.all(
    z.object({ model: z.string() }),
    sql`SELECT embedding_model AS model FROM clusters WHERE org_id = ${world.orgId}`,
  );

const embedded = (world: World) =>
  world.db.all(
    z.object({ kind: z.string(), id: z.int() }),
    sql`SELECT kind, entity_id AS id FROM vectors WHERE org_id = ${world.orgId} AND model = 'words-v2'
        ORDER BY kind, id`,
  );

/** Rules three and four are like the first two. */
const company = twoAlike.map((rule) => ({ ...rule, id: rule.id + 2, userId: `new-${rule.userId}` }));

test("trap 46: rules of the new model join the cluster of the old one, and found no second", async () => {
  const world = await rebound();
  const [first] = await agentRules(world);
  await seedRules(
    world,
    company.map((rule) => ({ ...rule, trigger: first?.trigger ?? "", content: first?.content ?? "" })),
  );
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await clusters(world)).toMatchObject([{ members: 4, state: "active" }]);
  expect((await items(world)).every(({ disposition }) => disposition === "cluster_member")).toBe(true);
  expect(await modelOfClusters(world)).toEqual([{ model: "words-v2" }]);
  expect((await agentRules(world)).filter(({ status }) => status === null)).toHaveLength(1);
});

test("bringing a cluster over embeds its rule and its members and writes no rule anew", async () => {
  const world = await rebound();
  const before = await agentRules(world);
  await seedRules(world, [
    { id: 9, userId: "dan", trigger: "Closing a ticket", content: "Ask for feedback." },
  ]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await agentRules(world)).toEqual(before);
  expect(world.seen).toHaveLength(1);
  expect(await modelOfClusters(world)).toEqual([{ model: "words-v2" }]);
  expect(await embedded(world)).toEqual([
    { kind: "agent_playbook", id: before[0]?.id },
    ...[1, 2, 9].map((id) => ({ kind: "user_playbook", id })),
  ]);
});

test("a cluster that one turn cannot finish goes on where it was, and nothing is compared meanwhile", async () => {
  const world = await rebound();
  const { services, db, orgId } = world;
  const lease = await claimLease(db, orgId, "aggregation:v1", "me", 60_000);
  if (lease === null) throw new Error("the lease is taken");
  const scope = {
    ...{ services, db, lease, orgId, agentVersion: "v1" },
    space: { model: "words-v2", dimension: other.model.dimension },
  };
  expect(await adoptForeignClusters(scope, 1)).toEqual({ isMore: true });
  expect(await embedded(world)).toHaveLength(1);
  expect(await modelOfClusters(world)).toEqual([{ model: "words-v1" }]);
  expect(await adoptForeignClusters(scope, 2)).toEqual({ isMore: false });
  expect(await modelOfClusters(world)).toEqual([{ model: "words-v2" }]);
  expect(await adoptForeignClusters({ ...scope, agentVersion: "v2" })).toEqual({ isMore: false });
});

test("a model that cannot embed puts the version off, and what comes after finds nothing half done", async () => {
  let isDown = false;
  const world = await rebound({
    ...other,
    embed: (texts, purpose) =>
      isDown ? Promise.reject(new EmbedderError("transient", "busy")) : other.embed(texts, purpose),
  });
  const [first] = await agentRules(world);
  await seedRules(
    world,
    company.map((rule) => ({ ...rule, trigger: first?.trigger ?? "", content: first?.content ?? "" })),
  );
  isDown = true;
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 60_000 });
  expect(await modelOfClusters(world)).toEqual([{ model: "words-v1" }]);
  isDown = false;
  world.clock.advance(60_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await clusters(world)).toMatchObject([{ members: 4 }]);
});
