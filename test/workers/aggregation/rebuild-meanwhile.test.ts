/** A rebuild while rules, people and models do something else. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { startAggregation } from "../../../src/aggregation/operations";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { claimLease } from "../../../src/db/leases";
import { sql } from "../../../src/db/sql";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import { finish, operationOf, pairs, rebuild, staged, startRebuild } from "./rebuild-support";
import { agentRules, items, makeWorld, seedRules, stateOf, twoAlike, type World } from "./support";

const setStatus = (world: World, id: number, status: string) =>
  world.db.run(sql`UPDATE agent_playbooks SET playbook_status = ${status}, version = version + 1
    WHERE org_id = ${world.orgId} AND agent_playbook_id = ${id}`);

/** Runs what is due until nothing is. */
const settle = async (world: World) => {
  for (let turn = 0; turn < 6; turn += 1) {
    const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
    if (nextInMs === null || nextInMs > 5_000) return;
    world.clock.advance(nextInMs);
  }
};

const changeRule = (world: World, id: number, content: string) =>
  world.db.run(sql`UPDATE user_playbooks SET content = ${content}, updated_at_ms = updated_at_ms + 1
    WHERE org_id = ${world.orgId} AND user_playbook_id = ${id}`);

describe("what happens meanwhile", () => {
  /** A world whose model changes something between the first answer and the commit. */
  const meanwhile = (change: (world: World) => Promise<unknown>) => {
    const world = makeWorld();
    const inner = world.services.reasoner("");
    let isDone = false;
    const services = {
      ...world.services,
      reasoner: () => ({
        run: async (...args: Parameters<typeof inner.run>) => {
          const answer = await inner.run(...args);
          if (!isDone) {
            isDone = true;
            await change(world);
          }
          return answer;
        },
      }),
    };
    return { world, services };
  };

  test("trap 53: a rule saved after the snapshot stays pending and is taken up by automatic work", async () => {
    const { world, services } = meanwhile((w) => seedRules(w, pairs(1, 50)));
    await seedRules(world, pairs(1));
    const { operation } = await finish(world, await startRebuild(world), services);
    expect(operation.counts).toMatchObject({ user_playbooks_processed: 2 });
    expect((await items(world)).map(({ id }) => id)).toEqual([1, 2]);
    expect(await stateOf(world)).toMatchObject({ pending: 1 });
    world.clock.advance(1_000);
    await settle(world);
    expect((await items(world)).map(({ id }) => id)).toEqual([1, 2, 50, 51]);
  });

  test("a rule that was edited meanwhile takes its cluster out of the commit; the old rule stays until then", async () => {
    const { world, services } = meanwhile((w) => changeRule(w, 1, "Never look parcels up; ask the depot."));
    await seedRules(world, pairs(2));
    await settle(world);
    const [first, second] = await agentRules(world);
    const { operation } = await finish(world, await startRebuild(world), services);
    expect(operation.counts).toMatchObject({
      playbooks_generated: 1,
      cluster_fence_losses: 1,
      supersessions: 1,
    });
    const after = await agentRules(world);
    expect(after.find(({ id }) => id === first?.id)?.status).toBeNull();
    expect(after.find(({ id }) => id === second?.id)?.status).toBe("superseded");
    expect((await items(world)).map(({ id }) => id)).toEqual([3, 4]);
    expect(await stateOf(world)).toMatchObject({ pending: 1 });
  });

  test("trap 53: only invalidations that the snapshot has seen are consumed", async () => {
    const { world, services } = meanwhile((w) => changeRule(w, 4, "Attach the invoice (invoice) as text."));
    await seedRules(world, pairs(2));
    await settle(world);
    await changeRule(world, 1, "Look the parcel up yourself and tell its place (parcel), quickly.");
    await finish(world, await startRebuild(world), services);
    const open = await world.db.all(
      z.object({ id: z.int(), open: z.int() }),
      sql`SELECT user_playbook_id AS id, processed_at_ms IS NULL AS open FROM invalidations
          WHERE org_id = ${world.orgId} ORDER BY row`,
    );
    expect(open).toEqual([
      { id: 1, open: 0 },
      { id: 4, open: 1 },
    ]);
  });

  test("a pending rule that a person approves meanwhile is spared", async () => {
    const { world, services } = meanwhile(async (w) =>
      setStatus(w, (await agentRules(w))[0]?.id ?? 0, "approved"),
    );
    await seedRules(world, pairs(1));
    await settle(world);
    await finish(world, await startRebuild(world), services);
    expect((await agentRules(world)).map(({ approval, status }) => [approval, status])).toEqual([
      ["approved", null],
      ["pending", null],
    ]);
  });

  test("a rule that somebody adds by hand after the snapshot is spared", async () => {
    const { world, services } = meanwhile((w) =>
      w.db.batch([
        sql`UPDATE sequences SET next = 900 WHERE org_id = ${w.orgId} AND name = 'agent_playbook'`,
        sql`INSERT INTO agent_playbooks (org_id, agent_playbook_id, playbook_name, agent_version, created_at,
            updated_at_ms, content, playbook_status, playbook_metadata, flags, version, scope, search_text)
          VALUES (${w.orgId}, 899, 'playbook', 'v1', 1, 1, 'By hand.', 'pending', '', '[]', 1, '', '')`,
      ]),
    );
    await seedRules(world, pairs(1));
    await finish(world, await startRebuild(world), services);
    expect((await agentRules(world)).find(({ id }) => id === 899)?.status).toBeNull();
  });

  test("trap 60: erasing a source fails the operation, and nothing of its wording is left", async () => {
    const { world, services } = meanwhile((w) =>
      w.db.run(sql`DELETE FROM user_playbooks WHERE org_id = ${w.orgId} AND user_playbook_id = 2`),
    );
    await seedRules(world, pairs(2));
    const before = await agentRules(world);
    const { operation } = await finish(world, await startRebuild(world), services);
    expect(operation).toMatchObject({ status: "failed", error: "input_erased" });
    expect(await agentRules(world)).toEqual(before);
    expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
  });

  test("trap 53: automatic work and a rebuild share one lease", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const operationId = await startRebuild(world);
    await claimLease(world.db, world.orgId, "aggregation:v1", "somebody", 60_000);
    expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 5_000 });
    expect(await operationOf(world, operationId)).toMatchObject({ status: "queued", attempts: 0 });
    expect(world.seen).toEqual([]);
  });

  test("a second call for the same version joins the rebuild that is not over", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const first = await startRebuild(world, "one");
    expect(await startAggregation(world.services, { ...callOf(world), requestId: "two" })).toEqual({
      operationId: first,
    });
    await finish(world, first);
    const next = await startRebuild(world, "two");
    expect(next).not.toBe(first);
  });
});

