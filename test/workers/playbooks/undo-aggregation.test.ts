/** Undo and aggregation at once: what a cluster had comes back whole, or nothing does. */
import { expect, test } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import { undoDecision } from "../../../src/playbooks/undo";
import type { Services } from "../../../src/services";
import {
  agentRules,
  clusters,
  items,
  makeWorld,
  seedRules,
  twoAlike,
  type World,
} from "../aggregation/support";
import { principal, scopeOf } from "./client";

/** The rules but for their versions, which an undo lets grow. */
const rulesOf = async (world: World) => (await agentRules(world)).map((rule) => ({ ...rule, version: null }));

/** A rule that aggregation made of two users' rules, decided on by a reviewer. */
async function rejected() {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [rule] = await agentRules(world);
  const id = rule?.id ?? 0;
  const scope = (services: Services = world.services) =>
    scopeOf(principal("anna", "reviewer", world.orgId), { services, db: world.db });
  const before = { clusters: await clusters(world), rules: await rulesOf(world) };
  await changeAgentPlaybook(scope(), id, { playbookStatus: "rejected" });
  return { world, id, scope, before };
}

const turn = async (world: World, services: Services = world.services) => {
  world.clock.advance(3_600_000);
  return runAggregationTurn(services, world.orgId, "v1");
};

test("a rejection is undone with its cluster, and the next turn finds nothing to do", async () => {
  const { world, id, scope, before } = await rejected();
  expect(await clusters(world)).toEqual([]);
  await undoDecision(scope(), id, 2);
  expect(await clusters(world)).toEqual(before.clusters);
  const paid = world.seen.length;
  await turn(world);
  expect(await rulesOf(world)).toEqual(before.rules);
  expect(world.seen).toHaveLength(paid);
});

test("a turn that looked at the former members in vain does not stand in the way", async () => {
  const { world, id, scope, before } = await rejected();
  await turn(world);
  expect((await items(world)).map(({ disposition }) => disposition)).toEqual(["residual", "residual"]);
  await undoDecision(scope(), id, 2);
  expect(await clusters(world)).toEqual(before.clusters);
  expect(await items(world)).toMatchObject([
    { disposition: "cluster_member" },
    { disposition: "cluster_member" },
  ]);
});

test("a rule whose source was deleted since comes back only to be made again without it", async () => {
  const { world, id, scope } = await rejected();
  await world.db.run(sql`DELETE FROM user_playbooks WHERE org_id = ${world.orgId} AND user_playbook_id = 2`);
  await turn(world);
  await undoDecision(scope(), id, 2);
  expect(await clusters(world)).toMatchObject([{ agent: id, state: "rebuilding" }]);
  await turn(world);
  const [old, fresh] = await agentRules(world);
  expect(old).toMatchObject({ id, status: "superseded", superseded_by: fresh?.id });
  expect(world.seen.at(-1)).toMatchObject({ mode: "rebuild", sources: [{ label: "S1" }] });
  expect(await clusters(world)).toMatchObject([{ agent: fresh?.id, members: 1, state: "active" }]);
});

test("a rule learned since that clusters with the former members stands in the way", async () => {
  const { world, id, scope } = await rejected();
  await seedRules(world, [
    {
      id: 3,
      userId: "cleo",
      trigger: "User asks where a parcel is",
      content: "Look the parcel up; tell where it is.",
    },
  ]);
  await turn(world);
  const made = (await agentRules(world)).filter(({ approval }) => approval === "pending");
  expect(made).toHaveLength(1);
  await expect(undoDecision(scope(), id, 2)).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining("2 rules of its cluster elsewhere"),
  });
  expect(await clusters(world)).toMatchObject([{ agent: made[0]?.id, members: 3 }]);
});

test("an undo while a turn asks its model wins; the turn's cluster is rolled back and nothing is doubled", async () => {
  const { world, id, scope, before } = await rejected();
  await seedRules(world, [
    {
      id: 3,
      userId: "cleo",
      trigger: "User asks where a parcel is",
      content: "Look the parcel up; tell where it is.",
    },
  ]);
  const paid = world.seen.length;
  let isUndone = false;
  const interrupted: Services = {
    ...world.services,
    embedder: {
      ...world.services.embedder,
      async embed(texts, purpose) {
        if (!isUndone && world.seen.length > paid) {
          isUndone = true;
          await undoDecision(scope(), id, 2);
        }
        return world.services.embedder.embed(texts, purpose);
      },
    },
  };
  await turn(world, interrupted);
  expect(isUndone).toBe(true);
  expect(await clusters(world)).toEqual(before.clusters);
  expect(await rulesOf(world)).toEqual(before.rules);
  expect(await items(world)).toMatchObject([
    { id: 1, disposition: "cluster_member" },
    { id: 2, disposition: "cluster_member" },
    { id: 3, disposition: "residual", reason: "cluster_fence_lost" },
  ]);
  // The newcomer then joins the cluster that is back.
  await turn(world);
  expect(await clusters(world)).toMatchObject([{ members: 3 }]);
});

test("aggregation's own rule in place of an approved one forbids to undo the approval", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const id = (await agentRules(world))[0]?.id ?? 0;
  const scope = scopeOf(principal("anna", "reviewer", world.orgId), {
    services: world.services,
    db: world.db,
  });
  await changeAgentPlaybook(scope, id, { playbookStatus: "approved" });
  await seedRules(world, [
    {
      id: 3,
      userId: "cleo",
      trigger: (await agentRules(world))[0]?.trigger ?? "",
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  await turn(world);
  const successor = (await agentRules(world)).find(({ approval }) => approval === "pending");
  expect(successor).toBeDefined();
  await expect(undoDecision(scope, id, 2)).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining(`rule #${successor?.id} was made to replace it`),
  });
});
