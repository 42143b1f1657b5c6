/** A small world for aggregation's tests: the real database, a word embedder, the offline reasoner, a set clock. */
import { env } from "cloudflare:workers";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { readSettings } from "../../../src/env";
import { principalOfKey } from "../../../src/orgs/keys";
import type { Embedder } from "../../../src/platform/embedder/port";
import { randomIds } from "../../../src/platform/ids";
import { synthesiseOffline } from "../../../src/platform/reasoner/offline/synthesise";
import type { Reasoner, TaskInput, TaskName, TaskOutput } from "../../../src/platform/reasoner/port";
import { termsOf } from "../../../src/platform/rules/terms";
import { insertUserPlaybooks, markAggregationPending, writeVectors } from "../../../src/playbooks/store";
import { embedRules } from "../../../src/playbooks/vectors";
import type { Services } from "../../../src/services";

export const START_MS = 1_800_000_000_000;
const DIMENSION = 512;

/** Each term is an axis by its hash: equal texts are equal vectors, unrelated ones are near orthogonal. */
export const wordEmbedder: Embedder = {
  model: { name: "words-v1", dimension: DIMENSION, clusteringSimilarity: 0.4, retrievalSimilarity: 0.3 },
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(DIMENSION);
      for (const term of termsOf(text)) {
        let hash = 7;
        for (const letter of term) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
        const axis = hash % DIMENSION;
        vector[axis] = (vector[axis] ?? 0) + 1;
      }
      const length = Math.hypot(...vector);
      return length === 0 ? vector : vector.map((value) => value / length);
    });
  },
};

type Answer = (input: TaskInput<"synthesise">) => TaskOutput<"synthesise">;

/** A reasoner for synthesis alone that counts its calls. */
export function countingReasoner(answer: Answer = synthesiseOffline) {
  const seen: TaskInput<"synthesise">[] = [];
  const refuse = (): never => {
    throw new Error("aggregation asks for synthesis only");
  };
  const answers: { [T in TaskName]: (input: TaskInput<T>) => TaskOutput<T> } = {
    shouldExtract: refuse,
    extract: refuse,
    shouldExtractExpert: refuse,
    extractExpert: refuse,
    tag: refuse,
    reviewCandidates: refuse,
    reviewStored: refuse,
    consolidate: refuse,
    reformulate: refuse,
    synthesise(input) {
      seen.push(input);
      return answer(input);
    },
  };
  const reasoner: Reasoner = {
    async run(task, input) {
      const output = answers[task](input);
      return { output, rawText: "", model: "offline", provider: "offline", inputTokens: 0, outputTokens: 0 };
    },
  };
  return { reasoner, seen };
}

export interface World {
  services: Services;
  db: Database;
  orgId: string;
  clock: { nowMs(): number; advance(ms: number): void };
  seen: TaskInput<"synthesise">[];
  sent: unknown[];
}

let worlds = 0;

/** Fresh org, clock and ports; `overrides` replaces a port. */
export function makeWorld(overrides: Partial<Services> = {}, answer?: Answer): World {
  worlds += 1;
  let nowMs = START_MS;
  const clock = {
    nowMs: () => nowMs,
    advance(ms: number) {
      nowMs += ms;
    },
  };
  const db = new Database(env.DB);
  const { reasoner, seen } = countingReasoner(answer);
  const sent: unknown[] = [];
  const services: Services = {
    settings: readSettings({ ENVIRONMENT: "local" }),
    clock,
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database: () => db,
    principalOfKey: (key) => principalOfKey(db, key, clock),
    principalOfSession: async () => null,
    secrets: null,
    webhookEgress: () => Promise.reject(new Error("no webhook is sent here")),
    reasoner: () => reasoner,
    embedder: wordEmbedder,
    vectors: { upsert: async () => {}, remove: async () => {}, query: async () => [] },
    async send(messages) {
      sent.push(...messages);
    },
    wakeAggregation: async () => {},
    defer: () => {},
    ...overrides,
  };
  return { services, db, orgId: `org-${worlds}`, clock, seen, sent };
}

export interface SeedRule {
  id: number;
  /** Null where nobody owns it. */
  userId: string | null;
  trigger: string;
  content: string;
  rationale?: string;
  agentVersion?: string;
  /** Null where nothing is quoted. */
  sourceSpan?: string;
  /** Turns it cites; made up where absent. */
  turns?: number[];
}

