/** Operations of generation whose calls fail, and large ones: exactly once, in a bounded number of statements. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { startGeneration } from "../../../src/learning/modes/start";
import { asked, deliver, operationOf, rulesIn, scopeOf, tell, waitingWork } from "./modes-support";
import { countOf, db, freshOrg, learningServices } from "./support";

const rule = (about: string): string => `RULE caring for ${about} | tend ${about} every single morning`;

class Crash extends Error {}

/** Fails one batch, once, before or after its effect. */
class SabotagedDatabase extends Database {
  seen = 0;
  constructor(
    private readonly at: number,
    private readonly when: "before" | "after",
  ) {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.seen += 1;
    const strikes = this.seen === this.at;
    if (strikes && this.when === "before") throw new Crash("before");
    const results = await super.batch(statements);
    if (strikes) throw new Crash("after");
    return results;
  }
}

describe("every batch of an operation fails once", () => {
  async function story(org: string, database: Database) {
    const { services, reasoner } = learningServices({ database: () => database });
    const started = await startGeneration(scopeOf(services, org, database), "manual", asked()).catch(
      () => null,
    );
    if (started === null && (await operationOf(org)) === null) {
      await startGeneration(scopeOf(services, org), "manual", asked());
    }
    for (let round = 0; round < 15; round += 1) {
      for (const work of await waitingWork(org)) {
        await deliver(services, work).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error;
        });
        // Leases of the dead run out.
        await db.run(sql`UPDATE leases SET expires_at_ms = 0 WHERE org_id = ${org}`);
      }
    }
    return {
      extracted: reasoner.calls.filter((task) => task === "extract").length,
      rules: (await rulesIn(org)).map(({ user, content, status }) => ({ user, content, status })),
      operation: await db.first(
        z.object({ status: z.string(), processed: z.int(), failed: z.int(), rules: z.int() }),
        sql`SELECT status, processed_users AS processed, failed_users AS failed, rules FROM generation_operations
            WHERE org_id = ${org}`,
      ),
      left: (await waitingWork(org)).length,
      lineage: await countOf(sql`SELECT count(*) AS n FROM lineage WHERE org_id = ${org}`),
    };
  }

  it("before or after its effect: every user is counted once, every rule is there once", async () => {
    const calm = freshOrg();
    await tell(learningServices().services, calm, { turns: [rule("ferns")] });
    const counting = new SabotagedDatabase(0, "before");
    const expected = await story(calm, counting);
    expect(expected).toMatchObject({
      operation: { status: "completed", processed: 1, failed: 0, rules: 1 },
      left: 0,
      lineage: 1,
    });
    expect(counting.seen).toBeGreaterThan(15);
    for (let at = 1; at <= counting.seen; at += 1) {
      for (const when of ["before", "after"] as const) {
        const org = freshOrg();
        await tell(learningServices().services, org, { turns: [rule("ferns")] });
        const { extracted, ...state } = await story(org, new SabotagedDatabase(at, when));
        const { extracted: _, ...wanted } = expected;
        expect({ at, when, ...state }).toEqual({ at, when, ...wanted });
        expect(extracted).toBeLessThanOrEqual(2);
      }
    }
  }, 120_000);
});

/** Steps that walk a table from end to end, or all of an org's rows. */
const WALKS = /^SCAN (?!CONSTANT ROW)(?!\w+ VIRTUAL TABLE)|\(org_id=\?\)$/;

describe("a thousand users", () => {
  /** Counts statements, and remembers them. */
  class CountingDatabase extends Database {
    statements = 0;
    readonly seen = new Map<string, Statement>();
    override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
      this.statements += statements.length;
      for (const statement of statements) this.seen.set(statement.text, statement);
      return super.batch(statements);
    }
  }

  it("are begun in a fixed number of statements, prepared in pages of 500, and worked on one by one", async () => {
    const org = freshOrg();
    const counting = new CountingDatabase(env.DB);
    const { services } = learningServices({ database: () => counting });
    await tell(services, org, { userId: "user-0", turns: [rule("ferns")] });
    await db.run(
      sql`WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
          INSERT INTO requests (org_id, max_seq, min_seq, request_id, user_id, session_id, source, agent_version,
            created_at, evaluation_only, force_extraction, skip_aggregation, config_hash, playbook_eligible,
            profile_eligible, body_hash, warnings)
          SELECT r.org_id, 1000 + at, 1000 + at, 'r' || at, 'user-' || at, 's' || at, '', r.agent_version,
            r.created_at, 0, 0, 0, r.config_hash, 1, 0, '', '[]' FROM n CROSS JOIN requests r
          WHERE r.org_id = ${org}`,
    );
    counting.statements = 0;
    const start = await startGeneration(scopeOf(services, org, counting), "rerun", asked());
    expect(start).toMatchObject({ users: 1_000 });
    expect(counting.statements).toBeLessThanOrEqual(20);

    counting.statements = 0;
    let pages = 0;
    for (let [work] = await waitingWork(org); work !== undefined && typeof work.key[1] === "string"; ) {
      await deliver(services, work);
      pages += 1;
      [work] = (await waitingWork(org)).filter(({ key }) => typeof key[1] === "string");
    }
    // One that clears, two that are full, and one that finds no more.
    expect(pages).toBe(4);
    expect(counting.statements).toBeLessThanOrEqual(40);
    const works = await waitingWork(org);
    expect(works).toHaveLength(1_000);

    counting.statements = 0;
    counting.seen.clear();
    const some = works.slice(0, 20);
    for (const work of some) await deliver(services, work);
    expect(counting.statements / some.length).toBeLessThanOrEqual(40);
    expect(await operationOf(org)).toMatchObject({ processed_users: 20, status: "in_progress" });
    for (const statement of counting.seen.values()) {
      const plan = await db.all(z.object({ detail: z.string() }), sql`EXPLAIN QUERY PLAN ${statement}`);
      const walks = plan.map(({ detail }) => detail).filter((detail) => WALKS.test(detail));
      expect({ text: statement.text, walks }).toEqual({ text: statement.text, walks: [] });
    }
  });
});
