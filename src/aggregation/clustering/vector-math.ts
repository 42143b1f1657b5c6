/** Arithmetic on vectors: dot products, unit length, means. No allocation beyond the results. */

export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
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
