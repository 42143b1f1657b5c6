/** What the pages of clusters, learning, dead letters and usage read: seeks in indexes, in few statements. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { loadMappedClusters, loadMappedRules } from "../../../src/aggregation/map-store";
import { recentOperations } from "../../../src/aggregation/operations-store";
import { listVersionOverviews, loadVersionOverviews } from "../../../src/aggregation/overview-store";
import { type BatchResult, Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import {
  countOpenByReason,
  loadWindowSubjects,
  openLettersOf,
  pageOfDeadLetters,
} from "../../../src/learning/dead-letter-store";
import { readLearningProgress } from "../../../src/learning/progress-store";
import { loadUsage } from "../../../src/orgs/usage-store";
import { listAgentVersions } from "../../../src/playbooks/versions-store";
import { db, seedCluster, seedRules } from "./map-seed";

const ORG = "plans-org";
const POLICY = { windowSize: 10, strideSize: 8 };

/** Remembers every statement. */
class RecordingDatabase extends Database {
  readonly statements: Statement[] = [];
  override batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    this.statements.push(...statements);
    return super.batch(statements);
  }
}

/** Walks over a whole table. `SCAN` of a sub-select, a table function or a named result is no walk. */
const TABLE_WALK =
  /^SCAN (?:p|i|c|a|v|w|r|s|l|user_playbooks|agent_playbooks|aggregation_\w+|clusters|windows|requests|interactions|dead_letters|operations|usage_days|counters|leases|cursors|vectors)\b(?! VIRTUAL)/;

const planOf = async (statement: Statement): Promise<string[]> =>
  (await db.all(z.object({ detail: z.string() }), sql`EXPLAIN QUERY PLAN ${statement}`)).map(
    ({ detail }) => detail,
  );

const readings: Record<string, [(recorded: Database) => Promise<unknown>, statements: number]> = {
  "agent versions": [(recorded) => listAgentVersions(recorded, ORG), 2],
  "rules of the map": [
    (recorded) =>
      loadMappedRules(recorded, ORG, "v1", { space: { model: "m", dimension: 3 }, limit: 10, maxChars: 10 }),
    1,
  ],
  "clusters of the map": [(recorded) => loadMappedClusters(recorded, ORG, ["c1"], 10), 1],
  "a page of versions": [(recorded) => listVersionOverviews(recorded, ORG, { after: "a", limit: 20 }), 1],
  "some versions": [(recorded) => loadVersionOverviews(recorded, ORG, ["v1", "v2"]), 1],
  "a page of operations": [
    (recorded) => recentOperations(recorded, ORG, { before: { createdAt: 5, operationId: "x" }, limit: 20 }),
    1,
  ],
  "learning's progress": [(recorded) => readLearningProgress(recorded, ORG, 1, POLICY), 3],
  "open letters": [
    (recorded) =>
      pageOfDeadLetters(recorded, ORG, { state: "open", before: { at: 9, deadLetterId: "x" }, limit: 25 }),
    1,
  ],
  "replayed letters": [
    (recorded) =>
      pageOfDeadLetters(recorded, ORG, {
        state: "replayed",
        before: { at: 9, deadLetterId: "x" },
        limit: 25,
      }),
    1,
  ],
  "letters by reason": [(recorded) => countOpenByReason(recorded, ORG), 1],
  "letters of one reason": [(recorded) => openLettersOf(recorded, ORG, "x", 101), 1],
  "subjects of letters": [(recorded) => loadWindowSubjects(recorded, ORG, ["w"]), 1],
  usage: [(recorded) => loadUsage(recorded, ORG, "2030-01-01", "2030-01-30"), 2],
};

it.each(Object.entries(readings))("reading %s walks over no table", async (_, [read, statements]) => {
  const recorded = new RecordingDatabase(env.DB);
  await read(recorded);
  expect(recorded.statements).toHaveLength(statements);
  for (const statement of recorded.statements) {
    expect((await planOf(statement)).filter((step) => TABLE_WALK.test(step))).toEqual([]);
  }
});

it("pages are read in the order of their index, without sorting the org's rows", async () => {
  const recorded = new RecordingDatabase(env.DB);
  await pageOfDeadLetters(recorded, ORG, { state: "open", before: null, limit: 25 });
  await recentOperations(recorded, ORG, { before: null, limit: 20 });
  for (const statement of recorded.statements) {
    const plan = await planOf(statement);
    expect(plan.filter((step) => step === "USE TEMP B-TREE FOR ORDER BY")).toEqual([]);
  }
});

it("unfinished windows are found in an index of their own, which finished ones leave", async () => {
  const recorded = new RecordingDatabase(env.DB);
  await readLearningProgress(recorded, ORG, 1, POLICY);
  const plans = await Promise.all(recorded.statements.map(planOf));
  expect(plans.flat().join("\n")).toContain("windows_unfinished (org_id=?)");
});

it("reading versions costs a seek for each, however many rules they have", async () => {
  const org = "plans-versions";
  const rowsRead = async (): Promise<number> => {
    const counted = new (class extends Database {
      rows = 0;
      override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
        const results = await super.batch(statements);
        for (const { rowsRead: count } of results) this.rows += count;
        return results;
      }
    })(env.DB);
    expect((await listAgentVersions(counted, org)).versions).toEqual(["v1", "v2"]);
    return counted.rows;
  };
  const rules = (first: number, count: number) =>
    Array.from({ length: count }, (_, position) => ({ id: first + position, axis: null }));
  await seedRules(org, rules(1, 2), "v1");
  await seedRules(org, rules(10, 2), "v2");
  const few = await rowsRead();
  await seedRules(org, rules(100, 300), "v1");
  await seedCluster(org, "c1", 1);
  expect(await rowsRead()).toBe(few);
});
