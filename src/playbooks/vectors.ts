/**
 * Vectors of rules: made outside batches, stored in D1 with the rule, and copied from there to the index.
 * The copy is idempotent: it writes what D1 says now, then looks whether D1 has moved on meanwhile.
 */
import { enqueue, type Work, type WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { nowSec } from "../platform/clock";
import { EmbedderError } from "../platform/embedder/port";
import { quantise } from "../platform/embedder/quantise";
import { derivedId } from "../platform/ids";
import { vectorEntryId } from "../platform/vectors/entry-id";
import type { VectorEntry } from "../platform/vectors/port";
import type { Services } from "../services";
import { type RuleText, retrievalText } from "./model";
import {
  deleteVectorsOfOtherModels,
  findForeignVectors,
  loadRuleStates,
  loadVectors,
  type NewVector,
  type RuleKind,
  type RuleState,
  type StoredVector,
  type VectorRow,
  writeDeadLetter,
  writeVectorsOfUnchanged,
} from "./vector-store";

/** Texts of one call to the embedder. */
const EMBED_PAGE = 100;
/** Rules of one page of re-embedding. */
const REEMBED_PAGE = 100;
/** How often a copy is repeated because its rule changed under it, before it waits. */
const MAX_ROUNDS = 3;
const RETRY_MS = 1_000;
/** A model that refused a rule so often will not take it by itself: authentication, or the text. */
const MAX_REFUSALS = 5;

/**
 * Vectors of rules in their order: of the trigger, or of the content where there is none.
 * @throws EmbedderError
 */
export async function embedRules(
  services: Pick<Services, "embedder">,
  rules: readonly Pick<RuleText, "trigger" | "content">[],
): Promise<StoredVector[]> {
  const { model } = services.embedder;
  const stored: StoredVector[] = [];
  for (let from = 0; from < rules.length; from += EMBED_PAGE) {
    const texts = rules.slice(from, from + EMBED_PAGE).map(retrievalText);
    const vectors = await services.embedder.embed(texts, "document");
    if (vectors.length !== texts.length)
      throw new EmbedderError("transient", "The model answered another number of vectors.");
    for (const vector of vectors) {
      const { bytes, scale } = quantise(vector);
      stored.push({ model: model.name, dimension: model.dimension, bytes: new Uint8Array(bytes), scale });
    }
  }
  return stored;
}

/** As `embedRules`, or null where the model cannot answer now: the rules' vector work embeds them later. */
export async function embedRulesIfReady(
  services: Pick<Services, "embedder" | "log">,
  rules: readonly Pick<RuleText, "trigger" | "content">[],
): Promise<StoredVector[] | null> {
  try {
    return await embedRules(services, rules);
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    services.log.warn("playbooks.embedding_deferred", { fault: error.fault, rules: rules.length });
    return null;
  }
}

/** The work that copies a rule to the index, for the batch that changes the rule. */
export const enqueueVector = (
  orgId: string,
  kind: RuleKind,
  entityId: number,
  updatedAtMs: number,
): Promise<{ message: WorkMessage; statement: Statement }> =>
  enqueue({ orgId, topic: "vector", key: [kind, entityId], cause: String(updatedAtMs), nowMs: updatedAtMs });

/** A unit vector from its stored bytes; null for the zero vector of a text without known words. */
export function unitVectorOf(row: Pick<VectorRow, "hexBytes" | "dimension" | "scale">): Float32Array | null {
  const values = new Float32Array(row.dimension);
  let squares = 0;
  for (let at = 0; at < row.dimension; at += 1) {
    const byte = Number.parseInt(row.hexBytes.slice(2 * at, 2 * at + 2), 16);
    const value = byte > 127 ? byte - 256 : byte;
    values[at] = value;
    squares += value * value;
  }
  if (!(squares > 0) || !(row.scale > 0)) return null;
  const norm = Math.sqrt(squares);
  return values.map((value) => value / norm);
}

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
async function syncRules(
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

/** Work of topic `vector`, key `[kind, entityId]`. Safe to repeat, in any order. */
export async function syncVector(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const [kind, entityId] = work.key;
  if ((kind !== "user_playbook" && kind !== "agent_playbook") || typeof entityId !== "number") {
    services.log.error("playbooks.vector_key", { work: work.id });
    return "done";
  }
  try {
    return (await syncRules(services, work.orgId, kind, [entityId])) ? "done" : { retryInMs: RETRY_MS };
  } catch (error) {
    const isHopeless =
      error instanceof EmbedderError && error.fault === "refused" && work.attempts >= MAX_REFUSALS;
    if (!isHopeless) throw error;
    await services.database(work.orgId).run(
      writeDeadLetter(work, {
        deadLetterId: await derivedId("dead", [work.orgId, work.topic, kind, entityId]),
        reason: "embedding_refused",
        message: "The embedding model refuses this rule; it is found by its words only.",
        createdAt: nowSec(services.clock),
      }),
    );
    return "done";
  }
}

/** Whether an org still has vectors of another model than the bound one: one seek in an index. */
export async function needsReembedding(services: Services, orgId: string): Promise<boolean> {
  const found = await findForeignVectors(services.database(orgId), orgId, services.embedder.model.name, 1);
  return found.length > 0;
}

/**
 * Moves a page of an org's rules to the bound model: embeds, copies to the index, takes the old entries out of
 * it and only then forgets the old vectors, so that an interrupted page is simply done again.
 * @returns whether there is more
 */
export async function reembedPage(
  services: Services,
  orgId: string,
): Promise<{ moved: number; more: boolean }> {
  const model = services.embedder.model.name;
  const found = await findForeignVectors(services.database(orgId), orgId, model, REEMBED_PAGE);
  let settled = true;
  for (const [kind, rows] of Map.groupBy(found, (row) => row.kind)) {
    settled =
      (await syncRules(
        services,
        orgId,
        kind,
        rows.map((row) => row.entity_id),
      )) && settled;
  }
  return { moved: found.length, more: found.length === REEMBED_PAGE || !settled };
}

/** Work of topic `reembed`: page after page until nothing is left. */
export async function reembed(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const { more } = await reembedPage(services, work.orgId);
  return more ? { retryInMs: RETRY_MS } : "done";
}

/** The work that re-embeds an org for the bound model; one per org and model at a time. */
export const enqueueReembedding = (services: Services, orgId: string) =>
  enqueue({
    orgId,
    topic: "reembed",
    key: [],
    cause: services.embedder.model.name,
    nowMs: services.clock.nowMs(),
  });
