/** The offline reformulation of a search query: it tidies and invents nothing. */
import type { TaskInput, TaskOutput } from "../port";
import { prefixOf } from "./canonical";

/** Longer queries are cut; a search reads no more of them. */
const maxQueryChars = 2_000;

/** The query with invisible characters and runs of spaces made single spaces, trimmed and bounded. */
export function reformulateOffline(input: TaskInput<"reformulate">): TaskOutput<"reformulate"> {
  const bounded = prefixOf(input.query, maxQueryChars * 4);
  const query = bounded
    .replace(
      /[\u0000-\u001f\u007f-\u00a0\u00ad\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+/g,
      " ",
    )
    .replace(/ {2,}/g, " ")
    .trim();
  return { query: prefixOf(query, maxQueryChars).trim() };
}
