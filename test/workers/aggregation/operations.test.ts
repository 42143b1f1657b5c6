/** Manual aggregation: what a caller is told, and that asking twice or failing does no harm. */
import { expect, test } from "vitest";
import { runAggregationNow, type Sleep } from "../../../src/aggregation/operations";
import { findOperation } from "../../../src/aggregation/operations-store";
import { runAggregationWork, sweepAggregation } from "../../../src/aggregation/sweep";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { GuardFailed } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { agentRules, items, makeWorld, seedRules, stateOf, twoAlike, type World } from "./support";

const call = (world: World, requestId = "req") => ({ orgId: world.orgId, agentVersion: "v1", requestId });

/** A pause in which the coordinator runs a turn. */
const turnWhilePaused =
  (world: World): Sleep =>
  async (ms) => {
    world.clock.advance(ms);
    await runAggregationTurn(world.services, world.orgId, "v1");
  };

test("a manual run ignores cool-downs and counts what it did", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike.slice(0, 1));
  await runAggregationTurn(world.services, world.orgId, "v1");
  await seedRules(world, twoAlike.slice(1));
  const answer = await runAggregationNow(world.services, call(world), turnWhilePaused(world));
  expect(answer).toMatchObject({
    success: true,
    message: "Processed 2 user playbooks, found 1 clusters, generated 1 agent playbooks",
  });
  expect(await agentRules(world)).toHaveLength(1);
});

test("the same request finds its operation again and makes nothing twice", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  const first = await runAggregationNow(world.services, call(world), turnWhilePaused(world));
  const second = await runAggregationNow(world.services, call(world), turnWhilePaused(world));
  expect(second).toEqual(first);
  expect(await agentRules(world)).toHaveLength(1);
});

test("after a minute the caller gets the operation's id, with at most 40 looks, and the run goes on", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  let paused = 0;
  let looks = 0;
  const answer = await runAggregationNow(world.services, call(world), async (ms) => {
    paused += ms;
    looks += 1;
  });
  expect(paused).toBe(60_000);
  expect(looks).toBeLessThan(40);
  expect(answer).toMatchObject({ success: true, operationId: expect.stringMatching(/^op_/) });
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await findOperation(world.db, world.orgId, answer.operationId ?? "")).toMatchObject({
    status: "succeeded",
  });
});

test("too few rules are skipped and nothing is written", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike.slice(0, 1));
  const answer = await runAggregationNow(world.services, call(world));
  expect(answer).toMatchObject({ success: true, operationId: null });
  expect(answer.message).toMatch(/^Skipped: /);
  expect(await items(world)).toEqual([]);
});

test.each([
  [
    "no aggregation",
    { user_playbook_extractor_config: { extraction_definition_prompt: "Rules.", aggregation_config: null } },
  ],
  [
    "clusters of one",
    {
      user_playbook_extractor_config: {
        extraction_definition_prompt: "Rules.",
        aggregation_config: { min_cluster_size: 1 },
      },
    },
  ],
])("%s in the config skips a manual run, and an automatic one waits an hour", async (_name, body) => {
  const world = makeWorld();
  const { statements } = await useConfig(world.orgId, parseConfig(body), 1);
  await world.db.batch(statements);
  forgetConfig(world.orgId);
  await seedRules(world, twoAlike);
  expect((await runAggregationNow(world.services, call(world))).message).toMatch(/^Skipped: /);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 3_600_000 });
  expect(await agentRules(world)).toEqual([]);
});

test("an operation whose first turn dies half-way is not called done: the next turn does its work", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  let turns = 0;
  const answer = await runAggregationNow(world.services, call(world), async () => {
    turns += 1;
    // The process dies after it counted the attempts and before any cluster: nobody writes down a failure.
    const dying = {
      ...world.services,
      reasoner: () => ({ run: () => Promise.reject(new GuardFailed("lease")) }),
    };
    await runAggregationTurn(turns === 1 ? dying : world.services, world.orgId, "v1");
    await world.db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${world.orgId}`);
    world.clock.advance(1_000);
  });
  expect(answer).toMatchObject({
    success: true,
    message: "Processed 2 user playbooks, found 1 clusters, generated 1 agent playbooks",
  });
  expect(turns).toBe(2);
});

test("an operation fails for good after five attempts", async () => {
  const world = makeWorld({}, () => {
    throw new Error("broken");
  });
  await seedRules(world, twoAlike);
  const answer = await runAggregationNow(world.services, call(world), async () => {
    world.clock.advance(60_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
  });
  expect(answer).toMatchObject({ success: false, message: "Aggregation failed: attempts_exhausted" });
  expect(world.seen.length).toBe(5);
});

test("queued work and the sweep only wake: each due version once, others not", async () => {
  const woken: string[] = [];
  const world = makeWorld({
    wakeAggregation: async (orgId, agentVersion) => {
      woken.push(`${orgId} ${agentVersion}`);
    },
  });
  await seedRules(world, twoAlike);
  const work = { id: "job_1", orgId: world.orgId, topic: "aggregation" as const, key: ["v1"], attempts: 0 };
  expect(await runAggregationWork(world.services, work)).toBe("done");
  expect(await runAggregationWork(world.services, { ...work, key: [" "] })).toBe("done");
  expect(woken).toEqual([`${world.orgId} v1`]);
  await sweepAggregation(world.services, world.clock.nowMs() - 1);
  expect(woken.filter((key) => key === `${world.orgId} v1`)).toHaveLength(1);
  await sweepAggregation(world.services, world.clock.nowMs());
  expect(woken.filter((key) => key === `${world.orgId} v1`)).toHaveLength(2);
});

test("the sweep's search uses the index of due versions", async () => {
  const world = makeWorld();
  const [plan] = await world.db.batch([
    sql`EXPLAIN QUERY PLAN SELECT org_id, agent_version FROM aggregation_states INDEXED BY aggregation_due
        WHERE pending = 1 AND next_attempt_at_ms <= 5 ORDER BY next_attempt_at_ms, agent_version LIMIT 500`,
  ]);
  expect(JSON.stringify(plan?.rows)).toContain("aggregation_due (pending=? AND next_attempt_at_ms<?)");
});

test("one failing wake does not keep the sweep from the others", async () => {
  const worlds = [makeWorld(), makeWorld()];
  for (const world of worlds) await seedRules(world, twoAlike);
  const woken: string[] = [];
  const services = {
    ...(worlds[0]?.services ?? makeWorld().services),
    wakeAggregation: async (orgId: string) => {
      if (orgId === worlds[0]?.orgId) throw new Error("no");
      woken.push(orgId);
    },
  };
  await sweepAggregation(services, services.clock.nowMs());
  expect(woken).toContain(worlds[1]?.orgId);
  expect((await stateOf(worlds[0] ?? makeWorld()))?.pending).toBe(1);
});
