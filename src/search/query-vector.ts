/** A query's vector, from the cache or the model; a failure never fails the search. */
import type { Clock } from "../platform/clock";
import { QueryEmbeddingCache, withQueryCache } from "../platform/embedder/cache";
import type { Services } from "../services";
import { withDeadline } from "./deadline";

/** A model that takes longer than this is searched around. */
const EMBEDDING_TIMEOUT_MS = 10_000;
/** What a query is about stands in its first characters; models cut off what is longer. */
const MAX_EMBEDDED_CHARS = 4_000;

/** One cache per clock, so one per isolate; its keys hold the org. */
const caches = new WeakMap<Clock, QueryEmbeddingCache>();

/** The unit vector of `query`, or null where the model fails or knows none of its words. */
export async function queryVector(
  services: Pick<Services, "clock" | "embedder" | "log">,
  orgId: string,
  query: string,
): Promise<Float32Array | null> {
  const embedder = withQueryCache(services.embedder, cacheOf(services.clock), orgId);
  try {
    const [vector] = await withDeadline(
      embedder.embed([query.slice(0, MAX_EMBEDDED_CHARS)], "query"),
      EMBEDDING_TIMEOUT_MS,
    );
    return vector === undefined || vector.every((value) => value === 0) ? null : vector;
  } catch (error) {
    services.log.warn("search.embedding_failed", { reason: error instanceof Error ? error.name : "unknown" });
    return null;
  }
}

function cacheOf(clock: Clock): QueryEmbeddingCache {
  const present = caches.get(clock);
  if (present !== undefined) return present;
  const cache = new QueryEmbeddingCache({ nowMs: () => clock.nowMs() });
  caches.set(clock, cache);
  return cache;
}
