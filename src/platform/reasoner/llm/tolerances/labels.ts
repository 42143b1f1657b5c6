/**
 * Labels as models write them (`[NEW-1]`, `new_1`, `NEW 1`, `1`, `["NEW-1"]`) resolved to the labels that
 * were given. Booleans, negative and fractional numbers are refused, never guessed.
 */

export type ReadLabel = { ok: true; label: string } | { ok: false };

/** Characters read of a label; the rest of a longer text is no part of one. */
const maxLabelChars = 80;

/** Signs that models put around a label. */
const wrapping = /^[\s[\](){}<>"'`*#]+|[\s[\](){}<>"'`*#.,:;]+$/g;

function fold(text: string): string {
  return text
    .slice(0, maxLabelChars)
    .replace(wrapping, "")
    .toUpperCase()
    .replace(/[\s_\-–—]+/g, "-");
}

const withoutDashes = (text: string): string => text.replaceAll("-", "");

const trailingNumber = (label: string): string | undefined => /(\d+)$/.exec(label)?.[1];

/** The only label that `matches`; undefined when there is none or more than one. */
function only(known: readonly string[], matches: (folded: string) => boolean): string | undefined {
  const hits = known.filter((label) => matches(fold(label)));
  return hits.length === 1 ? hits[0] : undefined;
}

function resolve(text: string, known: readonly string[]): string {
  const folded = fold(text);
  const exact = only(known, (label) => label === folded);
  if (exact !== undefined) return exact;
  const dashless = only(known, (label) => withoutDashes(label) === withoutDashes(folded));
  if (dashless !== undefined) return dashless;
  if (/^\d+$/.test(folded)) {
    const number = String(Number(folded));
    const byNumber = only(known, (label) => trailingNumber(label) === number);
    if (byNumber !== undefined) return byNumber;
  }
  return folded;
}

/** @param known the labels of this call; one that is not among them comes back folded, for the pipeline to refuse */
export function readLabel(value: unknown, known: readonly string[]): ReadLabel {
  if (Array.isArray(value)) return value.length === 1 ? readLabel(value[0], known) : { ok: false };
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= 0
      ? { ok: true, label: resolve(String(value), known) }
      : { ok: false };
  }
  if (typeof value !== "string") return { ok: false };
  // Cut first: trimming signs off the end of a long run costs the square of its length.
  const bare = value.slice(0, maxLabelChars).replace(wrapping, "");
  if (bare === "" || /^[-–—]\s*\d/.test(bare) || /^(true|false|null|none)$/i.test(bare)) return { ok: false };
  return { ok: true, label: resolve(value, known) };
}

/**
 * A list of labels, each once, in order; a single label counts as a list of one, and an absent list as
 * empty. Null when any entry is no label.
 */
export function readLabels(value: unknown, known: readonly string[]): string[] | null {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value.flat(1) : splitList(value);
  const labels: string[] = [];
  for (const item of items) {
    const read = readLabel(item, known);
    if (!read.ok) return null;
    if (!labels.includes(read.label)) labels.push(read.label);
  }
  return labels;
}

/** `"NEW-1, NEW-2"` in the place of a list. */
function splitList(value: unknown): unknown[] {
  return typeof value === "string" ? value.split(/[,;]/).filter((part) => part.trim() !== "") : [value];
}
