/** Vectors of joined rows, read as `hex(vector)`: a plain BLOB comes as an array of numbers. */
import { unitVectorOf } from "../playbooks/vectors";

/** The unit vector; null where none is stored, it is of another dimension, or it has no direction. */
export const decodeVector = (
  hex: string | null,
  scale: number | null,
  dimension: number,
): Float32Array | null =>
  hex === null || scale === null || hex.length !== dimension * 2
    ? null
    : unitVectorOf({ hexBytes: hex, scale, dimension });
