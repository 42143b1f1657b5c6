/** Traps of the specification (§16) that lie between rooms. */
import { describe, expect, it } from "vitest";
import { runAggregationNow } from "../../../src/aggregation/operations";
import { loadState, stageRows } from "../../../src/aggregation/store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { hybridSearch } from "../../../src/search/hybrid";
import { agentRules, items, makeWorld, seedRules, twoAlike } from "../aggregation/support";
import { newWorld, seedUser } from "../search/seed";

describe("aggregation by hand", () => {
  // Trap 53.
  it("of more rules than are clustered is refused before anything changes, and says why", async () => {
    const world = makeWorld();
    await seedRules(
      world,
      Array.from({ length: 2_001 }, (_, at) => ({
        id: at + 1,
        userId: "ana",
        trigger: `matter ${at}`,
        content: `Do thing ${at}.`,
      })),
    );
    const answer = await runAggregationNow(
      world.services,
      { orgId: world.orgId, agentVersion: "v1", requestId: "too-many" },
      async () => {
        await runAggregationTurn(world.services, world.orgId, "v1");
      },
    );
    expect(answer).toMatchObject({
      success: false,
      message: "Aggregation failed: the rules of this version exceed the safety cap",
    });
    expect(await items(world)).toEqual([]);
    expect(await agentRules(world)).toEqual([]);
    expect(world.seen).toEqual([]);
  });
});

describe("the intake floor", () => {
  // Trap 50.
  it("ends residual rules below it for good and never falls again", async () => {
    const world = makeWorld();
    await seedRules(
      world,
      [1, 2, 3].map((id) => ({ id, userId: "ana", trigger: `matter${id} subject${id}`, content: `Thing${id}.` })),
    );
    await runAggregationTurn(world.services, world.orgId, "v1");
    await world.db.batch(stageRows(world.orgId, "v1", 3, []));
    await world.db.batch(stageRows(world.orgId, "v1", 1, [1, 2]));
    expect((await loadState(world.db, world.orgId, "v1"))?.intakeFloor).toBe(3);
    world.clock.advance(3_600_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
    const ended = { disposition: "terminal_noop", reason: "outside_recent_clustering_window", attempts: 1 };
    expect(await items(world)).toMatchObject([ended, ended, { disposition: "residual", attempts: 2 }]);
  });
});

describe("who was rejected", () => {
  it("comes back with new company: a rule that more people ask for is put before a person again", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    const [rejected] = await agentRules(world);
    await world.reject(rejected?.id ?? 0);
    world.clock.advance(3_600_000);
    // The hourly turn comes between: nothing new, so nothing is proposed.
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await agentRules(world)).toHaveLength(1);
    await seedRules(world, [{ id: 3, userId: "cleo", ...alike }]);
    world.clock.advance(3_600_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await agentRules(world)).toMatchObject([{ approval: "rejected" }, { approval: "pending" }]);
  });
});

describe("hybrid search", () => {
  // Trap 61.
  it("looks deeper than it shows: what both lists rank second beats what one of them ranks first", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher voucher voucher", degrees: 170 },
      { userPlaybookId: 2, content: "voucher for a lost parcel of the day", degrees: 31 },
      { userPlaybookId: 3, content: "quokka care", degrees: 30 },
    );
    const found = await hybridSearch(world.services, world.d1.db, {
      orgId: world.orgId,
      query: "voucher @30",
      mode: "hybrid",
      topK: 1,
      threshold: null,
      userPlaybooks: {},
      agentPlaybooks: null,
    });
    expect(found.userPlaybooks.map(({ view }) => view.user_playbook_id)).toEqual([2]);
  });
});
