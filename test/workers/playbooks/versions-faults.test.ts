/** Version changes that die, meet others, or are large: guarded pages that go on by themselves. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { changeVersions } from "../../../src/playbooks/version-change";
import { count } from "./client";
import { DisturbedDatabase, db, newOrg, rowsOf } from "./rules";
import { EVERYTHING, plant, scopeWith, statusesOf, sweepWork, THREE_TWO_TWO } from "./versions-support";

describe("a change that dies", () => {
  /** Batches of an upgrade in three phases: obstacles, begin, then a look, a page and its batch for each, and the end. */
  const BATCHES = 13;

  it("before or after any batch goes on by itself, and ends as one that did not", async () => {
    const calm = newOrg().orgId;
    await plant(calm, THREE_TWO_TWO);
    await changeVersions(scopeWith(calm), "upgrade", EVERYTHING);
    const expected = await statusesOf(calm);
    let struck = 0;
    for (let nth = 1; nth <= BATCHES; nth += 1) {
      for (const when of ["failBefore", "failAfter"] as const) {
        const { orgId } = newOrg();
        await plant(orgId, THREE_TWO_TWO);
        const disturbed = new DisturbedDatabase(nth, { [when]: true });
        const failed = await changeVersions(scopeWith(orgId, disturbed), "upgrade", EVERYTHING).then(
          () => false,
          () => true,
        );
        struck += Number(failed);
        const [change] = await rowsOf("version_changes", orgId, "org_id");
        // Where nothing was begun, the caller tries again; where it was, nobody has to.
        if (change === undefined) await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING);
        await sweepWork(orgId);
        const told = { nth, when, statuses: await statusesOf(orgId) };
        expect(told).toEqual({ nth, when, statuses: expected });
        const [ended] = await rowsOf("version_changes", orgId, "org_id");
        expect(ended).toMatchObject({ state: "done", counts: "[2,3,2]" });
        expect(await count("lineage", "org_id = ?", orgId)).toBe(7);
      }
    }
    expect(struck).toBeGreaterThan(BATCHES);
  });

  it("in the middle of a downgrade ends as the swap it began", async () => {
    for (let nth = 3; nth <= 12; nth += 1) {
      const { orgId } = newOrg();
      await plant(orgId, [null, null, "archived"]);
      const disturbed = new DisturbedDatabase(nth, { failAfter: true });
      await changeVersions(scopeWith(orgId, disturbed), "downgrade", EVERYTHING).catch(() => {});
      await sweepWork(orgId);
      expect({ nth, ...(await statusesOf(orgId)) }).toEqual({
        nth,
        1: "archived",
        2: "archived",
        3: "current",
      });
    }
  });
});

describe("a change beside others", () => {
  it("looks again when a rule of its page changes under it", async () => {
    const { orgId } = newOrg();
    await plant(orgId, THREE_TWO_TWO);
    const disturbed = new DisturbedDatabase(
      1,
      {
        before: () =>
          db.run(
            sql`UPDATE user_playbooks SET status = 'superseded', updated_at_ms = updated_at_ms + 1
                WHERE org_id = ${orgId} AND user_playbook_id = 2`,
          ),
      },
      "SET status = ?, updated_at_ms",
    );
    expect(await changeVersions(scopeWith(orgId, disturbed), "upgrade", EVERYTHING)).toMatchObject({
      success: true,
      archived: 2,
    });
    expect(await statusesOf(orgId)).toMatchObject({ 1: "archived", 2: "superseded", 3: "archived" });
  });

  it("is refused while another one runs or a rerun still writes, and only then", async () => {
    const { orgId } = newOrg();
    await plant(orgId, THREE_TWO_TWO);
    const running = (status: string, mode: string, agentVersion: string) =>
      env.DB.prepare(
        `INSERT OR REPLACE INTO generation_operations (org_id, service_name, operation_id, mode, status, agent_version,
           config_hash, request_id, principal_id, started_at, progressed_at_ms, total_users, processed_users,
           failed_users, cancelled_users, turns, rules)
         VALUES (?, 'playbook_generation', 'g', ?, ?, ?, 'c', 'r', 'p', 1, 1, 1, 0, 0, 0, 0, 0)`,
      )
        .bind(orgId, mode, status, agentVersion)
        .run();
    await running("in_progress", "rerun", "v1");
    expect(await changeVersions(scopeWith(orgId), "upgrade", EVERYTHING)).toMatchObject({
      success: false,
      message: "A rerun of playbook generation is still in progress",
    });
    await running("in_progress", "rerun", "v2");
    const v1 = { agentVersion: "v1", playbookName: null };
    const begins = new DisturbedDatabase(1, { failAfter: true }, "UPDATE version_changes");
    await changeVersions(scopeWith(orgId, begins), "upgrade", v1).catch(() => {});
    expect(await changeVersions(scopeWith(orgId, db, "call-2"), "downgrade", v1)).toMatchObject({
      success: false,
      message: "Another upgrade or downgrade is already in progress",
    });
    await sweepWork(orgId);
    expect(await statusesOf(orgId)).toMatchObject({ 1: "archived", 4: "current" });
  });
});

/** Remembers every statement, batch by batch. */
class RecordingDatabase extends Database {
  readonly batches: (readonly Statement[])[] = [];
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.batches.push(statements);
    return super.batch(statements);
  }
}

/** Steps that walk a table from end to end. */
const WALKS = /^SCAN (?!CONSTANT ROW)(?!\w+ VIRTUAL TABLE)/;

describe("a large change", () => {
  it("goes in pages of 500 with a bounded number of statements, and walks no foreign rows", async () => {
    const { orgId } = newOrg();
    const RULES = 1_100;
    await plant(
      orgId,
      Array.from({ length: RULES }, () => "pending"),
    );
    const recording = new RecordingDatabase(env.DB);
    expect(await changeVersions(scopeWith(orgId, recording), "upgrade", EVERYTHING)).toMatchObject({
      promoted: RULES,
      archived: 0,
      deleted: 0,
    });
    const writing = recording.batches.filter((batch) =>
      batch.some(({ text }) => text.includes("UPDATE version_changes")),
    );
    // Nothing archived, nothing current, and three pages of pending rules.
    expect(writing).toHaveLength(5);
    expect(Math.max(...writing.map((batch) => batch.length))).toBeLessThanOrEqual(12);
    for (const statement of recording.batches.flat()) {
      const plan = await db.all(z.object({ detail: z.string() }), sql`EXPLAIN QUERY PLAN ${statement}`);
      const walks = plan.map(({ detail }) => detail).filter((detail) => WALKS.test(detail));
      expect({ text: statement.text, walks }).toEqual({ text: statement.text, walks: [] });
    }
  });
});
