/** No statement of a revocation reads a whole org where an index leads to what it wants. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { learningServices } from "../learning/support";
import { newRoom, revokeNow, seedAgents, seedUsers, turnsOf, wholeUser } from "./support";

/** Steps that walk tables of any size by the org alone. */
const WHOLE_ORG =
  /SCAN (?:user_playbooks|agent_playbooks|lineage|windows|interactions|agent_playbook_sources|aggregation_items|clusters|outbox|[paswl]|made|old|merge|ended|narrowed)\b(?! VIRTUAL)|USING (?:PRIMARY KEY|(?:COVERING )?INDEX \w+) \(org_id=\?\)/;

test("every statement finds its rows by more than the org", async () => {
  const seen = new Map<string, Statement>();
  const spy = new (class extends Database {
    override batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
      for (const statement of args[0]) seen.set(statement.text, statement);
      return super.batch(...args);
    }
  })(env.DB);
  const room = newRoom({ database: () => spy });
  await seedUsers(room.orgId, { userPlaybookId: 1, sourceInteractionIds: [1] }, { userPlaybookId: 2 });
  await seedAgents(room.orgId, {
    agentPlaybookId: 1,
    sources: [1, 2],
    playbookMetadata: '{"source_count":2,"distinct_users":1}',
  });
  await revokeNow(room.scope, turnsOf([1]));
  await revokeNow(room.scope, wholeUser());

  // What the review gate and webhooks read of their own is theirs to prove.
  const foreign = ["FROM org_settings", "INSERT INTO webhook", "turn_of_user"];
  const statements = [...seen.values()].filter(({ text }) => !foreign.some((mark) => text.includes(mark)));
  const { database } = learningServices().services;
  const plans = await database(room.orgId).batch(
    statements.map(({ text, params }) => ({ text: `EXPLAIN QUERY PLAN ${text}`, params })),
  );
  expect(statements.length).toBeGreaterThan(20);
  const whole = statements.flatMap(({ text }, at) =>
    (plans[at]?.rows ?? [])
      .map((row) => String(Object(row).detail))
      .filter((step) => WHOLE_ORG.test(step))
      .map((step) => `${step} in ${text.slice(0, 300)}`),
  );
  expect(whole).toEqual([]);
});

test("what a statement reads grows with the derived rules, not with the org and not faster", async () => {
  let most = 0;
  const spy = new (class extends Database {
    override async batch(...args: Parameters<Database["batch"]>): ReturnType<Database["batch"]> {
      const results = await super.batch(...args);
      most = Math.max(most, ...results.map(({ rowsRead }) => rowsRead));
      return results;
    }
  })(env.DB);
  const mostOf = async (derived: number, others: number) => {
    const room = newRoom({ database: () => spy });
    const rules = (from: number, count: number, userId: string) =>
      Array.from({ length: count }, (_, at) => ({ userPlaybookId: from + at, userId }));
    await seedUsers(room.orgId, ...rules(1, derived, "mallory"), ...rules(5_001, others, "ada"));
    await seedAgents(
      room.orgId,
      ...Array.from({ length: 10 }, (_, at) => ({
        ...{ agentPlaybookId: at + 1, sources: [at * 4 + 1, 5_001 + at] },
      })),
    );
    most = 0;
    await revokeNow(room.scope, turnsOf(Array.from({ length: derived }, (_, at) => at + 1)));
    return most;
  };
  const few = await mostOf(50, 20);
  expect(await mostOf(50, 1_500)).toBeLessThanOrEqual(few + 10);
  expect(await mostOf(200, 20)).toBeLessThanOrEqual(few * 4 + 10);
});
