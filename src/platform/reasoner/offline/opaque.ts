/**
 * Hides what the user shows rather than says: code, logs, quoted mail and pasted material become
 * blanks; a short quotation becomes an opaque word that may be the object of a rule, never its source.
 */

/** Stands for one character of a quotation; never in canonical text, which has no private-use units. */
export const opaqueUnit = "\ue000";

const maxQuoteChars = 4_000;
/** A line of a log, a listing or a diff: a time stamp, a level, a prompt, an assignment, braces. */
const logLine =
  /^\s*(?:\[[^\]]{0,40}\]|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|(?:warn|warning|error|info|debug|fatal|trace|note)\b\s?[:\]]|[$>%]\s|\+\+\+|@@|at\s\S{1,80}\(|[{}()[\];]+\s*$|(?:#|\/\/|\/\*|--\s|<!--)|(?:const|let|var|def|class|import|from|return|function|public|private|if|for)\b.*[;:{(]\s*$)/i;
const indentedCode =
  /^\s{2,}(?:return|print|raise|yield|self\.|this\.|pass|break|continue|await|throw|end)\b/;
const listLine = /^\s*(?:[-*+]|\d{1,2}[.)])\s/;

function blankOf(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** Blanks fenced blocks (also unclosed ones), quoted lines and lines that look like code or logs. */
function blankBlocks(text: string): string {
  let fence = "";
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s*(```|~~~)/.exec(line)?.[1] ?? "";
      if (fence) {
        if (mark === fence) fence = "";
        return blankOf(line);
      }
      if (mark) {
        if (line.indexOf(mark) === line.lastIndexOf(mark)) fence = mark;
        return blankOf(line);
      }
      return (logLine.test(line.slice(0, 300)) || indentedCode.test(line.slice(0, 80))) &&
        !listLine.test(line)
        ? blankOf(line)
        : line;
    })
    .join("\n");
}

/** Blanks fences written inside a line: text ```code``` text. An unclosed one reaches to the end. */
function blankInlineFences(text: string): string {
  const parts = text.split("```");
  return parts.map((part, index) => (index % 2 === 0 ? part : blankOf(part))).join("   ");
}

const opening = /[\s([{:,\u2014]/;
const closing = /[\s)\]}:;,.!?\u2014]/;

/** Where the quotation opened at `start` closes, or -1. */
function closingQuote(text: string, start: number): number {
  const mark = text.charAt(start);
  const limit = Math.min(text.length, start + maxQuoteChars);
  for (let index = start + 1; index < limit; index += 1) {
    if (text.charAt(index) !== mark) continue;
    const next = text.charAt(index + 1);
    if (mark !== "'" || next === "" || closing.test(next)) return index;
  }
  return -1;
}

/** Replaces the inside of quotations and inline code by opaque units; a full stop at its end stays. */
function hideQuotations(text: string): string {
  const units: string[] = [];
  let index = 0;
  let misses = 0;
  while (index < text.length) {
    const unit = text.charAt(index);
    const before = index === 0 ? " " : text.charAt(index - 1);
    const opens = (unit === '"' || unit === "`" || unit === "'") && opening.test(before) && misses < 50;
    const end = opens && /\S/.test(text.charAt(index + 1)) ? closingQuote(text, index) : -1;
    if (opens && end === -1) misses += 1;
    if (end <= index + 1) {
      units.push(unit);
      index += 1;
      continue;
    }
    const last = text.charAt(end - 1);
    const stop = /[.!?,]/.test(last) ? last : opaqueUnit;
    units.push(unit, opaqueUnit.repeat(end - index - 2), stop, unit);
    index = end + 1;
  }
  return units.join("");
}

const processing =
  /\b(?:translat\w+|summari[sz]\w+|gist|sum up|boil down|proof-?read\w*|paraphras\w+|re-?writ\w+|rephras\w+|classif\w+|analy[sz]e|tl;?dr|transcrib\w+|(?:turn|convert|make|word|phrase|put|shorten|edit|polish|tidy up|clean up|check|reply to|answer) (?:this|it|that|these|the (?:following|text|message|note|mail))\b|grammar|in (?:one|a) (?:line|sentence|nutshell)|one-sentence|one-line|what does|explain what)\b/i;
const material =
  /\b(?:translat\w+|summari[sz]\w+|proof-?read\w*|paraphras\w+|re-?writ\w+|rephras\w+|classif\w+|analy[sz]e|tl;?dr|transcrib\w+|grammar|spell-?check|sent (?:this|us this|round)|(?:note|sign|email|e-mail|letter|notice|message|memo|policy|poster|manual|article|text|transcript|draft|prompt|output|log|leaflet|label) (?:says|reads|said|goes|is|below)|(?:here(?:'s| is| are)|below (?:is|are)|this is|following|attached) (?:the|a|an|my|our|what|some)\b[^.:\n]{0,60}|(?:wrote|posted|replied|said|says|reads))\b/i;

/** Blanks what follows "translate this:" or "here is the letter:", up to the end of the turn. */
function blankMaterial(text: string): string {
  const colon = /:(?=\s)/g;
  for (let found = colon.exec(text); found !== null; found = colon.exec(text)) {
    const lead =
      text
        .slice(Math.max(0, found.index - 160), found.index)
        .split(/[.!?\n]\s/)
        .at(-1) ?? "";
    const rest = text.slice(found.index + 1);
    const isForAgent =
      /\b(?:helps me|i (?:want|need|prefer|like)|future|next time|from now on|going forward|rules?|notes?|preferences?)\b/i.test(
        lead,
      );
    if (processing.test(lead) || (material.test(lead) && !isForAgent))
      return text.slice(0, found.index + 1) + blankOf(rest);
  }
  return text;
}

/** Canonical text of the same length in which only the user's own words can be read. */
export function hideForeignText(text: string): string {
  return blankMaterial(hideQuotations(blankInlineFences(blankBlocks(text))));
}
