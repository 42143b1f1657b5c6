/** Traps of the specification (§16) about turns of aggregation: when they come, and what each may commit. */
import { describe, expect, it } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import type { Services } from "../../../src/services";
import {
  agentRules,
  clusters,
  items,
  makeWorld,
  type SeedRule,
  START_MS,
  seedRules,
  stateOf,
  twoAlike,
  type World,
} from "../aggregation/support";

const HOUR_MS = 3_600_000;
const parcel = { trigger: "User asks where a parcel is", content: "Look the parcel up and tell its place." };
const voucher = { trigger: "A coupon expired yesterday", content: "Extend the coupon by one week, once." };
const twoTopics: SeedRule[] = [
  { id: 1, userId: "ana", ...parcel },
  { id: 2, userId: "ben", ...parcel },
  { id: 3, userId: "ana", ...voucher },
  { id: 4, userId: "ben", ...voucher },
];

const turn = (world: World, services: Services = world.services) =>
  runAggregationTurn(services, world.orgId, "v1");

/** Services whose model lets `happen` happen before its answer, each time it is asked. */
function whileAsked(world: World, happen: (call: number) => Promise<void>): Services {
  const inner = world.services.reasoner(world.orgId);
  let calls = 0;
  return {
    ...world.services,
    reasoner: () => ({
      async run(task, input, signal) {
        calls += 1;
        await happen(calls);
        return inner.run(task, input, signal);
      },
    }),
  };
}

describe("when a version's next turn comes", () => {
  it("trap 37: new rules make it pending and leave the time that was planned", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await turn(world);
    expect(await stateOf(world)).toMatchObject({ pending: 0, next: START_MS + HOUR_MS });
    for (const [minutes, id] of [10, 20, 30].entries()) {
      world.clock.advance(minutes * 60_000);
      await seedRules(world, [{ id, userId: "cleo", ...voucher }]);
      expect(await stateOf(world)).toMatchObject({ pending: 1, next: START_MS + HOUR_MS });
    }
  });

  it("trap 38: what arrives while the model answers is not marked done", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const interrupted = whileAsked(world, () => seedRules(world, [{ id: 9, userId: "dan", ...voucher }]));
    expect(await turn(world, interrupted)).toEqual({ nextInMs: 1_000 });
    expect(await stateOf(world)).toMatchObject({ pending: 1 });
  });

  it("trap 38: a turn whose lease ran out by the database's clock commits nothing", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const late = whileAsked(world, async () => {
      await world.db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${world.orgId}`);
    });
    await turn(world, late).catch(() => null);
    expect(await agentRules(world)).toEqual([]);
    expect(await clusters(world)).toEqual([]);
  });

  it("trap 39: a backlog comes again after a second, none after an hour, a failure after a minute", async () => {
    const drained = makeWorld();
    await seedRules(drained, twoAlike);
    await turn(drained);
    expect(await stateOf(drained)).toMatchObject({ pending: 0, next: START_MS + HOUR_MS });

    const backlog = makeWorld();
    await seedRules(backlog, twoAlike);
    const more = whileAsked(backlog, () => seedRules(backlog, [{ id: 9, userId: "dan", ...voucher }]));
    expect(await turn(backlog, more)).toEqual({ nextInMs: 1_000 });
    // Taken in and alone, it cools down for a minute.
    expect(await turn(backlog)).toEqual({ nextInMs: 60_000 });

    const failing = makeWorld({}, () => {
      throw new ReasonerError("transient", "timeout", "too slow");
    });
    await seedRules(failing, twoAlike);
    expect(await turn(failing)).toEqual({ nextInMs: 60_000 });
    expect(await stateOf(failing)).toMatchObject({ pending: 1, next: START_MS + 60_000 });
  });
});

describe("what a turn commits", () => {
  it("trap 41: each cluster by itself, so that one that fails takes no other with it", async () => {
    const world = makeWorld();
    await seedRules(world, twoTopics);
    const [first] = twoTopics;
    // While the second cluster is asked about, one of the second topic's rules changes under it.
    const changed = whileAsked(world, async (call) => {
      if (call !== 2) return;
      await world.db.run(sql`UPDATE user_playbooks SET content = 'Refuse.', updated_at_ms = updated_at_ms + 1
        WHERE org_id = ${world.orgId} AND user_playbook_id = 4`);
    });
    await turn(world, changed);
    const made = await agentRules(world);
    expect(made).toHaveLength(1);
    expect(made[0]?.trigger).toContain(first?.trigger);
    expect((await items(world)).map(({ id, disposition }) => ({ id, disposition }))).toEqual([
      { id: 1, disposition: "cluster_member" },
      { id: 2, disposition: "cluster_member" },
      { id: 3, disposition: "residual" },
      { id: 4, disposition: "residual" },
    ]);
  });

  it("trap 42: a refresh moves the cluster to its new rule before the old one goes, so it lives on", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await turn(world);
    const [before] = await clusters(world);
    const [first] = await agentRules(world);
    await seedRules(world, [
      {
        id: 3,
        userId: "cleo",
        trigger: first?.trigger ?? "",
        content: "Look the parcel up and name its depot.",
      },
    ]);
    world.clock.advance(HOUR_MS);
    await turn(world);
    const [old, fresh] = await agentRules(world);
    expect([old?.status, fresh?.status]).toEqual(["superseded", null]);
    expect(await clusters(world)).toMatchObject([
      { cluster_id: before?.cluster_id, agent: fresh?.id, members: 3 },
    ]);
    expect((await items(world)).every(({ disposition }) => disposition === "cluster_member")).toBe(true);
  });

  it("trap 45: a new rule is matched with the cluster's present rule, not with the mean of its members", async () => {
    const own = { trigger: "Duplicate invoices", content: "Refund the second payment." };
    const world = makeWorld({}, () => ({ playbook: { ...own, rationale: "both said so" } }));
    await seedRules(world, twoAlike);
    await turn(world);
    const [like] = twoAlike;
    await seedRules(world, [
      { id: 3, userId: "cleo", ...own },
      { id: 4, userId: "dan", trigger: like?.trigger ?? "", content: like?.content ?? "" },
    ]);
    world.clock.advance(HOUR_MS);
    await turn(world);
    const [cluster] = await clusters(world);
    const standing = (await items(world)).map(({ id, disposition, cluster_id }) => [
      id,
      disposition,
      cluster_id,
    ]);
    expect(standing.slice(2)).toEqual([
      [3, "cluster_member", cluster?.cluster_id],
      [4, "residual", null],
    ]);
  });
});
