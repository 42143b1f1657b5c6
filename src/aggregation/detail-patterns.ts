/** What counts as a personal detail, and how it is recognised. Every pattern is bounded: texts are hostile. */

export type DetailKind = "PERSON" | "EMAIL" | "PHONE" | "LINK" | "REFERENCE" | "SECRET" | "CARD" | "DETAIL";

/** What a placeholder turns into when it leaks into an answer (trap 58). */
export const PLAIN_WORDS: Record<DetailKind, string> = {
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
export const PATTERNS: readonly (readonly [DetailKind, RegExp])[] = [
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

/** Parts of user ids that name a role, a channel or a test, not a person. */
export const NO_PERSON =
  /^(?:user|usr|agent|customer|client|test|tester|demo|admin|guest|anonymous|support|developer|dev|sales|shop|store|staff|team|account|service|helpdesk|onboarding|ecommerce|commerce|saas|web|app|mobile|email|chat|bot|org|company|internal|external|prod|production|staging|local|new|old|premium|free|beta|alpha)s?$/i;
/** Capitalised words before `'s` that are no people's names. */
export const NOT_NAMES = new Set(
  `Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
  October November December Python Java Google Amazon Microsoft Apple GitHub Docker Linux Windows Android Stripe Slack
  English French German Spanish Chinese Japanese User Agent Customer Today Tomorrow`.split(/\s+/),
);

/** A link without a query, credentials or ids says nothing about a person. */
export const isPersonalLink = (link: string): boolean =>
  /[?#@]|\/[^/]{0,200}\d{3,}|\/(?:users?|accounts?|customers?|profiles?|orders?|u)\//i.test(
    link.replace(/^https?:\/\//i, ""),
  );
