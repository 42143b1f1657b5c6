/** An erasure goes in pages, whatever there is of the user, and another call joins the one that is under way. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { beginErasure } from "../../../src/erasure/begin";
import { clearUser } from "../../../src/erasure/clear";
import { scopesOf } from "../../../src/platform/principal";
import { insertUserPlaybooks } from "../../../src/playbooks/store";
import { performWork } from "../../../src/work";
import { db } from "../learning/support";
import { userRow } from "./rows";
import { newWorld, VICTIM, type World, workOff } from "./support";

/** Remembers how many rows each deletion took. */
class WatchedDatabase extends Database {
  readonly deleted: number[] = [];
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    const before = await env.DB.prepare("SELECT count(*) AS n FROM interactions").first<{ n: number }>();
    const results = await super.batch(statements);
    const after = await env.DB.prepare("SELECT count(*) AS n FROM interactions").first<{ n: number }>();
    const gone = (before?.n ?? 0) - (after?.n ?? 0);
    if (gone > 0) this.deleted.push(gone);
    return results;
  }
}

const publish = (world: World, userId: string, requestId: string, turns: number) =>
  world.ok("POST", "/api/publish_interaction", {
    ...{ user_id: userId, session_id: "s", request_id: requestId, evaluation_only: true },
    interaction_data_list: Array.from({ length: turns }, (_, index) => ({ content: `turn ${index}` })),
  });

const scopeOf = ({ tenant: { orgId } }: World) => ({
  orgId,
  principal: { orgId, id: "ona", roles: ["owner"], scopes: scopesOf(["owner"]) },
  requestId: "call",
});

it("deletes turns 500 at a time, and requests whose turns were gone before", async () => {
  const world = await newWorld();
  for (const request of ["r1", "r2"]) await publish(world, VICTIM, request, 600);
  await publish(world, "other", "r3", 3);
  await publish(world, VICTIM, "bare", 1);
  await db.run(sql`DELETE FROM interactions WHERE org_id = ${world.tenant.orgId} AND request_id = 'bare'`);
  const watched = new WatchedDatabase();
  const services = { ...world.services, embedder: world.services.embedder, vectors: world.services.vectors };
  const entry = await clearUser(
    { ...scopeOf(world), services: { ...services, database: () => watched }, db: watched },
    VICTIM,
  );
  expect(watched.deleted).toEqual([500, 500, 200]);
  expect(entry).toMatchObject({ state: "done", counts: { interactions: 1_200, requests: 3 } });
  expect(await world.ok("POST", "/api/get_interactions", { user_id: "other" })).toMatchObject({
    interactions: [{}, {}, {}],
  });
});

it("answers with the counts so far and the operation where the time is up, and the queue goes on", async () => {
  const world = await newWorld();
  await publish(world, VICTIM, "r1", 600);
  // Every look at the clock takes ten seconds.
  const clock = {
    nowMs: () => {
      world.clock.advance(10_000);
      return world.clock.nowMs();
    },
  };
  const services = { ...world.services, embedder: world.services.embedder, vectors: world.services.vectors };
  const entry = await clearUser(
    { ...scopeOf(world), services: { ...services, clock }, db: services.database("") },
    VICTIM,
  );
  expect(entry.state).toBe("running");
  await services.settled();
  expect(await world.ok("GET", `/api/erasures/${entry.erasureId}`)).toMatchObject({ state: "running" });
  await workOff(world);
  for (let round = 0; round < 5; round += 1) {
    const rows = await db.all(
      z.object({ id: z.string() }),
      sql`SELECT id FROM outbox WHERE org_id = ${world.tenant.orgId} AND topic = 'erasure'`,
    );
    for (const { id } of rows) await performWork(world.services, { orgId: world.tenant.orgId, id });
  }
  expect(await world.ok("GET", `/api/erasures/${entry.erasureId}`)).toMatchObject({
    state: "done",
    deleted_counts: { interactions: 600, requests: 1 },
  });
});

it("joins the erasure that is under way, so that two calls are one", async () => {
  const world = await newWorld();
  await publish(world, VICTIM, "r1", 2);
  const { orgId } = world.tenant;
  const requester = { orgId, principalId: "ona", requestId: "call" };
  const [first, second] = await Promise.all([
    beginErasure(world.services, requester, VICTIM),
    beginErasure(world.services, requester, VICTIM),
  ]);
  expect(first.erasureId).toBe(second.erasureId);
  const [one, two] = await Promise.all([
    world.ok("POST", "/api/clear_user_data", { user_id: VICTIM }),
    world.ok("POST", "/api/clear_user_data", { user_id: VICTIM }),
  ]);
  expect([one.operation_id, two.operation_id]).toEqual([first.erasureId, first.erasureId]);
  const { entries } = await world.ok("GET", "/api/erasure_log");
  expect(entries).toMatchObject([{ deleted_counts: { interactions: 2, requests: 1 } }]);
});

it("erases a rule that is written for the user while the erasure runs", async () => {
  const world = await newWorld();
  const { orgId } = world.tenant;
  await publish(world, VICTIM, "r1", 2);
  const erasure = await beginErasure(
    world.services,
    { orgId, principalId: "ona", requestId: "call" },
    VICTIM,
  );
  await db.run(
    sql`UPDATE outbox SET key = ${JSON.stringify([erasure.erasureId, "traces", 0])}
        WHERE org_id = ${orgId} AND topic = 'erasure'`,
  );
  await db.batch(insertUserPlaybooks([userRow(orgId, 1)]));
  expect(await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM })).toMatchObject({
    deleted_counts: { interactions: 2, user_playbooks: 1 },
  });
});

it("says success for a user whom nobody knows, as often as it is asked", async () => {
  const world = await newWorld();
  for (let call = 0; call < 2; call += 1) {
    expect(await world.ok("POST", "/api/clear_user_data", { user_id: "nobody" })).toMatchObject({
      success: true,
      deleted_counts: { interactions: 0, requests: 0, user_playbooks: 0, agent_playbooks: 0, windows: 0 },
    });
  }
});

it("needs a reviewer, because approved rules may leave service", async () => {
  const world = await newWorld();
  const { key } = (await world.ok("POST", "/api/keys", {
    ...{ name: "editor", principal_id: "ed", roles: ["editor"] },
  })) as { key: string };
  const response = await world.call(
    "POST",
    "/api/clear_user_data",
    { user_id: VICTIM },
    { authorization: `Bearer ${key}` },
  );
  expect(response.status).toBe(403);
  for (const body of [{}, { user_id: "" }, { user_id: 7 }, { user_id: "  " }]) {
    expect((await world.call("POST", "/api/clear_user_data", body)).status, JSON.stringify(body)).toBe(422);
  }
});
