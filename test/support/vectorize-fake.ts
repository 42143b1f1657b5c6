/**
 * A stand-in for the Vectorize binding that refuses what the service refuses. Writes are asynchronous: they show
 * only when the test advances the fake's own time, and in an order that the seed decides.
 */
import type { VectorizeBinding } from "../../src/platform/vectors/vectorize";

type Vector = Parameters<VectorizeBinding["upsert"]>[0][number];
type QueryOptions = Parameters<VectorizeBinding["query"]>[1];
type Mutation = { dueAtMs: number; apply(): void };

export interface VectorizeFakeOptions {
  dimension: number;
  /** Properties with a metadata index. */
  indexed: readonly string[];
  seed: number;
}

const LIMITS = {
  topK: 100,
  idBytes: 64,
  namespaceBytes: 64,
  batch: 1000,
  metadataBytes: 10_240,
  filterBytes: 2048,
};
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

export class VectorizeFake implements VectorizeBinding {
  readonly #stored = new Map<string, Vector>();
  #pending: Mutation[] = [];
  #nowMs = 0;
  #random: () => number;
  /** Calls of each method, refused ones included. */
  readonly calls = { upsert: 0, deleteByIds: 0, query: 0 };

  constructor(private readonly options: VectorizeFakeOptions) {
    this.#random = seeded(options.seed);
  }

  async upsert(vectors: Vector[]): Promise<{ mutationId: string }> {
    this.calls.upsert += 1;
    refuseUnless(vectors.length <= LIMITS.batch, 40_023, `at most ${LIMITS.batch} vectors at once`);
    for (const vector of vectors) this.#check(vector);
    for (const vector of vectors) {
      const copy = { ...vector, values: vector.values.slice(), metadata: { ...vector.metadata } };
      this.#later(() => this.#stored.set(copy.id, copy));
    }
    return { mutationId: String(this.calls.upsert) };
  }

  async deleteByIds(ids: string[]): Promise<{ mutationId: string }> {
    this.calls.deleteByIds += 1;
    refuseUnless(ids.length <= LIMITS.batch, 40_023, `at most ${LIMITS.batch} ids at once`);
    for (const id of ids) {
      checkId(id);
      this.#later(() => this.#stored.delete(id));
    }
    return { mutationId: `delete ${this.calls.deleteByIds}` };
  }

  async query(
    vector: Float32Array,
    options: QueryOptions,
  ): Promise<{ count: number; matches: { id: string; score: number }[] }> {
    this.calls.query += 1;
    this.#checkDimension(vector);
    refuseUnless(options.topK >= 1 && options.topK <= LIMITS.topK, 40_025, `topK ends at ${LIMITS.topK}`);
    checkNamespace(options.namespace);
    refuseUnless(
      bytesOf(JSON.stringify(options.filter)) <= LIMITS.filterBytes,
      40_026,
      "filter is too large",
    );
    const conditions = Object.entries(options.filter);
    for (const [property] of conditions) {
      refuseUnless(
        this.options.indexed.includes(property),
        40_026,
        `no metadata index for property ${property}`,
      );
    }
    const matches = [...this.#stored.values()]
      .filter(({ namespace }) => namespace === options.namespace)
      .filter(({ metadata }) => conditions.every(([key, value]) => Reflect.get(metadata, key) === value))
      .map(({ id, values }) => ({ id, score: cosine(values, vector) }))
      .sort((left, right) => right.score - left.score)
      .slice(0, options.topK);
    return { count: matches.length, matches };
  }

  /** Lets time pass; writes that fall due meanwhile show. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#pending.filter(({ dueAtMs }) => dueAtMs <= this.#nowMs);
    this.#pending = this.#pending.filter(({ dueAtMs }) => dueAtMs > this.#nowMs);
    for (const { apply } of due.sort((left, right) => left.dueAtMs - right.dueAtMs)) apply();
  }

  /** Lets every write show. */
  settle(): void {
    this.advance(MAX_DELAY_MS);
  }

  #later(apply: () => void): void {
    this.#pending.push({
      dueAtMs: this.#nowMs + MIN_DELAY_MS + this.#random() * (MAX_DELAY_MS - MIN_DELAY_MS),
      apply,
    });
  }

  #check(vector: Vector): void {
    checkId(vector.id);
    checkNamespace(vector.namespace);
    this.#checkDimension(vector.values);
    refuseUnless(
      bytesOf(JSON.stringify(vector.metadata)) <= LIMITS.metadataBytes,
      40_011,
      `metadata of "${vector.id}" is too large`,
    );
  }

  #checkDimension(values: Float32Array): void {
    const { dimension } = this.options;
    refuseUnless(
      values.length === dimension,
      40_012,
      `expected ${dimension} dimensions, got ${values.length}`,
    );
    refuseUnless(values.every(Number.isFinite), 40_012, "a component is no finite number");
  }
}

function checkId(id: string): void {
  const bytes = bytesOf(id);
  refuseUnless(
    bytes >= 1 && bytes <= LIMITS.idBytes,
    40_008,
    `id has ${bytes} bytes, ${LIMITS.idBytes} are allowed`,
  );
}

function checkNamespace(namespace: string): void {
  refuseUnless(bytesOf(namespace) <= LIMITS.namespaceBytes, 40_009, "namespace is too long");
}

function refuseUnless(isRight: boolean, code: number, reason: string): asserts isRight {
  if (!isRight) throw new Error(`VECTORIZE_ERROR (code = ${code}): ${reason}`);
}

function cosine(left: Float32Array, right: Float32Array): number {
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let at = 0; at < left.length; at += 1) {
    product += (left[at] ?? 0) * (right[at] ?? 0);
    leftSquares += (left[at] ?? 0) ** 2;
    rightSquares += (right[at] ?? 0) ** 2;
  }
  return leftSquares === 0 || rightSquares === 0 ? 0 : product / Math.sqrt(leftSquares * rightSquares);
}

/** Numbers from 0 to below 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
