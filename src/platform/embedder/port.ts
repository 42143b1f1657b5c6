/** The embedder port: text to unit vectors of one named model. */

/** What the text is for; some models want different prefixes (specification 8.3). */
export type EmbeddingPurpose = "document" | "query";

/** A model's identity and measured thresholds; a model without an entry is refused at start. */
export interface EmbeddingModel {
  /** Trimmed and case-folded; stored beside every vector. */
  name: string;
  dimension: number;
  /** Cosine similarity at and above which two rules cluster. */
  clusteringSimilarity: number;
  /** Cosine similarity below which a hit is not shown. */
  retrievalSimilarity: number;
}

export interface Embedder {
  readonly model: EmbeddingModel;
  /**
   * Unit-length vectors of `model.dimension` float32s, in the order of `texts`; a text without any
   * known token gives the zero vector.
   * @throws EmbedderError
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]>;
}

export class EmbedderError extends Error {
  override readonly name = "EmbedderError";
  constructor(
    readonly fault: "transient" | "refused" | "not_ready",
    message: string,
  ) {
    super(message);
  }
}
