/** The separate instructions inside a rule's content, as sentences of their own. */
import { directionsOf } from "./polarity";
import { termsOf } from "./terms";

export interface Bullet {
  /** Capitalised, with a full stop. */
  text: string;
  terms: ReadonlySet<string>;
  /** True for an instruction to leave something. */
  isAvoidance: boolean;
}

const MAX_BULLETS = 40;
const LIST_MARK = /^\s*(?:[-*•–]|\d{1,2}[.)])\s+/;
/** Sentence ends, semicolons and line breaks; a dot inside `2.4` or `e.g.` ends nothing. */
const BOUNDARY =
  /(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.)\s+(?=[\p{Lu}"'`(\d])|;\s+(?!then\b|so\b)|\n+|(?<=[。！？])/u;
const AVOIDANCE =
  /^(?:(?:please|also|and|but|always)\s+)*(?:do not|don['’]t|never|avoid|skip|omit|leave out|leaving out|no|without|stop|refrain|hold back|not)\b/i;

/** Capital first, full stop last. */
export function asSentence(text: string): string {
  const plain = text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^(?:and|but|also|then)\s+/i, "")
    .replace(/[\s,;:]+$/, "");
  if (plain === "") return "";
  const ended = /[.!?。！？…)"'”]$/.test(plain) ? plain : `${plain}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** Instructions in order; fragments without a content word are left out. */
export function bulletsOf(content: string): Bullet[] {
  return content
    .split(BOUNDARY)
    .slice(0, MAX_BULLETS)
    .flatMap((part): Bullet[] => {
      const text = asSentence(part.replace(LIST_MARK, ""));
      const terms = termsOf(text);
      return terms.size === 0
        ? []
        : [{ text, terms, isAvoidance: AVOIDANCE.test(text) && directionsOf(text).refusals.length > 0 }];
    });
}
