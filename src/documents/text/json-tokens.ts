/** The words of JSON text (RFC 8259): strings, numbers, literals. Each function reads one from a place in the text. */

/** What a reader found wrong with one word, and where. Offsets count UTF-16 code units from the start of the text. */
export interface TokenFault {
  kind: "syntax" | "number_out_of_range" | "lone_surrogate";
  offset: number;
  message: string;
  /** What would be right. */
  hint?: string;
}
export interface Token<Value> {
  value: Value;
  /** Offset just after the word. */
  end: number;
  fault?: TokenFault;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** What stands at an offset, as a message shows it. */
export function shown(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  if (point === undefined) return "the end of the text";
  const visible = point > 0x20 && point !== 0x7f && point !== 0xfeff && !(point >= 0xd800 && point <= 0xdfff);
  if (visible) return `"${String.fromCodePoint(point)}"`;
  return point === 0x20 ? "a space" : `the character U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Where the white space that JSON knows ends: space, tab, line feed, carriage return. */
export function skipSpace(text: string, offset: number): number {
  let end = offset;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return end;
    end++;
  }
}

const syntax = (offset: number, message: string, hint?: string): TokenFault => ({
  kind: "syntax",
  offset,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** Where a quote, a backslash, a control character or the end of the text stands next. */
function endOfPlain(text: string, offset: number): number {
  let end = offset;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === 0x22 || code === 0x5c || code < 0x20) break;
    end++;
  }
  return end;
}

/** Reads a string whose opening quote is at `offset`. */
export function readString(text: string, offset: number): Token<string> {
  const pieces: string[] = [];
  let end = offset + 1;
  for (;;) {
    const plainEnd = endOfPlain(text, end);
    pieces.push(text.slice(end, plainEnd));
    end = plainEnd;
    const next = text[end];
    if (next === '"') break;
    if (next !== "\\") {
      const fault =
        next === undefined
          ? syntax(offset, "The text ends inside a string that begins here.", 'a closing "')
          : syntax(end, `A string may not hold ${shown(text, end)} as it is.`, controlHint(next));
      return { value: "", end, fault };
    }
    const letter = text[end + 1] ?? "";
    const hex = letter === "u" ? text.slice(end + 2, end + 6) : "";
    const plainEscape = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plainEscape !== undefined) pieces.push(plainEscape);
    else if (/^[0-9a-fA-F]{4}$/.test(hex)) pieces.push(String.fromCharCode(Number.parseInt(hex, 16)));
    else {
      const hint = 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u with four hexadecimal digits';
      return { value: "", end, fault: syntax(end, `\\${letter} is not an escape of JSON.`, hint) };
    }
    end += letter === "u" ? 6 : 2;
  }
  end++;
  const value = pieces.join("");
  if (value.isWellFormed()) return { value, end };
  const message = "The string holds half of a surrogate pair, which no UTF-8 text can say.";
  const fault = { kind: "lone_surrogate", offset, message, hint: "both halves, or neither" } as const;
  return { value: value.toWellFormed(), end, fault };
}

const controlHint = (character: string): string =>
  character === "\n" || character === "\r" ? "\\n within the string" : "a \\u escape";

/**
 * Reads a number at `offset`. It becomes a double, as RFC 8785 presumes: digits past its 53 bits are rounded away;
 * a number beyond its range is a fault, since an infinity is no JSON.
 */
export function readNumber(text: string, offset: number): Token<number> {
  NUMBER.lastIndex = offset;
  const written = NUMBER.exec(text)?.[0];
  if (written === undefined) {
    return { value: 0, end: offset, fault: syntax(offset, "A minus sign stands alone.", "digits after it") };
  }
  const end = offset + written.length;
  if (/[0-9.eE+-]/.test(text[end] ?? "")) {
    const fault = syntax(end, `The number cannot go on with ${shown(text, end)}.`, numberHint(written));
    return { value: 0, end, fault };
  }
  const value = Number(written);
  if (Number.isFinite(value)) return { value, end };
  const message = "The number is greater than a double can hold.";
  const fault = {
    kind: "number_out_of_range",
    offset,
    message,
    hint: "at most 1.7976931348623157e308",
  } as const;
  return { value: Math.sign(value) * Number.MAX_VALUE, end, fault };
}

const numberHint = (written: string): string =>
  /^-?0$/.test(written) ? "no leading zero" : "digits after a point or an e";

const LITERALS: readonly (readonly [string, true | false | null])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];
const WORD = /[A-Za-z_$][\w$]*/y;

/** Reads `true`, `false` or `null`; anything else gets the fault that suits it best. */
export function readLiteral(text: string, offset: number): Token<boolean | null> {
  WORD.lastIndex = offset;
  const word = WORD.exec(text)?.[0];
  for (const [name, value] of LITERALS) if (word === name) return { value, end: offset + name.length };
  const found = word === undefined ? shown(text, offset) : `"${word.slice(0, 32)}"`;
  return {
    value: null,
    end: offset,
    fault: syntax(offset, `Expected a value, found ${found}.`, valueHint(text, offset, word)),
  };
}

function valueHint(text: string, offset: number, word: string | undefined): string {
  if (word !== undefined && /^(true|false|null)$/i.test(word)) return word.toLowerCase();
  if (word !== undefined && /^(NaN|Infinity|undefined|None)$/.test(word)) return "null, or a number";
  const character = text[offset];
  if (character === "'") return 'double quotes: "…"';
  if (character === "/") return "no comments: JSON has none";
  if (character === "]" || character === "}") return "no comma before a closing bracket";
  if (character === "+" || character === ".") return "a number that begins with a digit or a minus sign";
  return "an object, a list, a string in double quotes, a number, true, false or null";
}
