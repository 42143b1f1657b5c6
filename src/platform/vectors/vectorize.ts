/** The adapter over Cloudflare Vectorize: one namespace per org and model, filters on hashes. */
import { sha256Hex } from "../ids";
import { checkEntry, checkQuery, isZero, slices } from "./checks";
import { VectorIndexError } from "./errors";
import type { VectorEntry, VectorHit, VectorIndex, VectorQuery } from "./port";

/** Properties that need a metadata index in the service (`wrangler vectorize create-metadata-index`). */
export const indexedProperties = ["kind", "version", "user"] as const;
type IndexedProperty = (typeof indexedProperties)[number];

interface StoredVector {
  id: string;
  values: Float32Array;
  namespace: string;
  metadata: Record<IndexedProperty, string>;
}

/** The part of the service's binding that is used. */
export interface VectorizeBinding {
  upsert(vectors: StoredVector[]): Promise<unknown>;
  deleteByIds(ids: string[]): Promise<unknown>;
  query(
    vector: Float32Array,
    options: {
      topK: number;
      namespace: string;
      filter: Partial<Record<IndexedProperty, string>>;
      returnValues: false;
      returnMetadata: "none";
    },
  ): Promise<{ matches: { id: string; score: number }[] }>;
}

/** The service takes 1,000 through a binding. */
const MAX_UPSERTS = 1000;
const MAX_DELETES = 500;
/** Hex characters of a 16-byte hash. */
const HASH_CHARS = 32;
/** Codes 40000 to 40099 name a fault of the request itself, unless it only came too often. */
const REFUSAL = /code\s*=\s*400\d\d\b(?!.*\b(?:too many requests|rate|retry))/is;

export class VectorizeIndexAdapter implements VectorIndex {
  constructor(
    private readonly binding: VectorizeBinding,
    private readonly model: { name: string; dimension: number },
  ) {}

  /** Shows after a delay. A vector without direction is removed instead: the service could not rank it. */
  async upsert(entries: readonly VectorEntry[]): Promise<void> {
    for (const entry of entries) checkEntry(entry, this.model.dimension);
    const directed = entries.filter((entry) => !isZero(entry.values));
    const vectors = await Promise.all(directed.map((entry) => this.#stored(entry)));
    for (const slice of slices(vectors, MAX_UPSERTS)) await classed(this.binding.upsert(slice));
    await this.#delete(entries.filter((entry) => isZero(entry.values)).map(({ id }) => id));
  }

  async remove(_orgId: string, ids: readonly string[]): Promise<void> {
    await this.#delete(ids);
  }

  async query(query: VectorQuery): Promise<VectorHit[]> {
    checkQuery(query, this.model.dimension);
    if (isZero(query.values)) return [];
    const { matches } = await classed(
      this.binding.query(query.values, {
        topK: query.topK,
        namespace: await this.#namespace(query.orgId),
        filter: {
          kind: query.kind,
          ...(query.agentVersion !== undefined && { version: await hash(query.agentVersion) }),
          ...(query.userId !== undefined && { user: await hash(query.userId) }),
        },
        returnValues: false,
        returnMetadata: "none",
      }),
    );
    return matches
      .map(({ id, score }) => ({ id, score }))
      .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  }

  async #stored(entry: VectorEntry): Promise<StoredVector> {
    return {
      id: entry.id,
      values: entry.values,
      namespace: await this.#namespace(entry.orgId),
      metadata: {
        kind: entry.kind,
        version: await hash(entry.agentVersion),
        user: await hash(entry.userId),
      },
    };
  }

  async #delete(ids: readonly string[]): Promise<void> {
    for (const slice of slices(ids, MAX_DELETES)) await classed(this.binding.deleteByIds(slice));
  }

  /** Vectors of two models are never compared, so they never share a namespace. */
  #namespace(orgId: string): Promise<string> {
    return hash(JSON.stringify([orgId, this.model.name]));
  }
}

/** Names of versions and users are free text of any length and no business of an index. */
async function hash(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, HASH_CHARS);
}

async function classed<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "no reason given";
    throw new VectorIndexError(REFUSAL.test(message) ? "refused" : "transient", `Vectorize: ${message}`, {
      cause,
    });
  }
}
