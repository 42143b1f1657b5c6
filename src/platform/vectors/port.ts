/** The vector index port: candidates by meaning. Hits are hints; D1 judges them. */

export type VectorKind = "user_playbook" | "agent_playbook" | "profile";

/** One entry. `id` is what `vectorEntryId` (entry-id.ts) makes: at most 64 bytes. */
export interface VectorEntry {
  id: string;
  orgId: string;
  kind: VectorKind;
  /** Row id within the org. */
  entityId: number;
  agentVersion: string;
  /** Empty for entities that belong to no user. */
  userId: string;
  /** Unit vector. */
  values: Float32Array;
}

export interface VectorQuery {
  orgId: string;
  kind: VectorKind;
  /** Unit vector of the bound model's dimension. */
  values: Float32Array;
  agentVersion?: string;
  userId?: string;
  /** At most 100 (the service's limit for queries without values). */
  topK: number;
}

/** `score` is cosine similarity; best first, ties by id. */
export interface VectorHit {
  id: string;
  score: number;
}

export interface VectorIndex {
  upsert(entries: readonly VectorEntry[]): Promise<void>;
  remove(orgId: string, ids: readonly string[]): Promise<void>;
  query(query: VectorQuery): Promise<VectorHit[]>;
}
