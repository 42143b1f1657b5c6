/** Reads the answer to `reformulate` (specification §9.4): an unfit rewriting gives the original query. */

export const maxQueryChars = 512;

/** Openings of an answer that talks to somebody instead of giving a query. */
const chatter =
  /^(sorry|i (can't|cannot|can not|am unable|will not|won't|apologi[sz]e)|i'm (sorry|unable|not able)|as an ai|here (is|are|'s)|sure[,!. ]|certainly|of course|the (rewritten|reformulated) query|(rewritten|reformulated|search) query\s*:)/i;

const quotes = /^["'`“”‘’«»]+|["'`“”‘’«»]+$/g;

/** The first line that says something, without quotation marks; `original` when it is no query. */
export function readReformulation(text: string, original: string): string {
  // Cut first: trimming marks off the end of a long run costs the square of its length.
  const line = text
    .slice(0, 2_000)
    .split("\n")
    .map((part) => part.trim())
    .find((part) => part !== "");
  const query = (line ?? "").replace(quotes, "").replace(/\s+/g, " ").trim();
  if (query.length > maxQueryChars || !/[\p{L}\p{N}]/u.test(query)) return original;
  if (/[{}[\]<>]/.test(query) || chatter.test(query.replaceAll("’", "'"))) return original;
  return query;
}
