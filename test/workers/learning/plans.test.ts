import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { consumeAll, currentOf, db, freshOrg, learningServices, say } from "./support";

/** Remembers every statement, batch by batch. */
class RecordingDatabase extends Database {
  readonly batches: (readonly Statement[])[] = [];
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.batches.push(statements);
    return super.batch(statements);
  }
}

/** Steps that walk a table from end to end, or all of an org's rows; `ahead` is a sub-select with a LIMIT. */
const WALKS = /^SCAN (?!CONSTANT ROW)(?!ahead$)(?!\w+ VIRTUAL TABLE)|\(org_id=\?\)$/;

async function walks(statement: Statement): Promise<string[]> {
  const plan = await db.all(z.object({ detail: z.string() }), sql`EXPLAIN QUERY PLAN ${statement}`);
  return plan.map(({ detail }) => detail).filter((detail) => WALKS.test(detail));
}

it("learning reads its own rows only, and takes a bounded number of round trips a window", async () => {
  const org = freshOrg();
  const recording = new RecordingDatabase(env.DB);
  const { services } = learningServices({ database: () => recording });
  const rule = "RULE oiling the loom | oil the loom before each new warp";
  for (const turns of [[rule], [rule, "RULE airing the dye room | air the dye room at noon"]]) {
    await say(services, org, { turns, force: true });
  }
  recording.batches.length = 0;
  await consumeAll(services, org);
  expect(await currentOf(org)).toHaveLength(2);
  const windows = 2;
  expect(recording.batches.length / windows).toBeLessThanOrEqual(25);
  for (const statement of recording.batches.flat()) {
    expect({ text: statement.text, walks: await walks(statement) }).toEqual({
      text: statement.text,
      walks: [],
    });
  }
});
