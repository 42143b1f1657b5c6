/** Messages as people see and send them: a test, the list, and one of before once more. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { countOf, messagesOf, newWorld, START_MS, status, teach, webhookWork } from "./webhooks-support";

describe("a test message", () => {
  it("goes out at once, whatever events are asked for, and says what became of it", async () => {
    const world = await newWorld();
    await world.set(["budget.reached"]);
    const { status: code, body } = await world.call("POST", "/api/webhook/test");
    expect(code).toBe(200);
    expect(body).toMatchObject({ type: "webhook.test", state: "delivered", attempts: 1, last_status: 204 });
    expect(world.receiver.received).toHaveLength(1);
    expect(JSON.parse(world.receiver.received[0]?.body ?? "")).toMatchObject({
      type: "webhook.test",
      data: {},
    });
    expect(await webhookWork(world.orgId)).toEqual([]);
  });

  it("that is refused says how, and goes on by the schedule", async () => {
    const world = await newWorld();
    await world.set();
    world.receiver.script(status(401));
    const { body } = await world.call("POST", "/api/webhook/test");
    expect(body).toMatchObject({
      state: "pending",
      last_status: 401,
      last_error: "not_accepted",
      next_attempt_at: START_MS / 1000 + 5,
    });
    world.clock.nowMs += 5_000;
    expect(await world.work()).toEqual(["done"]);
    expect(await messagesOf(world.orgId)).toMatchObject([{ attempts: 2, last_status: 204 }]);
  });

  it("is not sent where no webhook is set, or it is disabled", async () => {
    const world = await newWorld();
    expect((await world.call("POST", "/api/webhook/test")).status).toBe(404);
    await world.set();
    world.receiver.script(status(410));
    await world.call("POST", "/api/webhook/test");
    expect((await world.call("POST", "/api/webhook/test")).status).toBe(409);
    expect(world.receiver.received).toHaveLength(1);
  });
});

describe("messages", () => {
  it("are listed newest first with their fate, at most a hundred", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world, "first");
    await world.work();
    world.clock.nowMs += 1000;
    world.receiver.script(status(500));
    await teach(world, "second");
    await world.work();
    const { body } = await world.call("GET", "/api/webhook/messages");
    expect(body.messages).toMatchObject([
      { type: "rule.pending", state: "pending", attempts: 1, last_status: 500, delivered_at: null },
      { state: "delivered", last_status: 204, next_attempt_at: null, delivered_at: START_MS / 1000 },
    ]);
    expect((await world.call("GET", "/api/webhook/messages?limit=1")).body.messages).toHaveLength(1);
    expect((await world.call("GET", "/api/webhook/messages?limit=101")).status).toBe(422);
  });

  it("are sent again under the id they had, with a signature of today", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    await world.work();
    const [message] = await messagesOf(world.orgId);
    world.clock.nowMs += 86_400_000;
    const path = `/api/webhook/messages/${message?.message_id}/resend`;
    expect((await world.call("POST", path)).body).toMatchObject({ state: "delivered", attempts: 1 });
    const [first, second] = world.receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(Number(second?.headers["webhook-timestamp"])).toBe(START_MS / 1000 + 86_400);
    expect(await webhookWork(world.orgId)).toEqual([]);
  });

  it("that had failed begin anew, and one under way is not lost to its resend", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    const [message] = await messagesOf(world.orgId);
    const path = `/api/webhook/messages/${message?.message_id}/resend`;
    // While the first delivery holds the message, somebody sends it again, and that attempt fails.
    world.receiver.script(async () => {
      world.clock.nowMs += 1;
      world.receiver.script(status(503));
      expect((await world.call("POST", path)).body).toMatchObject({ state: "pending", last_status: 503 });
      return new Response(null, { status: 204 });
    });
    await world.work();
    expect(await messagesOf(world.orgId)).toMatchObject([{ attempts: 1, delivered_at_ms: null }]);
    world.clock.nowMs += 5_000;
    await world.work();
    expect(await messagesOf(world.orgId)).toMatchObject([{ attempts: 2, last_status: 204 }]);
    expect(await webhookWork(world.orgId)).toEqual([]);
  });

  it("that do not exist, or have no webhook to go to, are not sent again", async () => {
    const world = await newWorld();
    const other = await newWorld();
    await world.set();
    await other.set();
    await teach(world);
    const [message] = await messagesOf(world.orgId);
    const path = `/api/webhook/messages/${message?.message_id}/resend`;
    expect((await world.call("POST", "/api/webhook/messages/nothing/resend")).status).toBe(404);
    expect((await other.call("POST", path)).status).toBe(404);
    await world.call("DELETE", "/api/webhook");
    expect((await world.call("POST", path)).status).toBe(404);
    expect(world.receiver.received).toEqual([]);
    expect(
      await countOf(
        sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${world.orgId} AND topic = 'webhook'`,
      ),
    ).toBe(1);
  });
});
