/** The table of embedding models: identity, limits, prefixes and the similarity thresholds of each. */
import type { EmbeddingModel, EmbeddingPurpose } from "./port";

export interface EmbeddingModelEntry extends EmbeddingModel {
  /** Put before a text that is stored. */
  documentPrefix: string;
  /** Put before a text that is searched with. */
  queryPrefix: string;
  /** Longer texts are cut, so that a model with a window of 512 tokens does not refuse them. */
  maxTextCharacters: number;
}

/** Characters that surely fit 512 word pieces of ordinary text. */
const SHORT_WINDOW_CHARACTERS = 1_800;
const LONG_WINDOW_CHARACTERS = 8_000;

const BGE_ENGLISH_QUERY_PREFIX = "Represent this sentence for searching relevant passages: ";

/** Thresholds from the specification, 8.3. */
const MINILM = {
  dimension: 384,
  clusteringSimilarity: 0.3,
  retrievalSimilarity: 0.3,
  documentPrefix: "",
  queryPrefix: "",
  maxTextCharacters: SHORT_WINDOW_CHARACTERS,
} as const;

/** The bundled model's name changes whenever its table does: vectors of two tables must not be compared. */
export const STATIC_MODEL_NAME = "static-v1";

const ENTRIES: readonly EmbeddingModelEntry[] = [
  {
    // Thresholds measured by `npm run eval:embeddings` on our own rule pairs; see scripts/embeddings/README.md.
    name: STATIC_MODEL_NAME,
    dimension: 128,
    clusteringSimilarity: 0.55,
    retrievalSimilarity: 0.3,
    documentPrefix: "",
    queryPrefix: "",
    maxTextCharacters: LONG_WINDOW_CHARACTERS,
  },
  {
    // Prefix and dimension: the model's card. The card advises thresholds of 0.8 and more for "similar";
    // both numbers here are estimates from it, not measured.
    name: "@cf/baai/bge-small-en-v1.5",
    dimension: 384,
    clusteringSimilarity: 0.8,
    retrievalSimilarity: 0.6,
    documentPrefix: "",
    queryPrefix: BGE_ENGLISH_QUERY_PREFIX,
    maxTextCharacters: SHORT_WINDOW_CHARACTERS,
  },
  {
    // As bge-small: documented prefix and dimension, estimated thresholds.
    name: "@cf/baai/bge-base-en-v1.5",
    dimension: 768,
    clusteringSimilarity: 0.8,
    retrievalSimilarity: 0.6,
    documentPrefix: "",
    queryPrefix: BGE_ENGLISH_QUERY_PREFIX,
    maxTextCharacters: SHORT_WINDOW_CHARACTERS,
  },
  {
    // The card asks for no prefix; thresholds estimated, lower than bge v1.5 as its cosines spread wider.
    name: "@cf/baai/bge-m3",
    dimension: 1024,
    clusteringSimilarity: 0.7,
    retrievalSimilarity: 0.5,
    documentPrefix: "",
    queryPrefix: "",
    maxTextCharacters: LONG_WINDOW_CHARACTERS,
  },
  {
    // The specification's defaults, 8.3: it measures no OpenAI model.
    name: "text-embedding-3-small",
    dimension: 1536,
    clusteringSimilarity: 0.3,
    retrievalSimilarity: 0.45,
    documentPrefix: "",
    queryPrefix: "",
    maxTextCharacters: LONG_WINDOW_CHARACTERS,
  },
  { name: "all-minilm", ...MINILM },
  { name: "all-minilm-l6-v2", ...MINILM },
  {
    // Specification 8.3, thresholds and prefixes.
    name: "nomic-embed-text-v1.5",
    dimension: 768,
    clusteringSimilarity: 0.85,
    retrievalSimilarity: 0.7,
    documentPrefix: "search_document: ",
    queryPrefix: "search_query: ",
    maxTextCharacters: LONG_WINDOW_CHARACTERS,
  },
  {
    // Specification 8.3, thresholds and prefixes.
    name: "multilingual-e5-small",
    dimension: 384,
    clusteringSimilarity: 0.9284577369689941,
    retrievalSimilarity: 0.7993814945220947,
    documentPrefix: "passage: ",
    queryPrefix: "query: ",
    maxTextCharacters: SHORT_WINDOW_CHARACTERS,
  },
];

const BY_NAME = new Map(ENTRIES.map((entry) => [entry.name, entry]));
/** `static` in a setting means the table that this build carries. */
const ALIASES = new Map([["static", STATIC_MODEL_NAME]]);

/** Names that `embeddingModel` knows, in the order of the table. */
export const EMBEDDING_MODEL_NAMES: readonly string[] = ENTRIES.map((entry) => entry.name);

/**
 * The entry of a model, by its trimmed and case-folded name.
 * @throws RangeError that lists the known names.
 */
export function embeddingModel(name: string): EmbeddingModelEntry {
  const folded = name.trim().toLowerCase();
  const entry = BY_NAME.get(ALIASES.get(folded) ?? folded);
  if (entry === undefined) {
    throw new RangeError(
      `unknown embedding model ${JSON.stringify(name.slice(0, 100))}; known: ${EMBEDDING_MODEL_NAMES.join(", ")}`,
    );
  }
  return entry;
}

/** The prefix that a model wants before a text of this purpose. */
export function purposePrefix(model: EmbeddingModelEntry, purpose: EmbeddingPurpose): string {
  return purpose === "query" ? model.queryPrefix : model.documentPrefix;
}
