/** Verbatim evidence: finds a quoted span in a turn, forgiving typographic forms and nothing else. Pure. */

/** Characters that stand for one another in print. */
const FORMS: Readonly<Record<string, string>> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u2032": "'",
  "\u00b4": "'",
  "\u02bc": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u201f": '"',
  "\u2033": '"',
  "\u00ab": '"',
  "\u00bb": '"',
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": "-",
  "\u2015": "-",
  "\u2212": "-",
  "\u00a0": " ",
  "\u2007": " ",
  "\u2009": " ",
  "\u200a": " ",
  "\u202f": " ",
  "\u2026": "...",
};
const TYPOGRAPHIC = new RegExp(`[${Object.keys(FORMS).join("")}]`, "g");

const fold = (text: string): string => text.replace(TYPOGRAPHIC, (form) => FORMS[form] ?? form);

/**
 * Where position `at` of `fold(text)` lies in `text`. Ellipses are the one form that changes a length;
 * a position inside one goes to its start, or past it where it ends a span.
 */
function unfolded(text: string, at: number, endsSpan: boolean): number {
  let added = 0;
  for (let place = text.indexOf("\u2026"); place !== -1; place = text.indexOf("\u2026", place + 1)) {
    if (place + added >= at) break;
    if (place + added + 3 > at) return endsSpan ? place + 1 : place;
    added += 2;
  }
  return at - added;
}

export type SpanSearch = { found: string } | { fault: "span_not_verbatim" | "span_ambiguous" };

/**
 * The span as the turn has it. An exact quotation may occur several times; one that differs in
 * typographic form must resolve to exactly one place (specification 6.5).
 */
export function findSpan(text: string, span: string): SpanSearch {
  if (text.includes(span)) return { found: span };
  const folded = fold(text);
  const wanted = fold(span);
  const first = folded.indexOf(wanted);
  if (first === -1) return { fault: "span_not_verbatim" };
  if (folded.includes(wanted, first + 1)) return { fault: "span_ambiguous" };
  return { found: text.slice(unfolded(text, first, false), unfolded(text, first + wanted.length, true)) };
}
