/** What the vector index hints at. Only hints: an entry may be stale, foreign or of another model. */
import { entityIdOf, vectorEntryId } from "../platform/vectors/entry-id";
import type { VectorQuery } from "../platform/vectors/port";
import type { Services } from "../services";

export interface Hints {
  /** Rows of this org, kind and model, best first. */
  ids: number[];
  /** True where asking for more could bring more. */
  isCut: boolean;
}

/** The service's limit for queries without values. */
export const MAX_HINTS = 100;

/** One answer per query, or null where the index could not be asked. */
export async function indexHints(
  { vectors, embedder, log }: Pick<Services, "vectors" | "embedder" | "log">,
  queries: readonly Omit<VectorQuery, "topK">[],
  wanted: number,
): Promise<Hints[] | null> {
  const topK = Math.min(wanted, MAX_HINTS);
  try {
    return await Promise.all(
      queries.map(async (query) => {
        const hits = await vectors.query({ ...query, topK });
        const ids = await Promise.all(hits.map(({ id }) => ownEntity(query, id, embedder.model.name)));
        return { ids: ids.filter((id) => id !== null), isCut: hits.length >= topK && topK < MAX_HINTS };
      }),
    );
  } catch (error) {
    log.warn("search.index_failed", { reason: error instanceof Error ? error.name : "unknown" });
    return null;
  }
}

/** The row of a hit, or null where the entry is of another org, kind or model. */
async function ownEntity(
  { orgId, kind }: Pick<VectorQuery, "orgId" | "kind">,
  entryId: string,
  model: string,
): Promise<number | null> {
  const entityId = entityIdOf(entryId);
  return entityId !== null && (await vectorEntryId(orgId, kind, entityId, model)) === entryId
    ? entityId
    : null;
}
