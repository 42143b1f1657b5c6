/** Reads the binary table that scripts/embeddings/build.py writes: token strings, int8 vectors, one scale each. */
import type { Vocabulary } from "./wordpiece";

export interface StaticTable extends Vocabulary {
  dimension: number;
  /** One float32 per token; value = step * scale. */
  scales: Float32Array;
  /** `dimension` signed bytes per token, in the order of the tokens. */
  steps: Int8Array;
}

const MAGIC = "PMEMBED1";
const HEADER_BYTES = 20;

/**
 * Views into the buffer, which must not be changed afterwards; only the token strings are copied.
 * @throws RangeError that says which part of the table is wrong.
 */
export function parseStaticTable(buffer: ArrayBuffer): StaticTable {
  if (buffer.byteLength < HEADER_BYTES) throw new RangeError("embedding table: shorter than its header");
  const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 8));
  if (magic !== MAGIC) throw new RangeError("embedding table: not a table of this version");
  const header = new DataView(buffer, 8, 12);
  const tokenCount = header.getUint32(0, true);
  const dimension = header.getUint32(4, true);
  const textBytes = header.getUint32(8, true);
  const stepsAt = HEADER_BYTES + 4 * tokenCount;
  const textAt = stepsAt + tokenCount * dimension;
  if (tokenCount === 0 || dimension === 0 || textAt + textBytes !== buffer.byteLength) {
    throw new RangeError(`embedding table: ${buffer.byteLength} bytes do not match its header`);
  }
  const tokens = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    .decode(new Uint8Array(buffer, textAt, textBytes))
    .split("\n");
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  if (tokens.length !== tokenCount || indexOf.size !== tokenCount || indexOf.has("")) {
    throw new RangeError("embedding table: its tokens are not as many distinct words as its header says");
  }
  return {
    indexOf,
    longestToken: tokens.reduce((longest, token) => Math.max(longest, token.length), 0),
    dimension,
    scales: readScales(buffer, tokenCount),
    steps: new Int8Array(buffer, stepsAt, tokenCount * dimension),
  };
}

/** Read one by one: a typed array over the buffer would take the machine's byte order. */
function readScales(buffer: ArrayBuffer, tokenCount: number): Float32Array {
  const view = new DataView(buffer, HEADER_BYTES, 4 * tokenCount);
  const scales = new Float32Array(tokenCount);
  for (let i = 0; i < tokenCount; i++) {
    const scale = view.getFloat32(4 * i, true);
    if (!(scale > 0) || !Number.isFinite(scale))
      throw new RangeError(`embedding table: bad scale of token ${i}`);
    scales[i] = scale;
  }
  return scales;
}
