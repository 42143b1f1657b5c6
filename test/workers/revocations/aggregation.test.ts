/** What is revoked stays out of aggregation, and what rested on it is made again without it. */
import { expect, test } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import type { Services } from "../../../src/services";
import {
  agentRules,
  clusters,
  items,
  makeWorld,
  type SeedRule,
  seedRules,
  sourcesOf,
  twoAlike,
  type World,
} from "../aggregation/support";
import { revokeNow, scopeOf, wholeUser } from "./support";

const third: SeedRule = {
  id: 3,
  userId: "mallory",
  trigger: "User asks where the parcel is",
  content: "Look the parcel up and tell where it is; do not send people to the carrier.",
};

async function aggregated(): Promise<World> {
  const world = makeWorld();
  await seedRules(world, [...twoAlike, third]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  world.clock.advance(3_600_000);
  return world;
}

const revokeMallory = (world: World) => revokeNow(scopeOf(world.orgId, world.services), wholeUser());

test("a rule whose source was revoked is made again without the source, and free of the taint", async () => {
  const world = await aggregated();
  expect(await clusters(world)).toMatchObject([{ members: 3 }]);
  await revokeMallory(world);
  expect(await agentRules(world)).toMatchObject([{ flags: expect.stringContaining('"tainted"') }]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [old, fresh] = await agentRules(world);
  expect(old).toMatchObject({ status: "superseded", superseded_by: fresh?.id });
  expect(fresh).toMatchObject({ approval: "pending", flags: expect.not.stringContaining('"tainted"') });
  expect(world.seen.at(-1)).toMatchObject({ mode: "rebuild", current: null });
  expect((await sourcesOf(world, fresh?.id ?? 0)).map(({ id }) => id)).toEqual([1, 2]);
  expect(await clusters(world)).toMatchObject([{ agent: fresh?.id, members: 2 }]);
  expect((await items(world)).map(({ id }) => id)).toEqual([1, 2]);
});

test("a rule that is rewritten from a tainted one inherits the taint", async () => {
  const world = await aggregated();
  const [first] = await agentRules(world);
  await world.db.run(sql`UPDATE agent_playbooks SET flags = '["tainted"]' WHERE org_id = ${world.orgId}`);
  await seedRules(world, [
    {
      ...{ id: 4, userId: "cleo", trigger: first?.trigger ?? "" },
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(world.seen.at(-1)?.mode).toBe("refresh");
  expect((await agentRules(world))[1]?.flags).toContain('"tainted"');
});

test("a rule rewritten after a person approved it again is free of the taint", async () => {
  const world = await aggregated();
  const [first] = await agentRules(world);
  await revokeMallory(world);
  await world.db.run(
    sql`UPDATE agent_playbooks SET flags = '[]', playbook_status = 'approved', version = version + 1
        WHERE org_id = ${world.orgId}`,
  );
  await seedRules(world, [
    {
      ...{ id: 4, userId: "cleo", trigger: first?.trigger ?? "" },
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect((await agentRules(world))[1]?.flags).not.toContain("tainted");
});

test("rules of a revoked user make no new rule, however often aggregation looks", async () => {
  const world = makeWorld();
  await seedRules(world, [
    { ...third, id: 1, userId: "mallory" },
    { ...third, id: 2, userId: "ana" },
  ]);
  await revokeMallory(world);
  for (let turn = 0; turn < 3; turn += 1) {
    await runAggregationTurn(world.services, world.orgId, "v1");
    world.clock.advance(3_600_000);
  }
  expect(await agentRules(world)).toEqual([]);
  expect(world.seen).toEqual([]);
});

test("a turn whose model answers while a source is revoked writes no rule from it", async () => {
  const world = makeWorld();
  await seedRules(world, [...twoAlike, third]);
  let isOver = false;
  const services: Services = {
    ...world.services,
    embedder: {
      ...world.services.embedder,
      async embed(texts, purpose) {
        if (!isOver && world.seen.length > 0) {
          isOver = true;
          await revokeMallory(world);
        }
        return world.services.embedder.embed(texts, purpose);
      },
    },
  };
  await runAggregationTurn(services, world.orgId, "v1");
  expect(isOver).toBe(true);
  expect(await agentRules(world)).toEqual([]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const rules = await agentRules(world);
  expect(rules).toHaveLength(1);
  expect(rules[0]?.flags).not.toContain("tainted");
  expect((await sourcesOf(world, rules[0]?.id ?? 0)).map(({ id }) => id)).toEqual([1, 2]);
});
