/** The queue and the sweep: messages that come twice, late or never, and work that fails. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { completeWork, enqueue, findWork, type Topic, type WorkMessage } from "../../../src/db/outbox";
import { sql } from "../../../src/db/sql";
import { consume, noteDead, performWork, sweep } from "../../../src/work";
import { type TestServices, testServices } from "../../support/services";

const START_MS = 1_900_000_000_000;
let made = 0;

interface Bench {
  services: TestServices;
  clock: { nowMs: number };
  orgId: string;
  logged: string[];
}

/** Services of a new org; an aggregation row whose wake throws stands for any handler that fails. */
function bench(overrides: Partial<TestServices> = {}): Bench {
  made += 1;
  const clock = { nowMs: START_MS + made * 10_000_000 };
  const logged: string[] = [];
  const note = (event: string, fields = {}) => void logged.push(JSON.stringify({ event, ...fields }));
  const services = testServices({
    clock: { nowMs: () => clock.nowMs },
    log: { info: note, warn: note, error: note },
    ...overrides,
  });
  return { services, clock, orgId: `work-${made}`, logged };
}

async function newWork(
  { services, clock, orgId }: Bench,
  topic: Topic = "aggregation",
  cause = "c",
): Promise<WorkMessage> {
  const { message, statement } = await enqueue({ orgId, topic, key: ["v1"], cause, nowMs: clock.nowMs });
  await services.database(orgId).run(statement);
  return message;
}

const rowOf = (message: WorkMessage) =>
  env.DB.prepare("SELECT attempts, due_at_ms FROM outbox WHERE id = ?")
    .bind(message.id)
    .first<{ attempts: number; due_at_ms: number }>();

interface Delivered {
  acked: string[];
  /** Which come again, after how many seconds. */
  retried: [id: string, delaySeconds: number][];
}

/** A batch that notes what its consumer decides. */
function batchOf(
  bodies: readonly unknown[],
  attempts: number,
): { batch: MessageBatch; delivered: Delivered } {
  const delivered: Delivered = { acked: [], retried: [] };
  const messages = bodies.map((body, position): Message => {
    const id = `m${position}`;
    return {
      id,
      timestamp: new Date(START_MS),
      attempts,
      body,
      ack: () => void delivered.acked.push(id),
      retry: (options) => void delivered.retried.push([id, options?.delaySeconds ?? 0]),
    };
  });
  const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } };
  const batch = { queue: "playmaker-work", messages, metadata, ackAll: () => {}, retryAll: () => {} };
  return { batch, delivered };
}

async function deliver(services: TestServices, bodies: readonly unknown[], attempts = 1): Promise<Delivered> {
  const { batch, delivered } = batchOf(bodies, attempts);
  await consume(services, batch);
  return delivered;
}

const failing = { wakeAggregation: () => Promise.reject(new Error('no coordinator for "secret words"')) };

