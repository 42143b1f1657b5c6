/**
 * Copies rules from D1 to the vector index. Idempotent: it writes what D1 says now, then looks whether D1 has
 * moved on meanwhile.
 */
import { vectorEntryId } from "../platform/vectors/entry-id";
import type { VectorEntry } from "../platform/vectors/port";
import type { Services } from "../services";
import { embedRules, unitVectorOf } from "./rule-embedding";
import {
  deleteVectorsOfOtherModels,
  loadRuleStates,
  loadVectors,
  type NewVector,
  type RuleKind,
  type RuleState,
  type VectorRow,
  writeVectorsOfUnchanged,
} from "./vector-store";

/** How often a copy is repeated because its rule changed under it, before it waits. */
const MAX_ROUNDS = 3;

interface Snapshot {
  states: Map<number, RuleState>;
  vectors: Map<number, VectorRow[]>;
}

async function snapshot(
  services: Services,
  orgId: string,
  kind: RuleKind,
  ids: readonly number[],
): Promise<Snapshot> {
  const db = services.database(orgId);
  const [states, vectors] = await Promise.all([
    loadRuleStates(db, orgId, kind, ids),
    loadVectors(db, orgId, kind, ids),
  ]);
  return {
    states: new Map(states.map((state) => [state.entityId, state])),
    vectors: Map.groupBy(vectors, (vector) => vector.entityId),
  };
}

/** Embeds the indexed rules that have no vector of the bound model. @returns whether there were any */
async function embedMissing(
  services: Services,
  orgId: string,
  kind: RuleKind,
  now: Snapshot,
): Promise<boolean> {
  const { model } = services.embedder;
  const missing = [...now.states.values()].filter(
    (state) =>
      state.isIndexed &&
      !(now.vectors.get(state.entityId) ?? []).some((vector) => vector.model === model.name),
  );
  if (missing.length === 0) return false;
  const vectors = await embedRules(services, missing);
  const nowMs = services.clock.nowMs();
  const rows = missing.flatMap((state, at): (NewVector & { expectedUpdatedAtMs: number })[] => {
    const vector = vectors[at];
    return vector === undefined
      ? []
      : [{ orgId, kind, entityId: state.entityId, vector, nowMs, expectedUpdatedAtMs: state.updatedAtMs }];
  });
  await services.database(orgId).batch(writeVectorsOfUnchanged(rows));
  return true;
}

/** Writes to the index what the snapshot says. */
async function copy(
  services: Services,
  orgId: string,
  kind: RuleKind,
  ids: readonly number[],
  now: Snapshot,
) {
  const model = services.embedder.model.name;
  const entries: VectorEntry[] = [];
  const gone: string[] = [];
  for (const entityId of ids) {
    const state = now.states.get(entityId);
    const vectors = now.vectors.get(entityId) ?? [];
    const bound = vectors.find((vector) => vector.model === model);
    const values = bound === undefined ? null : unitVectorOf(bound);
    const id = await vectorEntryId(orgId, kind, entityId, model);
    if (state?.isIndexed === true && values !== null) {
      entries.push({
        id,
        orgId,
        kind,
        entityId,
        agentVersion: state.agentVersion,
        userId: state.userId,
        values,
      });
    } else {
      gone.push(id);
    }
    for (const foreign of vectors.filter((vector) => vector.model !== model)) {
      gone.push(await vectorEntryId(orgId, kind, entityId, foreign.model));
    }
  }
  if (entries.length > 0) await services.vectors.upsert(entries);
  if (gone.length > 0) await services.vectors.remove(orgId, gone);
}

/** Rules that changed between two snapshots: another writer may have been faster than this copy. */
const changedBetween = (ids: readonly number[], before: Snapshot, after: Snapshot): number[] =>
  ids.filter((id) => {
    const stamp = (of: Snapshot) =>
      JSON.stringify([
        of.states.get(id)?.updatedAtMs ?? null,
        of.states.get(id)?.isIndexed ?? null,
        (of.vectors.get(id) ?? []).map((vector) => [
          vector.model,
          vector.updatedAtMs,
          vector.scale,
          vector.hexBytes,
        ]),
      ]);
    return stamp(before) !== stamp(after);
  });

/**
 * Brings the index in line with D1 for rules of one kind, embedding what the bound model has not embedded.
 * @returns false when rules kept changing; the caller tries again later
 */
export async function syncRules(
  services: Services,
  orgId: string,
  kind: RuleKind,
  ids: readonly number[],
): Promise<boolean> {
  const model = services.embedder.model.name;
  let open = [...ids];
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round += 1) {
    let now = await snapshot(services, orgId, kind, open);
    if (await embedMissing(services, orgId, kind, now)) now = await snapshot(services, orgId, kind, open);
    await copy(services, orgId, kind, open, now);
    open = changedBetween(open, now, await snapshot(services, orgId, kind, open));
  }
  const settled = ids.filter((id) => !open.includes(id));
  if (settled.length > 0) {
    await services.database(orgId).run(deleteVectorsOfOtherModels(orgId, kind, settled, model));
  }
  return open.length === 0;
}
