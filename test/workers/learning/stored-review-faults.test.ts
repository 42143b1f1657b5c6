/** Reviews under faults: of the model, of the database, and of the process that goes through a run. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type BatchResult, Database } from "../../../src/db/client";
import { claimLease } from "../../../src/db/leases";
import { completeWork } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { runStoredReview } from "../../../src/learning/stored-review/run";
import { findRun, recentRuns } from "../../../src/learning/stored-review/run-store";
import { beginReview } from "../../../src/learning/stored-review/start";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import { countedPorts, InjectedFault } from "../../support/ports";
import { scopeOf } from "./modes-support";
import {
  accepted,
  allOf,
  begin,
  byBeginning,
  deliverReview,
  outcomeOf,
  RULES,
  reviewWork,
  rowsOf,
  type StoredInput,
  type StoredOutput,
  teach,
} from "./stored-review-support";
import { countOf, db, freshOrg, learningServices, rulesOf, scriptedReasoner } from "./support";
import { tokenVector } from "./token-vector";

const reviewed = (reviewStored: (input: StoredInput) => StoredOutput | Promise<StoredOutput> = byBeginning) =>
  learningServices({ answers: { reviewStored } });

const expireLeases = (org: string) => db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${org}`);

describe("a model that fails", () => {
  it("for a while puts the run off; what was decided is not decided again", async () => {
    const org = freshOrg();
    let calls = 0;
    const { services } = reviewed((input) => {
      calls += 1;
      if (calls === 2 || calls === 3) throw new ReasonerError("transient", "rate_limited", "slow down");
      return byBeginning(input);
    });
    await teach(services, org);
    const runId = await begin(services, org);
    expect(await deliverReview(services, org)).toBe(1_000);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "running", position: 1, attempts: 1 });
    expect(await deliverReview(services, org)).toBe(2_000);
    expect(await deliverReview(services, org)).toBeNull();
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "done", position: 3, attempts: 0 });
    expect(calls).toBe(5);
  });

  it("for good stops the run with a closed code; another can begin then", async () => {
    const org = freshOrg();
    const { services } = reviewed(() => {
      throw new ReasonerError("transient", "timeout", "a secret of the provider");
    });
    await teach(services, org, [RULES.kept]);
    const runId = await begin(services, org);
    for (let tries = 0; tries < 5; tries += 1) expect(await deliverReview(services, org)).not.toBeNull();
    expect(await deliverReview(services, org)).toBeNull();
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "failed", error: "model_unavailable" });
    expect(await rowsOf(org, ["review_runs", "review_items"])).not.toContain("secret");
    expect(await beginReview(scopeOf(services, org), allOf(services))).toMatchObject({
      run: { state: "running" },
    });
  });

  it("because the org's day is spent leaves the run waiting for tomorrow", async () => {
    const org = freshOrg();
    const { services } = reviewed(() => {
      throw new ReasonerError("transient", "daily_cap", "spent", 3_600_000);
    });
    await teach(services, org, [RULES.kept]);
    const runId = await begin(services, org);
    for (let tries = 0; tries < 8; tries += 1) expect(await deliverReview(services, org)).toBe(3_600_000);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "running", attempts: 0 });
  });

  it("by breaking its contract has one repair; then the run stops and the rule stays as it was", async () => {
    const org = freshOrg();
    const { services, reasoner } = reviewed((input) => ({
      ...accepted(input),
      decision: "revise",
      reason_code: "not_agent_decision",
      revision: { trigger: "t", content: "c", rationale: "r" },
    }));
    const [id] = await teach(services, org, [RULES.kept]);
    const before = await rowsOf(org, ["user_playbooks"]);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    expect(reasoner.calls.filter((task) => task === "reviewStored")).toHaveLength(2);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "failed", error: "review_invalid" });
    expect(await rowsOf(org, ["user_playbooks"])).toBe(before);
    expect(id).toBeGreaterThan(0);
  });

  it("to name a reason has the usual one", async () => {
    const org = freshOrg();
    const { services } = reviewed((input) => ({ ...byBeginning(input), reason_code: "" }));
    await teach(services, org);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    const { items } = await outcomeOf(org, runId);
    expect(items.map(({ decision, reasonCode }) => [decision, reasonCode])).toEqual([
      ["reject", "unsupported_evidence"],
      ["edit", "grounded_useful"],
      ["accept", "grounded_useful"],
    ]);
  });
});

/** Does something once, right before the batch that applies a decision. */
function beforeApplying(disturb: () => Promise<unknown>) {
  let disturbed = false;
  return class extends Database {
    constructor() {
      super(env.DB);
    }
    override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
      if (!disturbed && statements.some(({ text }) => text.includes("position = position + 1"))) {
        disturbed = true;
        await disturb();
      }
      return super.batch(statements);
    }
  };
}

