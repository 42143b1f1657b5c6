/** Rules with chosen vectors in the real database, and the ports of a search over them. */
import { env } from "cloudflare:workers";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import type { Clock } from "../../../src/platform/clock";
import { type Embedder, EmbedderError } from "../../../src/platform/embedder/port";
import { quantise } from "../../../src/platform/embedder/quantise";
import { vectorEntryId } from "../../../src/platform/vectors/entry-id";
import { indexedProperties, VectorizeIndexAdapter } from "../../../src/platform/vectors/vectorize";
import type { NewAgentPlaybook, NewUserPlaybook } from "../../../src/playbooks/model";
import {
  insertAgentPlaybooks,
  insertSources,
  insertUserPlaybooks,
  writeVector,
} from "../../../src/playbooks/store";
import type { SearchServices } from "../../../src/search/hybrid";
import { VectorizeFake } from "../../support/vectorize-fake";

export const MODEL = { name: "angles", dimension: 8, clusteringSimilarity: 0.9, retrievalSimilarity: 0.5 };
/** Long ago, so that nothing counts as just changed. */
export const SEEDED_AT_MS = 1_700_000_000_000;
export const NOW_MS = SEEDED_AT_MS + 86_400_000;

/** The unit vector at `degrees` in the plane of the first two dimensions. */
export function at(degrees: number): Float32Array {
  const values = new Float32Array(MODEL.dimension);
  values[0] = Math.cos((degrees * Math.PI) / 180);
  values[1] = Math.sin((degrees * Math.PI) / 180);
  return values;
}

/** Reads `@30` in a text as the direction of 30 degrees; other texts have no known word. */
export class AngleEmbedder implements Embedder {
  readonly model = MODEL;
  calls = 0;
  fails = false;

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.calls += 1;
    if (this.fails) throw new EmbedderError("transient", "out of order");
    return texts.map((text) => {
      const degrees = /@(\d+)/.exec(text)?.[1];
      return degrees === undefined ? new Float32Array(MODEL.dimension) : at(Number(degrees));
    });
  }
}

/** Counts what reaches the database. */
export class CountingD1 {
  readonly batches: number[] = [];
  rowsRead = 0;
  readonly db: Database;

  constructor() {
    const count = (size: number, read: number) => {
      this.batches.push(size);
      this.rowsRead += read;
    };
    const d1 = new Proxy(env.DB, {
      get(target, property) {
        if (property !== "batch") {
          const value = Reflect.get(target, property);
          return typeof value === "function" ? value.bind(target) : value;
        }
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          count(
            statements.length,
            results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
          );
          return results;
        };
      },
    });
    this.db = new Database(d1);
  }
}

export interface World {
  orgId: string;
  fake: VectorizeFake;
  embedder: AngleEmbedder;
  d1: CountingD1;
  services: SearchServices;
  /** What was logged as a warning. */
  warnings: string[];
}

let worlds = 0;

export function newWorld(): World {
  worlds += 1;
  const fake = new VectorizeFake({ dimension: MODEL.dimension, indexed: indexedProperties, seed: worlds });
  const embedder = new AngleEmbedder();
  const warnings: string[] = [];
  const clock: Clock = { nowMs: () => NOW_MS };
  const services = {
    clock,
    embedder,
    vectors: new VectorizeIndexAdapter(fake, MODEL),
    log: { info: () => {}, warn: (event: string) => warnings.push(event), error: () => {} },
  };
  return { orgId: `search org ${worlds}`, fake, embedder, d1: new CountingD1(), services, warnings };
}

interface Placement {
  /** Direction of its vector; null for none. */
  degrees?: number | null;
  /** When its vector was written. */
  vectorAtMs?: number;
  /** Whether the index has it. */
  isIndexed?: boolean;
}

export type UserSeed = Partial<NewUserPlaybook> & Placement & { userPlaybookId: number };
export type AgentSeed = Partial<NewAgentPlaybook> &
  Placement & { agentPlaybookId: number; sources?: number[] };

export async function seedUser(world: World, ...seeds: UserSeed[]): Promise<void> {
  const rows = seeds.map(({ degrees: _d, vectorAtMs: _v, isIndexed: _i, ...seed }) => ({
    ...{ orgId: world.orgId, userId: "ann", agentVersion: "v1", requestId: "r", playbookName: "" },
    ...{ createdAt: SEEDED_AT_MS / 1000, updatedAtMs: SEEDED_AT_MS, status: null, source: null },
    ...{ content: `rule ${seed.userPlaybookId}`, trigger: null, rationale: null, sourceInteractionIds: [] },
    ...{
      sourceSpan: null,
      tags: null,
      notes: null,
      readerAngle: null,
      expandedTerms: null,
      flags: [],
      windowId: null,
    },
    ...seed,
  }));
  await write(world, insertUserPlaybooks(rows));
  for (const [position, row] of rows.entries()) {
    const userId = row.userId ?? "";
    await place(world, "user_playbook", row.userPlaybookId, row.agentVersion, userId, seeds[position] ?? {});
  }
}

export async function seedAgent(world: World, ...seeds: AgentSeed[]): Promise<void> {
  const rows = seeds.map(({ degrees: _d, vectorAtMs: _v, isIndexed: _i, sources: _s, ...seed }) => ({
    ...{ orgId: world.orgId, agentVersion: "v1", playbookName: "", playbookStatus: "approved" as const },
    ...{ createdAt: SEEDED_AT_MS / 1000, updatedAtMs: SEEDED_AT_MS, status: null, playbookMetadata: "" },
    ...{
      content: `rule ${seed.agentPlaybookId}`,
      trigger: null,
      rationale: null,
      tags: null,
      expandedTerms: null,
    },
    ...{ flags: [], decidedBy: null, decidedAt: null, replaces: null },
    ...seed,
  }));
  await write(world, insertAgentPlaybooks(rows));
  for (const [position, row] of rows.entries()) {
    const seed = seeds[position];
    const sources = (seed?.sources ?? []).map((userPlaybookId) => ({
      userPlaybookId,
      sourceInteractionIds: [],
    }));
    await write(world, insertSources(world.orgId, row.agentPlaybookId, sources));
    await place(world, "agent_playbook", row.agentPlaybookId, row.agentVersion, "", seed ?? {});
  }
}

async function write({ d1 }: World, statements: readonly Statement[]): Promise<void> {
  if (statements.length > 0) await d1.db.batch(statements);
  d1.batches.length = 0;
  d1.rowsRead = 0;
}

async function place(
  world: World,
  kind: "user_playbook" | "agent_playbook",
  entityId: number,
  agentVersion: string,
  userId: string,
  { degrees = null, vectorAtMs = SEEDED_AT_MS, isIndexed = true }: Placement,
): Promise<void> {
  if (degrees === null) return;
  const { orgId } = world;
  const { bytes, scale } = quantise(at(degrees));
  const vector = { model: MODEL.name, dimension: MODEL.dimension, bytes: bytes.slice(), scale };
  await write(world, [writeVector({ orgId, kind, entityId, vector, nowMs: vectorAtMs })]);
  if (!isIndexed) return;
  const id = await vectorEntryId(orgId, kind, entityId, MODEL.name);
  await world.services.vectors.upsert([
    { id, orgId, kind, entityId, agentVersion, userId, values: at(degrees) },
  ]);
  world.fake.settle();
}
