/** Finds `${{ … }}` in a text. What is inside is not looked at beyond where it ends. */
import { TEMPLATE } from "../spec";

/** A piece of a text as it is, or the source between the marks. `offset` in UTF-16 units of the text. */
export type Segment = { kind: "text"; text: string } | { kind: "expression"; source: string; offset: number };

export type SplitText = { ok: true; segments: Segment[] } | { ok: false; unclosedAt: number };

/** Whether a string is more than a literal. */
export const holdsExpression = (text: string): boolean => text.includes(TEMPLATE.open);

/** Splits a text at its `${{ … }}`; the text may hold none. */
export function splitText(text: string): SplitText {
  const segments: Segment[] = [];
  let at = 0;
  for (let open = text.indexOf(TEMPLATE.open); open >= 0; open = text.indexOf(TEMPLATE.open, at)) {
    const offset = open + TEMPLATE.open.length;
    const close = closingMark(text, offset);
    if (close === null) return { ok: false, unclosedAt: open };
    if (open > at) segments.push({ kind: "text", text: text.slice(at, open) });
    segments.push({ kind: "expression", source: text.slice(offset, close), offset });
    at = close + TEMPLATE.close.length;
  }
  if (at < text.length) segments.push({ kind: "text", text: text.slice(at) });
  return { ok: true, segments };
}

/**
 * Where the expression that begins at `start` ends: at the first `}}` that is in no string of the expression and
 * closes no map of it.
 */
function closingMark(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") {
      const end = endOfString(text, at, character);
      if (end === null) return null;
      at = end;
    } else if (character === "/" && text[at + 1] === "/") {
      const newline = text.indexOf("\n", at);
      const close = text.indexOf(TEMPLATE.close, at);
      if (close < 0) return null;
      if (newline < 0 || close < newline) return close;
      at = newline;
    } else if (character === "{") depth += 1;
    else if (character === "}") {
      if (depth === 0 && text.startsWith(TEMPLATE.close, at)) return at;
      depth = Math.max(0, depth - 1);
    }
  }
  return null;
}

/** Index of the last character of the string literal that opens at `at`. */
function endOfString(text: string, at: number, quote: string): number | null {
  const mark = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
  for (let index = at + mark.length; index < text.length; index++) {
    if (text[index] === "\\") index += 1;
    else if (text.startsWith(mark, index)) return index + mark.length - 1;
  }
  return null;
}
