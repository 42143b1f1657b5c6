/** Single-character stand-ins for quotations while a sentence is parsed, and back. */

const firstStandIn = 0xe100;
const quotation = /(["'`])[\ue000]*[.!?,]?\1/g;

/** Stand-ins are private-use characters; one class matches them in patterns. */
export const standIn = /[\ue100-\ue1ff]/;

export interface Quoted {
  readonly text: string;
  /** The original quotation, marks included, at the index of its stand-in. */
  readonly quotations: readonly string[];
}

/** `masked` is the hidden text of a sentence, `original` the same slice of the turn. */
export function withStandIns(masked: string, original: string): Quoted {
  const quotations: string[] = [];
  const text = masked.replace(quotation, (run, _mark: string, offset: number) => {
    if (!run.includes("\ue000") || quotations.length > 200) return run;
    quotations.push(original.slice(offset, offset + run.length));
    const stop = /[.!?,]/.exec(run)?.[0] ?? "";
    return `${String.fromCharCode(firstStandIn + quotations.length - 1)}${stop}`;
  });
  return { text: text.replace(/\ue000/g, " "), quotations };
}

/** Puts the quotations back, each at most `maxChars` long and without the punctuation at its end. */
export function restoreQuotations(text: string, quotations: readonly string[], maxChars: number): string {
  return text.replace(/[\ue100-\ue1ff]/g, (unit) => {
    const quoted = quotations[unit.charCodeAt(0) - firstStandIn] ?? "";
    const inner = quoted
      .slice(1, -1)
      .replace(/[.!?,\s]+$/, "")
      .replace(/\s+/g, " ")
      .trim();
    const short = inner.length > maxChars ? `${inner.slice(0, maxChars).trimEnd()}…` : inner;
    return quoted.startsWith("`") ? `\`${short}\`` : `"${short}"`;
  });
}
