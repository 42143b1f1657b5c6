/** Old history goes, page by page, as the org's settings say. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { vectorEntryId } from "../../../src/platform/vectors/entry-id";
import { insertAgentPlaybooks, insertUserPlaybooks, writeVectors } from "../../../src/playbooks/store";
import { hourly, performWork, sweep } from "../../../src/work";
import { db } from "../learning/support";
import { tokenVector } from "../learning/token-vector";
import { agentRow, userRow } from "./rows";
import { newWorld, type World } from "./support";

const DAY_MS = 86_400_000;

const idsOf = async ({ tenant }: World, table: "user_playbooks" | "agent_playbooks"): Promise<number[]> => {
  const id = table === "user_playbooks" ? "user_playbook_id" : "agent_playbook_id";
  const rows = await db.all(z.object({ id: z.int() }), {
    text: `SELECT ${id} AS id FROM ${table} WHERE org_id = ? ORDER BY id`,
    params: [tenant.orgId],
  });
  return rows.map((row) => row.id);
};

/** Tombstones that are so many days old, and one CURRENT rule. */
async function plantTombstones(world: World, ages: readonly number[]): Promise<void> {
  const { orgId } = world.tenant;
  const nowSec = Math.floor(world.clock.nowMs() / 1000);
  await db.batch([
    ...insertUserPlaybooks([...ages.keys(), ages.length].map((id) => userRow(orgId, id + 1))),
    ...insertAgentPlaybooks([...ages.keys(), ages.length].map((id) => agentRow(orgId, id + 1))),
    ...ages.flatMap((days, id) => [
      sql`UPDATE user_playbooks SET status = 'merged', retired_at = ${nowSec - days * 86_400}
          WHERE org_id = ${orgId} AND user_playbook_id = ${id + 1}`,
      sql`UPDATE agent_playbooks SET status = 'superseded', retired_at = ${nowSec - days * 86_400}
          WHERE org_id = ${orgId} AND agent_playbook_id = ${id + 1}`,
    ]),
  ]);
}

/** One hour and its sweep, as the triggers and the queue make them. */
async function anHour({ services, clock }: World): Promise<void> {
  await hourly(services);
  clock.advance(60_000);
  for (let round = 0; round < 20; round += 1) {
    await sweep(services);
    await services.settled();
    const messages = services.sent.splice(0);
    if (messages.length === 0) return;
    for (const message of messages) {
      const result = await performWork(services, message);
      if (result !== "done" && result.retryInMs === 0) services.sent.push(message);
    }
  }
}

it("purges tombstones that are older than the org keeps them, and nothing else", async () => {
  const world = await newWorld();
  await plantTombstones(world, [91, 89, 120]);
  await anHour(world);
  expect(await idsOf(world, "user_playbooks")).toEqual([2, 4]);
  expect(await idsOf(world, "agent_playbooks")).toEqual([2, 4]);
  const purged = await db.all(
    z.object({ entity_type: z.string(), entity_id: z.string() }),
    sql`SELECT entity_type, entity_id FROM lineage WHERE org_id = ${world.tenant.orgId} AND op = 'purge'
        ORDER BY entity_type, entity_id`,
  );
  expect(purged.map((event) => `${event.entity_type} ${event.entity_id}`)).toEqual([
    "agent_playbook 1",
    "agent_playbook 3",
    "user_playbook 1",
    "user_playbook 3",
  ]);
});

it("looks again after the org's own interval, and not before", async () => {
  const world = await newWorld();
  await world.ok("POST", "/api/set_config", {
    lineage_gc: { retention_days: 7, poll_interval_seconds: 7_200 },
  });
  await anHour(world);
  await plantTombstones(world, [8]);
  await anHour(world);
  expect(await idsOf(world, "user_playbooks")).toEqual([1, 2]);
  world.clock.advance(7_200_000);
  await anHour(world);
  expect(await idsOf(world, "user_playbooks")).toEqual([2]);
});

it("leaves everything where the org has switched it off", async () => {
  const world = await newWorld();
  await world.ok("POST", "/api/set_config", { lineage_gc: { enabled: false } });
  await plantTombstones(world, [400]);
  await anHour(world);
  expect(await idsOf(world, "user_playbooks")).toEqual([1, 2]);
});

it("takes more than a page in pages of 500", async () => {
  const world = await newWorld();
  await plantTombstones(
    world,
    Array.from({ length: 1_100 }, () => 100),
  );
  await anHour(world);
  expect(await idsOf(world, "user_playbooks")).toEqual([1_101]);
  expect(await idsOf(world, "agent_playbooks")).toEqual([1_101]);
});

it("takes vectors without a rule out of the index and out of the database", async () => {
  const removed: string[] = [];
  const world = await newWorld({
    vectors: {
      upsert: async () => {},
      query: async () => [],
      remove: async (_org, ids) => {
        removed.push(...ids);
      },
    },
  });
  const { orgId } = world.tenant;
  const { name: model, dimension } = tokenVector.model;
  const vector = { model, dimension, bytes: new Uint8Array(dimension).fill(1), scale: 1 };
  await db.batch([
    ...insertUserPlaybooks([userRow(orgId, 1)]),
    ...writeVectors(
      [1, 77].map((entityId) => ({ orgId, kind: "user_playbook" as const, entityId, vector, nowMs: 1 })),
    ),
  ]);
  await anHour(world);
  const left = await env.DB.prepare("SELECT entity_id FROM vectors WHERE org_id = ?").bind(orgId).all();
  expect(left.results).toEqual([{ entity_id: 1 }]);
  expect(removed).toEqual([await vectorEntryId(orgId, "user_playbook", 77, model)]);
});

it("forgets old letters and ended operations, and keeps those that are fresh or still run", async () => {
  const world = await newWorld();
  const { orgId } = world.tenant;
  const nowSec = Math.floor(world.clock.nowMs() / 1000);
  const daysAgo = (days: number): number => nowSec - days * (DAY_MS / 1000);
  const letter = (id: string, at: number) =>
    sql`INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at)
        VALUES (${orgId}, ${id}, 'extraction', '["u"]', 'unusable', 'm', 1, ${at})`;
  const operation = (id: string, status: string, at: number) =>
    sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts, created_at,
          updated_at) VALUES (${orgId}, ${id}, 'aggregation', ${id}, 'r', ${status}, 1, ${at}, ${at})`;
  await db.batch([
    ...[letter("old", daysAgo(91)), letter("fresh", daysAgo(89))],
    ...[operation("ended", "succeeded", daysAgo(31)), operation("recent", "failed", daysAgo(29))],
    operation("runs", "running", daysAgo(31)),
  ]);
  await anHour(world);
  const names = async (text: string) =>
    (await db.all(z.object({ id: z.string() }), { text, params: [orgId] })).map((row) => row.id);
  expect(await names("SELECT dead_letter_id AS id FROM dead_letters WHERE org_id = ? ORDER BY id")).toEqual([
    "fresh",
  ]);
  expect(await names("SELECT operation_id AS id FROM operations WHERE org_id = ? ORDER BY id")).toEqual([
    "recent",
    "runs",
  ]);
});
