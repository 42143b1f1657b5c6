/** Guards, sequences, leases and the outbox on the real database. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { Database, GuardFailed } from "../../../src/db/client";
import { claimLease, keepingLease, leaseGuard, releaseLease, renewLease } from "../../../src/db/leases";
import { completeWork, enqueue, findWork, takeDueWork } from "../../../src/db/outbox";
import { reserveIds } from "../../../src/db/sequences";
import { guard, inList, sql } from "../../../src/db/sql";

const db = new Database(env.DB);

describe("guarded batches", () => {
  it("roll back whole and name the guard that failed", async () => {
    const batch = db.batch([
      sql`INSERT INTO orgs (org_id, name, created_at) VALUES ('rolled-back', 'x', 1)`,
      guard("version", sql`1 = 2`),
    ]);
    await expect(batch).rejects.toEqual(new GuardFailed("version"));
    expect(await db.all(z.unknown(), sql`SELECT 1 FROM orgs WHERE org_id = 'rolled-back'`)).toEqual([]);
  });

  it("take a change count as their condition", async () => {
    await db.batch([
      sql`INSERT INTO orgs (org_id, name, created_at) VALUES ('counted', 'x', 1)`,
      guard("version", sql`changes() = 1`),
    ]);
    const missed = db.batch([
      sql`UPDATE orgs SET name = 'y' WHERE org_id = 'nobody'`,
      guard("version", sql`changes() = 1`),
    ]);
    await expect(missed).rejects.toThrow(GuardFailed);
  });

  it("bind any number of values as one parameter", async () => {
    const ids = Array.from({ length: 500 }, (_, position) => `org-${position}`);
    expect(await db.all(z.unknown(), sql`SELECT 1 FROM orgs WHERE ${inList("org_id", ids)}`)).toEqual([]);
  });
});

describe("sequences", () => {
  it("give consecutive blocks per org", async () => {
    expect(await reserveIds(db, "seq-a", "user_playbook", 3)).toBe(1);
    expect(await reserveIds(db, "seq-a", "user_playbook", 1)).toBe(4);
    expect(await reserveIds(db, "seq-b", "user_playbook", 1)).toBe(1);
  });

  it("never give one id twice to callers at once", async () => {
    const firsts = await Promise.all(
      Array.from({ length: 20 }, () => reserveIds(db, "seq-c", "user_playbook", 5)),
    );
    expect(new Set(firsts).size).toBe(20);
  });
});

describe("leases", () => {
  it("have one owner at a time and a fence that grows", async () => {
    const first = await claimLease(db, "lease-a", "k", "one", 60_000);
    expect(first?.fence).toBe(1);
    expect(await claimLease(db, "lease-a", "k", "two", 60_000)).toBeNull();
    if (first === null) throw new Error("no lease");
    await db.run(releaseLease(first));
    expect((await claimLease(db, "lease-a", "k", "two", 60_000))?.fence).toBe(2);
  });

  it("end the earlier claim of an owner that claims again", async () => {
    const first = await claimLease(db, "lease-c", "k", "one", 60_000);
    const again = await claimLease(db, "lease-c", "k", "one", 60_000);
    if (first === null || again === null) throw new Error("no lease");
    expect(again.fence).toBe(first.fence + 1);
    expect(await renewLease(db, first, 60_000)).toBe(false);
    await db.run(releaseLease(first));
    await expect(db.batch([leaseGuard(again)])).resolves.toBeDefined();
  });

  it("go to one of many that claim at once", async () => {
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, position) =>
        claimLease(db, "lease-d", "k", `owner-${position}`, 60_000),
      ),
    );
    expect(claims.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it("roll back what a former holder writes", async () => {
    const lost = await claimLease(db, "lease-b", "k", "one", -1);
    const taken = await claimLease(db, "lease-b", "k", "two", 60_000);
    if (lost === null || taken === null) throw new Error("no lease");
    await expect(db.batch([leaseGuard(lost)])).rejects.toEqual(new GuardFailed("lease"));
    await expect(db.batch([leaseGuard(taken)])).resolves.toBeDefined();
    expect(await renewLease(db, lost, 60_000)).toBe(false);
    expect(await renewLease(db, taken, 60_000)).toBe(true);
  });

  it("are renewed while a long call runs, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const lease = await claimLease(db, "lease-c", "k", "one", 60_000);
      if (lease === null) throw new Error("no lease");
      const expiry = async () =>
        (
          await db.first(
            z.object({ expires_at_ms: z.int() }),
            sql`SELECT expires_at_ms FROM leases WHERE org_id = 'lease-c'`,
          )
        )?.expires_at_ms ?? 0;
      await keepingLease(db, lease, 60_000, async () => {
        await db.run(sql`UPDATE leases SET expires_at_ms = expires_at_ms - 50000 WHERE org_id = 'lease-c'`);
        const before = await expiry();
        await vi.advanceTimersByTimeAsync(20_000);
        await vi.waitFor(async () => expect(await expiry()).toBeGreaterThan(before + 40_000), {
          interval: 0,
        });
      });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the outbox", () => {
  it("keeps one row per cause and gives it up when it is done", async () => {
    const work = { orgId: "out-a", topic: "extraction" as const, key: ["u"], cause: "r1", nowMs: 0 };
    const { message, statement } = await enqueue(work);
    await db.batch([statement, (await enqueue(work)).statement]);
    expect(await findWork(db, message)).toMatchObject({ topic: "extraction", key: ["u"], attempts: 0 });
    await db.run(completeWork({ orgId: "out-a", id: message.id }));
    expect(await findWork(db, message)).toBeNull();
  });

  it("is not read across orgs", async () => {
    const { message, statement } = await enqueue({
      orgId: "out-b",
      topic: "vector",
      key: ["user_playbook", 1],
      cause: "c",
      nowMs: 0,
    });
    await db.batch([statement]);
    expect(await findWork(db, { ...message, orgId: "out-x" })).toBeNull();
  });

  it("is re-sent when due, later each time, at most ten minutes apart", async () => {
    const { message, statement } = await enqueue({
      orgId: "out-c",
      topic: "extraction",
      key: ["u"],
      cause: "r",
      nowMs: 1_000_000,
    });
    await db.batch([statement]);
    const taken = async (nowMs: number) =>
      (await takeDueWork(db, nowMs, 500)).some(({ id }) => id === message.id);
    expect(await taken(1_029_999)).toBe(false);
    let nowMs = 1_030_000;
    for (const waitMs of [60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
      expect(await taken(nowMs)).toBe(true);
      expect(await taken(nowMs + waitMs - 1)).toBe(false);
      nowMs += waitMs;
    }
  });
});
