/** Sizes that learning holds its rules to, whatever a model answers. */

/** Rules taken from one answer; the rest are dropped and counted. */
export const MAX_CANDIDATES = 20;
/** Characters of a rule's texts. */
export const MAX_TRIGGER_CHARS = 1_000;
export const MAX_CONTENT_CHARS = 4_000;
export const MAX_RATIONALE_CHARS = 2_000;
/** Evidence units of one candidate. */
export const MAX_EVIDENCE_UNITS = 10;
/** Characters kept of one cited text; a longer one is cut at its end and stays verbatim. */
export const MAX_CITED_CHARS = 1_000;
/** Characters of a row's `source_span`. */
export const MAX_SPAN_CHARS = 8_000;
/** Interaction ids of one row; the newest are kept. */
export const MAX_SOURCE_IDS = 200;
/** Characters of a row's notes. */
export const MAX_NOTES_CHARS = 1_000;
/** UTF-8 bytes of a stored outcome: below what one database value may hold. */
export const MAX_OUTCOME_BYTES = 1_800_000;
/** CURRENT rules of one user and agent version that a new one is compared with, newest first. */
export const MAX_COMPARED = 1_000;
/** Stored rules shown to a reviewer or a consolidation (DESIGN §8). */
export const MAX_EXISTING = 20;

/** The first `limit` UTF-16 units of `text`, never ending inside a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
