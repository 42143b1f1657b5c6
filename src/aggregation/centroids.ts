/** Which existing cluster a new rule belongs to: the nearest centroid, exactly, in the same vector space. */
import { cosine } from "./clustering/vector-math";

/** The identity of a vector space; vectors of different spaces are never compared. */
export interface VectorSpace {
  model: string;
  dimension: number;
}

/** A cluster's centroid is the embedding of its present rule, never a mean of members (trap 45). */
export interface Centroid extends VectorSpace {
  clusterId: string;
  agentVersion: string;
  vector: Float32Array;
}

/**
 * The nearest centroid of the same agent version, model and dimension whose cosine similarity reaches
 * `similarity`; ties go to the lower cluster id. Null where there is none (trap 46).
 */
export function matchCentroid(
  vector: Float32Array,
  space: VectorSpace & { agentVersion: string },
  centroids: readonly Centroid[],
  similarity: number,
): { clusterId: string; similarity: number } | null {
  let best: { clusterId: string; similarity: number } | null = null;
  for (const centroid of centroids) {
    if (centroid.agentVersion !== space.agentVersion || centroid.model !== space.model) continue;
    if (centroid.dimension !== space.dimension || centroid.vector.length !== vector.length) continue;
    const score = cosine(vector, centroid.vector);
    if (score < similarity || !(score > 0)) continue;
    const wins =
      best === null ||
      score > best.similarity ||
      (score === best.similarity && centroid.clusterId < best.clusterId);
    if (wins) best = { clusterId: centroid.clusterId, similarity: score };
  }
  return best;
}
