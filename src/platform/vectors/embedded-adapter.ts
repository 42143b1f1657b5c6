/** The adapter over the embedded index: finds the org's object and speaks to it. */
import { asInt8, quantise } from "../embedder/quantise";
import { derivedId } from "../ids";
import { checkEntry, checkQuery, isZero, slices } from "./checks";
import type { EmbeddedVectorIndex } from "./embedded";
import { VectorIndexError } from "./errors";
import type { VectorEntry, VectorHit, VectorIndex, VectorQuery } from "./port";

/** Keeps a call far below the 32 MiB that an RPC may carry. */
const MAX_ENTRIES_PER_CALL = 1000;

export class EmbeddedVectorIndexAdapter implements VectorIndex {
  constructor(
    private readonly objects: DurableObjectNamespace<EmbeddedVectorIndex>,
    private readonly model: { name: string; dimension: number },
  ) {}

  async upsert(entries: readonly VectorEntry[]): Promise<void> {
    for (const entry of entries) checkEntry(entry, this.model.dimension);
    for (const [orgId, ofOrg] of Map.groupBy(entries, (entry) => entry.orgId)) {
      const object = await this.#object(orgId);
      for (const slice of slices(ofOrg, MAX_ENTRIES_PER_CALL)) {
        const packed = slice.map(({ id, kind, agentVersion, userId, values }) => ({
          ...{ id, kind, agentVersion, userId },
          // The scale is dropped: a cosine does not depend on it.
          components: asInt8(quantise(values).bytes),
        }));
        await classed(object.put(packed));
      }
    }
  }

  async remove(orgId: string, ids: readonly string[]): Promise<void> {
    const object = await this.#object(orgId);
    for (const slice of slices(ids, MAX_ENTRIES_PER_CALL)) await classed(object.remove(slice));
  }

  async query({ orgId, ...query }: VectorQuery): Promise<VectorHit[]> {
    checkQuery({ orgId, ...query }, this.model.dimension);
    if (isZero(query.values)) return [];
    const object = await this.#object(orgId);
    return classed(object.nearest(query));
  }

  /** Empties an org's index, before it is built again from D1. */
  async clear(orgId: string): Promise<void> {
    const object = await this.#object(orgId);
    await classed(object.clear());
  }

  /** Vectors of two models are never compared, so they never share an object. */
  async #object(orgId: string): Promise<DurableObjectStub<EmbeddedVectorIndex>> {
    const name = await derivedId("vectors", [orgId, this.model.name, this.model.dimension]);
    return this.objects.get(this.objects.idFromName(name));
  }
}

/** What was wrong with the input was refused before the call; what fails now may pass later. */
async function classed<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "no reason given";
    throw new VectorIndexError("transient", `embedded index: ${message}`, { cause });
  }
}
