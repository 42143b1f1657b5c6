/** Stalled learning is announced once an hour while it lasts, and only when it is really stalled. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { enqueue } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import { performWork, sweep } from "../../../src/work";
import { freshOrg, learningServices, say } from "../learning/support";
import { countOf, db, listen, receiver, told, WatchedDatabase, webhookWork } from "./webhooks-support";

const HOUR_MS = 3_600_000;

describe("learning.stalled", () => {
  const outage = {
    extract: () => {
      throw new ReasonerError("transient", "overloaded", "");
    },
  };
  const stalls = async (org: string) =>
    (await told(org)).filter(({ type }) => type === "learning.stalled").map(({ data }) => data);

  /** Minutes as they pass: the sweep, and the work it sends. */
  async function pass(
    orgId: string,
    services: ReturnType<typeof learningServices>["services"],
    clock: { advance(ms: number): void },
    minutes: number,
  ): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(60_000);
      await sweep(services);
      for (const message of services.sent.splice(0)) {
        if (message.orgId === orgId) await performWork(services, message);
      }
    }
  }

  it("is told of streams that fail for a quarter of an hour, once an hour while it lasts, and then no more", async () => {
    const org = freshOrg();
    await listen(org, ["learning.stalled"]);
    const { services, clock } = learningServices({ answers: outage, webhookEgress: receiver().egress });
    for (const userId of ["ada", "ben"]) {
      await say(services, org, { turns: ["RULE a | b"], force: true, userId });
    }
    services.sent.length = 0;
    await pass(org, services, clock, 15);
    expect(await stalls(org)).toEqual([]);
    await pass(org, services, clock, 10);
    expect(await stalls(org)).toMatchObject([{ last_error: "overloaded" }]);
    const [first] = z.array(z.object({ streams: z.int(), oldest_seconds: z.int() })).parse(await stalls(org));
    expect(first?.oldest_seconds).toBeGreaterThanOrEqual(900);
    expect(first?.oldest_seconds).toBeLessThanOrEqual(1500);
    await pass(org, services, clock, 30);
    expect(await stalls(org)).toHaveLength(1);
    await pass(org, services, clock, 20);
    expect(await stalls(org)).toHaveLength(2);

    const healthy = learningServices({ clock, webhookEgress: receiver().egress });
    await pass(org, healthy.services, clock, 10);
    await db.run(sql`DELETE FROM webhook_messages WHERE org_id = ${org}`);
    await pass(org, healthy.services, clock, 70);
    expect(await stalls(org)).toEqual([]);
  });

  const waiting = async (
    org: string,
    { services, clock }: ReturnType<typeof learningServices>,
    userId: string,
  ) => {
    const work = await enqueue({
      orgId: org,
      topic: "extraction",
      key: [userId],
      cause: "c",
      nowMs: clock.nowMs(),
    });
    await db.run(work.statement);
    return services;
  };

  it("is told where nobody ever comes to the work, with no error to name", async () => {
    const org = freshOrg();
    await listen(org);
    const bench = learningServices();
    for (const userId of ["ada", "ben", "cleo"]) await waiting(org, bench, userId);
    const { services, clock } = bench;
    clock.advance(15 * 60_000 - 1);
    await sweep(services);
    expect(await stalls(org)).toEqual([]);
    await db.run(sql`UPDATE outbox SET due_at_ms = 0 WHERE org_id = ${org}`);
    clock.advance(1);
    await sweep(services);
    expect(await stalls(org)).toEqual([{ streams: 3, oldest_seconds: 900, last_error: null }]);
    expect(services.sent).toEqual(expect.arrayContaining((await webhookWork(org)).slice(-1)));
  });

  it.each([
    ["has finished a window meanwhile", { last_turn_ms: 1, last_error: null }],
    ["rests over its budget until tomorrow", { last_turn_ms: 0, last_error: "daily_cap" }],
  ])("is not told of a stream that %s", async (_, cursor) => {
    const org = freshOrg();
    await listen(org);
    const bench = learningServices();
    await waiting(org, bench, "ada");
    bench.clock.advance(HOUR_MS);
    const lastTurnMs = cursor.last_turn_ms === 0 ? 0 : bench.clock.nowMs() - 60_000;
    await db.run(sql`INSERT INTO cursors (org_id, user_id, kind, completed_seq, started, window_id, attempts,
        retry_at_ms, last_error, last_turn_ms)
      VALUES (${org}, 'ada', 'playbook', 1, 1, 'w', 5, 0, ${cursor.last_error}, ${lastTurnMs})`);
    await sweep(bench.services);
    expect(await stalls(org)).toEqual([]);
    await db.run(sql`UPDATE outbox SET due_at_ms = 0 WHERE org_id = ${org}`);
    await db.run(sql`UPDATE cursors SET last_turn_ms = 0, last_error = 'timeout' WHERE org_id = ${org}`);
    await sweep(bench.services);
    expect(await stalls(org)).toEqual([{ streams: 1, oldest_seconds: 3600, last_error: "timeout" }]);
  });

  it("counts from midnight on after a day that ended over its budget", async () => {
    const org = freshOrg();
    await listen(org);
    const bench = learningServices();
    const { services, clock } = bench;
    await waiting(org, bench, "ada");
    const cap = services.settings.DAILY_TOKEN_CAP;
    await db.run(sql`INSERT INTO usage_days (org_id, day, task, provider, model, calls, input_tokens, output_tokens)
      VALUES (${org}, '2030-01-01', 't', 'p', 'm', 1, ${cap}, 0)`);
    const look = async () => {
      await db.run(sql`UPDATE outbox SET due_at_ms = 0 WHERE org_id = ${org}`);
      await sweep(services);
      return stalls(org);
    };
    clock.advance(12 * HOUR_MS + 14 * 60_000);
    expect(await look()).toEqual([]);
    clock.advance(60_000);
    expect(await look()).toEqual([{ streams: 1, oldest_seconds: 900, last_error: null }]);
  });

  it("is looked for among the rows that are due, by their index, and writes nothing where nobody listens", async () => {
    const org = freshOrg();
    const watched = new WatchedDatabase();
    const bench = learningServices({ database: () => watched });
    await waiting(org, bench, "ada");
    bench.clock.advance(HOUR_MS);
    await sweep(bench.services);
    expect(watched.announcing).toEqual([]);
    await listen(org);
    await db.run(sql`UPDATE outbox SET due_at_ms = 0 WHERE org_id = ${org}`);
    const statements: Statement[] = [];
    class Recording extends Database {
      override batch(all: readonly Statement[]) {
        statements.push(...all);
        return super.batch(all);
      }
    }
    const recording = new Recording(env.DB);
    await sweep({ ...bench.services, database: () => recording });
    const finder = statements.find(({ text }) => text.includes("is_resting"));
    if (finder === undefined) throw new Error("the sweep looks for stalls");
    const plan = await db.all(z.object({ detail: z.string() }), sql`EXPLAIN QUERY PLAN ${finder}`);
    const details = plan.map(({ detail }) => detail).join("\n");
    expect(details).toContain("outbox USING INDEX outbox_due");
    expect(details).not.toMatch(/SCAN (outbox|cursors|webhook_endpoints|c|e)\b/);
    expect(await countOf(sql`SELECT count(*) AS n FROM webhook_messages WHERE org_id = ${org}`)).toBe(1);
  });
});
