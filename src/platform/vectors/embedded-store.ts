/**
 * The SQL of one embedded index: blocks of 256 int8 vectors on one shelf per kind and agent version, and where
 * in them each entry lies. Every method is synchronous; the object wraps changes in a transaction.
 */
import { type Block, clearSlot, emptyBlock, freeSlot, writeSlot } from "./blocks";
import type { VectorKind } from "./port";

/** An entry on its way into the index. */
export interface PackedEntry {
  id: string;
  kind: VectorKind;
  agentVersion: string;
  userId: string;
  components: Int8Array;
}

export interface ShelfFilter {
  kind: VectorKind;
  agentVersion?: string;
  userId?: string;
}

type Place = { block: number; slot: number; kind: string; agent_version: string };
type StoredBlock = { block: number; components: ArrayBuffer; inverse_norms: ArrayBuffer };

export class EmbeddedVectorStore {
  /** Blocks changed in the present transaction. */
  readonly #open = new Map<number, Block>();

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`
      CREATE TABLE IF NOT EXISTS blocks (
        block INTEGER PRIMARY KEY, kind TEXT NOT NULL, agent_version TEXT NOT NULL, used INTEGER NOT NULL,
        components BLOB NOT NULL, inverse_norms BLOB NOT NULL);
      CREATE INDEX IF NOT EXISTS blocks_by_shelf ON blocks (kind, agent_version, used);
      CREATE TABLE IF NOT EXISTS entries (
        id TEXT PRIMARY KEY, block INTEGER NOT NULL, slot INTEGER NOT NULL, user_id TEXT NOT NULL) WITHOUT ROWID;
      CREATE UNIQUE INDEX IF NOT EXISTS entries_by_place ON entries (block, slot);
      CREATE INDEX IF NOT EXISTS entries_by_user ON entries (user_id, block, slot);`);
  }

  /** Stores or replaces one entry; call {@link flush} after the last. */
  put(entry: PackedEntry): void {
    const present = this.#place(entry.id);
    const stays =
      present !== null && present.kind === entry.kind && present.agent_version === entry.agentVersion;
    if (present !== null && !stays) this.remove(entry.id);
    const { block, slot } = stays ? present : this.#allocate(entry);
    writeSlot(this.#load(block, entry.components.length), slot, entry.components);
    this.sql.exec(
      `INSERT INTO entries (id, block, slot, user_id) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET block = excluded.block, slot = excluded.slot, user_id = excluded.user_id`,
      entry.id,
      block,
      slot,
      entry.userId,
    );
  }

  /** Removes an entry if it is there; call {@link flush} after the last. */
  remove(id: string): void {
    const place = this.#place(id);
    if (place === null) return;
    clearSlot(this.#load(place.block), place.slot);
    this.sql.exec("DELETE FROM entries WHERE id = ?", id);
    this.sql.exec("UPDATE blocks SET used = used - 1 WHERE block = ?", place.block);
  }

  /** Writes the changed blocks, each once, and drops those without an entry. */
  flush(): void {
    for (const [number, block] of this.#open) {
      this.sql.exec(
        "UPDATE blocks SET components = ?, inverse_norms = ? WHERE block = ?",
        block.components.buffer,
        block.inverseNorms.buffer,
        number,
      );
    }
    this.sql.exec("DELETE FROM blocks WHERE used = 0");
    this.#open.clear();
  }

  /** Forgets what a failed transaction had changed. */
  abandon(): void {
    this.#open.clear();
  }

  /** Blocks that may hold matching entries, one at a time, with the test for their slots. */
  *blocks(filter: ShelfFilter): Generator<{ number: number; block: Block; accepts(slot: number): boolean }> {
    const slots = filter.userId === undefined ? null : this.#slotsOfUser(filter.userId);
    const rows = this.sql.exec<StoredBlock>(
      `SELECT block, components, inverse_norms FROM blocks WHERE kind = ?1 AND (?2 IS NULL OR agent_version = ?2)
       AND (?3 IS NULL OR block IN (SELECT block FROM entries WHERE user_id = ?3))`,
      filter.kind,
      filter.agentVersion ?? null,
      filter.userId ?? null,
    );
    for (const row of rows) {
      const accepted = slots?.get(row.block);
      yield {
        number: row.block,
        block: unpack(row),
        accepts: (slot) => slots === null || (accepted?.has(slot) ?? false),
      };
    }
  }

  idAt(block: number, slot: number): string | null {
    const rows = this.sql.exec<{ id: string }>(
      "SELECT id FROM entries WHERE block = ? AND slot = ?",
      block,
      slot,
    );
    return rows.toArray()[0]?.id ?? null;
  }

  count(): number {
    return this.sql.exec<{ entries: number }>("SELECT count(*) AS entries FROM entries").one().entries;
  }

  clear(): void {
    this.#open.clear();
    this.sql.exec("DELETE FROM entries");
    this.sql.exec("DELETE FROM blocks");
  }

  #place(id: string): Place | null {
    const rows = this.sql.exec<Place>(
      `SELECT e.block, e.slot, b.kind, b.agent_version FROM entries e JOIN blocks b ON b.block = e.block WHERE e.id = ?`,
      id,
    );
    return rows.toArray()[0] ?? null;
  }

  #allocate({ kind, agentVersion, components }: PackedEntry): { block: number; slot: number } {
    const found = this.sql
      .exec<{ block: number }>(
        "SELECT block FROM blocks WHERE kind = ? AND agent_version = ? AND used < 256 ORDER BY block LIMIT 1",
        kind,
        agentVersion,
      )
      .toArray()[0];
    const block = found?.block ?? this.#create(kind, agentVersion, components.length);
    const slot = freeSlot(this.#load(block, components.length));
    if (slot === null) throw new Error(`block ${block} counts a free slot and has none`);
    this.sql.exec("UPDATE blocks SET used = used + 1 WHERE block = ?", block);
    return { block, slot };
  }

  #create(kind: VectorKind, agentVersion: string, dimension: number): number {
    const { components, inverseNorms } = emptyBlock(dimension);
    return this.sql
      .exec<{ block: number }>(
        `INSERT INTO blocks (kind, agent_version, used, components, inverse_norms) VALUES (?, ?, 0, ?, ?) RETURNING block`,
        kind,
        agentVersion,
        components.buffer,
        inverseNorms.buffer,
      )
      .one().block;
  }

  #load(number: number, dimension?: number): Block {
    const block = this.#open.get(number) ?? this.#read(number);
    if (dimension !== undefined && block.components.length !== block.inverseNorms.length * dimension) {
      throw new Error(`the index holds vectors of another dimension than ${dimension}`);
    }
    this.#open.set(number, block);
    return block;
  }

  #read(number: number): Block {
    const rows = this.sql.exec<StoredBlock>(
      "SELECT block, components, inverse_norms FROM blocks WHERE block = ?",
      number,
    );
    return unpack(rows.one());
  }

  #slotsOfUser(userId: string): Map<number, Set<number>> {
    const slots = new Map<number, Set<number>>();
    const rows = this.sql.exec<{ block: number; slot: number }>(
      "SELECT block, slot FROM entries WHERE user_id = ?",
      userId,
    );
    for (const { block, slot } of rows) slots.set(block, (slots.get(block) ?? new Set()).add(slot));
    return slots;
  }
}

function unpack({ components, inverse_norms }: StoredBlock): Block {
  return { components: new Int8Array(components), inverseNorms: new Float32Array(inverse_norms) };
}
