/** Finds the stored rules that new ones must be held against, and keeps the vectors made on the way. */
import type { Database } from "../db/client";
import type { PlaybookExtractorConfig } from "../orgs/config-schema";
import { retrievalText } from "../playbooks/model";
import { loadUserPlaybooks, type StoredVector } from "../playbooks/store";
import { embedRules, unitVectorOf } from "../playbooks/vectors";
import type { Services } from "../services";
import { loadComparables } from "./comparison-store";
import type { ExtractionWindow, RuleText, StoredLesson } from "./model";
import { nearest } from "./retrieval";

/** A vector's bytes as D1's `hex()` shows them. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();

/** Embeds each text once per run, however often a rule passes by. */
export function embeddingMemory(services: Pick<Services, "embedder">) {
  const known = new Map<string, StoredVector>();
  return {
    /** @throws EmbedderError */
    async vectorsOf(rules: readonly Pick<RuleText, "trigger" | "content">[]): Promise<StoredVector[]> {
      const missing = rules.filter((rule) => !known.has(retrievalText(rule)));
      const made = await embedRules(services, missing);
      made.forEach((vector, index) => {
        const rule = missing[index];
        if (rule !== undefined) known.set(retrievalText(rule), vector);
      });
      return rules.flatMap((rule) => {
        const vector = known.get(retrievalText(rule));
        return vector === undefined ? [] : [vector];
      });
    },
  };
}
export type EmbeddingMemory = ReturnType<typeof embeddingMemory>;

/** CURRENT rules of the user and agent version near any of `rules`, best first. @throws EmbedderError */
export async function findExisting(
  db: Database,
  window: ExtractionWindow,
  rules: readonly RuleText[],
  memory: EmbeddingMemory,
  model: string,
  policy: PlaybookExtractorConfig["deduplication_config"],
): Promise<StoredLesson[]> {
  if (rules.length === 0) return [];
  const comparables = await loadComparables(db, window, model);
  if (comparables.length === 0) return [];
  const vectors = await memory.vectorsOf(rules);
  const queries = rules.map((rule, index) => {
    const vector = vectors[index];
    return {
      text: retrievalText(rule),
      vector: vector === undefined ? null : unitVectorOf({ ...vector, hexBytes: hexOf(vector.bytes) }),
    };
  });
  const stored = comparables.map((row) => ({
    id: row.userPlaybookId,
    text: `${row.trigger}\n${row.content}`,
    vector: row.vector === null ? null : unitVectorOf(row.vector),
  }));
  const ids = nearest(queries, stored, { threshold: policy.search_threshold, topK: policy.search_top_k });
  const rows = new Map(
    (await loadUserPlaybooks(db, window.orgId, ids)).map((row) => [row.userPlaybookId, row]),
  );
  return ids.flatMap((id): StoredLesson[] => {
    const row = rows.get(id);
    // A row may have been retired since it was compared; the plan's basis would refuse it anyway.
    if (row === undefined || row.status !== null) return [];
    return [
      {
        userPlaybookId: row.userPlaybookId,
        trigger: row.trigger ?? "",
        content: row.content,
        rationale: row.rationale ?? "",
        readerAngle: row.readerAngle,
        sourceInteractionIds: row.sourceInteractionIds,
        sourceSpan: row.sourceSpan ?? "",
        notes: row.notes,
        source: row.source ?? "",
        createdAtSec: row.createdAt,
        updatedAtMs: row.updatedAtMs,
      },
    ];
  });
}
