/**
 * Makes hostile or typographic text plain without moving a single character: every UTF-16 unit is
 * replaced by exactly one unit, so a slice of the original at the same offsets is the evidence.
 */

const plainForms = new Map<string, string>([
  ...[..."\u2018\u2019\u201a\u201b\u02bc\u00b4\u2032`"].map((quote): [string, string] => [quote, "'"]),
  ...[..."\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"].map((quote): [string, string] => [quote, '"']),
  ...[..."\u2012\u2013\u2014\u2015\u2212"].map((dash): [string, string] => [dash, "\u2014"]),
  ["\u2010", "-"],
  ["\u2011", "-"],
  ["\u2022", "*"],
  ["\r", "\n"],
]);
plainForms.delete("`");

/** Spaces of every kind, controls, zero-width and bidirectional marks, private use, specials. */
const blankUnit = /[\p{C}\p{Z}\p{Variation_Selector}\u115f\u1160]/u;

/** The text with typographic marks made ASCII (dashes become U+2014) and invisible units made spaces. */
export function canonicalise(text: string): string {
  const units: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    if (unit > "\u0020" && unit < "\u007f") units.push(unit);
    else units.push(plainForms.get(unit) ?? (unit !== "\n" && blankUnit.test(unit) ? " " : unit));
  }
  return units
    .join("")
    .replace(/--+/g, (run) => `\u2014${" ".repeat(run.length - 1)}`)
    .replace(/ - /g, " \u2014 ")
    .replace(/\.\.\.+/g, (run) => `\u2026${" ".repeat(run.length - 1)}`);
}

/** Runs of controls, invisible marks, lone surrogates and spaces become single spaces. */
export function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu, " ").trim();
}

/** A prefix of at most `maxChars` UTF-16 units that never splits a surrogate pair. */
export function prefixOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}
