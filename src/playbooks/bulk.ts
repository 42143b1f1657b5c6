/** Many rows as one bound JSON parameter each: what `INSERT … SELECT … FROM json_each(?)` reads. */
import { byteLength } from "../platform/text";

/** Below what one D1 value may hold (2,000,000 bytes), with room for the other parameters. */
const MAX_PARAMETER_BYTES = 1_800_000;

/**
 * JSON arrays of `rows` in order, each small enough for one parameter.
 * @throws RangeError when a single row is too large
 */
export function jsonPages(rows: readonly unknown[]): string[] {
  const pages: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const text = JSON.stringify(row);
    const size = byteLength(text) + 1;
    if (size + 2 > MAX_PARAMETER_BYTES)
      throw new RangeError(`a row of ${size} bytes does not fit the database`);
    if (bytes + size > MAX_PARAMETER_BYTES) {
      pages.push([]);
      bytes = 2;
    }
    pages.at(-1)?.push(text);
    bytes += size;
  }
  return pages.map((page) => `[${page.join(",")}]`);
}
