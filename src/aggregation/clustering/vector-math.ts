/** Arithmetic on vectors: dot products, unit length, means. No allocation beyond the results. */

/** Four sums side by side: several times as fast as one, since none waits for the other. */
export function dot(left: Float32Array, right: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = left.length - (left.length % 4);
  let index = 0;
  for (; index < whole; index += 4) {
    first += (left[index] ?? 0) * (right[index] ?? 0);
    second += (left[index + 1] ?? 0) * (right[index + 1] ?? 0);
    third += (left[index + 2] ?? 0) * (right[index + 2] ?? 0);
    fourth += (left[index + 3] ?? 0) * (right[index + 3] ?? 0);
  }
  for (; index < left.length; index += 1) first += (left[index] ?? 0) * (right[index] ?? 0);
  return first + second + (third + fourth);
}

/** False for a vector without a direction: zero or not finite. */
export function hasDirection(vector: Float32Array): boolean {
  const square = dot(vector, vector);
  return square > 0 && Number.isFinite(square);
}

/** A unit-length copy, or null for a vector without a direction (zero or not finite). */
export function toUnit(vector: Float32Array): Float32Array | null {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null;
}

/** Cosine similarity; 0 where either vector has no direction or their lengths differ. */
export function cosine(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  const lengths = Math.sqrt(dot(left, left) * dot(right, right));
  return lengths > 0 && Number.isFinite(lengths) ? dot(left, right) / lengths : 0;
}

/** Component-wise mean, or null where there is none or dimensions differ. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array | null {
  const first = vectors[0];
  if (first === undefined || vectors.some((vector) => vector.length !== first.length)) return null;
  const mean = new Float32Array(first.length);
  for (const vector of vectors) {
    for (let index = 0; index < mean.length; index += 1)
      mean[index] = (mean[index] ?? 0) + (vector[index] ?? 0);
  }
  return mean.map((value) => value / vectors.length);
}
