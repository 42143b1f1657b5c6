/**
 * Keeps personal details away from the aggregation model, whose rules go to other people: the same detail
 * becomes the same placeholder within one cluster, and placeholders in an answer become plain words.
 */

export type DetailKind = "PERSON" | "EMAIL" | "PHONE" | "LINK" | "REFERENCE" | "SECRET" | "CARD" | "DETAIL";

/** What a placeholder turns into when it leaks into an answer (trap 58). */
const PLAIN_WORDS: Record<DetailKind, string> = {
  PERSON: "the user",
  EMAIL: "an e-mail address",
  PHONE: "a phone number",
  LINK: "a link",
  REFERENCE: "a reference number",
  SECRET: "a secret",
  CARD: "a card number",
  DETAIL: "a private detail",
};

const NAME_PART = "\\p{Lu}(?:[\\p{L}-]|['’](?!s\\b)){1,30}";
const NAME = `${NAME_PART}(?: ${NAME_PART}){0,2}`;

/** In order: what is recognised first hides the rest from later patterns. Group 1, where there is one, is hidden. */
const PATTERNS: readonly (readonly [DetailKind, RegExp])[] = [
  [
    "SECRET",
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,10000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  ],
  [
    "SECRET",
    /\b(?:password|passwd|passcode|pwd|api[ _-]?key|token|secret)\s{0,3}(?:is|[:=])\s{0,3}["']?([^\s"',;]{4,200})/giu,
  ],
  ["EMAIL", /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu],
  ["LINK", /\bhttps?:\/\/[^\s<>"')\]]{1,2000}/giu],
  [
    "SECRET",
    /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abpr]|whsec|AKIA|ASIA|eyJ|AIza)[-_A-Za-z0-9]{8,500}(?:\.[-_A-Za-z0-9]{1,2000}){0,2}/g,
  ],
  [
    "SECRET",
    /(?<![\p{L}\p{N}_-])(?=[A-Za-z_-]{0,100}\d)(?=[\d_-]{0,100}[A-Za-z])[A-Za-z0-9_-]{24,500}(?![\p{L}\p{N}_-])/gu,
  ],
  ["CARD", /(?<!\d)\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}(?!\d)/g],
  [
    "REFERENCE",
    /(?<=\b(?:order|ticket|invoice|case|account|booking|reservation|customer|tracking)s?(?: (?:number|no\.?|id|code))?[ :]{0,3})#?(?=(?:[\p{L}-]{0,10}\d){4})[\p{L}\d][\p{L}\d-]{2,40}/giu,
  ],
  ["REFERENCE", /(?<![\p{L}\p{N}#])#[A-Z]{0,5}-?\d[\w-]{1,40}/gu],
  ["REFERENCE", /\b[A-Z]{2,6}-(?:[A-Z0-9]{1,10}-){0,4}\d{3,20}\b/g],
  ["PHONE", /(?<![\p{L}\p{N}])(?:\+|00)\d{1,3}[ ./()-]{0,3}\d(?:[ ./()-]{0,2}\d){5,13}(?!\d)/gu],
  ["PHONE", /(?<![\p{L}\p{N}])\(?\d{2,5}\)?[ ./-]\d{3,4}[ ./-]?\d{3,5}(?!\d)/gu],
  ["REFERENCE", /(?<![\p{L}\p{N}.])\d{7,20}(?![\p{L}\p{N}])/gu],
  [
    "PERSON",
    new RegExp(
      `\\b(?:[Mm]y name is|[Nn]ame is|[Nn]amed|(?:[Cc]all|[Aa]ddress) (?:me|the user|her|him|them)(?: as)?) (${NAME})`,
      "gu",
    ),
  ],
  ["PERSON", new RegExp(`\\b(?:Mr|Mrs|Ms|Mx|Dr|Prof)\\.? (${NAME})`, "gu")],
  ["PERSON", /(?<=[\p{Ll},] )(\p{Lu}\p{Ll}{1,30})(?=['’]s\b)/gu],
];

/** Capitalised words before `'s` that are no people's names. */
const NOT_NAMES = new Set(
  `Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
  October November December Python Java Google Amazon Microsoft Apple GitHub Docker Linux Windows Android Stripe Slack
  English French German Spanish Chinese Japanese User Agent Customer Today Tomorrow`.split(/\s+/),
);

/** A link without a query, credentials or ids says nothing about a person. */
const isPersonalLink = (link: string): boolean =>
  /[?#@]|\/[^/]{0,200}\d{3,}|\/(?:users?|accounts?|customers?|profiles?|orders?|u)\//i.test(
    link.replace(/^https?:\/\//i, ""),
  );

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A pattern of whole words, longest first, or null for none. */
function anyOf(words: readonly string[], flags: string): RegExp | null {
  const longestFirst = [...words].sort(
    (left, right) => right.length - left.length || (left < right ? -1 : 1),
  );
  if (longestFirst.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}_])`, flags);
}

/** One cluster's mapping. Make a new one for every cluster: identities do not carry over. */
export class DetailStripper {
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<DetailKind, number>();
  private readonly owners: RegExp | null;

  private readonly forced: RegExp | null;

  /**
   * @param userIds the cluster's users; their ids, and names within them, are details too
   * @param forcelist words that are always hidden, in any case
   */
  constructor(userIds: readonly string[], forcelist: readonly string[] = []) {
    const names = new Set<string>();
    for (const userId of userIds) {
      if (/[\d@._-]/.test(userId) && userId.length >= 4) names.add(escaped(userId));
      for (const part of userId.split(/[^\p{L}]+/u)) {
        if (
          part.length < 3 ||
          /^(?:user|usr|agent|customer|client|test|demo|admin|guest|anonymous)s?$/i.test(part)
        )
          continue;
        names.add(escaped(`${part.charAt(0).toUpperCase()}${part.slice(1).toLowerCase()}`));
      }
    }
    this.owners = anyOf([...names], "gu");
    this.forced = anyOf(
      forcelist.filter((word) => word.trim() !== "").map((word) => escaped(word.trim())),
      "giu",
    );
  }

  private placeholder(kind: DetailKind, detail: string): string {
    const isNumber = kind === "PHONE" || kind === "CARD";
    const key = `${kind} ${detail
      .normalize("NFKC")
      .toLowerCase()
      .replace(isNumber ? /\D/g : /\s+/g, "")}`;
    const known = this.placeholders.get(key);
    if (known !== undefined) return known;
    const number = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, number);
    const made = `[${kind}_${number}]`;
    this.placeholders.set(key, made);
    return made;
  }

  /** The text with every recognised detail replaced. */
  strip(text: string): string {
    let clean =
      this.forced === null ? text : text.replace(this.forced, (word) => this.placeholder("DETAIL", word));
    for (const [kind, pattern] of PATTERNS) {
      clean = clean.replace(pattern, (whole: string, group: unknown) => {
        const detail = typeof group === "string" ? group : whole;
        if (kind === "LINK" && !isPersonalLink(whole)) return whole;
        if (kind === "PERSON" && NOT_NAMES.has(detail)) return whole;
        return whole.replace(detail, () => this.placeholder(kind, detail));
      });
    }
    return this.owners === null
      ? clean
      : clean.replace(this.owners, (name) => this.placeholder("PERSON", name));
  }

  /** How many different details were hidden. */
  get size(): number {
    return this.placeholders.size;
  }
}

const PLACEHOLDER =
  /(?:\b(?:[Tt]he|[Aa]n?|[Uu]ser|[Cc]ustomer) )?[[(<{]{1,2}(?<kind>PERSON|EMAIL|PHONE|LINK|REFERENCE|SECRET|CARD|DETAIL)[_ -]?\d{1,4}[\])>}]{1,2}/gi;

/** The first letter of a plain word that now opens a sentence or a list item. */
const SENTENCE_OPENING = /(?:^|[.!?]\s+|\n)\s*(?:[-*]\s+)?(?=(?:the user|an? )\b)[at]/g;

/** Placeholders in an answer become plain words: before it is stored, and before it is logged. */
export function neutralisePlaceholders(text: string): { text: string; leaked: number } {
  let leaked = 0;
  const plain = text.replace(PLACEHOLDER, (...found: unknown[]) => {
    leaked += 1;
    const groups = found.at(-1);
    const kind =
      typeof groups === "object" && groups !== null && "kind" in groups
        ? String(groups.kind).toUpperCase()
        : "PERSON";
    for (const [name, words] of Object.entries(PLAIN_WORDS)) if (name === kind) return words;
    return PLAIN_WORDS.PERSON;
  });
  return {
    text:
      leaked === 0
        ? text
        : plain.replace(
            SENTENCE_OPENING,
            (opening) => opening.slice(0, -1) + opening.slice(-1).toUpperCase(),
          ),
    leaked,
  };
}
