/** An embedder without a table: each word has a direction of its own, so shared words mean nearness. */
import type { Embedder } from "../../../src/platform/embedder/port";

const DIMENSION = 256;

function directionOf(word: string): number {
  let hash = 2_166_136_261;
  for (const unit of word) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash % DIMENSION;
}

export const tokenVector: Embedder = {
  model: { name: "token-vector", dimension: DIMENSION, clusteringSimilarity: 0.5, retrievalSimilarity: 0.3 },
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(DIMENSION);
      for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
        vector[directionOf(word)] = (vector[directionOf(word)] ?? 0) + 1;
      }
      const norm = Math.hypot(...vector);
      return norm === 0 ? vector : vector.map((value) => value / norm);
    });
  },
};
