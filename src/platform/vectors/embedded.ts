/**
 * The embedded vector index: one Durable Object per org and model, exact cosine over packed int8 blocks.
 * A cache of D1: everything in it can be thrown away and put in again.
 */
import { DurableObject } from "cloudflare:workers";
import { scan } from "./blocks";
import { EmbeddedVectorStore, type PackedEntry, type ShelfFilter } from "./embedded-store";
import type { VectorHit } from "./port";

export interface EmbeddedQuery extends ShelfFilter {
  /** Unit vector. */
  values: Float32Array;
  topK: number;
}

interface Candidate {
  block: number;
  slot: number;
  score: number;
}

export class EmbeddedVectorIndex extends DurableObject {
  readonly #store = new EmbeddedVectorStore(this.ctx.storage.sql);

  /** All or none of them; the same call twice changes nothing. */
  async put(entries: readonly PackedEntry[]): Promise<void> {
    this.#change(() => {
      for (const entry of entries) {
        if (entry.components.every((component) => component === 0)) this.#store.remove(entry.id);
        else this.#store.put(entry);
      }
    });
  }

  async remove(ids: readonly string[]): Promise<void> {
    this.#change(() => {
      for (const id of ids) this.#store.remove(id);
    });
  }

  /** The `topK` nearest entries, best first, equal ones by id. */
  async nearest({ values, topK, ...filter }: EmbeddedQuery): Promise<VectorHit[]> {
    let best: Candidate[] = [];
    for (const { number, block, accepts } of this.#store.blocks(filter)) {
      const hits = scan(block, values, accepts).map((hit) => ({ block: number, ...hit }));
      best = [...best, ...hits].sort(nearestFirst).slice(0, topK);
    }
    return best
      .flatMap(({ block, slot, score }) => {
        const id = this.#store.idAt(block, slot);
        return id === null ? [] : [{ id, score }];
      })
      .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  }

  async count(): Promise<number> {
    return this.#store.count();
  }

  /** Empties the index, before it is built again from D1. */
  async clear(): Promise<void> {
    this.#change(() => this.#store.clear());
  }

  /** A method that throws after a write keeps the write, unless it is a transaction. */
  #change(change: () => void): void {
    try {
      this.ctx.storage.transactionSync(() => {
        change();
        this.#store.flush();
      });
    } finally {
      this.#store.abandon();
    }
  }
}

function nearestFirst(left: Candidate, right: Candidate): number {
  return right.score - left.score || left.block - right.block || left.slot - right.slot;
}
