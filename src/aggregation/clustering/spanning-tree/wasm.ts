/** The spanning tree in WebAssembly. Each run has an instance of its own, whose memory goes with it. */
import { packedWidth } from "../packed-rows";
import { edgesOf, type SpanningTreeKernel, type SpanningTreeRun } from "./kernel";

/** Beyond a row's values: its square, its nearest distance, parent, rank, and an edge of three. */
const COLUMNS_BYTES = 7 * 4;
/** Addresses have 32 bits; half of them is more than any machine of ours gives. */
const MAX_BYTES = 2 ** 31;

function exportedFunction(instance: WebAssembly.Instance, name: string): (...values: number[]) => number {
  const found = instance.exports[name];
  if (typeof found !== "function") throw new TypeError(`the module exports no function ${name}`);
  return (...values) => Number(found(...values));
}

function exportedMemory(instance: WebAssembly.Instance): WebAssembly.Memory {
  const found = instance.exports.memory;
  if (!(found instanceof WebAssembly.Memory)) throw new TypeError("the module exports no memory");
  return found;
}

class WasmRun implements SpanningTreeRun {
  readonly width: number;
  private readonly instance: WebAssembly.Instance;
  private readonly memory: WebAssembly.Memory;
  private readonly rowsAt: number;
  private readonly advanceBy: (pairs: number) => number;
  private outside: number;
  private hasBegun = false;

  constructor(
    module: WebAssembly.Module,
    private readonly count: number,
    dimension: number,
  ) {
    this.width = packedWidth(dimension);
    this.instance = new WebAssembly.Instance(module, {});
    this.memory = exportedMemory(this.instance);
    const fits = count * (this.width * 2 + COLUMNS_BYTES) < MAX_BYTES;
    // A module that is out of memory answers 0; addresses are unsigned.
    this.rowsAt = fits ? exportedFunction(this.instance, "reserve")(count, this.width) >>> 0 : 0;
    if (this.rowsAt === 0)
      throw new RangeError(`${count} rows of ${dimension} dimensions do not fit into memory`);
    this.advanceBy = exportedFunction(this.instance, "advance");
    this.outside = count;
  }

  row(index: number): Int16Array {
    return new Int16Array(this.memory.buffer, this.rowsAt + index * this.width * 2, this.width);
  }

  advance(pairs: number): boolean {
    if (!this.hasBegun) exportedFunction(this.instance, "begin")();
    this.hasBegun = true;
    this.outside = this.advanceBy(pairs);
    return this.outside > 0;
  }

  edges() {
    if (this.outside > 0 || !this.hasBegun) throw new Error("the tree does not span all rows yet");
    const at = exportedFunction(this.instance, "edges")() >>> 0;
    return edgesOf(new Uint32Array(this.memory.buffer, at, 3 * Math.max(0, this.count - 1)));
  }
}

export const wasmKernel = (module: WebAssembly.Module): SpanningTreeKernel => ({
  start: (count, dimension) => new WasmRun(module, count, dimension),
});
