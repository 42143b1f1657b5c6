/** Text from outside is made well-formed and NUL-free before anything else sees it. */

/**
 * Lone surrogates become U+FFFD and NULs vanish: SQLite's `length()` stops at a NUL. A text of nothing but
 * NULs is no empty text and keeps one U+FFFD.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  if (!wellFormed.includes("\u0000")) return wellFormed;
  const cleaned = wellFormed.replaceAll("\u0000", "");
  return cleaned === "" ? "\ufffd" : cleaned;
}

/**
 * A run of combining marks (and the two half-width letters that become marks) longer than any script stacks:
 * normalising sorts such a run in quadratic time, so that 400 kB of marks would take minutes.
 */
const LONG_MARKS = /([\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu;

/** `String.normalize` in linear time: runs of marks are cut to eight. The only place that may call it. */
export const normalised = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  text.replace(LONG_MARKS, "$1").normalize(form);

const encoder = new TextEncoder();

export const byteLength = (text: string): number => encoder.encode(text).byteLength;
