/** Another embedding model is bound: rules move to it in the background, and vectors of two models never meet. */
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { type Statement, sql } from "../../../src/db/sql";
import type { Embedder } from "../../../src/platform/embedder/port";
import { vectorEntryId } from "../../../src/platform/vectors/entry-id";
import type { VectorEntry, VectorIndex } from "../../../src/platform/vectors/port";
import { addUserPlaybooks } from "../../../src/playbooks/add";
import { ensureBoundModel } from "../../../src/playbooks/reembedding";
import { addedUserPlaybook } from "../../../src/playbooks/schemas";
import { hybridSearch, type SearchMode } from "../../../src/search/hybrid";
import { performWork } from "../../../src/work";
import { type TestServices, testServices } from "../../support/services";

const VERSION = "v1";
const START_MS = 1_800_000_000_000;
/** Past the pause between two turns of aggregation. */
const PAUSE_MS = 7_200_000;
const VOCABULARY = ["parcel", "missing", "trace", "courier", "invoice", "disputed", "total", "ledger"];

/**
 * Knows eight words. A model with the offset 4 has a direction for each word that means another word under the
 * model with offset 0: whoever mixed the two would take parcels for invoices.
 */
function embedderOf(name: string, offset: number): Embedder {
  const dimension = VOCABULARY.length;
  return {
    model: { name, dimension, clusteringSimilarity: 0.7, retrievalSimilarity: 0.5 },
    async embed(texts) {
      return texts.map((text) => {
        const values = new Float32Array(dimension);
        for (const [axis, word] of VOCABULARY.entries()) {
          if (text.toLowerCase().includes(word)) values[(axis + offset) % dimension] = 1;
        }
        const norm = Math.hypot(...values);
        return norm === 0 ? values : values.map((value) => value / norm);
      });
    },
  };
}

/** One index for both models, which compares whatever lies in it. */
function sharedIndex(): VectorIndex & { entries: Map<string, VectorEntry> } {
  const entries = new Map<string, VectorEntry>();
  const dot = (left: Float32Array, right: Float32Array) =>
    left.reduce((sum, value, axis) => sum + value * (right[axis] ?? 0), 0);
  return {
    entries,
    async upsert(added) {
      for (const entry of added) entries.set(entry.id, entry);
    },
    async remove(_orgId, ids) {
      for (const id of ids) entries.delete(id);
    },
    async query({ orgId, kind, values, topK }) {
      return [...entries.values()]
        .filter((entry) => entry.orgId === orgId && entry.kind === kind)
        .map((entry) => ({ id: entry.id, score: dot(entry.values, values) }))
        .sort((left, right) => right.score - left.score)
        .slice(0, topK);
    },
  };
}

let orgs = 0;
let orgId = "";
let nowMs = START_MS;
let index: ReturnType<typeof sharedIndex>;
let before: TestServices;
let after: TestServices;

const rowsOf = <Row extends z.ZodType>(row: Row, statement: Statement) =>
  before.database(orgId).all(row, statement);

async function addRule(services: TestServices, userId: string, trigger: string, content: string) {
  const db = services.database(orgId);
  const principal = { orgId, id: "olga", roles: ["owner"], scopes: ["write" as const] };
  const scope = { services, principal, orgId, db, requestId: "r", headers: new Headers(), browser: null };
  const asked = { user_id: userId, agent_version: VERSION, request_id: "r", trigger, content };
  await addUserPlaybooks(scope, [addedUserPlaybook.parse(asked)]);
}

/** Does everything that lies in the org's outbox. */
async function workOff(services: TestServices): Promise<void> {
  const outbox = sql`SELECT id, org_id FROM outbox WHERE org_id = ${orgId}`;
  const row = z.object({ id: z.string(), org_id: z.string() }).transform(({ id }) => ({ orgId, id }));
  for (let round = 0; round < 10; round += 1) {
    const messages = await rowsOf(row, outbox);
    if (messages.length === 0) return;
    for (const message of messages) await performWork(services, message);
  }
  throw new Error("the work never ended");
}

