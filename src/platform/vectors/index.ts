/** Chooses the vector index that one setting names; nothing else knows which is bound. */
import type { EmbeddedVectorIndex } from "./embedded";
import { EmbeddedVectorIndexAdapter } from "./embedded-adapter";
import type { VectorIndex } from "./port";
import { type VectorizeBinding, VectorizeIndexAdapter } from "./vectorize";

export interface VectorIndexSettings {
  adapter: "embedded" | "vectorize";
  /** The bound embedding model; an index never mixes the vectors of two. */
  model: { name: string; dimension: number };
}

export interface VectorIndexBindings {
  embedded: DurableObjectNamespace<EmbeddedVectorIndex>;
  vectorize?: VectorizeBinding;
}

/** @throws Error where the setting names an index that is not bound */
export function createVectorIndex(settings: VectorIndexSettings, bindings: VectorIndexBindings): VectorIndex {
  if (settings.adapter === "embedded") {
    return new EmbeddedVectorIndexAdapter(bindings.embedded, settings.model);
  }
  if (bindings.vectorize === undefined) {
    throw new Error("VECTORS is vectorize, but nothing is bound as VECTORIZE: add a [[vectorize]] binding.");
  }
  return new VectorizeIndexAdapter(bindings.vectorize, settings.model);
}
