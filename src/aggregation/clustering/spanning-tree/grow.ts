/** Packs vectors into a kernel and grows their spanning tree, with a pause after each stretch of work. */
import { packDirection } from "../packed-rows";
import type { SpanningTreeKernel, TreeEdges } from "./kernel";

/** Multiplications between two pauses: about 20 ms in WebAssembly on the machines this runs on. */
export const STRETCH_MULTIPLICATIONS = 2 ** 28;
/** Values packed between two pauses. */
const STRETCH_PACKED_VALUES = 2 ** 21;

/**
 * The minimum spanning tree of the vectors' directions; every vector has one, and one dimension.
 * `pause` is awaited between stretches: timers fire and calls are answered there.
 * @throws RangeError where dimensions differ, or the rows do not fit into memory
 */
export async function growSpanningTree(
  vectors: readonly Float32Array[],
  kernel: SpanningTreeKernel,
  pause: () => Promise<void>,
): Promise<TreeEdges> {
  const dimension = vectors[0]?.length ?? 0;
  const run = kernel.start(vectors.length, dimension);
  const rowsAtOnce = Math.max(1, Math.floor(STRETCH_PACKED_VALUES / Math.max(1, dimension)));
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== dimension)
      throw new RangeError(`row ${index} has ${vector.length} dimensions, the first one ${dimension}`);
    packDirection(vector, run.row(index));
    if ((index + 1) % rowsAtOnce === 0) await pause();
  }
  const pairs = Math.max(1, Math.floor(STRETCH_MULTIPLICATIONS / Math.max(1, run.width)));
  while (run.advance(pairs)) await pause();
  return run.edges();
}
