/** What both adapters refuse before anything is sent, so that they cannot differ in it. Pure. */
import { VectorIndexError } from "./errors";
import type { VectorEntry, VectorQuery } from "./port";

/** The service's limit for queries that ask for neither values nor metadata. */
export const MAX_TOP_K = 100;
const MAX_ID_BYTES = 64;
const encoder = new TextEncoder();

/** @throws VectorIndexError `refused` where an entry could not be stored */
export function checkEntry(entry: VectorEntry, dimension: number): void {
  const bytes = encoder.encode(entry.id).byteLength;
  if (bytes === 0 || bytes > MAX_ID_BYTES) {
    throw new VectorIndexError("refused", `id has ${bytes} bytes; 1 to ${MAX_ID_BYTES} are right`);
  }
  checkValues(entry.values, dimension);
}

/** @throws VectorIndexError `refused` where a query could not be answered */
export function checkQuery(query: VectorQuery, dimension: number): void {
  if (!Number.isInteger(query.topK) || query.topK < 1 || query.topK > MAX_TOP_K) {
    throw new VectorIndexError(
      "refused",
      `topK is ${query.topK}; an integer from 1 to ${MAX_TOP_K} is right`,
    );
  }
  checkValues(query.values, dimension);
}

/** True for the vector of a text without any known word: it has no direction, so it is near to nothing. */
export function isZero(values: Float32Array): boolean {
  return values.every((value) => value === 0);
}

/** `items` in slices of at most `size`. */
export function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

function checkValues(values: Float32Array, dimension: number): void {
  if (values.length !== dimension) {
    throw new VectorIndexError("refused", `vector has ${values.length} dimensions; ${dimension} are right`);
  }
  if (!values.every(Number.isFinite)) {
    throw new VectorIndexError("refused", "vector has a component that is no finite number");
  }
}
