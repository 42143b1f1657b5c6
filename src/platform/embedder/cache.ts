/** Remembers the vectors of recent queries, so that a repeated search pays for no model call. */
import type { Embedder } from "./port";

export interface QueryCacheOptions {
  nowMs: () => number;
  /** Default 300,000. */
  lifetimeMs?: number;
  /** Default 1,024, over all orgs. */
  maxEntries?: number;
}

interface Entry {
  vector: Float32Array;
  expiresAtMs: number;
}

const DEFAULT_LIFETIME_MS = 300_000;
const DEFAULT_MAX_ENTRIES = 1_024;
/** Longer queries are rare and would make keys heavy: they are not remembered. */
const MAX_KEY_TEXT_CHARACTERS = 2_000;

/** A least-recently-used map; entries of one org are never seen by another. */
export class QueryEmbeddingCache {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;
  readonly #lifetimeMs: number;
  readonly #maxEntries: number;

  constructor(options: QueryCacheOptions) {
    this.#nowMs = options.nowMs;
    this.#lifetimeMs = options.lifetimeMs ?? DEFAULT_LIFETIME_MS;
    this.#maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
    if (!(this.#lifetimeMs > 0)) throw new RangeError("lifetimeMs must be above 0");
    if (!Number.isInteger(this.#maxEntries) || this.#maxEntries < 1) {
      throw new RangeError("maxEntries must be a whole number above 0");
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A copy of the remembered vector, which also makes it the most recently used one. */
  get(key: string): Float32Array | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAtMs <= this.#nowMs()) return undefined;
    this.#entries.set(key, entry);
    return entry.vector.slice();
  }

  set(key: string, vector: Float32Array): void {
    this.#entries.delete(key);
    this.#entries.set(key, { vector: vector.slice(), expiresAtMs: this.#nowMs() + this.#lifetimeMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }
}

/** One key for texts that differ only in letter case and white space; undefined for a text too long to keep. */
export function queryCacheKey(orgId: string, model: Embedder["model"], text: string): string | undefined {
  if (text.length > MAX_KEY_TEXT_CHARACTERS) return undefined;
  const folded = text.trim().replace(/\s+/gu, " ").toLowerCase();
  return JSON.stringify([orgId, model.name, model.dimension, folded]);
}

/** The same embedder, answering repeated queries of this org from the cache; documents always go through. */
export function withQueryCache(embedder: Embedder, cache: QueryEmbeddingCache, orgId: string): Embedder {
  return {
    model: embedder.model,
    async embed(texts, purpose) {
      if (purpose !== "query") return embedder.embed(texts, purpose);
      const keys = texts.map((text) => queryCacheKey(orgId, embedder.model, text));
      const known = keys.map((key) => (key === undefined ? undefined : cache.get(key)));
      const missing = texts.filter((_, i) => known[i] === undefined);
      const fresh = missing.length === 0 ? [] : await embedder.embed(missing, purpose);
      let next = 0;
      return texts.map((_, i) => {
        const remembered = known[i];
        if (remembered !== undefined) return remembered;
        const vector = fresh[next++];
        if (vector === undefined) throw new RangeError("the embedder answered fewer vectors than texts");
        const key = keys[i];
        if (key !== undefined) cache.set(key, vector);
        return vector;
      });
    },
  };
}
