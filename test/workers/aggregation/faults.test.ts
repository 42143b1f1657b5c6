/** Every port call of a turn fails once, before and after its effect; nothing is lost, doubled or paid twice. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import type { Services } from "../../../src/services";
import {
  agentRules,
  clusters,
  items,
  lineageOps,
  makeWorld,
  seedRules,
  sourcesOf,
  stateOf,
  twoAlike,
  type World,
} from "./support";

/** Counts port calls and, at one of them, takes the process down: every later call fails too. */
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

class FaultyDatabase extends Database {
  constructor(private readonly fault: Fault) {
    super(env.DB);
  }
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    return this.fault.pass(() => super.batch(statements));
  }
}

function throughFault(world: World, fault: Fault): Services {
  const db = new FaultyDatabase(fault);
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

type Case = "new" | "refresh" | "rebuild" | "empty";

/** Rules to cluster and, once that has happened, one that refreshes the cluster, or the loss of one or of all. */
async function prepare(world: World, which: Case): Promise<void> {
  await seedRules(world, twoAlike);
  if (which === "new") return;
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [first] = await agentRules(world);
  world.clock.advance(3_600_000);
  if (which === "refresh") {
    await seedRules(world, [
      {
        id: 3,
        userId: "cleo",
        trigger: first?.trigger ?? "",
        content: "Look the parcel up and mention depot, arrival day and driver.",
      },
    ]);
  } else {
    await world.db.run(sql`DELETE FROM user_playbooks WHERE org_id = ${world.orgId}
      AND user_playbook_id >= ${which === "empty" ? 0 : 2}`);
  }
}

/** What must not depend on faults: everything but generated ids and attempts. */
async function endState(world: World) {
  const rules = await agentRules(world);
  const current = rules.findLast(({ status }) => status === null);
  return {
    rules: rules.map(({ id: _id, superseded_by, ...rule }) => ({
      ...rule,
      isReplaced: superseded_by !== null,
    })),
    sources: await sourcesOf(world, current?.id ?? 0),
    clusters: (await clusters(world)).map(({ agent, ...cluster }) => ({
      ...cluster,
      isOwned: agent === current?.id,
    })),
    items: (await items(world)).map(({ attempts: _attempts, ...item }) => item),
    lineage: (await lineageOps(world)).map(({ op, to_status }) => ({ op, to_status })),
    pending: (await stateOf(world))?.pending,
    open: (
      await world.db.batch([
        sql`SELECT row FROM invalidations WHERE org_id = ${world.orgId} AND processed_at_ms IS NULL`,
      ])
    )[0]?.rows,
    outcomes: (
      await world.db.batch([sql`SELECT outcome_id FROM aggregation_outcomes WHERE org_id = ${world.orgId}`])
    )[0]?.rows,
    vectorWork: (
      await world.db.batch([sql`SELECT id FROM outbox WHERE org_id = ${world.orgId} AND topic = 'vector'`])
    )[0]?.rows.length,
  };
}

/** The next turn once whoever died has lost the lease and every wait is over. */
async function recoverFrom(world: World): Promise<void> {
  await world.db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${world.orgId}`);
  for (let turn = 0; turn < 4 && (await stateOf(world))?.pending === 1; turn += 1) {
    world.clock.advance(3_600_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
  }
}

test.each([
  ["a new cluster", "new"],
  ["a refresh", "refresh"],
  ["a rebuild", "rebuild"],
  ["the end of a cluster without members", "empty"],
] as const)(
  "%s survives a crash at every port call, before and after its effect",
  async (_name, which) => {
    const clean = makeWorld();
    await prepare(clean, which);
    const paidBefore = clean.seen.length;
    const counting = new Fault(0, false);
    await runAggregationTurn(throughFault(clean, counting), clean.orgId, "v1");
    const calls = counting.calls;
    expect(calls).toBeGreaterThan(10);
    await recoverFrom(clean);
    const expected = await endState(clean);
    expect(expected.rules.filter(({ status }) => status === null)).toHaveLength(which === "empty" ? 0 : 1);
    let paidTwice = 0;
    for (let at = 1; at <= calls; at += 1) {
      for (const isAfterEffect of [false, true]) {
        const world = makeWorld();
        await prepare(world, which);
        const crash = runAggregationTurn(
          throughFault(world, new Fault(at, isAfterEffect)),
          world.orgId,
          "v1",
        );
        await crash.catch(() => undefined);
        await recoverFrom(world);
        expect(await endState(world), `call ${at} ${isAfterEffect ? "after" : "before"}`).toEqual({
          ...expected,
          clusters: expected.clusters.map((cluster) => ({ ...cluster, cluster_id: expect.any(String) })),
          items: expected.items.map((item) => ({ ...item, cluster_id: expect.any(String) })),
        });
        if (world.seen.length - paidBefore > 1) paidTwice += 1;
      }
    }
    // Only a crash between the answer and its storing asks again: after the call, and before its write.
    expect(paidTwice).toBe(which === "empty" ? 0 : 2);
  },
  90_000,
);

/** Services in which something happens once the model has answered, before its rule is committed. */
function onceAnswered(world: World, happening: () => Promise<unknown>): Services {
  const paid = world.seen.length;
  let isOver = false;
  return {
    ...world.services,
    embedder: {
      ...world.services.embedder,
      async embed(texts, purpose) {
        if (!isOver && world.seen.length > paid) {
          isOver = true;
          await happening();
        }
        return world.services.embedder.embed(texts, purpose);
      },
    },
  };
}

test("a lost lease rolls the cluster back, keeps the paid answer, and the next turn applies it", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  const robbed = onceAnswered(world, () =>
    world.db.run(sql`UPDATE leases SET owner = 'thief', fence = fence + 1 WHERE org_id = ${world.orgId}`),
  );
  expect(await runAggregationTurn(robbed, world.orgId, "v1")).toEqual({ nextInMs: 1_000 });
  expect(world.seen).toHaveLength(1);
  expect(await agentRules(world)).toEqual([]);
  expect((await items(world)).map(({ disposition }) => disposition)).toEqual(["residual", "residual"]);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 5_000 });
  await recoverFrom(world);
  expect(await agentRules(world)).toHaveLength(1);
  expect(world.seen).toHaveLength(1);
});

test("two turns at once: one works, the other finds the lease taken", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await Promise.all([1, 2, 3].map(() => runAggregationTurn(world.services, world.orgId, "v1")));
  expect(await agentRules(world)).toHaveLength(1);
  expect(world.seen).toHaveLength(1);
});

test("a source that changes while the model answers rolls its cluster back and is asked about afresh", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  const edited = onceAnswered(world, () =>
    world.db.run(sql`UPDATE user_playbooks SET content = 'Look up the parcel yourself and name its shelf.',
      updated_at_ms = updated_at_ms + 1 WHERE org_id = ${world.orgId} AND user_playbook_id = 2`),
  );
  await runAggregationTurn(edited, world.orgId, "v1");
  expect(await agentRules(world)).toEqual([]);
  expect(await items(world)).toMatchObject([
    { reason: "cluster_fence_lost" },
    { reason: "cluster_fence_lost" },
  ]);
  await recoverFrom(world);
  expect(await agentRules(world)).toHaveLength(1);
  expect(world.seen).toHaveLength(2);
  expect(world.seen[1]?.sources[1]?.content).toContain("name its shelf");
});

test("an approval during a refresh rolls the refresh back; the approved rule stays CURRENT", async () => {
  const world = makeWorld();
  await prepare(world, "refresh");
  const approved = onceAnswered(world, () =>
    world.db.run(sql`UPDATE agent_playbooks SET playbook_status = 'approved', version = version + 1
      WHERE org_id = ${world.orgId} AND playbook_status = 'pending'`),
  );
  await runAggregationTurn(approved, world.orgId, "v1");
  expect(await agentRules(world)).toMatchObject([{ approval: "approved", status: null }]);
  await recoverFrom(world);
  expect(await agentRules(world)).toMatchObject([
    { approval: "approved", status: null },
    { approval: "pending", status: null },
  ]);
});

test("work that arrives during a turn is looked at again and not marked done", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  const interrupted: Services = {
    ...world.services,
    async send() {
      await seedRules(world, [
        { id: 9, userId: "dan", trigger: "Closing a ticket", content: "Ask for feedback." },
      ]);
    },
  };
  expect(await runAggregationTurn(interrupted, world.orgId, "v1")).toEqual({ nextInMs: 1_000 });
  expect((await stateOf(world))?.pending).toBe(1);
});
