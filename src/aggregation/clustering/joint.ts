/**
 * Rules belong together when both their situation and their instruction are alike: two rules for "giving a
 * code example" may have nothing to do with each other. The joint vector's cosine is the mean of the two.
 */
import { toUnit } from "./vector-math";

/**
 * A unit vector of twice the dimension, or null for a situation without a direction. An instruction that
 * has none (no known word) leaves the situation to speak for both.
 */
export function jointVector(situation: Float32Array, instruction: Float32Array): Float32Array | null {
  const first = toUnit(situation);
  if (first === null) return null;
  const second = toUnit(instruction) ?? first;
  const joint = new Float32Array(first.length + second.length);
  joint.set(first);
  joint.set(second, first.length);
  return joint.map((value) => value * Math.SQRT1_2);
}