describe("a message", () => {
  it("whose work is done is acknowledged, and so is its double", async () => {
    const here = bench();
    const message = await newWork(here);
    expect(await deliver(here.services, [message, message])).toEqual({ acked: ["m0", "m1"], retried: [] });
    expect(here.services.woken).toHaveLength(1);
    expect(await rowOf(message)).toBeNull();
  });

  it("of a handler that throws comes again later each time, and its log quotes nothing", async () => {
    const here = bench(failing);
    const message = await newWork(here);
    expect((await deliver(here.services, [message], 1)).retried).toEqual([["m0", 2]]);
    expect((await deliver(here.services, [message], 2)).retried).toEqual([["m0", 4]]);
    expect(await rowOf(message)).toMatchObject({ attempts: 2 });
    expect(here.logged.join()).toContain("work.fault");
    expect(here.logged.join()).not.toContain("secret words");
  });

  it("that came too often leaves its row to the sweep before the queue gives up", async () => {
    const here = bench(failing);
    const message = await newWork(here);
    expect(await deliver(here.services, [message], 5)).toEqual({ acked: ["m0"], retried: [] });
    expect(await rowOf(message)).not.toBeNull();
  });

  it("whose work waits longer than a minute leaves it to the sweep", async () => {
    const here = bench(failing);
    const message = await newWork(here);
    await here.services
      .database(here.orgId)
      .run(sql`UPDATE outbox SET attempts = 6 WHERE id = ${message.id}`);
    expect(await deliver(here.services, [message])).toEqual({ acked: ["m0"], retried: [] });
    expect((await rowOf(message))?.due_at_ms).toBe(here.clock.nowMs + 128_000);
  });

  it("that is malformed, or whose row is poisoned, holds up no other", async () => {
    const here = bench();
    const poison = await newWork(here, "aggregation", "poison");
    await here.services
      .database(here.orgId)
      .run(sql`UPDATE outbox SET topic = 'unheard-of' WHERE id = ${poison.id}`);
    const good = await newWork(here, "aggregation", "good");
    const result = await deliver(here.services, [{ nonsense: true }, poison, good]);
    expect(result.acked).toEqual(["m0", "m2"]);
    expect(result.retried.map(([id]) => id)).toEqual(["m1"]);
    expect(await rowOf(good)).toBeNull();
  });

  it("of another org finds no row", async () => {
    const here = bench();
    const message = await newWork(here);
    expect(await performWork(here.services, { ...message, orgId: "somebody-else" })).toBe("done");
    expect(await rowOf(message)).not.toBeNull();
  });

  it("is given back when its batch has taken too long", async () => {
    const here = bench({
      wakeAggregation: async () => {
        here.clock.nowMs += 300_000;
      },
    });
    const [slow, next] = [await newWork(here, "aggregation", "1"), await newWork(here, "aggregation", "2")];
    expect(await deliver(here.services, [slow, next])).toEqual({ acked: ["m0"], retried: [["m1", 0]] });
  });

  it("that the queue gave up on is logged by its row, which stays", async () => {
    const here = bench();
    const message = await newWork(here);
    const { batch, delivered } = batchOf([message], 6);
    noteDead(here.services, batch);
    expect(delivered.acked).toEqual(["m0"]);
    expect(here.logged.join()).toContain(message.id);
    expect(await rowOf(message)).not.toBeNull();
  });
});

