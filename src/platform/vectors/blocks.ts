/** Packed int8 vectors: 256 to a block, each with the inverse of its length. Pure. */

export const VECTORS_PER_BLOCK = 256;

export interface Block {
  /** 256 × dimension int8 components. */
  components: Int8Array<ArrayBuffer>;
  /** 256 inverse Euclidean lengths; 0 marks a free slot. */
  inverseNorms: Float32Array<ArrayBuffer>;
}

export interface BlockHit {
  slot: number;
  score: number;
}

export function emptyBlock(dimension: number): Block {
  return {
    components: new Int8Array(VECTORS_PER_BLOCK * dimension),
    inverseNorms: new Float32Array(VECTORS_PER_BLOCK),
  };
}

/** Stores `components`, dimension long, in a slot; a vector of zeros leaves the slot free. */
export function writeSlot(block: Block, slot: number, components: Int8Array): void {
  block.components.set(components, slot * components.length);
  const squares = components.reduce((sum, component) => sum + component * component, 0);
  block.inverseNorms[slot] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/** The first free slot, or null. */
export function freeSlot(block: Block): number | null {
  const slot = block.inverseNorms.indexOf(0);
  return slot < 0 ? null : slot;
}

export function clearSlot(block: Block, slot: number): void {
  block.inverseNorms[slot] = 0;
}

/** Cosine similarity of a unit vector to every used slot that `accepts` lets through. */
export function scan(block: Block, unit: Float32Array, accepts: (slot: number) => boolean): BlockHit[] {
  const hits: BlockHit[] = [];
  for (let slot = 0; slot < VECTORS_PER_BLOCK; slot += 1) {
    const inverseNorm = block.inverseNorms[slot] ?? 0;
    if (inverseNorm === 0 || !accepts(slot)) continue;
    const score = dot(block.components, slot * unit.length, unit) * inverseNorm;
    hits.push({ slot, score: Math.max(-1, Math.min(1, score)) });
  }
  return hits;
}

function dot(components: Int8Array, offset: number, unit: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < unit.length; at += 1) sum += (components[offset + at] ?? 0) * (unit[at] ?? 0);
  return sum;
}
