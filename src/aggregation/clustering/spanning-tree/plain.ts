/** The spanning tree in plain TypeScript: what the WebAssembly one is held against. Ten times as slow. */
import { packedWidth } from "../packed-rows";
import { edgesOf, type SpanningTreeKernel, type SpanningTreeRun } from "./kernel";

class PlainRun implements SpanningTreeRun {
  readonly width: number;
  private readonly values: Int16Array;
  private readonly nearest: Float64Array;
  private readonly parent: Uint32Array;
  private readonly outside: Set<number>;
  private readonly triples: number[] = [];
  private newest = 0;

  constructor(count: number, dimension: number) {
    this.width = packedWidth(dimension);
    this.values = new Int16Array(count * this.width);
    this.nearest = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.parent = new Uint32Array(count);
    this.outside = new Set(Array.from({ length: count }, (_, index) => index));
    this.outside.delete(0);
  }

  row(index: number): Int16Array {
    return this.values.subarray(index * this.width, (index + 1) * this.width);
  }

  advance(pairs: number): boolean {
    for (let left = pairs; left > 0 && this.outside.size > 0; ) {
      left -= this.outside.size;
      this.join(this.nearestRow());
    }
    return this.outside.size > 0;
  }

  edges() {
    if (this.outside.size > 0) throw new Error("the tree does not span all rows yet");
    return edgesOf(Uint32Array.from(this.triples));
  }

  private nearestRow(): number {
    let best = -1;
    for (const row of this.outside) {
      const distance = this.squaredDistance(this.newest, row);
      if (distance < (this.nearest[row] ?? 0)) {
        this.nearest[row] = distance;
        this.parent[row] = this.newest;
      }
      if (best < 0 || (this.nearest[row] ?? 0) < (this.nearest[best] ?? 0)) best = row;
    }
    return best;
  }

  private join(row: number): void {
    this.triples.push(this.parent[row] ?? 0, row, this.nearest[row] ?? 0);
    this.outside.delete(row);
    this.newest = row;
  }

  private squaredDistance(left: number, right: number): number {
    const one = this.row(left);
    const other = this.row(right);
    let sum = 0;
    for (let index = 0; index < this.width; index += 1) {
      const step = (one[index] ?? 0) - (other[index] ?? 0);
      sum += step * step;
    }
    return sum;
  }
}

export const plainKernel: SpanningTreeKernel = {
  start: (count, dimension) => new PlainRun(count, dimension),
};
