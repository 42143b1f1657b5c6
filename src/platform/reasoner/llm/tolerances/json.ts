/** Finds the JSON value in a model's text: alone, in a code fence, or between sentences. Strict JSON only. */

/** Answers beyond this many UTF-16 code units are not searched. */
export const maxAnswerChars = 400_000;

/** Positions at which a value is looked for; a text that needs more is not an answer. */
const maxStarts = 64;

export type FoundJson =
  | { kind: "found"; values: unknown[] }
  /** A value begins and does not end: the answer was cut off. */
  | { kind: "truncated" }
  | { kind: "none" };

/** The only signs that can follow an opening bracket in JSON that is worth reading; `[]` says nothing in prose. */
const plausibleStart = /\{\s*["}]|\[\s*[{["]/g;

/** The index after the bracket that closes the one at `start`; -1 when none does. */
function closingIndex(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const sign = text[index];
    if (inString) {
      if (sign === "\\") index += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function tryParse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/**
 * Every object or array that stands in the text, in order of appearance. Brackets of prose are passed
 * over. A value that never closes makes the text `truncated`: neither its parts nor an earlier draft are the answer.
 */
export function findJson(text: string): FoundJson {
  const trimmed = text.trim();
  if (trimmed.length > maxAnswerChars) return { kind: "none" };
  const whole = tryParse(trimmed);
  if (whole !== null) {
    return typeof whole.value === "object" && whole.value !== null
      ? { kind: "found", values: [whole.value] }
      : { kind: "none" };
  }
  const values: unknown[] = [];
  const starts = new RegExp(plausibleStart);
  for (let tried = 0; tried < maxStarts; tried += 1) {
    const match = starts.exec(trimmed);
    if (match === null) break;
    const end = closingIndex(trimmed, match.index);
    if (end === -1) return { kind: "truncated" };
    const parsed = tryParse(trimmed.slice(match.index, end));
    if (parsed !== null) values.push(parsed.value);
    // What stands inside a value that does not parse is a part of it, and a part is no answer.
    starts.lastIndex = end;
  }
  return values.length > 0 ? { kind: "found", values } : { kind: "none" };
}
