/** Where a rule's verbatim evidence stands in a turn, forgiving form, spacing and nothing else. Pure. */
import { normalised } from "../platform/text";

/** A range `[start, end)` in UTF-16 units. */
export type Mark = [start: number, end: number];

/** Quotes of one span that are looked for, and ranges of one turn; more would mark the turn, not the proof. */
const MAX_QUOTES = 40;
const MAX_MARKS = 20;
/** A shorter quote must stand as words of its own: "no" is not found in "now". */
const SHORT_QUOTE_CHARS = 40;
/** So much of a quote's beginning must be there before the cut end of a turn to count. */
const MIN_HEAD_CHARS = 40;

const QUOTE_MARKS = /[\p{Pi}\p{Pf}"'`\u00b4\u02bc\u2032\u2033\u201a\u201e]/u;
const DASHES = /[\p{Pd}\u2212]/u;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
/** Scripts that put space between words. */
const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{M}]/u;

/** A text as it is compared, and where each of its units comes from. */
interface Folded {
  text: string;
  starts: number[];
  ends: number[];
}

/** Finds marks; turns of one answer share its memory of how characters fold. */
export function markFinder(): (content: string, sourceSpan: string | null) => Mark[] {
  const forms = new Map<string, string>();
  const formOf = (character: string): string => {
    const known = forms.get(character);
    if (known !== undefined) return known;
    const form = foldedForm(character);
    forms.set(character, form);
    return form;
  };
  let last: { span: string; quotes: string[] } = { span: "", quotes: [] };
  const foldedQuotesOf = (span: string): string[] => {
    if (last.span !== span) {
      last = { span, quotes: quotesOf(span).map((quote) => fold(quote, formOf).text.trim()) };
    }
    return last.quotes;
  };
  return (content, sourceSpan) => {
    const quotes = foldedQuotesOf(sourceSpan ?? "");
    if (quotes.length === 0 || content === "") return [];
    const turn = fold(content, formOf);
    return merged(
      quotes.flatMap((quote) => placesOf(turn, quote)),
      content,
    ).slice(0, MAX_MARKS);
  };
}

/** Cited texts are joined by blank lines, which they may also hold: each paragraph is looked for alone. */
const quotesOf = (sourceSpan: string): string[] =>
  [...new Set(sourceSpan.split(/\n\s*\n/))]
    .map((quote) => quote.trim())
    .filter((quote) => /[\p{L}\p{N}]/u.test(quote))
    .slice(0, MAX_QUOTES);

function foldedForm(character: string): string {
  const text = normalised(character, "NFKD");
  if (/^\s+$/u.test(text)) return " ";
  if (UNSEEN.test(text)) return "";
  if (QUOTE_MARKS.test(text)) return "'";
  return DASHES.test(text) ? "-" : text;
}

/** Compatibility forms apart, quotation marks and dashes alike, unseen characters gone, white space one space. */
function fold(text: string, formOf: (character: string) => string): Folded {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const form = formOf(character);
    if (form === " " && units.at(-1) === " ") ends[ends.length - 1] = end;
    else {
      for (let unit = 0; unit < form.length; unit += 1) {
        units.push(form.charAt(unit));
        starts.push(at);
        ends.push(end);
      }
    }
    at = end;
  }
  return { text: units.join(""), starts, ends };
}

function placesOf(turn: Folded, quote: string): Mark[] {
  const marks: Mark[] = [];
  if (quote === "") return marks;
  for (let at = turn.text.indexOf(quote); at !== -1; at = turn.text.indexOf(quote, at + quote.length)) {
    const end = at + quote.length;
    if (standsAlone(turn.text, at, end)) marks.push(range(turn, at, end));
    if (marks.length === MAX_MARKS) return marks;
  }
  if (marks.length > 0) return marks;
  return endOf(turn, quote);
}

/** The shown turn may end inside the quote. */
function endOf(turn: Folded, quote: string): Mark[] {
  const head = quote.slice(0, MIN_HEAD_CHARS);
  if (head.length < MIN_HEAD_CHARS) return [];
  let at = turn.text.indexOf(head);
  for (let tries = 0; at !== -1 && tries < MAX_MARKS; tries += 1) {
    if (quote.startsWith(turn.text.slice(at))) return [range(turn, at, turn.text.length)];
    at = turn.text.indexOf(head, at + 1);
  }
  return [];
}

const range = ({ starts, ends }: Folded, from: number, to: number): Mark => [
  starts[from] ?? 0,
  ends[to - 1] ?? 0,
];

/** A combining mark behind a match belongs to its last letter, whatever the length. */
function standsAlone(text: string, at: number, end: number): boolean {
  if (/^\p{M}/u.test(text.slice(end, end + 2))) return false;
  if (end - at >= SHORT_QUOTE_CHARS) return true;
  const splits = (place: number): boolean =>
    IN_WORD.test(text.charAt(place - 1)) && IN_WORD.test(text.charAt(place));
  return !splits(at) && !splits(end);
}

/** In order, without overlaps; what only white space parts is one. */
function merged(marks: readonly Mark[], content: string): Mark[] {
  const whole: Mark[] = [];
  for (const [start, end] of [...marks].sort((left, right) => left[0] - right[0])) {
    const last = whole.at(-1);
    if (last !== undefined && content.slice(last[1], start).trim() === "") last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}
