/** What the page of learning reads: streams by what they wait for, and versions by what is left to merge. */
import { describe, expect, it } from "vitest";
import { listVersionOverviews } from "../../../src/aggregation/overview-store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { readLearningProgress } from "../../../src/learning/progress-store";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import type { Services } from "../../../src/services";
import { makeWorld, seedRules, twoAlike, type World } from "../aggregation/support";
import { chatter, consumeAll, consumeOnce, db, freshOrg, learningServices, say } from "../learning/support";

const POLICY = { windowSize: 10, strideSize: 8 };
const RULE = "RULE asked of the loom | oil the loom";

describe("the streams", () => {
  const progressOf = async (org: string, nowMs: number) =>
    readLearningProgress(db, org, Math.floor(nowMs / 1000) - 86_400, POLICY);
  const stateOf = async (org: string, nowMs: number) =>
    Object.fromEntries(
      (await progressOf(org, nowMs)).streams.map(({ state, streams, turns, waiting }) => [
        state,
        [streams, turns, waiting],
      ]),
    );

  it("gather turns, are queued, and are done", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await say(services, org, { turns: chatter(4), userId: "ada" });
    await say(services, org, { turns: chatter(10), userId: "ben" });
    await say(services, org, { turns: [RULE], userId: "cleo", force: true });
    expect(await stateOf(org, clock.nowMs())).toEqual({ filling: [1, 4, 4], queued: [2, 11, 11] });
    await consumeAll(services, org);
    expect(await stateOf(org, clock.nowMs())).toEqual({ filling: [1, 4, 4], done: [2, 11, 0] });
    await say(services, org, { turns: chatter(7, "sea"), userId: "ben" });
    expect(await stateOf(org, clock.nowMs())).toMatchObject({ filling: [2, 21, 11] });
    await say(services, org, { turns: chatter(1, "fish"), userId: "ben" });
    expect(await stateOf(org, clock.nowMs())).toMatchObject({ queued: [1, 18, 8] });
  });

  it("fail, with the reason, since when, and when they are tried again", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices({
      answers: {
        extract: () => {
          throw new ReasonerError("transient", "rate_limited", "slow down", 90_000);
        },
      },
    });
    await say(services, org, { turns: [RULE], force: true });
    await consumeOnce(services, org);
    expect(await stateOf(org, clock.nowMs())).toEqual({ failing: [1, 1, 1] });
    expect((await progressOf(org, clock.nowMs())).windows).toEqual([
      {
        state: "open",
        lastError: "rate_limited",
        windows: 1,
        oldestAt: Math.floor(clock.nowMs() / 1000),
        nextAttemptAtMs: clock.nowMs() + 90_000,
      },
    ]);
  });

  it("do not wait for turns that were deleted, are not to be learned from, or are older than a day", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await say(services, org, { turns: chatter(3), userId: "ada" });
    clock.advance(86_400_000 + 1_000);
    await say(services, org, { turns: chatter(5, "sea"), userId: "ben" });
    await db.run(
      sql`DELETE FROM interactions WHERE org_id = ${org} AND user_id = 'ben' AND content LIKE 'sea talk 1'`,
    );
    await say(services, org, { turns: chatter(2, "sky"), userId: "cleo" });
    await db.run(sql`UPDATE requests SET playbook_eligible = 0 WHERE org_id = ${org} AND user_id = 'cleo'`);
    await say(services, org, { turns: chatter(2, "hay"), userId: "dora" });
    await db.run(sql`INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id,
        created_at, state, touched) VALUES (${org}, 'rev', 'user', 'dora', '[]', '', 'p', 1, 'done', '{}')`);
    expect(await stateOf(org, clock.nowMs())).toEqual({ filling: [1, 5, 4] });
  });
});

describe("aggregation", () => {
  const overview = async (world: World) =>
    (await listVersionOverviews(world.db, world.orgId, { after: null, limit: 10 }))[0];

  it("tells what is new, who is at work, and what is left", async () => {
    let during: Awaited<ReturnType<typeof overview>> | undefined;
    const world = makeWorld();
    await seedRules(world, twoAlike);
    expect(await overview(world)).toMatchObject({
      isPending: true,
      isAtWork: false,
      untouched: 2,
      clusters: 0,
    });
    const services: Services = {
      ...world.services,
      reasoner: (orgId) => ({
        async run(task, input, signal) {
          during = await overview(world);
          return world.services.reasoner(orgId).run(task, input, signal);
        },
      }),
    };
    await runAggregationTurn(services, world.orgId, "v1");
    expect(during).toMatchObject({ isAtWork: true, untouched: 0 });
    expect(await overview(world)).toMatchObject({
      isPending: false,
      isAtWork: false,
      untouched: 0,
      fresh: 0,
      waiting: 0,
      clusters: 1,
      lastSuccessAt: Math.floor(world.clock.nowMs() / 1000),
      lastError: null,
    });
  });

  it("keeps a lone rule waiting for others", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike.slice(0, 1));
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await overview(world)).toMatchObject({ untouched: 0, fresh: 0, waiting: 1 });
  });
});
