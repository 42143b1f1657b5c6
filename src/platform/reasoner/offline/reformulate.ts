/** The offline reformulation of a search query: it tidies and invents nothing. */
import type { TaskInput, TaskOutput } from "../port";
import { prefixOf, withoutInvisible } from "./canonical";

/** Longer queries are cut; a search reads no more of them. */
const maxQueryChars = 2_000;

/** The query with invisible characters and runs of spaces made single spaces, trimmed and bounded. */
export function reformulateOffline(input: TaskInput<"reformulate">): TaskOutput<"reformulate"> {
  const bounded = prefixOf(input.query, maxQueryChars * 4);
  const query = withoutInvisible(bounded);
  return { query: prefixOf(query, maxQueryChars).trim() };
}
