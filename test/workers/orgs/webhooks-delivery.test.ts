/** A message on its way: signed, tried by the schedule, always under one id, never to a forbidden place. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { sql } from "../../../src/db/sql";
import { WAITS_MS } from "../../../src/orgs/webhooks/schedule";
import { performWork, sweep } from "../../../src/work";
import { countedPorts, type Fault } from "../../support/ports";
import {
  countOf,
  db,
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

const idsOf = ({ receiver }: World): (string | undefined)[] =>
  receiver.received.map(({ headers }) => headers["webhook-id"]);

const endpointOf = async (world: World) => (await world.call("GET", "/api/webhook")).body;

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

describe("a secret that cannot be read", () => {
  it.each([
    [
      "moved in from another org",
      async (world: World) => {
        const other = await newWorld();
        await other.set();
        await db.run(sql`UPDATE webhook_endpoints SET secret = (SELECT secret FROM webhook_endpoints
        WHERE org_id = ${other.orgId}) WHERE org_id = ${world.orgId}`);
      },
    ],
    [
      "changed in its place",
      async (world: World) => {
        await db.run(sql`UPDATE webhook_endpoints SET secret = substr(secret, 1, length(secret) - 4) || 'AAA='
        WHERE org_id = ${world.orgId}`);
      },
    ],
    [
      "of a key that is gone",
      async (world: World) => {
        await db.run(sql`UPDATE webhook_endpoints SET secret = replace(secret, 'v1.tests.', 'v1.older.')
        WHERE org_id = ${world.orgId}`);
      },
    ],
  ])("because it was %s sends nothing, and is not the endpoint's fault", async (_, spoil) => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    await spoil(world);
    expect(await world.work()).toEqual([{ retryInMs: 5_000 }]);
    expect(world.receiver.received).toEqual([]);
    expect(await messagesOf(world.orgId)).toMatchObject([{ last_error: "secret_not_readable" }]);
    expect(await endpointOf(world)).toMatchObject({ failing_since: null, disabled_at: null });
  });

  it("for want of SECRETS_KEYS goes out once they are back", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    const [message] = await webhookWork(world.orgId);
    if (message === undefined) throw new Error("no work");
    expect(await performWork({ ...world.services, secrets: null }, message)).toEqual({ retryInMs: 5_000 });
    world.clock.nowMs += 5_000;
    expect(await world.work()).toEqual(["done"]);
    expect(world.receiver.received).toHaveLength(1);
  });
});

describe("a message of the queue", () => {
  it("that comes twice at once makes one request; the double waits and finds it done", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    const [message] = await webhookWork(world.orgId);
    if (message === undefined) throw new Error("no work");
    const results = await Promise.all([1, 2, 3].map(() => performWork(world.services, message)));
    expect(results).toContain("done");
    expect(world.receiver.received).toHaveLength(1);
    world.clock.nowMs += 30_000;
    expect(await performWork(world.services, message)).toBe("done");
    expect(world.receiver.received).toHaveLength(1);
  });

  it("whose first delivery was lost in the middle is delivered again under the same id", async () => {
    const world = await newWorld();
    await world.set();
    await teach(world);
    const [message] = await webhookWork(world.orgId);
    if (message === undefined) throw new Error("no work");
    // Claimed, sent and never recorded: as a crash after the request leaves it.
    const dying = {
      ...world.services,
      webhookEgress: async (...request: Parameters<typeof world.receiver.egress>) => {
        await world.receiver.egress(...request);
        return new Promise<Response>(() => {});
      },
    };
    void performWork(dying, message);
    await vi.waitFor(() => expect(world.receiver.received).toHaveLength(1));
    expect(await performWork(world.services, message)).toEqual({ retryInMs: 30_000 });
    world.clock.nowMs += 30_000;
    expect(await performWork(world.services, message)).toBe("done");
    expect(world.receiver.received).toHaveLength(2);
    expect(new Set(idsOf(world)).size).toBe(1);
  });

  it("with a key of another kind is done, and logged", async () => {
    const world = await newWorld();
    await db.run(sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms)
      VALUES (${`odd-${world.orgId}`}, ${world.orgId}, 'webhook', '[7]', 0, 1)`);
    expect(await world.work()).toEqual(["done"]);
  });
});

describe("a delivery in which one call fails", () => {
  async function run(fault: Fault | null) {
    const world = await newWorld();
    await world.set();
    await teach(world, "warm");
    await world.work();
    await world.services.settled();
    await teach(world);
    const ports = countedPorts(fault, {
      clock: world.services.clock,
      webhookEgress: world.receiver.egress,
    });
    for (let round = 0; round < 20 && (await webhookWork(world.orgId)).length > 0; round += 1) {
      for (const message of await webhookWork(world.orgId)) {
        await performWork(ports.services, message).catch(() => undefined);
      }
      world.clock.nowMs += 31_000;
    }
    await ports.services.settled();
    return { world, ...ports };
  }

  it("ends delivered, under one id, with at most one request more", async () => {
    const clean = await run(null);
    expect(clean.calls).toEqual(["database", "database", "database", "webhook", "database", "database"]);
    expect(clean.world.receiver.received).toHaveLength(2);
    for (let call = 1; call <= clean.calls.length; call += 1) {
      for (const when of ["before", "after"] as const) {
        const { world, hit } = await run({ call, when });
        const [, ...ids] = idsOf(world);
        expect({ call, when, hit: hit() }).toEqual({ call, when, hit: true });
        expect(await webhookWork(world.orgId)).toEqual([]);
        expect(new Set(ids).size).toBe(1);
        expect(ids.length).toBeLessThanOrEqual(2);
        expect((await messagesOf(world.orgId)).every(({ delivered_at_ms }) => delivered_at_ms !== null)).toBe(
          true,
        );
      }
    }
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
