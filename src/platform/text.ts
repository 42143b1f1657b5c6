/** Text from outside is made well-formed and NUL-free before anything else sees it. */

/** Lone surrogates become U+FFFD and NULs vanish: SQLite's `length()` stops at a NUL. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\u0000") ? wellFormed.replaceAll("\u0000", "") : wellFormed;
}

const encoder = new TextEncoder();

export const byteLength = (text: string): number => encoder.encode(text).byteLength;
