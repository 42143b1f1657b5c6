/** Operations of generation: progress, failing users, cancelling, and giving up what stands still. */
import { describe, expect, it } from "vitest";
import { sql } from "../../../src/db/sql";
import { startGeneration } from "../../../src/learning/modes/start";
import { cancelGenerations, reportGeneration } from "../../../src/learning/modes/status";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import {
  asked,
  deliver,
  deliverAll,
  operationOf,
  rulesIn,
  scopeOf,
  tell,
  unitsOf,
  waitingWork,
} from "./modes-support";
import { countOf, freshOrg, learningServices, scriptedReasoner } from "./support";

const rule = (about: string): string => `RULE caring for ${about} | tend ${about} every single morning`;
const BOTH = ["playbook_generation", "profile_generation"] as const;

const report = (services: Parameters<typeof scopeOf>[0], org: string) =>
  reportGeneration(scopeOf(services, org), "playbook_generation");

/** Reads rules, and fails with what a test says where a turn holds a word. */
function failingFor(word: string, fault: () => Error) {
  const inner = scriptedReasoner();
  return {
    calls: inner.calls,
    run: ((task, input, signal) => {
      if (task === "extract" && JSON.stringify(input).includes(word)) throw fault();
      return inner.run(task, input, signal);
    }) satisfies ReturnType<typeof scriptedReasoner>["run"],
  };
}

async function threeUsers(services: Parameters<typeof scopeOf>[0], org: string): Promise<void> {
  for (const [userId, about] of [
    ["ada", "ferns"],
    ["bob", "poison"],
    ["cleo", "moss"],
  ] as const) {
    await tell(services, org, { userId, turns: [rule(about)] });
  }
}

