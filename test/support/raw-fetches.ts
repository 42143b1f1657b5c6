/** Finds uses of the platform's own fetch in TypeScript source: calls, aliases, and values passed on. */

/** The index after a regular expression literal that begins at `start`; its quotation marks begin no string. */
function regexEnd(source: string, start: number): number {
  let inClass = false;
  for (let index = start + 1; index < source.length && source[index] !== "\n"; index += 1) {
    if (source[index] === "\\") index += 1;
    else if (source[index] === "[") inClass = true;
    else if (source[index] === "]") inClass = false;
    else if (source[index] === "/" && !inClass) return index + 1;
  }
  return start + 1;
}

/** Comments and the text of strings become spaces; code inside `${…}` stays. */
function codeOnly(source: string): string {
  let code = "";
  let index = 0;
  const skipTo = (end: number): void => {
    code += " ".repeat(Math.max(0, end - index));
    index = end;
  };
  const after = (mark: string): number => {
    const found = source.indexOf(mark, index + 2);
    return found === -1 ? source.length : found + mark.length;
  };
  /** Brace depths at which a `${` was opened. */
  const templates: number[] = [];
  let braces = 0;
  const readTemplate = (): void => {
    while (index < source.length) {
      if (source[index] === "\\") skipTo(index + 2);
      else if (source[index] === "`") {
        skipTo(index + 1);
        return;
      } else if (source.startsWith("${", index)) {
        templates.push(braces);
        skipTo(index + 2);
        return;
      } else skipTo(index + 1);
    }
  };
  while (index < source.length) {
    const sign = source[index];
    if (source.startsWith("//", index))
      skipTo(source.indexOf("\n", index) === -1 ? source.length : source.indexOf("\n", index));
    else if (source.startsWith("/*", index)) skipTo(after("*/"));
    else if (sign === "/" && /(^|[(=,:[!&|?{};\n]|return)\s*$/.test(code.slice(-20)))
      skipTo(regexEnd(source, index));
    else if (sign === '"' || sign === "'") {
      let end = index + 1;
      while (end < source.length && source[end] !== sign && source[end] !== "\n")
        end += source[end] === "\\" ? 2 : 1;
      skipTo(end + 1);
    } else if (sign === "`") {
      skipTo(index + 1);
      readTemplate();
    } else if (sign === "}" && templates.at(-1) === braces) {
      templates.pop();
      skipTo(index + 1);
      readTemplate();
    } else {
      if (sign === "{") braces += 1;
      if (sign === "}") braces -= 1;
      code += sign;
      index += 1;
    }
  }
  return code;
}

/** The index after the parenthesis that closes the one at `start`. */
function closing(code: string, start: number): number {
  let depth = 0;
  for (let index = start; index < code.length; index += 1) {
    if (code[index] === "(") depth += 1;
    if (code[index] === ")") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return code.length;
}

/** The text from each raw use on, at most 40 characters. Empty when there is none. */
export function rawFetches(source: string): string[] {
  const code = codeOnly(source);
  const ownName = /\b(?:const|let)\s+fetch\s*=/.test(code);
  const uses: string[] = [];
  for (const match of code.matchAll(/(?<![\w$])(?:(globalThis|self|window)\s*\.\s*)?fetch\b(?![\w$])/g)) {
    const start = match.index;
    const end = start + match[0].length;
    const before = code.slice(0, start).trimEnd();
    const following = code.slice(end).trimStart();
    const isGlobal = match[1] !== undefined || /^\}\s*=\s*(globalThis|self|window)\b/.test(following);
    if (!isGlobal) {
      if (before.endsWith(".") || ownName) continue;
      // A key of an object or type, not its value.
      if (following.startsWith(":") || following.startsWith("?:")) continue;
      if (following.startsWith("(")) {
        const rest = code.slice(closing(code, code.indexOf("(", end))).trimStart();
        const isMethod = /^\{|^:\s*[\w<>|\s]+\{/.test(rest);
        if (isMethod) continue;
      }
    }
    uses.push(code.slice(start, start + 40));
  }
  return uses;
}
