/** Says in words when a list had to end early. */
import { MAX_LIST_CHARACTERS } from "./filters-store";
import type { RuleText } from "./model";

/** No row's texts together are longer than this. */
const MAX_ROW_CHARACTERS = 60_000;

/** `{ msg }` where rows were left off because the answer was full, else nothing. */
export function cutNotice(rows: readonly RuleText[], limit: number): { msg?: string } {
  if (rows.length >= limit) return {};
  const characters = rows.reduce(
    (sum, { content, trigger, rationale }) =>
      sum + content.length + (trigger?.length ?? 0) + (rationale?.length ?? 0),
    0,
  );
  // Evidence and metadata count too, so a list that is nearly full by its texts alone may have been cut.
  return characters < MAX_LIST_CHARACTERS / 2 - MAX_ROW_CHARACTERS
    ? {}
    : { msg: "The answer was full and may leave rows off; narrow the filter or the time range." };
}