describe("the sweep", () => {
  const isSent = ({ services }: Bench, message: WorkMessage) =>
    services.sent.splice(0).filter(({ id }) => id === message.id).length;

  it("sends a new row whose own message was lost within a minute", async () => {
    const here = bench();
    const message = await newWork(here);
    here.clock.nowMs += 60_000;
    await sweep(here.services);
    expect(isSent(here, message)).toBe(1);
  });

  it("leaves a row alone whose next message the queue was asked for, and comes in when that is lost", async () => {
    const here = bench(failing);
    const message = await newWork(here);
    await deliver(here.services, [message]);
    here.clock.nowMs += 2_000;
    await sweep(here.services);
    expect(isSent(here, message)).toBe(0);
    here.clock.nowMs += 58_000;
    await sweep(here.services);
    expect(isSent(here, message)).toBe(1);
  });

  it("starts no storm over a row that keeps failing: few deliveries in an hour, one message at a time", async () => {
    const here = bench(failing);
    const live = [{ atMs: here.clock.nowMs, attempts: 1, message: await newWork(here) }];
    let deliveries = 0;
    const startMs = here.clock.nowMs;
    for (let minute = 0; minute < 60; minute += 1) {
      const untilMs = startMs + (minute + 1) * 60_000;
      for (;;) {
        live.sort((left, right) => left.atMs - right.atMs);
        const next = live[0];
        if (next === undefined || next.atMs >= untilMs) break;
        live.shift();
        here.clock.nowMs = Math.max(here.clock.nowMs, next.atMs);
        deliveries += 1;
        const [again] = (await deliver(here.services, [next.message], next.attempts)).retried;
        if (again !== undefined) {
          const atMs = here.clock.nowMs + again[1] * 1000;
          live.push({ atMs, attempts: next.attempts + 1, message: next.message });
        }
      }
      here.clock.nowMs = untilMs;
      await sweep(here.services);
      const orgs = here.services.sent.splice(0).filter(({ orgId }) => orgId === here.orgId);
      live.push(...orgs.map((message) => ({ atMs: here.clock.nowMs, attempts: 1, message })));
      expect(live.length).toBeLessThanOrEqual(1);
    }
    expect(deliveries).toBeGreaterThan(8);
    expect(deliveries).toBeLessThan(25);
  });

  it("takes 500 rows of all orgs at a time and asks for another turn while there are more", async () => {
    const here = bench();
    await env.DB.prepare(
      `INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms)
       SELECT 'many-' || value, 'org-' || (value % 7), 'aggregation', '["v"]', 0, 1
       FROM json_each(?)`,
    )
      .bind(JSON.stringify(Array.from({ length: 501 }, (_, position) => position)))
      .run();
    await sweep(here.services);
    const first = here.services.sent.splice(0);
    expect(first).toHaveLength(501);
    const again = first.at(-1);
    expect(again).toEqual({ orgId: "", id: "sweep" });
    expect((await deliver(here.services, [again])).acked).toEqual(["m0"]);
    const second = here.services.sent.splice(0).filter(({ id }) => id.startsWith("many-"));
    expect(second).toHaveLength(1);
    await env.DB.prepare("DELETE FROM outbox WHERE id LIKE 'many-%'").run();
  });

  it("goes on with its other chores when the queue takes nothing", async () => {
    const here = bench({ send: () => Promise.reject(new Error("queue down")) });
    const message = await newWork(here);
    await env.DB.prepare(
      `INSERT INTO idempotency_keys (org_id, principal_id, route, key, body_hash, state, expires_at_ms)
       VALUES ('sweep', 'p', '/', 'k', 'h', 'running', 1)`,
    ).run();
    here.clock.nowMs += 60_000;
    await sweep(here.services);
    const { results } = await env.DB.prepare("SELECT 1 FROM idempotency_keys WHERE org_id = 'sweep'").all();
    expect(results).toEqual([]);
    expect(here.logged.join()).toContain("sweep.fault");
    expect((await rowOf(message))?.due_at_ms).toBeGreaterThan(here.clock.nowMs);
  });
});

describe("work", () => {
  it("whose end was not stored is done again and ends", async () => {
    const here = bench();
    const message = await newWork(here);
    const db = here.services.database(here.orgId);
    const run = vi.spyOn(db, "run").mockRejectedValueOnce(new Error("database lost"));
    expect((await deliver(here.services, [message])).retried).toHaveLength(1);
    run.mockRestore();
    expect((await deliver(here.services, [message], 2)).acked).toEqual(["m0"]);
    expect(await findWork(db, message)).toBeNull();
  });

  it("of an org whose vectors are of another model starts its re-embedding", async () => {
    const here = bench();
    await env.DB.prepare(
      `INSERT INTO vectors (org_id, kind, entity_id, model, dimension, vector, scale, updated_at_ms)
       VALUES (?, 'user_playbook', 1, 'an-older-model', 1, x'01', 1.0, 1)`,
    )
      .bind(here.orgId)
      .run();
    await performWork(here.services, await newWork(here));
    await here.services.settled();
    const { results } = await env.DB.prepare("SELECT topic FROM outbox WHERE org_id = ?")
      .bind(here.orgId)
      .all();
    expect(results).toEqual([{ topic: "reembed" }]);
    const [sent] = here.services.sent;
    expect((await deliver(here.services, [sent])).acked).toEqual(["m0"]);
    await here.services.database(here.orgId).run(completeWork({ orgId: here.orgId, id: sent?.id ?? "" }));
  });
});