const disturbedServices = (disturb: () => Promise<unknown>) => {
  const Disturbed = beforeApplying(disturb);
  return learningServices({ answers: { reviewStored: byBeginning }, database: () => new Disturbed() });
};

describe("a rule that changes between its judgement and what follows from it", () => {
  it.each(["kept", "cut", "dropped"] as const)(
    "stops the run where it is no longer current: %s",
    async (which) => {
      const org = freshOrg();
      const { services } = disturbedServices(() =>
        db.run(sql`UPDATE user_playbooks SET status = 'merged', updated_at_ms = updated_at_ms + 1
        WHERE org_id = ${org}`),
      );
      await teach(services, org, [RULES[which]]);
      const runId = await begin(services, org);
      await deliverReview(services, org);
      expect((await outcomeOf(org, runId)).run).toMatchObject({
        state: "failed",
        error: "not_current",
        position: 0,
      });
      expect((await rulesOf(org)).map(({ status }) => status)).toEqual(["merged"]);
    },
  );

  it.each(["kept", "cut", "dropped"] as const)("is judged anew where it was rewritten: %s", async (which) => {
    const org = freshOrg();
    const { services, reasoner } = disturbedServices(() =>
      db.run(sql`UPDATE user_playbooks SET content = 'seal with string', updated_at_ms = updated_at_ms + 1
        WHERE org_id = ${org}`),
    );
    await teach(services, org, [RULES[which]]);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    expect(reasoner.calls.filter((task) => task === "reviewStored")).toHaveLength(2);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "done", accepted: 1 });
    expect((await rulesOf(org)).map(({ content, status }) => [content, status])).toEqual([
      ["seal with string", null],
    ]);
  });
});

it("a crash after a judgement was stored does not call the model again (trap 13)", async () => {
  const org = freshOrg();
  const dying = disturbedServices(async () => {
    throw new InjectedFault("before applying");
  });
  await teach(dying.services, org, [RULES.cut]);
  const runId = await begin(dying.services, org);
  await deliverReview(dying.services, org);
  expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "running", position: 0 });
  const { services } = reviewed(() => {
    throw new Error("the model was called again");
  });
  expect(await deliverReview(services, org)).toBeNull();
  expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "done", edited: 1 });
});

describe("a run", () => {
  it("that somebody else works on is left to them", async () => {
    const org = freshOrg();
    const { services, reasoner } = reviewed();
    await teach(services, org);
    const runId = await begin(services, org);
    await claimLease(db, org, `review:${runId}`, "somebody", 60_000);
    expect(await deliverReview(services, org)).toBeGreaterThan(0);
    expect(reasoner.calls).not.toContain("reviewStored");
  });

  it("whose lease was lost in a call writes nothing", async () => {
    const org = freshOrg();
    const { services } = reviewed(async (input) => {
      await db.run(sql`UPDATE leases SET owner = 'somebody', fence = fence + 1 WHERE org_id = ${org}`);
      return byBeginning(input);
    });
    await teach(services, org);
    const runId = await begin(services, org);
    const before = await rowsOf(org, ["user_playbooks", "review_items", "lineage"]);
    expect(await deliverReview(services, org)).toBeGreaterThan(0);
    expect(await rowsOf(org, ["user_playbooks", "review_items", "lineage"])).toBe(before);
    expect((await outcomeOf(org, runId)).run).toMatchObject({ state: "running", position: 0 });
  });

  it("forgets a judgement that waits when its rule is rewritten, retired or deleted", async () => {
    for (const change of [
      sql`UPDATE user_playbooks SET content = '' WHERE org_id = `,
      sql`UPDATE user_playbooks SET status = 'archived' WHERE org_id = `,
      sql`DELETE FROM user_playbooks WHERE org_id = `,
    ]) {
      const org = freshOrg();
      const { services } = reviewed();
      await teach(services, org, [RULES.cut]);
      await begin(services, org);
      class Dying extends Database {
        override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
          if (statements.some(({ text }) => text.includes("INTO user_playbooks")))
            throw new InjectedFault("died");
          return super.batch(statements);
        }
      }
      const dying = learningServices({
        answers: { reviewStored: byBeginning },
        database: () => new Dying(env.DB),
      });
      await deliverReview(dying.services, org);
      const waiting = () =>
        countOf(sql`SELECT count(*) AS n FROM review_items WHERE org_id = ${org} AND outcome LIKE '%wax%'`);
      expect(await waiting()).toBe(1);
      await db.run(sql`${change}${org}`);
      expect(await waiting()).toBe(0);
    }
  });

  it("does not keep a judgement of a rule whose user began to be erased while it was made", async () => {
    const org = freshOrg();
    const { services } = reviewed(async (input) => {
      await db.run(sql`INSERT INTO erasures (org_id, user_id, erasure_id, principal_id, counts, begun_at)
        VALUES (${org}, 'ada', 'e', 'p', '{}', 1)`);
      return byBeginning(input);
    });
    await teach(services, org, [RULES.cut]);
    const runId = await begin(services, org);
    await deliverReview(services, org);
    expect(
      await countOf(
        sql`SELECT count(*) AS n FROM review_items WHERE org_id = ${org} AND outcome IS NOT NULL`,
      ),
    ).toBe(0);
    expect((await outcomeOf(org, runId)).run).toMatchObject({
      state: "failed",
      error: "not_current",
      edited: 0,
    });
  });
});

