/** Deliveries in which something fails: sealed secrets, doubled messages, every call of a port. */
import { describe, expect, it, vi } from "vitest";
import { sql } from "../../../src/db/sql";
import { performWork } from "../../../src/work";
import { countedPorts, type Fault } from "../../support/ports";
import {
  db,
  endpointOf,
  idsOf,
  messagesOf,
  newWorld,
  teach,
  type World,
  webhookWork,
} from "./webhooks-support";

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
