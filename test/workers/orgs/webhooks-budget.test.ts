/** A spent day is announced once, in the batch of the count that reached it. */
import { describe, expect, it } from "vitest";
import { type Statement, sql } from "../../../src/db/sql";
import { metered } from "../../../src/orgs/usage";
import { type Reasoner, ReasonerError } from "../../../src/platform/reasoner/port";
import { sweep } from "../../../src/work";
import { consumeOnce, freshOrg, learningServices, say, standingClock } from "../learning/support";
import {
  announced,
  db,
  expectWork,
  listen,
  START_MS,
  told,
  WatchedDatabase,
  webhookWork,
} from "./webhooks-support";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe("budget.reached", () => {
  const spending = (tokens: number): Reasoner => ({
    async run() {
      // The meter hands the answer through and reads its bill alone.
      return {
        output: {} as never,
        rawText: "",
        model: "m",
        provider: "p",
        inputTokens: tokens,
        outputTokens: 0,
      };
    },
  });

  function meter(org: string, tokens: number, database = db) {
    const clock = standingClock(START_MS);
    const sent: unknown[] = [];
    const context = {
      db: database,
      orgId: org,
      clock,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      send: async (messages: readonly unknown[]) => void sent.push(...messages),
      dailyTokenCap: 100,
      isFree: false,
    };
    const run = () =>
      metered(spending(tokens), context)
        .run("shouldExtract", {} as never)
        .then(
          () => "answered",
          (error: unknown) => (error instanceof ReasonerError ? error.code : "fault"),
        );
    return { clock, run, sent, context };
  }

  it("is told in the batch of the count that reaches the cap, and once a day however often it refuses", async () => {
    const org = freshOrg();
    await listen(org);
    const watched = new WatchedDatabase();
    const { run, sent, clock } = meter(org, 60, watched);
    expect(await run()).toBe("answered");
    await expectWork(org, 0);
    expect(await run()).toBe("answered");
    expect(await told(org)).toEqual([
      { type: "budget.reached", data: { day: "2030-01-01", tokens: 120, cap: 100 } },
    ]);
    expect(watched.announcing[0]?.texts[0]).toContain("INTO usage_days");
    expect(sent).toEqual(await webhookWork(org));
    for (let times = 0; times < 3; times += 1) expect(await run()).toBe("daily_cap");
    await expectWork(org, 1);
    expect(sent).toHaveLength(1);
    clock.advance(DAY_MS);
    for (let times = 0; times < 3; times += 1) await run();
    expect((await told(org)).at(-1)?.data).toEqual({ day: "2030-01-02", tokens: 120, cap: 100 });
    await expectWork(org, 2);
  });

  it("is told by the refusal where the day was spent before anybody listened", async () => {
    const org = freshOrg();
    const { run, sent } = meter(org, 100);
    await run();
    await listen(org);
    expect(await run()).toBe("daily_cap");
    expect(await told(org)).toMatchObject([{ data: { tokens: 100 } }]);
    expect(sent).toHaveLength(2);
  });

  it("writes nothing for an org without a webhook, and a fault in telling it changes no refusal", async () => {
    const org = freshOrg();
    const watched = new WatchedDatabase();
    const { run } = meter(org, 100, watched);
    await run();
    expect(await run()).toBe("daily_cap");
    expect(watched.announcing.map(announced)).toEqual([0, 0]);
    class Broken extends WatchedDatabase {
      override batch(statements: readonly Statement[]) {
        const announces = statements.some(({ text }) => text.includes("INTO webhook_messages"));
        return announces ? Promise.reject(new Error("away")) : super.batch(statements);
      }
    }
    expect(await meter(org, 1, new Broken()).run()).toBe("daily_cap");
  });

  it("stops a stream that is learned from, and is no stall", async () => {
    const org = freshOrg();
    await listen(org);
    const { run, context } = meter(org, 100);
    await run();
    const { services, clock } = learningServices({
      clock: context.clock,
      reasoner: () => metered(spending(1), context),
    });
    await say(services, org, { turns: ["RULE a | b"], force: true });
    expect(await consumeOnce(services, org)).toEqual([{ retryInMs: 12 * HOUR_MS }]);
    clock.advance(HOUR_MS);
    await db.run(sql`UPDATE outbox SET due_at_ms = 0 WHERE org_id = ${org} AND topic = 'extraction'`);
    await sweep(services);
    expect((await told(org)).map(({ type }) => type)).toEqual(["budget.reached"]);
  });
});