/** Stores rules with their vectors, as learning would, and marks their versions. */
export async function seedRules(
  { services, db, orgId, clock }: World,
  rules: readonly SeedRule[],
): Promise<void> {
  const rows = rules.map((rule) => ({
    orgId,
    userPlaybookId: rule.id,
    userId: rule.userId,
    agentVersion: rule.agentVersion ?? "v1",
    requestId: `req-${rule.id}`,
    playbookName: "playbook",
    createdAt: Math.floor(clock.nowMs() / 1000),
    updatedAtMs: clock.nowMs(),
    content: rule.content,
    trigger: rule.trigger,
    rationale: rule.rationale ?? null,
    status: null,
    source: null,
    sourceInteractionIds: rule.turns ?? [rule.id * 10],
    sourceSpan: rule.sourceSpan ?? null,
    tags: null,
    notes: null,
    readerAngle: null,
    expandedTerms: null,
    flags: [],
    windowId: null,
  }));
  const vectors = await embedRules(services, rows);
  await db.batch([
    ...insertUserPlaybooks(rows),
    ...writeVectors(
      vectors.map((vector, index) => ({
        orgId,
        kind: "user_playbook" as const,
        entityId: rows[index]?.userPlaybookId ?? 0,
        vector,
        nowMs: clock.nowMs(),
      })),
    ),
    ...[...new Set(rows.map((row) => row.agentVersion))].map((version) =>
      markAggregationPending(orgId, version, clock.nowMs()),
    ),
  ]);
}

/** The vectors of edited rules, as the edit would have written them. */
export async function seedVectors(
  { services, db, orgId, clock }: World,
  rules: readonly SeedRule[],
): Promise<void> {
  const vectors = await embedRules(services, rules);
  const nowMs = clock.nowMs();
  await db.batch(
    writeVectors(
      rules.flatMap(({ id: entityId }, at) => {
        const vector = vectors[at];
        return vector === undefined
          ? []
          : [{ orgId, kind: "user_playbook" as const, entityId, vector, nowMs }];
      }),
    ),
  );
}

const query = <Schema extends z.ZodType>(world: World, schema: Schema, statement: Statement) =>
  world.db.all(schema, statement);

export const agentRules = (world: World, agentVersion = "v1") =>
  query(
    world,
    z.object({
      id: z.int(),
      trigger: z.string().nullable(),
      content: z.string(),
      approval: z.string(),
      status: z.string().nullable(),
      flags: z.string(),
      metadata: z.string(),
      superseded_by: z.int().nullable(),
      replaces: z.int().nullable(),
      version: z.int(),
    }),
    sql`SELECT agent_playbook_id AS id, trigger, content, playbook_status AS approval, status, flags,
          playbook_metadata AS metadata, superseded_by, replaces, version
        FROM agent_playbooks WHERE org_id = ${world.orgId} AND agent_version = ${agentVersion} ORDER BY id`,
  );

export const items = (world: World, agentVersion = "v1") =>
  query(
    world,
    z.object({
      id: z.int(),
      disposition: z.string(),
      cluster_id: z.string().nullable(),
      reason: z.string(),
      attempts: z.int(),
    }),
    sql`SELECT user_playbook_id AS id, disposition, cluster_id, reason, attempt_count AS attempts
        FROM aggregation_items WHERE org_id = ${world.orgId} AND agent_version = ${agentVersion} ORDER BY id`,
  );

export const clusters = (world: World) =>
  query(
    world,
    z.object({
      cluster_id: z.string(),
      agent: z.int(),
      members: z.int(),
      version: z.string(),
      state: z.string(),
    }),
    sql`SELECT cluster_id, agent_playbook_id AS agent, member_count AS members, agent_version AS version, state
        FROM clusters WHERE org_id = ${world.orgId} ORDER BY agent_version, cluster_id`,
  );

export const sourcesOf = (world: World, agentPlaybookId: number) =>
  query(
    world,
    z.object({ id: z.int(), turns: z.string() }),
    sql`SELECT user_playbook_id AS id, source_interaction_ids AS turns FROM agent_playbook_sources
        WHERE org_id = ${world.orgId} AND agent_playbook_id = ${agentPlaybookId} ORDER BY id`,
  );

export const lineageOps = (world: World) =>
  query(
    world,
    z.object({ op: z.string(), entity: z.string(), to_status: z.string().nullable() }),
    sql`SELECT op, entity_id AS entity, to_status FROM lineage WHERE org_id = ${world.orgId} ORDER BY row`,
  );

export const stateOf = async (world: World, agentVersion = "v1") =>
  (
    await query(
      world,
      z.object({ pending: z.int(), next: z.int(), version: z.int(), error: z.string().nullable() }),
      sql`SELECT pending, next_attempt_at_ms AS next, state_version AS version, last_error AS error
          FROM aggregation_states WHERE org_id = ${world.orgId} AND agent_version = ${agentVersion}`,
    )
  )[0];

/** Two users who ask for the same thing in nearly the same words. */
export const twoAlike: SeedRule[] = [
  {
    id: 1,
    userId: "ana",
    trigger: "User asks where a parcel is",
    content: "Look the parcel up and tell its place; do not point to the carrier's page.",
    rationale: "People want the answer at once",
  },
  {
    id: 2,
    userId: "ben",
    trigger: "User asks where the parcel is now",
    content: "Look up the parcel yourself and tell where it is.",
  },
];
