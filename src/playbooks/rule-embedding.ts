/** Rules to stored vectors and back. Models are asked outside batches. */
import { EmbedderError } from "../platform/embedder/port";
import { quantise } from "../platform/embedder/quantise";
import type { Services } from "../services";
import { type RuleText, retrievalText } from "./model";
import type { StoredVector, VectorRow } from "./vector-store";

/** Texts of one call to the embedder. */
const EMBED_PAGE = 100;

/**
 * Vectors of rules in their order: of the trigger, or of the content where there is none.
 * @throws EmbedderError
 */
export async function embedRules(
  services: Pick<Services, "embedder">,
  rules: readonly Pick<RuleText, "trigger" | "content">[],
): Promise<StoredVector[]> {
  const { model } = services.embedder;
  const stored: StoredVector[] = [];
  for (let from = 0; from < rules.length; from += EMBED_PAGE) {
    const texts = rules.slice(from, from + EMBED_PAGE).map(retrievalText);
    const vectors = await services.embedder.embed(texts, "document");
    if (vectors.length !== texts.length)
      throw new EmbedderError("transient", "The model answered another number of vectors.");
    for (const vector of vectors) {
      const { bytes, scale } = quantise(vector);
      stored.push({ model: model.name, dimension: model.dimension, bytes: new Uint8Array(bytes), scale });
    }
  }
  return stored;
}

/** As `embedRules`, or null where the model cannot answer now: the rules' vector work embeds them later. */
export async function embedRulesIfReady(
  services: Pick<Services, "embedder" | "log">,
  rules: readonly Pick<RuleText, "trigger" | "content">[],
): Promise<StoredVector[] | null> {
  try {
    return await embedRules(services, rules);
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    services.log.warn("playbooks.embedding_deferred", { fault: error.fault, rules: rules.length });
    return null;
  }
}

/** A unit vector from its stored bytes; null for the zero vector of a text without known words. */
export function unitVectorOf(row: Pick<VectorRow, "hexBytes" | "dimension" | "scale">): Float32Array | null {
  const values = new Float32Array(row.dimension);
  let squares = 0;
  for (let at = 0; at < row.dimension; at += 1) {
    const byte = Number.parseInt(row.hexBytes.slice(2 * at, 2 * at + 2), 16);
    const value = byte > 127 ? byte - 256 : byte;
    values[at] = value;
    squares += value * value;
  }
  if (!(squares > 0) || !(row.scale > 0)) return null;
  const norm = Math.sqrt(squares);
  return values.map((value) => value / norm);
}
