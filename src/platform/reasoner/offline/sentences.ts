/** Cuts a turn into sentences that know where they stand in it. One pass, no backtracking. */

export interface Sentence {
  /** UTF-16 offsets into the turn's content. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** True where the sentence begins a paragraph or a list item. */
  readonly startsBlock: boolean;
}

/** Sentences of a turn that are read; the rest of a very long turn is not. */
const maxSentences = 400;
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|prof|st|fl|oz|sq|hrs?|min|max|approx|cf|resp|incl|fig|dept|est|a\.m|p\.m|[A-Z])\.$/i;

function endsSentence(text: string, index: number, start: number): boolean {
  const unit = text.charAt(index);
  if (unit === "\n") {
    const next = text.slice(index + 1, index + 40).trimStart();
    return next === "" || !/^[a-z]/.test(next) || text.charAt(index + 1) === "\n";
  }
  if (!/[.!?\u2026]/.test(unit)) return false;
  const next = text.charAt(index + 1);
  if (/["')\]]/.test(next) && next !== "") {
    const after = text.slice(index + 2, index + 5);
    return /^\s+[A-Z]/.test(after) || after.trim() === "";
  }
  if (next !== "" && !/\s/.test(next)) return false;
  if (unit === "\u2026" && /^\s*[a-z]/.test(text.slice(index + 1, index + 6))) return false;
  if (unit === "." && /^\s*\d{1,2}\.$/.test(text.slice(start, Math.min(index, start + 80) + 1))) return false;
  return (
    unit !== "." || !abbreviation.test(text.slice(Math.max(start, index - 10), index + 1)) || next === ""
  );
}

/** A heading for rules that follow: "for the future: …" ends where its colon stands. */
const rulesHeading =
  /\b(?:future|next time|going forward|from now on|moving forward|(?:ground|house|some|few|couple of|these|the|my) (?:\w+ )?(?:rules?|notes?|preferences?|requests?|requirements?|things|points|asks)|helps me(?: most)?|(?:keep|bear) in mind|remember)\b[^:]{0,40}:$/i;

/** Non-empty sentences in order, at most 400. */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  let startsBlock = true;
  const push = (end: number): void => {
    const raw = text.slice(start, end);
    const lead = raw.length - raw.trimStart().length;
    const trimmed = raw.trim();
    if (trimmed !== "") {
      sentences.push({ start: start + lead, end: start + lead + trimmed.length, text: trimmed, startsBlock });
      startsBlock = false;
    }
    start = end;
  };
  for (let index = 0; index < text.length && sentences.length < maxSentences; index += 1) {
    const unit = text.charAt(index);
    if (
      unit === ":" &&
      /\s/.test(text.charAt(index + 1)) &&
      rulesHeading.test(text.slice(Math.max(start, index - 160), index + 1))
    ) {
      push(index + 1);
    } else if (endsSentence(text, index, start)) {
      push(/["')\]]/.test(text.charAt(index + 1)) && unit !== "\n" ? index + 2 : index + 1);
      if (unit === "\n") startsBlock = true;
    }
  }
  if (sentences.length < maxSentences) push(text.length);
  return sentences;
}
