/** A rebuild whose process dies at any port call ends as one that never died, and one batch carries any size. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import type { Services } from "../../../src/services";
import { finish, operationOf, pairs, staged, startRebuild } from "./rebuild-support";
import { agentRules, clusters, items, lineageOps, makeWorld, seedRules, type World } from "./support";

/** Takes the process down at one of its port calls: every later call fails too. */
class Fault {
  calls = 0;
  private isDown = false;
  constructor(
    private readonly atCall: number,
    private readonly isAfterEffect: boolean,
  ) {}
  async pass<Result>(effect: () => Promise<Result>): Promise<Result> {
    if (this.isDown) throw new Error("the process is gone");
    this.calls += 1;
    if (this.calls !== this.atCall) return effect();
    this.isDown = true;
    if (this.isAfterEffect) await effect();
    throw new Error("the process is gone");
  }
}

/** Passes batches through, and remembers their sizes. */
class WatchedDatabase extends Database {
  readonly sizes: number[] = [];
  constructor(private readonly pass: <Result>(effect: () => Promise<Result>) => Promise<Result>) {
    super(env.DB);
  }
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.sizes.push(statements.length);
    return this.pass(() => super.batch(statements));
  }
}

function through(world: World, fault: Fault): Services {
  const db = new WatchedDatabase((effect) => fault.pass(effect));
  const { services } = world;
  return {
    ...services,
    database: () => db,
    reasoner: (orgId) => {
      const reasoner = services.reasoner(orgId);
      return { run: (task, input) => fault.pass(() => reasoner.run(task, input)) };
    },
    embedder: {
      model: services.embedder.model,
      embed: (texts, purpose) => fault.pass(() => services.embedder.embed(texts, purpose)),
    },
    send: (messages) => fault.pass(() => services.send(messages)),
  };
}

/** A cluster with a rule from before, to be made anew. */
async function prepare(world: World): Promise<string> {
  await seedRules(world, pairs(1));
  await runAggregationTurn(world.services, world.orgId, "v1");
  return startRebuild(world);
}

/** What must not depend on faults: everything but generated ids. */
async function endState(world: World, operationId: string) {
  const { status, counts, progress } = await operationOf(world, operationId);
  return {
    operation: { status, counts, progress },
    rules: (await agentRules(world)).map(({ id: _id, superseded_by, ...rule }) => ({
      ...rule,
      isReplaced: superseded_by !== null,
    })),
    clusters: (await clusters(world)).map(({ members }) => members),
    items: (await items(world)).map(({ id, disposition, reason }) => ({ id, disposition, reason })),
    lineage: (await lineageOps(world)).map(({ op, to_status }) => ({ op, to_status })),
    staged: await staged(world),
    outcomes: (
      await world.db.batch([sql`SELECT outcome_id FROM aggregation_outcomes WHERE org_id = ${world.orgId}`])
    )[0]?.rows,
  };
}

/** What follows once whoever died has lost the lease and every wait is over. */
async function recover(world: World, operationId: string): Promise<void> {
  await world.db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${world.orgId}`);
  world.clock.advance(3_600_000);
  const { status } = await operationOf(world, operationId);
  if (status === "queued" || status === "running") await finish(world, operationId);
}

test("a rebuild survives a crash at every port call, before and after its effect", async () => {
  const clean = makeWorld();
  const cleanId = await prepare(clean);
  const paidBefore = clean.seen.length;
  const counting = new Fault(0, false);
  await runAggregationTurn(through(clean, counting), clean.orgId, "v1");
  const expected = await endState(clean, cleanId);
  expect(expected.operation.status).toBe("succeeded");
  const paid = clean.seen.length - paidBefore;
  let paidTwice = 0;
  for (let at = 1; at <= counting.calls; at += 1) {
    for (const isAfterEffect of [false, true]) {
      const world = makeWorld();
      const operationId = await prepare(world);
      const crash = runAggregationTurn(through(world, new Fault(at, isAfterEffect)), world.orgId, "v1");
      await crash.catch(() => undefined);
      await recover(world, operationId);
      expect(await endState(world, operationId), `call ${at} ${isAfterEffect ? "after" : "before"}`).toEqual(
        expected,
      );
      if (world.seen.length - paidBefore > paid) paidTwice += 1;
    }
  }
  // Only a crash between the answer and its storing asks again: after the call, and before its write.
  expect(paidTwice).toBe(2);
}, 180_000);

test("turns that die are attempts: after five of them the operation has failed, and nothing has changed", async () => {
  const world = makeWorld();
  const operationId = await prepare(world);
  const before = await agentRules(world);
  for (let turn = 0; turn < 5; turn += 1) {
    const dying = through(world, new Fault(8, false));
    await runAggregationTurn(dying, world.orgId, "v1").catch(() => undefined);
    expect(await operationOf(world, operationId)).toMatchObject({ status: "running", attempts: turn + 1 });
    await world.db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${world.orgId}`);
    world.clock.advance(3_600_000);
  }
  const { operation } = await finish(world, operationId);
  expect(operation).toMatchObject({ status: "failed", error: "attempts_exhausted" });
  expect(await agentRules(world)).toEqual(before);
  expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
});

test("the commit has as many statements for many clusters as for two", async () => {
  const commitOf = async (subjects: number, atLeast: number): Promise<number> => {
    const world = makeWorld();
    await seedRules(world, pairs(subjects));
    const operationId = await startRebuild(world);
    const db = new WatchedDatabase((effect) => effect());
    await finish(world, operationId, { ...world.services, database: () => db });
    expect((await agentRules(world)).length).toBeGreaterThanOrEqual(atLeast);
    return Math.max(...db.sizes);
  };
  expect(await commitOf(8, 5)).toBe(await commitOf(1, 1));
});