const callOf = (world: World) => ({ orgId: world.orgId, agentVersion: "v1" });

describe("when the model fails", () => {
  test("an attempt that the provider refuses is repeated with what was paid for kept", async () => {
    let isDown = false;
    const world = makeWorld({}, () => {
      if (isDown) throw new ReasonerError("transient", "rate_limited", "");
      isDown = true;
      return { playbook: { trigger: "When a parcel is late", content: "Look it up.", rationale: "" } };
    });
    await seedRules(world, pairs(2));
    const operationId = await startRebuild(world);
    expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 60_000 });
    expect(await operationOf(world, operationId)).toMatchObject({
      ...{ status: "queued", attempts: 1, error: "rate_limited" },
      nextAttemptAtMs: world.clock.nowMs() + 60_000,
    });
    // Automatic work waits with it.
    expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 60_000 });
    isDown = false;
    world.clock.advance(60_000);
    const { operation } = await finish(world, operationId);
    expect(operation).toMatchObject({ status: "succeeded", counts: { playbooks_generated: 2 } });
    expect(world.seen).toHaveLength(3);
  });

  test("a cluster without a usable answer is given up after three tries, and the rule it had stays", async () => {
    let isBlank = false;
    const world = makeWorld({}, (input) => {
      const isParcel = input.sources.some(({ trigger }) => trigger.includes("parcel"));
      return {
        playbook: {
          trigger: isBlank && isParcel ? "" : "When it is late",
          content: isBlank && isParcel ? "" : "Look it up.",
          rationale: "",
        },
      };
    });
    await seedRules(world, pairs(2));
    await settle(world);
    const [parcel, invoice] = await agentRules(world);
    isBlank = true;
    const { operation } = await rebuild(world);
    expect(operation).toMatchObject({
      status: "succeeded",
      counts: { playbooks_generated: 1, retryable_failures: 1, supersessions: 1 },
    });
    const after = await agentRules(world);
    expect(after.find(({ id }) => id === parcel?.id)?.status).toBeNull();
    expect(after.find(({ id }) => id === invoice?.id)?.status).toBe("superseded");
    expect((await items(world))[0]).toMatchObject({
      disposition: "residual",
      reason: "llm_retryable_failure",
    });
  });
});
