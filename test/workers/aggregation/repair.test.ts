/** The sweep finds versions that have work and do not say so. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { markForgottenVersions } from "../../../src/aggregation/repair-store";
import { sweepAggregation } from "../../../src/aggregation/sweep";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { makeWorld, seedRules, stateOf, twoAlike, type World } from "./support";

/** A version whose work is done. */
async function idle(): Promise<World> {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect((await stateOf(world))?.pending).toBe(0);
  world.clock.advance(3_600_000);
  return world;
}

const sweep = async (world: World): Promise<[orgId: string, agentVersion: string][]> => {
  const woken: [string, string][] = [];
  const services = {
    ...world.services,
    wakeAggregation: async (orgId: string, agentVersion: string) => {
      woken.push([orgId, agentVersion]);
    },
  };
  await sweepAggregation(services, world.clock.nowMs());
  return woken.filter(([orgId]) => orgId === world.orgId);
};

test("a version without work is left alone", async () => {
  const world = await idle();
  expect(await sweep(world)).toEqual([]);
  expect((await stateOf(world))?.pending).toBe(0);
});

test("idle versions are looked at every fifth minute", async () => {
  const world = await idle();
  await world.db.run(sql`UPDATE clusters SET state = 'rebuilding' WHERE org_id = ${world.orgId}`);
  world.clock.advance(60_000);
  for (let minute = 1; minute < 5; minute += 1) {
    expect(await sweep(world)).toEqual([]);
    world.clock.advance(60_000);
  }
  expect(await sweep(world)).toEqual([[world.orgId, "v1"]]);
});

test.each<[string, (orgId: string) => Statement]>([
  [
    "a change to be applied",
    (orgId) => sql`INSERT INTO invalidations (org_id, agent_version, user_playbook_id, operation)
        VALUES (${orgId}, 'v1', 1, 'edit')`,
  ],
  [
    "a rule that waits",
    (orgId) => sql`UPDATE aggregation_items SET disposition = 'residual', cluster_id = NULL
        WHERE org_id = ${orgId} AND user_playbook_id = 1`,
  ],
  [
    "a cluster to be rebuilt",
    (orgId) => sql`UPDATE clusters SET state = 'rebuilding' WHERE org_id = ${orgId}`,
  ],
])("a version with %s is marked and woken", async (_name, forget) => {
  const world = await idle();
  await world.db.run(forget(world.orgId));
  expect((await stateOf(world))?.pending).toBe(0);
  expect(await sweep(world)).toEqual([[world.orgId, "v1"]]);
  expect((await stateOf(world))?.pending).toBe(1);
});

test("rules that a publisher kept from aggregation do not start it", async () => {
  const world = await idle();
  await seedRules(world, [
    { id: 9, userId: "dan", trigger: "Closing a ticket", content: "Ask for feedback." },
  ]);
  await world.db.run(sql`UPDATE aggregation_states SET pending = 0 WHERE org_id = ${world.orgId}`);
  expect(await sweep(world)).toEqual([]);
});

test("a sweep looks at no more idle versions than its limit, whatever lies behind them", async () => {
  const world = await idle();
  const db = new Database(env.DB);
  await db.run(sql`UPDATE clusters SET state = 'rebuilding' WHERE org_id = ${world.orgId}`);
  await db.run(sql`UPDATE aggregation_states SET next_attempt_at_ms = 1 WHERE org_id = ${world.orgId}`);
  const versions = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => `v${at}`));
  await db.run(
    sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
        SELECT 'idle-org', value, 0, ${world.clock.nowMs()}, 1, 0 FROM json_each(${versions})`,
  );
  expect(await markForgottenVersions(db, world.clock.nowMs(), 100)).toEqual([]);
  expect(await markForgottenVersions(db, world.clock.nowMs(), 2_000)).toMatchObject([
    { org_id: world.orgId },
  ]);
});