describe("a user who fails", () => {
  it("is recorded with a content-free code, and the batch goes on", async () => {
    const org = freshOrg();
    const reasoner = failingFor(
      "poison",
      () => new ReasonerError("unusable", "truncated_json", "bob said poison"),
    );
    const { services } = learningServices({ reasoner: () => reasoner });
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    const told = await report(services, org);
    expect(told).toMatchObject({
      operation: { status: "completed", totalUsers: 3, processedUsers: 2, failedUsers: 1 },
      percent: 100,
      processedUserIds: ["ada", "cleo"],
      failedUsers: [{ userId: "bob", error: "truncated_json" }],
    });
    expect((await rulesIn(org)).map(({ user }) => user)).toEqual(["ada", "cleo"]);
    // What the window quotes is gone with it.
    expect(
      await countOf(
        sql`SELECT count(*) AS n FROM windows WHERE org_id = ${org} AND state = 'dead' AND outcome IS NULL`,
      ),
    ).toBe(1);
  });

  it("for a passing reason is tried again, six times in all", async () => {
    const org = freshOrg();
    let isDown = true;
    const reasoner = failingFor("poison", () => new ReasonerError("transient", "overloaded", "busy"));
    const healthy = scriptedReasoner();
    const { services } = learningServices({
      reasoner: () => ({ run: (...call) => (isDown ? reasoner : healthy).run(...call) }),
    });
    await tell(services, org, { userId: "bob", turns: [rule("poison")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    expect((await deliverAll(services, org)).every((ms) => ms > 0)).toBe(true);
    expect(await unitsOf(org)).toEqual([{ user: "bob", state: "waiting", attempts: 1, error: "overloaded" }]);
    isDown = false;
    await deliverAll(services, org);
    expect(await unitsOf(org)).toMatchObject([{ state: "done", attempts: 1 }]);

    isDown = true;
    await startGeneration(scopeOf(services, org), "rerun", asked());
    for (let round = 0; round < 6; round += 1) await deliverAll(services, org);
    expect(await unitsOf(org)).toMatchObject([{ state: "failed", attempts: 6, error: "overloaded" }]);
    expect(await operationOf(org)).toMatchObject({ status: "completed", failed_users: 1 });
  });

  it("of a fault that nobody foresaw is given up as well, and nobody else is", async () => {
    const org = freshOrg();
    const reasoner = failingFor("poison", () => new TypeError("bob said poison"));
    const { services } = learningServices({ reasoner: () => reasoner });
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "manual", asked());
    for (let round = 0; round < 8; round += 1) await deliverAll(services, org);
    expect((await report(services, org))?.failedUsers).toEqual([
      { userId: "bob", error: "execution_failed" },
    ]);
    expect(await operationOf(org)).toMatchObject({ status: "completed", processed_users: 2 });
  });

  it("because the org has spent its day ends the whole operation", async () => {
    const org = freshOrg();
    const reasoner = failingFor("caring", () => new ReasonerError("refused", "daily_cap", "spent"));
    const { services } = learningServices({ reasoner: () => reasoner });
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect(await operationOf(org)).toMatchObject({
      status: "failed",
      error_message: "daily_cap: the org has spent its model calls of the day",
    });
    expect(
      await countOf(
        sql`SELECT count(*) AS n FROM windows WHERE org_id = ${org} AND state IN ('open', 'computed')`,
      ),
    ).toBe(0);
  });
});

describe("cancelling", () => {
  it("trap 35: lets the user in flight finish and nobody else begin, whatever progress is written meanwhile", async () => {
    const org = freshOrg();
    const inner = scriptedReasoner();
    const outer = learningServices({
      reasoner: () => ({
        async run(task, input, signal) {
          if (task === "extract") {
            expect(await cancelGenerations(scopeOf(outer.services, org), BOTH)).toEqual([
              "playbook_generation",
            ]);
            // In flight: still counted as in progress.
            expect(await operationOf(org)).toMatchObject({ status: "in_progress", processed_users: 0 });
          }
          return inner.run(task, input, signal);
        },
      }),
    });
    const { services } = outer;
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    const states = (await unitsOf(org)).map(({ state }) => state).sort();
    expect(states).toEqual(["cancelled", "cancelled", "done"]);
    const told = await report(services, org);
    expect(told).toMatchObject({ operation: { status: "cancelled", processedUsers: 1, totalUsers: 3 } });
    expect(told?.percent).toBeCloseTo(100 / 3);
    expect(await rulesIn(org)).toHaveLength(1);
    expect(inner.calls.filter((task) => task === "extract")).toHaveLength(1);
  });

  it("before anybody began ends it at once; a new one begins with a clear flag", async () => {
    const org = freshOrg();
    const { services, reasoner } = learningServices();
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    expect(await cancelGenerations(scopeOf(services, org), ["playbook_generation"])).toEqual([
      "playbook_generation",
    ]);
    expect(await operationOf(org)).toMatchObject({ status: "cancelled" });
    await deliverAll(services, org);
    expect(reasoner.calls).toEqual([]);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    expect(await operationOf(org)).toMatchObject({ status: "completed", processed_users: 3 });
  });

  it("of a user who rests between two tries takes that user out", async () => {
    const org = freshOrg();
    const reasoner = failingFor("poison", () => new ReasonerError("transient", "overloaded", "busy"));
    const { services } = learningServices({ reasoner: () => reasoner });
    await tell(services, org, { userId: "bob", turns: [rule("poison")] });
    await startGeneration(scopeOf(services, org), "rerun", asked());
    await deliverAll(services, org);
    await cancelGenerations(scopeOf(services, org), BOTH);
    expect(await unitsOf(org)).toMatchObject([{ state: "cancelled" }]);
    expect(await operationOf(org)).toMatchObject({ status: "cancelled" });
    expect(await deliverAll(services, org)).toEqual([]);
    expect(
      await countOf(sql`SELECT count(*) AS n FROM windows WHERE org_id = ${org} AND state = 'open'`),
    ).toBe(0);
  });

  it("where nothing runs, or of profiles, cancels nothing", async () => {
    const org = freshOrg();
    const { services } = learningServices();
    expect(await cancelGenerations(scopeOf(services, org), BOTH)).toEqual([]);
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    expect(await cancelGenerations(scopeOf(services, org), ["profile_generation"])).toEqual([]);
    await deliverAll(services, org);
    expect(await cancelGenerations(scopeOf(services, org), BOTH)).toEqual([]);
    expect(await operationOf(org)).toMatchObject({ status: "completed" });
  });
});

describe("an operation that stands still", () => {
  it("trap 36: for more than 600 seconds is given up when it is polled, and what comes late changes nothing", async () => {
    const org = freshOrg();
    const { services, clock, reasoner } = learningServices();
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    clock.advance(600_000);
    expect((await report(services, org))?.operation.status).toBe("in_progress");
    clock.advance(1);
    expect((await report(services, org))?.operation).toMatchObject({
      status: "failed",
      errorMessage: "auto-recovered: no progress for 600 seconds",
    });
    await deliverAll(services, org);
    expect(reasoner.calls).toEqual([]);
    expect(await rulesIn(org)).toEqual([]);
  });

  it("trap 36: is given up when another is started, which then runs", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "rerun", asked());
    clock.advance(600_001);
    expect(await startGeneration(scopeOf(services, org), "rerun", asked())).toMatchObject({ users: 3 });
    await deliverAll(services, org);
    expect(await operationOf(org)).toMatchObject({ status: "completed", processed_users: 3 });
    expect(await rulesIn(org)).toHaveLength(3);
  });

  it("is none while its users go on one by one", async () => {
    const org = freshOrg();
    const { services, clock } = learningServices();
    await threeUsers(services, org);
    await startGeneration(scopeOf(services, org), "manual", asked());
    for (let round = 0; round < 10; round += 1) {
      const [work] = await waitingWork(org);
      if (work === undefined) break;
      await deliver(services, work);
      clock.advance(500_000);
    }
    expect(await operationOf(org)).toMatchObject({ status: "completed", processed_users: 3 });
  });

  it("given up while a model reads applies nothing any more", async () => {
    const org = freshOrg();
    const inner = scriptedReasoner();
    const outer = learningServices({
      reasoner: () => ({
        async run(task, input, signal) {
          if (task === "extract") {
            outer.clock.advance(600_001);
            await report(outer.services, org);
          }
          return inner.run(task, input, signal);
        },
      }),
    });
    await tell(outer.services, org, { turns: [rule("ferns")] });
    await startGeneration(scopeOf(outer.services, org), "manual", asked());
    await deliverAll(outer.services, org);
    expect(await operationOf(org)).toMatchObject({ status: "failed" });
    expect(await rulesIn(org)).toEqual([]);
  });
});
