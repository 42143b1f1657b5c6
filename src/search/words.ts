/**
 * The word index: what a row stores to be found by words, and the FTS5 expression of a query.
 * Pure; nothing typed into a search box can reach FTS5 as an operator.
 */
import { type Lexeme, lexemes } from "./lexemes";
import { stopWords } from "./stop-words";

/** Terms of one query; more would read postings without finding better rows. */
const MAX_TERMS = 16;
/** Characters of a query that are read. */
const MAX_QUERY_CHARS = 4_000;
/** UTF-8 bytes of a row's search text: half of what one D1 value may hold. */
const MAX_SEARCH_TEXT_BYTES = 1_000_000;
/** BM25 saturates: further repetitions of a lexeme in one row only take room. */
const MAX_REPETITIONS = 16;
/** Lexemes of one row that are looked at: a turn of the largest size has about 250,000 words. */
const MAX_LEXEMES = 300_000;
const MIN_PREFIX_CHARS = 3;
const MAX_BYTES_PER_UNIT = 4;

/**
 * The lexemes of a row, separated by spaces, for its `search_text` column. Every lexeme appears at most
 * 16 times; a text with more than 300,000 lexemes or 1,000,000 bytes of them is found by its beginning.
 */
export function searchText(text: string): string {
  const repetitions = new Map<string, number>();
  const kept: string[] = [];
  let bytes = 0;
  let looked = 0;
  for (const { text: lexeme } of lexemes(text)) {
    looked += 1;
    if (looked > MAX_LEXEMES) break;
    const seen = repetitions.get(lexeme) ?? 0;
    if (seen >= MAX_REPETITIONS) continue;
    bytes += lexeme.length * MAX_BYTES_PER_UNIT + 1;
    if (bytes > MAX_SEARCH_TEXT_BYTES) break;
    repetitions.set(lexeme, seen + 1);
    kept.push(lexeme);
  }
  return kept.join(" ");
}

/** `orgId` as one token that FTS5 can neither split nor fold together with another org's: its UTF-8 bytes in hex. */
export function orgToken(orgId: string): string {
  let token = "o";
  for (const byte of new TextEncoder().encode(orgId)) token += byte.toString(16).padStart(2, "0");
  return token;
}

/**
 * The MATCH expression that finds rows of one org by any of the query's terms, or null where nothing can be
 * looked up (no letters or digits): then there must be no MATCH at all.
 *
 * @param scopeToken what {@link orgToken} gave; the rows carry it in their column `scope`
 */
export function wordQuery(query: string, scopeToken: string): string | null {
  const terms = queryTerms(query);
  return terms.length === 0 ? null : `scope : "${scopeToken}" AND search_text : (${terms.join(" OR ")})`;
}

function queryTerms(query: string): string[] {
  const found = [...lexemes(query.slice(0, MAX_QUERY_CHARS))].filter(isSearchable);
  const telling = found.filter((lexeme) => !stopWords.has(lexeme.surface));
  const chosen = telling.length > 0 ? telling : found;
  const exact = longest(new Set(chosen.map((lexeme) => lexeme.text)), MAX_TERMS - 1).map(
    (text) => `"${text}"`,
  );
  const prefix = prefixOf(chosen);
  return prefix === null ? exact : [...exact, `"${prefix}" *`];
}

/** One letter of `gb/s` and the last character of a longer run match far too much. */
function isSearchable(lexeme: Lexeme, at: number, all: Lexeme[]): boolean {
  if (lexeme.kind === "part") return lexeme.text.length > 1;
  if (lexeme.kind === "last") return all[at - 1]?.kind !== "pair" || all[at - 1]?.run !== lexeme.run;
  return true;
}

/** What may still be being typed: the last plain word, or a single character that begins a stored pair. */
function prefixOf(chosen: readonly Lexeme[]): string | null {
  const last = chosen.at(-1);
  if (last === undefined) return null;
  if (last.kind === "last") return last.text;
  const word = chosen.findLast((lexeme) => lexeme.kind === "word");
  return word !== undefined && word.text.length >= MIN_PREFIX_CHARS ? word.text : null;
}

/** The `count` longest terms in their order: longer words are rarer. */
function longest(terms: ReadonlySet<string>, count: number): string[] {
  if (terms.size <= count) return [...terms];
  const kept = new Set([...terms].sort((left, right) => right.length - left.length).slice(0, count));
  return [...terms].filter((term) => kept.has(term));
}
