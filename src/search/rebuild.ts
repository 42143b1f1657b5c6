/** Fills a vector index from D1: an embedded one that was emptied, or a new one in the service. */
import * as z from "zod";
import type { Database } from "../db/client";
import { decodeHex } from "../platform/embedder/hex";
import { dequantise } from "../platform/embedder/quantise";
import { vectorEntryId } from "../platform/vectors/entry-id";
import type { Services } from "../services";
import { indexable, type PlaybookKind } from "./store";

const KINDS: readonly PlaybookKind[] = ["user_playbook", "agent_playbook"];
const PAGE = 500;

const row = z.object({
  entity_id: z.int(),
  agent_version: z.string(),
  user_id: z.string(),
  hex_bytes: z.string(),
  scale: z.number(),
});

/**
 * Upserts every rule of the org that belongs in the index under the bound model. Safe to repeat and to run beside
 * changes: what changes meanwhile is copied again by its own work.
 *
 * @returns how many entries were written
 * @throws VectorIndexError
 */
export async function rebuildIndex(
  services: Pick<Services, "embedder" | "vectors">,
  db: Database,
  orgId: string,
): Promise<number> {
  let written = 0;
  for (const kind of KINDS) written += await rebuildKind(services, db, orgId, kind);
  return written;
}

async function rebuildKind(
  { embedder: { model }, vectors }: Pick<Services, "embedder" | "vectors">,
  db: Database,
  orgId: string,
  kind: PlaybookKind,
): Promise<number> {
  let written = 0;
  let after = 0;
  while (true) {
    const rows = await db.all(row, indexable(orgId, kind, model, after, PAGE));
    const entries = rows.map(async (found) => ({
      id: await vectorEntryId(orgId, kind, found.entity_id, model.name),
      ...{ orgId, kind, entityId: found.entity_id },
      ...{ agentVersion: found.agent_version, userId: found.user_id },
      values: dequantise({ bytes: decodeHex(found.hex_bytes), scale: found.scale }),
    }));
    if (entries.length > 0) await vectors.upsert(await Promise.all(entries));
    written += rows.length;
    after = rows.at(-1)?.entity_id ?? after;
    if (rows.length < PAGE) return written;
  }
}
