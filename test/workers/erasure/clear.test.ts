/** A user is forgotten: nothing of them is left anywhere, nothing of others is lost. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { sql } from "../../../src/db/sql";
import { db } from "../learning/support";
import { plant } from "./plant";
import { aggregate, everyText, hidingPlaces, Markers, newWorld, OTHER, VICTIM, workOff } from "./support";

const agentsOf = (orgId: string) =>
  db.all(
    z.object({ agent_playbook_id: z.int(), content: z.string(), playbook_status: z.string() }),
    sql`SELECT agent_playbook_id, content, playbook_status FROM agent_playbooks WHERE org_id = ${orgId}
        ORDER BY agent_playbook_id`,
  );

it("leaves no trace of 200 markers that were planted through every door", async () => {
  const world = await newWorld();
  const markers = new Markers();
  const planted = await plant(world, markers);
  expect(markers.all.length).toBeGreaterThan(200);
  // The control: they are there to be found, in all of these places.
  const before = await hidingPlaces(markers.all);
  const places = new Set(before.map((place) => place.split(":")[0]));
  for (const table of [
    ...[
      "interactions",
      "requests",
      "user_playbooks",
      "agent_playbooks",
      "windows",
      "cursors",
      "leases",
      "outbox",
    ],
    ...["dead_letters", "idempotency_keys", "decisions", "revocations", "lineage", "served_rules"],
    ...[
      "generation_units",
      "generation_operations",
      "session_outcomes",
      "rule_applications",
      "aggregation_outcomes",
      "interactions_fts",
      "user_playbooks_fts",
      "agent_playbooks_fts",
    ],
  ]) {
    expect(places, table).toContain(table);
  }

  const answer = await world.ok(
    "POST",
    "/api/clear_user_data",
    { user_id: VICTIM },
    { "idempotency-key": "clear-once" },
  );
  expect(answer).toMatchObject({
    success: true,
    deleted_counts: { interactions: 9 + 12 * 6, requests: 7 },
    message: "The user is forgotten.",
  });

  expect(await hidingPlaces(markers.all)).toEqual([]);
  const sent = JSON.stringify(world.services.sent);
  expect(markers.all.filter((marker) => sent.includes(marker))).toEqual([]);
  await workOff(world);
  world.clock.advance(3_600_000);
  await aggregate(world);
  await workOff(world);
  expect(await hidingPlaces(markers.all)).toEqual([]);

  // The rule that owes the user nothing stays approved; the others left service.
  const agents = await agentsOf(world.tenant.orgId);
  expect(agents.map((agent) => agent.agent_playbook_id)).not.toContain(planted.sharedAgent);
  expect(agents.map((agent) => agent.agent_playbook_id)).not.toContain(planted.ownAgent);
  expect(agents).toContainEqual(
    expect.objectContaining({ agent_playbook_id: planted.cleanAgent, playbook_status: "approved" }),
  );

  // Others have lost nothing.
  expect(await world.ok("POST", "/api/get_interactions", { user_id: OTHER })).toMatchObject({
    interactions: [{ content: "Open a pull request before merging." }],
  });
  expect(
    ((await world.ok("POST", "/api/get_user_playbooks", { user_id: OTHER })).user_playbooks as unknown[])
      .length,
  ).toBe(1);

  // What is left of the user is a line in the log that nobody can read.
  const lines = (await everyText()).filter(({ table }) => table === "erasure_log");
  expect(lines).toHaveLength(1);
  expect(lines[0]?.text).toMatch(/"user_hash":"[0-9a-f]{64}"/);
});

it("takes every rule of the user out of the index", async () => {
  const world = await newWorld();
  const markers = new Markers();
  await plant(world, markers);
  const { orgId } = world.tenant;
  const [values] = await world.services.embedder.embed(["When merging Mind"], "query");
  if (values === undefined) throw new Error("nothing was embedded");
  const ask = (userId: string) =>
    world.services.vectors.query({ orgId, kind: "user_playbook", values, userId, topK: 100 });
  expect((await ask(VICTIM)).length).toBeGreaterThan(3);
  await world.ok("POST", "/api/clear_user_data", { user_id: VICTIM });
  expect(await ask(VICTIM)).toEqual([]);
  expect((await ask(OTHER)).length).toBe(1);
  const known = await env.DB.prepare(
    "SELECT count(*) AS n FROM vectors WHERE org_id = ? AND kind = 'user_playbook'",
  )
    .bind(orgId)
    .first<{ n: number }>();
  expect(known?.n).toBe(2);
});
