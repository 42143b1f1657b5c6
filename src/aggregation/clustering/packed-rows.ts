/** Unit vectors as 16-bit integers, so that distances are exact integers and equal on every machine. */
import { dot } from "./vector-math";

/**
 * Length of a packed unit vector. Rounding moves a vector by at most half a step per value, so below two million
 * dimensions a squared distance stays under 2³² and every product under 2³¹.
 */
export const UNIT_LENGTH = 32_000;

/** Values of a row come in groups of this many; what is missing is zero. */
export const LANE_VALUES = 8;

export const packedWidth = (dimension: number): number => Math.ceil(dimension / LANE_VALUES) * LANE_VALUES;

/** Rounds a vector's direction into `into`; what stands there behind its dimension stays. */
export function packDirection(vector: Float32Array, into: Int16Array): void {
  const scale = UNIT_LENGTH / Math.sqrt(dot(vector, vector));
  for (let index = 0; index < vector.length; index += 1)
    into[index] = Math.round((vector[index] ?? 0) * scale);
}
