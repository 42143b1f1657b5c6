/**
 * Fills a vector index from D1: an embedded one that was emptied, or a new one in the service. Safe to repeat
 * and to run beside changes: what changes meanwhile is copied again by its own work, and a hit is only a hint.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import { moveWork, type Work } from "../db/outbox";
import { decodeHex } from "../platform/embedder/hex";
import { dequantise } from "../platform/embedder/quantise";
import { vectorEntryId } from "../platform/vectors/entry-id";
import type { Services } from "../services";
import type { PlaybookKind } from "./kinds";
import { indexable } from "./store";

/** In the order in which they are copied. */
const kinds = ["user_playbook", "agent_playbook"] as const satisfies readonly PlaybookKind[];
/** Rules of a page; pages of one message. */
const PAGE = 500;
const PAGES_PER_MESSAGE = 5;
/** After another delivery of the same message took over. */
const BUSY_RETRY_MS = 60_000;

const row = z.object({
  entity_id: z.int(),
  agent_version: z.string(),
  user_id: z.string(),
  hex_bytes: z.string(),
  scale: z.number(),
});

/** Rules of `kind` up to the id `after`, and all kinds before it, are in the index. */
export type RebuildPosition = readonly [kind: PlaybookKind, after: number];

export const REBUILD_START: RebuildPosition = [kinds[0], 0];

/**
 * Upserts the next page of rules that belong in the index under the bound model.
 * @returns where to go on; null after the last page
 * @throws VectorIndexError
 */
export async function rebuildPage(
  { embedder: { model }, vectors }: Pick<Services, "embedder" | "vectors">,
  db: Database,
  orgId: string,
  [kind, after]: RebuildPosition,
): Promise<RebuildPosition | null> {
  const rows = await db.all(row, indexable(orgId, kind, model, after, PAGE));
  const entries = rows.map(async (found) => ({
    id: await vectorEntryId(orgId, kind, found.entity_id, model.name),
    ...{ orgId, kind, entityId: found.entity_id },
    ...{ agentVersion: found.agent_version, userId: found.user_id },
    values: dequantise({ bytes: decodeHex(found.hex_bytes), scale: found.scale }),
  }));
  if (entries.length > 0) await vectors.upsert(await Promise.all(entries));
  if (rows.length === PAGE) return [kind, rows.at(-1)?.entity_id ?? after];
  const next = kinds[kinds.indexOf(kind) + 1];
  return next === undefined ? null : [next, 0];
}

/** `[]` begins; anything else that is no position begins anew. */
function positionOf({ key: [kind, after] }: Work): RebuildPosition {
  const known = kinds.find((candidate) => candidate === kind);
  return known === undefined || typeof after !== "number" ? REBUILD_START : [known, after];
}

/** Work of topic `reindex`: a few pages a message; its key keeps how far it has come. */
export async function reindex(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const db = services.database(work.orgId);
  let position: RebuildPosition | null = positionOf(work);
  for (let page = 0; page < PAGES_PER_MESSAGE && position !== null; page += 1) {
    position = await rebuildPage(services, db, work.orgId, position);
  }
  if (position === null) return "done";
  const moved = await db.run(moveWork(work, [...position]));
  return { retryInMs: moved === 1 ? 0 : BUSY_RETRY_MS };
}