async function usersFound(services: TestServices, query: string, mode: SearchMode): Promise<unknown[]> {
  const found = await hybridSearch(services, services.database(orgId), {
    ...{ orgId, query, mode, topK: 10, threshold: null },
    ...{ userPlaybooks: {}, agentPlaybooks: null },
  });
  return found.userPlaybooks.map(({ view }) => view.user_id).sort();
}

const clusterSizes = async () =>
  (
    await rowsOf(
      z.object({ member_count: z.int() }),
      sql`SELECT member_count FROM clusters WHERE org_id = ${orgId} ORDER BY member_count`,
    )
  ).map(({ member_count }) => member_count);

const modelsOf = async () =>
  (
    await rowsOf(
      z.object({ model: z.string() }),
      sql`SELECT DISTINCT model FROM vectors WHERE org_id = ${orgId} ORDER BY model`,
    )
  ).map(({ model }) => model);

/** Two users' rules about parcels and what aggregation made of them, all under the first model. */
beforeEach(async () => {
  orgs += 1;
  orgId = `model-change-${orgs}`;
  index = sharedIndex();
  const clock = { nowMs: () => nowMs };
  before = testServices({ clock, vectors: index, embedder: embedderOf("model-a", 0) });
  after = testServices({ clock, vectors: index, embedder: embedderOf("model-b", 4) });
  await addRule(before, "ana", "A parcel is missing", "Trace the parcel and call the courier.");
  await addRule(before, "ben", "The parcel is missing", "Trace the parcel, then call the courier.");
  await workOff(before);
  await runAggregationTurn(before, orgId, VERSION);
  await workOff(before);
  expect(await clusterSizes()).toEqual([2]);
  expect(await usersFound(before, "parcel missing", "vector")).toEqual(["ana", "ben"]);
});

/** Binds the second model and lets the background work end. */
async function moveOver(): Promise<void> {
  await ensureBoundModel(after, orgId);
  expect(after.sent).toHaveLength(1);
  await workOff(after);
}

describe("after another embedding model is bound", () => {
  it("rules are found by their words alone until they have moved, and never by the old vectors", async () => {
    expect(await usersFound(after, "invoice disputed", "vector")).toEqual([]);
    expect(await usersFound(after, "parcel missing", "vector")).toEqual([]);
    expect(await usersFound(after, "parcel missing", "hybrid")).toEqual(["ana", "ben"]);
    expect(await usersFound(after, "invoice disputed", "hybrid")).toEqual([]);
  });

  it("the background moves every vector and every index entry, and search finds by meaning again", async () => {
    await moveOver();
    expect(await modelsOf()).toEqual(["model-b"]);
    expect(index.entries.size).toBe(3);
    for (const { id, kind, entityId } of index.entries.values()) {
      expect(id).toBe(await vectorEntryId(orgId, kind, entityId, "model-b"));
    }
    expect(await usersFound(after, "parcel missing", "vector")).toEqual(["ana", "ben"]);
    expect(await usersFound(after, "invoice disputed", "vector")).toEqual([]);
  });

  it("aggregation matches no cluster by the old vectors", async () => {
    await addRule(after, "cy", "An invoice is disputed", "Trace the parcel and call the courier.");
    nowMs += PAUSE_MS;
    await runAggregationTurn(after, orgId, VERSION);
    expect(await clusterSizes()).toEqual([2]);
    expect(
      await rowsOf(
        z.object({ disposition: z.string() }),
        sql`SELECT i.disposition FROM aggregation_items i JOIN user_playbooks p ON p.org_id = i.org_id
            AND p.user_playbook_id = i.user_playbook_id WHERE i.org_id = ${orgId} AND p.user_id = 'cy'`,
      ),
    ).toEqual([{ disposition: "residual" }]);
  });

  it("a cluster whose rule has moved takes in new rules, and no second rule is made", async () => {
    await moveOver();
    await addRule(after, "dee", "My parcel is missing", "Trace the parcel and then call the courier.");
    nowMs += PAUSE_MS;
    await runAggregationTurn(after, orgId, VERSION);
    expect(await clusterSizes()).toEqual([3]);
    const rules = sql`SELECT agent_playbook_id AS id FROM agent_playbooks WHERE org_id = ${orgId} AND status IS NULL`;
    expect(await rowsOf(z.object({ id: z.int() }), rules)).toHaveLength(1);
  });
});
