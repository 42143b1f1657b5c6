/**
 * Regular expressions that a user wrote: RE2 syntax, matched in linear time by re2js. JavaScript's own engine never
 * sees one, because it backtracks: `^(a+)+$` on 30 characters takes seconds.
 */
import { RE2JS } from "re2js";
import { LIMITS } from "../spec";

/** A pattern that can be searched for. */
export interface Pattern {
  readonly source: string;
  /** Characters, classes and counted repeats that it stands for; work per character searched grows with it. */
  readonly size: number;
  /** Whether the pattern matches somewhere in the text. */
  test(text: string): boolean;
}

export type PatternResult = { ok: true; pattern: Pattern } | { ok: false; message: string };

/** Compiles a pattern, or says why it cannot be used: no RE2 syntax (look-around, back-references), or too large. */
export function compilePattern(source: string): PatternResult {
  if (source.length > LIMITS.regexPatternLength)
    return { ok: false, message: `The pattern has more than ${LIMITS.regexPatternLength} characters.` };
  const size = patternSize(source);
  if (size > LIMITS.regexPatternSize) {
    const message = `Its counted repeats make the pattern stand for more than ${LIMITS.regexPatternSize} characters.`;
    return { ok: false, message };
  }
  try {
    const compiled = RE2JS.compile(source);
    return { ok: true, pattern: { source, size, test: (text) => compiled.matcher(text).find() } };
  } catch (error) {
    const why =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "not understood";
    return { ok: false, message: `The pattern is no RE2 expression: ${why}.` };
  }
}

const COUNTED = /\{(\d+)(?:,(\d*))?\}/y;
/** `\p{Greek}`, `\x{10FFFF}`: one character with a name. */
const NAMED_CHARACTER = /\\[pPx]\{[^}]*\}/y;
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;

/** How many single characters and classes the pattern unfolds to: compiling costs time and memory by this. */
function patternSize(source: string): number {
  const open: number[] = [];
  let total = 0;
  let last = 0;
  const skip = (expression: RegExp, at: number): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(source);
  };
  for (let at = 0; at < source.length; ) {
    const character = source[at];
    const counted = character === "{" ? skip(COUNTED, at) : null;
    if (counted) {
      const times = Math.max(Number(counted[1]), Number(counted[2] || 0), 1);
      total += last * (times - 1);
      last *= times;
      at += counted[0].length;
      continue;
    }
    const whole =
      (character === "\\" && skip(NAMED_CHARACTER, at)) || (character === "[" && skip(CLASS, at)) || null;
    if (character === "(") {
      open.push(total);
      total = 0;
      last = 0;
    } else if (character === ")") {
      last = total + 1;
      total = last + (open.pop() ?? 0);
    } else {
      last = 1;
      total += 1;
    }
    at += whole ? whole[0].length : character === "\\" ? 2 : 1;
  }
  return open.reduce((sum, outer) => sum + outer, total);
}
