/**
 * Rules belong together when situation and instruction are alike: two rules for "giving a code example" may
 * have nothing to do with each other. In the joint vector's cosine the instruction counts double.
 */
import { toUnit } from "./vector-math";

/** Share of the situation; a third found more true and fewer false clusters than none or a half. */
const SITUATION_SHARE = 1 / 3;

/**
 * Averaging two similarities draws unrelated pairs together less than related ones, so a joint comparison
 * may reach a tenth farther than the model's threshold for single texts at the same share of false pairs.
 */
const REACH = 1.1;

/** The similarity of joint vectors that stands for a model's similarity of single texts. */
export const jointSimilarity = (similarity: number): number => 1 - (1 - similarity) * REACH;

/**
 * A unit vector of twice the dimension, or null for a situation without a direction. An instruction that
 * has none (no known word) leaves the situation to speak for both.
 */
export function jointVector(situation: Float32Array, instruction: Float32Array): Float32Array | null {
  const first = toUnit(situation);
  if (first === null) return null;
  const second = toUnit(instruction) ?? first;
  const joint = new Float32Array(first.length + second.length);
  joint.set(first.map((value) => value * Math.sqrt(SITUATION_SHARE)));
  joint.set(
    second.map((value) => value * Math.sqrt(1 - SITUATION_SHARE)),
    first.length,
  );
  return joint;
}