/** The state of an org that matters, without generated ids and times. */
async function stateOf(org: string, runId: string) {
  const { run, items } = await outcomeOf(org, runId);
  const rules = await rulesOf(org);
  const counted = async (table: Statement) => {
    const [result] = await db.batch([
      sql`SELECT ${table} AS name, count(*) AS n FROM lineage WHERE org_id = ${org} GROUP BY 1 ORDER BY 1`,
    ]);
    return result?.rows;
  };
  return {
    run: { state: run.state, accepted: run.accepted, edited: run.edited, rejected: run.rejected },
    items: items.map(({ decision, reasonCode, outcome }) => [decision, reasonCode, outcome]),
    rules: rules.map(({ content, status, superseded_by }) => ({
      content,
      status,
      by: rules.find(({ id }) => id === superseded_by)?.content ?? null,
    })),
    lineage: await counted({ text: "op || ':' || coalesce(to_status, '')", params: [] }),
    vectors: await countOf(sql`SELECT count(*) AS n FROM vectors WHERE org_id = ${org}`),
    work: await countOf(
      sql`SELECT count(*) AS n FROM outbox WHERE org_id = ${org} AND topic = 'aggregation'`,
    ),
  };
}

describe("every call of a port fails once", () => {
  it("before or after its effect: each rule is decided once, and no stored judgement is paid for twice", async () => {
    const story = async (fault: { call: number; when: "before" | "after" } | null) => {
      const org = freshOrg();
      const taught = reviewed();
      await teach(taught.services, org);
      const scripted = scriptedReasoner({ reviewStored: byBeginning });
      const ports = countedPorts(fault, {
        clock: taught.clock,
        embedder: tokenVector,
        reasoner: () => scripted,
      });
      const { services } = ports;
      const scope = { ...scopeOf(services, org), db: services.database(org) };
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          await beginReview(scope, allOf(services));
          break;
        } catch (error) {
          if (!(error instanceof InjectedFault)) throw error;
        }
      }
      const runs = await recentRuns(db, org, 10);
      expect(runs).toHaveLength(1);
      for (let round = 0; round < 12; round += 1) {
        const [work] = await reviewWork(org);
        if (work === undefined) break;
        try {
          if ((await runStoredReview(services, work)) === "done") await db.run(completeWork(work));
        } catch (error) {
          if (!(error instanceof InjectedFault)) throw error;
        }
        await expireLeases(org);
      }
      const runId = runs[0]?.runId ?? "";
      expect((await findRun(db, org, runId))?.state).toBe("done");
      return {
        state: await stateOf(org, runId),
        calls: ports.calls,
        paid: scripted.calls.length,
        hit: ports.hit(),
      };
    };
    const clean = await story(null);
    expect(clean.state.run).toEqual({ state: "done", accepted: 1, edited: 1, rejected: 1 });
    expect(clean.paid).toBe(3);
    const plans = clean.calls.flatMap((_, at) =>
      (["before", "after"] as const).map((when) => ({ call: at + 1, when })),
    );
    for (let from = 0; from < plans.length; from += 8) {
      await Promise.all(
        plans.slice(from, from + 8).map(async (fault) => {
          const told = await story(fault);
          expect({ fault, hit: told.hit }).toEqual({ fault, hit: true });
          expect({ fault, state: told.state }).toEqual({ fault, state: clean.state });
          expect(told.paid).toBeLessThanOrEqual(clean.paid + 1);
        }),
      );
    }
    console.log(`stored review: ${clean.calls.length} calls of ports, ${plans.length} faults injected`);
  }, 240_000);
});
