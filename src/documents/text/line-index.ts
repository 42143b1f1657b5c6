/** From an offset in a text to the line and column that people and editors count. */

/** A place in a text. Line and column start at 1; offset and column count UTF-16 code units, as editors do. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

/** Line ends are LF, CR LF and CR alone. */
export function lineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { offset, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
