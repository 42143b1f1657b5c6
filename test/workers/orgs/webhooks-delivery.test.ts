/** A message on its way: signed, tried by the schedule, always under one id. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { sql } from "../../../src/db/sql";
import { WAITS_MS } from "../../../src/orgs/webhooks/schedule";
import { sweep } from "../../../src/work";
import {
  countOf,
  idsOf,
  messagesOf,
  newWorld,
  type Received,
  START_MS,
  status,
  teach,
  URL_OF_RECEIVER,
  type World,
  webhookWork,
} from "./webhooks-support";

const DAY_MS = 86_400_000;

/** As a receiver checks it, at the given instant. @throws WebhookVerificationError */
function verified(secret: string, { body, headers }: Received, atMs: number): unknown {
  vi.useFakeTimers({ toFake: ["Date"], now: atMs });
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    vi.useRealTimers();
  }
}

/** The one request of a world. */
function only({ receiver }: World): Received {
  const [received, ...others] = receiver.received;
  if (received === undefined || others.length > 0) throw new Error(`${receiver.received.length} requests`);
  return received;
}

describe("a message", () => {
  it("is signed so that the library of its receiver verifies it, and holds ids and counts only", async () => {
    const world = await newWorld();
    const secret = await world.set();
    await teach(world, "Look the parcel up for anna.quillon@posteo.de.");
    expect(await world.work()).toEqual(["done"]);
    const received = only(world);
    const [message] = await messagesOf(world.orgId);
    expect(verified(secret, received, START_MS)).toEqual({
      type: "rule.pending",
      timestamp: "2030-01-01T12:00:00.000Z",
      data: {
        agent_playbook_id: 1,
        agent_version: "v1",
        count: 1,
        flags: expect.arrayContaining(["personal_detail"]),
        sources: 0,
        distinct_users: 0,
        url: "/?rule=1",
      },
    });
    expect(received.body).not.toMatch(/parcel|quillon/);
    expect(received).toMatchObject({
      url: URL_OF_RECEIVER,
      headers: {
        "content-type": "application/json",
        "user-agent": "playmaker",
        "webhook-id": message?.message_id,
        "webhook-timestamp": String(START_MS / 1000),
      },
    });
    expect(message).toMatchObject({
      attempts: 1,
      last_status: 204,
      last_error: null,
      delivered_at_ms: START_MS,
    });
    expect(await webhookWork(world.orgId)).toEqual([]);
  });

  it("verifies for nobody else, not changed, and not five minutes later", async () => {
    const [world, other] = [await newWorld(), await newWorld()];
    const [secret, otherSecret] = [await world.set(), await other.set()];
    await teach(world);
    await world.work();
    const received = only(world);
    expect(() => verified(secret, received, START_MS)).not.toThrow();
    expect(() => verified(otherSecret, received, START_MS)).toThrow();
    expect(() => verified(secret, { ...received, body: `${received.body} ` }, START_MS)).toThrow();
    expect(() => verified(secret, received, START_MS + 301_000)).toThrow();
  });

  it("carries the signatures of two secrets for a day after a rotation, and then of the new one alone", async () => {
    const world = await newWorld();
    const before = await world.set();
    const { body } = await world.call("POST", "/api/webhook/rotate_secret");
    const after = String(body.secret);
    expect(after).not.toBe(before);
    world.clock.nowMs += DAY_MS - 1000;
    await teach(world, "first");
    await world.work();
    world.clock.nowMs += 1000;
    await teach(world, "second");
    await world.work();
    const [during, later] = world.receiver.received;
    if (during === undefined || later === undefined) throw new Error("two messages");
    expect(during.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [before, after]) {
      expect(() => verified(secret, during, START_MS + DAY_MS)).not.toThrow();
    }
    expect(() => verified(after, later, START_MS + DAY_MS)).not.toThrow();
    expect(() => verified(before, later, START_MS + DAY_MS)).toThrow();
  });

  it("that is refused comes again by the schedule under one id and with one body, and fails after ten", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(...Array.from({ length: 10 }, () => status(500)));
    for (const [position, wait] of WAITS_MS.entries()) {
      expect(await world.work()).toEqual([{ retryInMs: wait }]);
      world.clock.nowMs += wait - 1;
      expect(await world.work()).toEqual([{ retryInMs: 1 }]);
      expect(world.receiver.received).toHaveLength(position + 1);
      world.clock.nowMs += 1;
    }
    expect(await world.work()).toEqual(["done"]);
    expect(new Set(idsOf(world)).size).toBe(1);
    expect(new Set(world.receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await messagesOf(world.orgId)).toMatchObject([
      { attempts: 10, last_status: 500, last_error: "not_accepted", failed_at_ms: world.clock.nowMs },
    ]);
    expect(await webhookWork(world.orgId)).toEqual([]);
  });

  it("waits in the queue for its second attempt, and in the outbox for its third", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(status(500), status(500));
    const dueIn = () =>
      countOf(sql`SELECT due_at_ms - ${world.clock.nowMs} AS n FROM outbox WHERE org_id = ${world.orgId}
        AND topic = 'webhook'`);
    await world.work();
    expect(await dueIn()).toBe(35_000);
    world.clock.nowMs += 5_000;
    await world.work();
    expect(await dueIn()).toBe(300_000);
    world.services.sent.length = 0;
    world.clock.nowMs += 299_000;
    await sweep(world.services);
    expect(world.services.sent).not.toEqual(expect.arrayContaining(await webhookWork(world.orgId)));
    world.clock.nowMs += 1_000;
    await sweep(world.services);
    expect(world.services.sent).toEqual(expect.arrayContaining(await webhookWork(world.orgId)));
    expect(await world.work()).toEqual(["done"]);
    expect(await messagesOf(world.orgId)).toMatchObject([{ attempts: 3, last_status: 204 }]);
  });

  it.each([
    [429, "3600", 3_600_000],
    [503, "Tue, 01 Jan 2030 13:00:00 GMT", 3_600_000],
    [503, "9999999", DAY_MS],
    [500, "1", 5_000],
    [500, "gibberish", 5_000],
  ])("answered %d with Retry-After %s waits %d ms", async (code, retryAfter, waitMs) => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(status(code, { "retry-after": retryAfter }));
    expect(await world.work()).toEqual([{ retryInMs: waitMs }]);
  });

  it("is not sent after a redirect, wherever it leads", async () => {
    for (const code of [301, 302, 303, 307, 308]) {
      const world = await newWorld();
      await world.set();
      await teach(world);
      world.receiver.script(status(code, { location: "http://169.254.169.254/latest/meta-data/" }));
      expect(await world.work()).toEqual([{ retryInMs: 5_000 }]);
      expect(world.receiver.received).toHaveLength(1);
      expect(await messagesOf(world.orgId)).toMatchObject([
        { last_status: code, last_error: "redirect_not_followed" },
      ]);
    }
  });

  it("does not wait for an answer that takes too long", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    const work = world.work();
    await vi.waitFor(() => expect(world.receiver.received).toHaveLength(1));
    world.receiver.timeOut();
    expect(await work).toEqual([{ retryInMs: 5_000 }]);
    expect(await messagesOf(world.orgId)).toMatchObject([{ last_status: null, last_error: "timeout" }]);
  });

  it("counts by its status, however long or slow the body behind it is", async () => {
    let pulledBytes = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulledBytes += 16_384;
          controller.enqueue(new Uint8Array(16_384));
        },
      });
    for (const [code, result] of [
      [200, "done"],
      [500, { retryInMs: 5_000 }],
    ] as const) {
      const world = await newWorld();
      await world.set();
      await teach(world);
      pulledBytes = 0;
      world.receiver.script(() => new Response(endless(), { status: code }));
      expect(await world.work()).toEqual([result]);
      expect(pulledBytes).toBeLessThanOrEqual(65_536 + 3 * 16_384);
    }
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(
      (_, signal) =>
        new Response(
          new ReadableStream({
            start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
          }),
        ),
    );
    const work = world.work();
    await vi.waitFor(() => expect(world.receiver.received).toHaveLength(1));
    world.receiver.timeOut();
    expect(await work).toEqual(["done"]);
  });

  it("of a dead network is tried again", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    world.receiver.script(() => Promise.reject(new TypeError("no route to hooks.example.com")));
    expect(await world.work()).toEqual([{ retryInMs: 5_000 }]);
    expect(await messagesOf(world.orgId)).toMatchObject([{ last_status: null, last_error: "network" }]);
  });
});
