import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { completeWork } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { runExtraction } from "../../../src/learning/consumer";
import type { Embedder } from "../../../src/platform/embedder/port";
import type { Reasoner } from "../../../src/platform/reasoner/port";
import {
  cursorOf,
  db,
  freshOrg,
  learningServices,
  pendingWork,
  rulesOf,
  say,
  scriptedReasoner,
  windowsOf,
} from "./support";
import { tokenVector } from "./token-vector";

/** Stories that are told side by side, each in its own org. */
const AT_ONCE = 8;

class Crash extends Error {}

/** Counts every call of a port and fails one of them, once, before or after its effect. */
class Saboteur {
  calls = 0;
  struck = false;
  constructor(
    private readonly at: number,
    private readonly when: "before" | "after",
  ) {}

  async guard<Value>(effect: () => Promise<Value>): Promise<Value> {
    this.calls += 1;
    const mine = !this.struck && this.calls === this.at;
    if (mine) this.struck = true;
    if (mine && this.when === "before") throw new Crash("before");
    const value = await effect();
    if (mine) throw new Crash("after");
    return value;
  }
}

class SabotagedDatabase extends Database {
  constructor(
    d1: D1Database,
    private readonly saboteur: Saboteur,
  ) {
    super(d1);
  }
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    return this.saboteur.guard(() => super.batch(statements));
  }
}

const sabotagedReasoner = (inner: Reasoner, saboteur: Saboteur): Reasoner => ({
  run: (task, input, signal) => saboteur.guard(() => inner.run(task, input, signal)),
});

const sabotagedEmbedder = (saboteur: Saboteur): Embedder => ({
  model: tokenVector.model,
  embed: (texts, purpose) => saboteur.guard(() => tokenVector.embed(texts, purpose)),
});

/** Two windows: the second repeats one rule, reverses another and brings a third. */
async function publishStory(org: string): Promise<void> {
  const { services } = learningServices();
  await say(services, org, {
    turns: [
      "RULE sealing envelopes for the archive | seal archive envelopes with wax and press the small brass stamp",
      "RULE captioning exhibits in the east hall | keep captions of exhibits under 40 words",
    ],
    force: true,
  });
  await say(services, org, {
    turns: [
      "RULE sealing envelopes for the archive | seal archive envelopes with wax and press the small brass stamp",
      "RULE captioning exhibits in the east hall | keep captions of exhibits under 15 words",
      "RULE lending keys to visitors | write the visitor into the key ledger",
    ],
    force: true,
  });
}

/** The state of an org, row for row, up to generated ids. */
async function stateOf(org: string) {
  const grouped = (table: Statement, column: Statement) =>
    db.all(
      z.object({ name: z.string(), n: z.int() }),
      sql`SELECT ${column} AS name, count(*) AS n FROM ${table} WHERE org_id = ${org} GROUP BY 1 ORDER BY 1`,
    );
  const rules = await rulesOf(org);
  return {
    rules: rules.map(({ content, status, sources, merged_into }) => ({
      content,
      status,
      sources,
      survivor: rules.find(({ id }) => id === merged_into)?.content ?? null,
    })),
    windows: (await windowsOf(org)).map(({ state, manifest }) => ({ state, manifest })),
    cursor: await cursorOf(org),
    lineage: await grouped(sql`lineage`, sql`op`),
    vectors: await grouped(sql`vectors`, sql`kind`),
    followers: await grouped(sql`outbox`, sql`topic`),
    counters: await db.all(
      z.object({ name: z.string(), count: z.int() }),
      sql`SELECT name, count FROM counters WHERE org_id = ${org} ORDER BY name`,
    ),
    pending: await grouped(sql`aggregation_states`, sql`agent_version`),
  };
}

/** Delivers until everything is done, as a queue that never gives up; leases of the dead run out. */
async function deliver(org: string, saboteur: Saboteur) {
  const reasoner = scriptedReasoner();
  const { services } = learningServices({
    database: () => new SabotagedDatabase(env.DB, saboteur),
    reasoner: () => sabotagedReasoner(reasoner, saboteur),
    embedder: sabotagedEmbedder(saboteur),
  });
  for (let round = 0; round < 12; round += 1) {
    const works = await pendingWork(org);
    if (works.length === 0) return reasoner.calls;
    for (const work of works) {
      try {
        if ((await runExtraction(services, work)) === "done") await db.run(completeWork(work));
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      await db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${org}`);
    }
  }
  throw new Error("extraction never came to an end");
}

describe("every call of a port fails once", () => {
  it("before or after its effect: nothing is lost, nothing doubled, and no model is paid twice for a stored answer", async () => {
    const clean = new Saboteur(0, "before");
    const cleanOrg = freshOrg();
    await publishStory(cleanOrg);
    const cleanCalls = await deliver(cleanOrg, clean);
    const expected = await stateOf(cleanOrg);
    expect(
      expected.rules
        .filter(({ status }) => status === null)
        .map(({ content }) => content)
        .sort(),
    ).toEqual([
      "keep captions of exhibits under 15 words",
      "seal archive envelopes with wax and press the small brass stamp",
      "write the visitor into the key ledger",
    ]);
    expect(clean.calls).toBeGreaterThan(20);

    const plans = Array.from({ length: clean.calls }, (_, index) => index + 1).flatMap((at) =>
      (["before", "after"] as const).map((when) => ({ at, when })),
    );
    const inject = async ({ at, when }: (typeof plans)[number]) => {
      const org = freshOrg();
      await publishStory(org);
      const saboteur = new Saboteur(at, when);
      const calls = await deliver(org, saboteur);
      expect(saboteur.struck).toBe(true);
      expect({ at, when, state: await stateOf(org) }).toEqual({ at, when, state: expected });
      // One answer may be lost on its way into the database; none that arrived is asked for again.
      expect(calls.length).toBeLessThanOrEqual(cleanCalls.length + 1);
    };
    for (let from = 0; from < plans.length; from += AT_ONCE) {
      await Promise.all(plans.slice(from, from + AT_ONCE).map(inject));
    }
    console.log(`learning: ${clean.calls} calls of ports, ${plans.length} faults injected`);
  }, 240_000);
});

it("a crash after the answer was stored does not call the model again (trap 13)", async () => {
  const org = freshOrg();
  await publishStory(org);
  const reasoner = scriptedReasoner();
  class Dying extends Database {
    override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
      if (statements.some(({ text }) => text.includes("INTO user_playbooks")))
        throw new Crash("before applying");
      return super.batch(statements);
    }
  }
  const dying = learningServices({ reasoner: () => reasoner, database: () => new Dying(env.DB) });
  const [work] = await pendingWork(org);
  if (work === undefined) throw new Error("there is work");
  await expect(runExtraction(dying.services, work)).rejects.toThrow(Crash);
  expect((await windowsOf(org)).map(({ state }) => state)).toEqual(["computed"]);
  const paid = reasoner.calls.length;

  const silent = learningServices({
    reasoner: () => ({
      run: () => {
        throw new Error("the model was called again");
      },
    }),
  });
  await expect(runExtraction(silent.services, work)).rejects.toThrow("the model was called again");
  expect(reasoner.calls).toHaveLength(paid);
  const states = (await windowsOf(org)).map(({ state }) => state);
  expect(states).toEqual(["applied", "open"]);
});
