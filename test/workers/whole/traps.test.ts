/** Traps of the specification (§16) that lie between rooms. */
import { describe, expect, it } from "vitest";
import { loadState, stageRows } from "../../../src/aggregation/store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { hybridSearch } from "../../../src/search/hybrid";
import { agentRules, items, makeWorld, seedRules, sourcesOf, twoAlike } from "../aggregation/support";
import { newWorld, seedUser } from "../search/seed";

describe("the intake floor", () => {
  it("trap 50: ends residual rules below it for good and never falls again", async () => {
    const world = makeWorld();
    await seedRules(
      world,
      [1, 2, 3].map((id) => ({
        id,
        userId: "ana",
        trigger: `matter${id} subject${id}`,
        content: `Thing${id}.`,
      })),
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

describe("residual rules", () => {
  const parcel = { trigger: "User asks where a parcel is", content: "Look it up and tell its place." };
  const voucher = { trigger: "A coupon expired yesterday", content: "Extend by one week, once." };

  // Neither starves, and two that cool at different times still meet.
  it("trap 49: meet the first rule like them, whenever each of them is due by itself", async () => {
    const world = makeWorld();
    await seedRules(world, [{ id: 1, userId: "ana", ...parcel }]);
    for (let turn = 0; turn < 7; turn += 1) {
      const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
      world.clock.advance(nextInMs ?? 0);
    }
    // Somebody else's turn comes long before the first rule's.
    await runAggregationTurn(world.services, world.orgId, "v1");
    await seedRules(world, [{ id: 2, userId: "ben", ...voucher }]);
    await world.db.run(
      sql`UPDATE aggregation_states SET next_attempt_at_ms = 0 WHERE org_id = ${world.orgId}`,
    );
    await runAggregationTurn(world.services, world.orgId, "v1");
    await seedRules(world, [{ id: 3, userId: "cleo", ...parcel }]);
    world.clock.advance(60_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
    const [rule, ...others] = await agentRules(world);
    expect(others).toEqual([]);
    expect((await sourcesOf(world, rule?.id ?? 0)).map(({ id }) => id)).toEqual([1, 3]);
  });

  it("of a rejected rule stay away, and are proposed again with the first rule that somebody new teaches", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    await world.db.run(
      sql`UPDATE agent_playbooks SET playbook_status = 'rejected' WHERE org_id = ${world.orgId}`,
    );
    for (let hour = 0; hour < 3; hour += 1) {
      world.clock.advance(3_600_000);
      await runAggregationTurn(world.services, world.orgId, "v1");
    }
    expect(await agentRules(world)).toHaveLength(1);
    expect(world.seen).toHaveLength(1);
    await seedRules(
      world,
      twoAlike.slice(0, 1).map((rule) => ({ ...rule, id: 3, userId: "cleo" })),
    );
    world.clock.advance(3_600_000);
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await agentRules(world)).toMatchObject([{ approval: "rejected" }, { approval: "pending" }]);
  });
});

describe("hybrid search", () => {
  it("trap 61: looks deeper than it shows: what both lists rank second beats what one of them ranks first", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "voucher voucher voucher", degrees: 170 },
      { userPlaybookId: 2, content: "voucher lost", degrees: 31 },
      { userPlaybookId: 3, content: "quokka care", degrees: 30 },
      // Company for both lists: an absent rule ranks right behind the end of a list.
      ...[4, 5, 6].map((id) => ({
        userPlaybookId: id,
        content: `a voucher among many other words ${id}`,
        degrees: 170,
      })),
      ...[7, 8, 9].map((id) => ({ userPlaybookId: id, content: `quokka food ${id}`, degrees: 30 + id })),
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
