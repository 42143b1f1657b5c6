/** Ids of index entries: derived, so that a repeated write is one entry, and telling which row they stand for. */
import { derivedId } from "../ids";
import type { VectorKind } from "./port";

const ENTRY_ID = /^v(\d{1,16})_[a-z2-7]{32}$/;

/** The id of a row's entry, at most 50 bytes: `v<row id>_<32 characters of the hash>`. */
export function vectorEntryId(
  orgId: string,
  kind: VectorKind,
  entityId: number,
  model: string,
): Promise<string> {
  return derivedId(`v${entityId}`, [orgId, kind, entityId, model]);
}

/**
 * The row that a hit stands for, or null where the id is none of ours. Only a hint: the same id made again by
 * {@link vectorEntryId} shows whether the entry belongs to this org, kind and model.
 */
export function entityIdOf(entryId: string): number | null {
  const digits = ENTRY_ID.exec(entryId)?.[1];
  return digits === undefined ? null : Number(digits);
}
