/** The embedder that needs no network: the sum of a text's token vectors, from a table shipped as an asset. */
import { embeddingModel, STATIC_MODEL_NAME } from "../models";
import { type Embedder, EmbedderError } from "../port";
import { boundedText } from "../text";
import { unitVector } from "../unit-vector";
import { basicTokens } from "./normaliser";
import { parseStaticTable, type StaticTable } from "./table";
import { addWordPieces } from "./wordpiece";

/** Fetches the bytes of assets/public/embeddings/static-v1.bin. */
export type LoadTable = () => Promise<ArrayBuffer>;

/** Where a parsed table stays, so that embedders made for several requests share one. */
export interface TableSlot {
  table?: StaticTable;
}

/** Path of the table under the assets' origin. */
export const STATIC_TABLE_PATH = "/embeddings/static-v1.bin";

/**
 * Loads the table on first use and keeps it in `slot`; a failed load is tried again at the next call.
 * `embed` throws EmbedderError not_ready if the table cannot be loaded or is not the one this build expects.
 */
export function createStaticEmbedder(loadTable: LoadTable, slot: TableSlot = {}): Embedder {
  const model = embeddingModel(STATIC_MODEL_NAME);
  return {
    model,
    async embed(texts) {
      if (texts.length === 0) return [];
      // The value is shared and never the promise: in workerd a promise of one request must not be awaited by another.
      slot.table ??= await loadChecked(loadTable, model.dimension);
      const table = slot.table;
      return texts.map((text) => textVector(table, boundedText(text, model.maxTextCharacters)));
    },
  };
}

async function loadChecked(loadTable: LoadTable, dimension: number): Promise<StaticTable> {
  let table: StaticTable;
  try {
    table = parseStaticTable(await loadTable());
  } catch (error) {
    throw new EmbedderError(
      "not_ready",
      `static embedder: ${error instanceof Error ? error.message : "load failed"}`,
    );
  }
  if (table.dimension !== dimension) {
    throw new EmbedderError(
      "not_ready",
      `static embedder: table of ${table.dimension} dimensions, not ${dimension}`,
    );
  }
  return table;
}

/** Unit vector of one text; the zero vector if it holds no known token. */
export function textVector(table: StaticTable, text: string): Float32Array {
  const indexes: number[] = [];
  for (const word of basicTokens(text)) addWordPieces(word, table, indexes);
  const sum = new Float64Array(table.dimension);
  for (const index of indexes) {
    const scale = table.scales[index] ?? 0;
    const first = index * table.dimension;
    for (let i = 0; i < table.dimension; i++) sum[i] = (sum[i] ?? 0) + scale * (table.steps[first + i] ?? 0);
  }
  return unitVector(sum, table.dimension);
}
