/** The HTTP edge and the coordinator behind it, in the real Worker. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { derivedId } from "../../../src/platform/ids";
import { testServices } from "../../support/services";
import { seedRules, twoAlike } from "./support";

const ORG = "self-host-org";
const db = new Database(env.DB);

async function call(method: string, path: string, body?: unknown, principal = "ed; editor") {
  const response = await exports.default.fetch(`http://localhost${path}`, {
    method,
    headers: { "Content-Type": "application/json", "X-Playmaker-Principal": principal },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const run = (body: unknown, principal?: string) =>
  call("POST", "/api/run_playbook_aggregation", body, principal);

const seed = (agentVersion: string, firstId: number) => {
  const services = testServices();
  const clock = { nowMs: () => services.clock.nowMs(), advance: () => {} };
  const rules = twoAlike.map((rule, index) => ({ ...rule, id: firstId + index, agentVersion }));
  return seedRules({ services, db, orgId: ORG, clock, seen: [], sent: [] }, rules);
};

const answer = z.object({ success: z.boolean(), message: z.string(), operation_id: z.string().optional() });

test("a manual run over HTTP makes the rule through queue, coordinator and alarm, and its operation can be polled", async () => {
  await seed("route-v1", 100);
  const { status, body } = await run({ agent_version: "route-v1" });
  expect(status).toBe(200);
  const { operation_id, ...told } = answer.parse(body);
  expect(told).toEqual({
    success: true,
    message: "Processed 2 user playbooks, found 1 clusters, generated 1 agent playbooks",
  });
  const polled = await call("GET", `/api/operations/${operation_id}`);
  expect(polled).toMatchObject({
    status: 200,
    body: { status: "succeeded", agent_version: "route-v1", error: null, result: { playbooks_generated: 1 } },
  });
});

test("a version without rules is skipped; an empty version is the default one", async () => {
  expect(await run({ agent_version: "nobody", playbook_name: "any" })).toMatchObject({
    status: 200,
    body: { success: true, message: expect.stringMatching(/^Skipped: /) },
  });
  expect((await run({ agent_version: " " })).status).toBe(200);
  expect((await run({})).status).toBe(200);
});

test("a bad body is a 422 that names the field", async () => {
  const { status, body } = await run({ agent_version: 7 });
  expect(status).toBe(422);
  expect(body).toMatchObject({ detail: [{ loc: ["body", "agent_version"], pointer: "/agent_version" }] });
});

test("an agent's key may not start an aggregation, and nothing changes", async () => {
  expect((await run({ agent_version: "route-v2" }, "bot; agent")).status).toBe(403);
  const [rows] = await db.batch([
    sql`SELECT 1 FROM operations WHERE org_id = ${ORG} AND agent_version = 'route-v2'`,
  ]);
  expect(rows?.rows).toEqual([]);
});

test("a foreign operation answers exactly like one that does not exist", async () => {
  await db.run(sql`INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts,
    created_at, updated_at) VALUES ('other-org', 'op_foreign', 'aggregation', 'v', 'r', 'queued', 0, 1, 1)`);
  const foreign = await call("GET", "/api/operations/op_foreign");
  expect(foreign.status).toBe(404);
  expect(foreign).toEqual(await call("GET", "/api/operations/op_unknown"));
});

test("waking sets the alarm and never works inside the call; a turn without work plans no other", async () => {
  const id = env.AGGREGATION.idFromName(await derivedId("agg", [ORG, "idle"]));
  const coordinator = env.AGGREGATION.get(id);
  await coordinator.wake(ORG, "idle");
  await runDurableObjectAlarm(coordinator);
  expect(await runInDurableObject(coordinator, (_instance, state) => state.storage.getAlarm())).toBeNull();
});

test("a wake during a long wait pulls the alarm forward, and a planned one is never put off", async () => {
  const coordinator = env.AGGREGATION.get(env.AGGREGATION.idFromName(await derivedId("agg", [ORG, "later"])));
  const farMs = Date.now() + 3_600_000;
  await db.run(sql`INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version,
    intake_floor) VALUES (${ORG}, 'later', 1, ${farMs}, 1, 0)`);
  await coordinator.wake(ORG, "later");
  await runDurableObjectAlarm(coordinator);
  // The runtime may have begun the alarm by itself; then it plans the next one when its turn ends.
  await expect
    .poll(() => runInDurableObject(coordinator, (_instance, state) => state.storage.getAlarm()))
    .toSatisfy((planned) => Math.abs((planned ?? 0) - farMs) < 60_000);
  await runInDurableObject(coordinator, (_instance, state) => state.storage.setAlarm(farMs + 1_000_000));
  await runInDurableObject(coordinator, (instance) => instance.wake(ORG, "later"));
  const pulled = await runInDurableObject(coordinator, (_instance, state) => state.storage.getAlarm());
  expect(pulled ?? 0).toBeLessThan(farMs);
});
