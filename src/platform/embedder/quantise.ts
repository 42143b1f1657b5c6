/** Unit vectors as signed bytes and a scale: what D1 keeps and what clustering compares. */

/** `bytes` holds two's complement int8 values in -127..127; value = byte * scale. A zero vector has scale 0. */
export interface QuantisedVector {
  bytes: Uint8Array;
  scale: number;
}

const LARGEST = 127;

/**
 * Rounds each value to the nearest of 255 steps between minus and plus the largest value.
 * @throws RangeError for a value that is not finite.
 */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (const value of vector) {
    if (!Number.isFinite(value))
      throw new RangeError("cannot quantise a vector with a value that is not finite");
    largest = Math.max(largest, Math.abs(value));
  }
  const steps = new Int8Array(vector.length);
  const scale = largest / LARGEST;
  // A scale that underflowed to 0 would divide by zero; such a vector is zero for every purpose.
  if (scale > 0) for (let i = 0; i < vector.length; i++) steps[i] = Math.round((vector[i] ?? 0) / scale);
  return { bytes: new Uint8Array(steps.buffer), scale };
}

/** The float32 values; not exactly of unit length, as rounding moved them. */
export function dequantise(vector: QuantisedVector): Float32Array {
  const steps = asInt8(vector.bytes);
  const values = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i++) values[i] = (steps[i] ?? 0) * vector.scale;
  return values;
}

/** The same memory read as signed bytes; nothing is copied. */
export function asInt8(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Cosine similarity in -1..1; scales cancel out, so bytes are enough. 0 if either vector is zero.
 * @throws RangeError if the lengths differ.
 */
export function cosineInt8(left: Int8Array, right: Int8Array): number {
  if (left.length !== right.length) {
    throw new RangeError(`cannot compare vectors of ${left.length} and ${right.length} dimensions`);
  }
  let dot = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let i = 0; i < left.length; i++) {
    const l = left[i] ?? 0;
    const r = right[i] ?? 0;
    dot += l * r;
    leftSquares += l * l;
    rightSquares += r * r;
  }
  if (leftSquares === 0 || rightSquares === 0) return 0;
  const cosine = dot / Math.sqrt(leftSquares * rightSquares);
  return Math.max(-1, Math.min(1, cosine));
}
