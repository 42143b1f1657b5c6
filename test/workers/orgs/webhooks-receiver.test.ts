/** Who is told: a receiver that is gone, dead, forbidden or replaced, and how long messages are kept. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { performWork, sweep } from "../../../src/work";
import {
  countOf,
  db,
  endpointOf,
  messagesOf,
  newWorld,
  START_MS,
  status,
  teach,
  webhookWork,
} from "./webhooks-support";

const DAY_MS = 86_400_000;

describe("an endpoint", () => {
  it("that answers 410 is told nothing any more, until it is set again", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world, "first");
    await teach(world, "second");
    world.receiver.script(status(410));
    expect(await world.work()).toEqual(["done", "done"]);
    expect(world.receiver.received).toHaveLength(1);
    expect(await endpointOf(world)).toMatchObject({ disabled_reason: "gone", disabled_at: START_MS / 1000 });
    expect((await messagesOf(world.orgId)).map(({ last_error }) => last_error).sort()).toEqual([
      "endpoint_disabled",
      "gone",
    ]);
    await teach(world, "third");
    expect(await messagesOf(world.orgId)).toHaveLength(2);
    await world.set();
    expect(await endpointOf(world)).toMatchObject({ disabled_reason: null, disabled_at: null });
    await teach(world, "fourth");
    expect(await world.work()).toEqual(["done"]);
    expect(world.receiver.received).toHaveLength(2);
  });

  it("is not disabled by what the address before it answers", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(async () => {
      await world.set(["rule.pending"], "https://hooks.example.com/new");
      return new Response(null, { status: 410 });
    });
    await world.work();
    expect(await endpointOf(world)).toMatchObject({
      url: "https://hooks.example.com/new",
      disabled_at: null,
    });
  });

  it("that took nothing for five days is disabled, and one delivery begins the five days anew", async () => {
    const world = await newWorld();
    await world.set();
    const tryOne = async (content: string, code: number) => {
      await teach(world, content);
      world.receiver.script(status(code));
      await world.work();
      await db.run(sql`DELETE FROM outbox WHERE org_id = ${world.orgId}`);
      return endpointOf(world);
    };
    await tryOne("1", 500);
    world.clock.nowMs += 5 * DAY_MS - 1000;
    expect(await tryOne("2", 500)).toMatchObject({ failing_since: START_MS / 1000, disabled_at: null });
    expect(await tryOne("3", 204)).toMatchObject({ failing_since: null, disabled_at: null });
    world.clock.nowMs += 1000;
    const failingSince = world.clock.nowMs / 1000;
    expect(await tryOne("4", 500)).toMatchObject({ failing_since: failingSince, disabled_at: null });
    world.clock.nowMs += 5 * DAY_MS;
    expect(await tryOne("5", 500)).toMatchObject({
      disabled_at: world.clock.nowMs / 1000,
      disabled_reason: "failing",
    });
  });

  it("is judged again before every attempt", async () => {
    for (const url of [
      "https://10.0.0.8/in",
      "https://3232235777/in",
      "https://[::ffff:a9fe:a9fe]/in",
      "http://hooks.example.com/in",
      "https://user:pass@hooks.example.com/in",
      "file:///etc/passwd",
    ]) {
      const world = await newWorld();
      await world.set();
      await teach(world);
      await db.run(sql`UPDATE webhook_endpoints SET url = ${url} WHERE org_id = ${world.orgId}`);
      expect(await world.work()).toEqual(["done"]);
      expect(world.receiver.received).toEqual([]);
      expect(await endpointOf(world)).toMatchObject({ disabled_reason: "url_refused" });
      expect(await messagesOf(world.orgId)).toMatchObject([{ last_error: "url_refused", attempts: 1 }]);
    }
  });

  it("on loopback is called on a laptop only", async () => {
    const world = await newWorld();
    await world.set(["rule.pending"], "http://127.0.0.1:9/in");
    await teach(world);
    const [message] = await webhookWork(world.orgId);
    if (message === undefined) throw new Error("no work");
    const settings = { ...world.services.settings, ENVIRONMENT: "production" as const };
    expect(await performWork({ ...world.services, settings }, message)).toBe("done");
    expect(world.receiver.received).toEqual([]);
    await world.set(["rule.pending"], "http://127.0.0.1:9/in");
    await teach(world, "another");
    await world.work();
    expect(world.receiver.received).toHaveLength(1);
  });

  it("that is gone leaves its messages failed, without a request", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    await world.call("DELETE", "/api/webhook");
    expect(await world.work()).toEqual(["done"]);
    expect(world.receiver.received).toEqual([]);
    expect(await messagesOf(world.orgId)).toMatchObject([
      { last_error: "endpoint_deleted", failed_at_ms: START_MS, attempts: 0 },
    ]);
  });
});

describe("old messages", () => {
  it("are forgotten after thirty days, 500 at a time", async () => {
    const world = await newWorld();
    await db.run(sql`INSERT INTO webhook_messages (org_id, message_id, type, data, created_at_ms, attempts,
        next_attempt_at_ms)
      SELECT ${world.orgId}, 'old-' || value, 'rule.pending', '{}', ${START_MS} - value, 0, 0
      FROM json_each(${JSON.stringify(Array.from({ length: 502 }, (_, position) => position))})`);
    const left = () => countOf(sql`SELECT count(*) AS n FROM webhook_messages WHERE org_id = ${world.orgId}`);
    world.clock.nowMs = START_MS + 30 * DAY_MS;
    await sweep(world.services);
    expect(await left()).toBe(2);
    await sweep(world.services);
    expect(await left()).toBe(1);
  });
});
