/** Checks a model's raw answer and scales it to unit length. */
import { EmbedderError } from "./port";

/**
 * A float32 vector of length 1, or the zero vector if all values are 0.
 * @throws EmbedderError refused: wrong dimension; transient: a value that is not a finite number.
 */
export function unitVector(values: ArrayLike<number>, dimension: number): Float32Array {
  if (values.length !== dimension) {
    throw new EmbedderError(
      "refused",
      `the model answered ${values.length} numbers for a text, its entry says ${dimension}`,
    );
  }
  // Scaled by the largest value first: the squares of very small or large numbers leave the range.
  let largest = 0;
  for (let i = 0; i < dimension; i++) {
    const value = Math.abs(values[i] ?? Number.NaN);
    if (!Number.isFinite(value)) {
      throw new EmbedderError(
        "transient",
        `the model answered a number that is not finite, at position ${i}`,
      );
    }
    if (value > largest) largest = value;
  }
  const unit = new Float32Array(dimension);
  if (largest === 0) return unit;
  let sumOfSquares = 0;
  for (let i = 0; i < dimension; i++) sumOfSquares += ((values[i] ?? 0) / largest) ** 2;
  const length = Math.sqrt(sumOfSquares);
  for (let i = 0; i < dimension; i++) unit[i] = (values[i] ?? 0) / largest / length;
  return unit;
}
