/** This room's services: the real database, an embedder of hashed words and an index that remembers. */
import { env } from "cloudflare:workers";
import { Database } from "../../../src/db/client";
import type { WorkMessage } from "../../../src/db/outbox";
import { readSettings } from "../../../src/env";
import { principalOfKey } from "../../../src/orgs/keys";
import type { Embedder } from "../../../src/platform/embedder/port";
import { randomIds } from "../../../src/platform/ids";
import type { VectorEntry, VectorIndex } from "../../../src/platform/vectors/port";
import type { Services } from "../../../src/services";

/** Words hashed into a unit vector: equal words, equal vectors. */
export function wordEmbedder(name: string, dimension = 64): Embedder & { calls: number } {
  const embedder = {
    calls: 0,
    model: { name, dimension, clusteringSimilarity: 0.7, retrievalSimilarity: 0.4 },
    async embed(texts: readonly string[]) {
      embedder.calls += 1;
      return texts.map((text) => {
        const values = new Float32Array(dimension);
        for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
          let hash = 7;
          for (const unit of word) hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 65_521;
          const at = hash % dimension;
          values[at] = (values[at] ?? 0) + 1;
        }
        const norm = Math.hypot(...values);
        return norm === 0 ? values : values.map((value) => value / norm);
      });
    },
  };
  return embedder;
}

export interface MemoryIndex extends VectorIndex {
  entries: Map<string, VectorEntry>;
}

export function memoryIndex(): MemoryIndex {
  const entries = new Map<string, VectorEntry>();
  return {
    entries,
    async upsert(added) {
      for (const entry of added) entries.set(entry.id, entry);
    },
    async remove(_orgId, ids) {
      for (const id of ids) entries.delete(id);
    },
    async query() {
      return [];
    },
  };
}

export interface RoomServices extends Services {
  vectors: MemoryIndex;
  sent: WorkMessage[];
  /** Milliseconds; tests set it. */
  nowMs: number;
}

export function roomServices(overrides: Partial<Pick<Services, "embedder">> = {}): RoomServices {
  const database = new Database(env.DB);
  const sent: WorkMessage[] = [];
  const services: RoomServices = {
    settings: readSettings({ ENVIRONMENT: "local" }),
    nowMs: 1_700_000_000_000,
    clock: { nowMs: () => services.nowMs },
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database: () => database,
    principalOfKey: (key) => principalOfKey(database, key, services.clock),
    principalOfSession: async () => null,
    secrets: null,
    webhookEgress: () => Promise.reject(new Error("no webhook is sent here")),
    reasoner: () => ({
      run: async () => {
        throw new Error("this room asks no reasoner");
      },
    }),
    embedder: overrides.embedder ?? wordEmbedder("words-a"),
    vectors: memoryIndex(),
    sent,
    async send(messages) {
      sent.push(...messages);
    },
    async wakeAggregation() {},
    defer: () => {},
  };
  return services;
}
