/** The log of erasures, and what a restored backup is purged by. */
import { expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { db } from "../learning/support";
import { newWorld, VICTIM, type World, workOff } from "./support";

interface Line {
  erasure_id: string;
  salt: string;
  user_hash: string;
  begun_at: number;
}

const publish = (world: World, userId: string, request: string) =>
  world.ok("POST", "/api/publish_interaction", {
    ...{ user_id: userId, session_id: `${request}-session`, request_id: request, agent_version: "v" },
    interaction_data_list: [{ role: "User", content: `${userId} speaks` }],
  });

const usersOf = async ({ tenant }: World): Promise<string[]> =>
  (
    await db.all(
      z.object({ user_id: z.string() }),
      sql`SELECT DISTINCT user_id FROM interactions WHERE org_id = ${tenant.orgId} ORDER BY user_id`,
    )
  ).map((row) => row.user_id);

const logOf = async (world: World): Promise<Line[]> => {
  const { entries } = await world.ok("GET", "/api/erasure_log");
  return entries as Line[];
};

it("holds a line for every erasure and no user's id", async () => {
  const world = await newWorld();
  for (const user of [VICTIM, "second"]) {
    await publish(world, user, `${user}-1`);
    await world.ok("POST", "/api/clear_user_data", { user_id: user });
    world.clock.advance(1_000);
  }
  const lines = await logOf(world);
  expect(lines).toMatchObject([
    { state: "done", deleted_counts: { interactions: 1, requests: 1 } },
    { state: "done", deleted_counts: { interactions: 1, requests: 1 } },
  ]);
  expect(JSON.stringify(lines)).not.toContain(VICTIM);
  expect(lines[0]?.salt).toBe(lines[1]?.salt);
  expect(lines[0]?.user_hash).not.toBe(lines[1]?.user_hash);
  const { entries } = await world.ok("GET", `/api/erasure_log?before=${lines[0]?.erasure_id}`);
  expect(entries).toMatchObject([{ erasure_id: lines[1]?.erasure_id }]);
  expect(await world.ok("GET", `/api/erasures/${lines[0]?.erasure_id}`)).toMatchObject({ state: "done" });
  expect((await world.call("GET", "/api/erasures/era_none")).status).toBe(404);
});

it("erases again, by lines kept outside, whom a restored backup brought back", async () => {
  const world = await newWorld();
  for (const user of [VICTIM, "ann", "zoe"]) await publish(world, user, `${user}-1`);
  world.clock.advance(60_000);
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  const kept = await logOf(world);
  expect(await usersOf(world)).toEqual(["ann", "zoe"]);

  // The backup is from before the erasure: it brings the user back, and takes the log's line away.
  world.clock.advance(-60_000);
  await publish(world, VICTIM, `${VICTIM}-1`);
  world.clock.advance(120_000);
  await db.run(sql`DELETE FROM erasure_log WHERE org_id = ${world.tenant.orgId}`);
  expect(await world.ok("POST", "/api/erasure_log/replay", {})).toMatchObject({ users_erased: 0 });
  expect(await usersOf(world)).toContain(VICTIM);

  const replayed = await world.ok("POST", "/api/erasure_log/replay", {
    entries: kept.map(({ erasure_id, salt, user_hash, begun_at }) => ({
      erasure_id,
      salt,
      user_hash,
      begun_at,
    })),
  });
  expect(replayed).toEqual({ success: true, users_checked: 3, users_erased: 1, is_complete: true });
  await workOff(world);
  expect(await usersOf(world)).toEqual(["ann", "zoe"]);
  expect((await logOf(world)).map((line) => line.erasure_id)).toContain(kept[0]?.erasure_id);
});

it("leaves a user alone who came back after the erasure", async () => {
  const world = await newWorld();
  await publish(world, VICTIM, "first");
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  world.clock.advance(60_000);
  await publish(world, VICTIM, "second");
  expect(await world.ok("POST", "/api/erasure_log/replay", {})).toMatchObject({
    users_checked: 1,
    users_erased: 0,
  });
  expect(await usersOf(world)).toEqual([VICTIM]);
});

it("erases a user of whom only a rule came back, and pages through many users", async () => {
  const world = await newWorld();
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  await world.ok("POST", "/api/add_user_playbook", {
    user_playbooks: [
      { user_id: VICTIM, content: "Back again.", agent_version: "v", request_id: "r" },
      ...Array.from({ length: 110 }, (_, user) => ({
        ...{ user_id: `u${user}`, content: "Mine.", agent_version: "v", request_id: `r${user}` },
      })),
    ],
  });
  const replayed = await world.ok("POST", "/api/erasure_log/replay", {});
  expect(replayed).toMatchObject({ users_checked: 111, users_erased: 1, is_complete: true });
  await workOff(world);
  const left = await db.all(
    z.object({ n: z.int() }),
    sql`SELECT count(*) AS n FROM user_playbooks WHERE org_id = ${world.tenant.orgId}`,
  );
  expect(left).toEqual([{ n: 110 }]);
});

it("refuses a line that no log gave, saying where and what would be right", async () => {
  const world = await newWorld();
  const response = await world.call("POST", "/api/erasure_log/replay", {
    entries: [{ erasure_id: "era_aa", salt: "s", user_hash: "nope", begun_at: 1 }],
  });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ errors: [{ pointer: "/entries/0/user_hash" }] });
});
