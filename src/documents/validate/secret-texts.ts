/**
 * Texts that look like a secret. First by shape: prefixes that issuers give their keys, private keys, tokens that sign
 * themselves, passwords in addresses. Then by chance: a long word of mixed letters and digits that no rule of spelling
 * makes. What is known to look so and is no secret (hashes, UUIDs, ids, addresses, images) is left out first.
 */

export interface SecretLook {
  /** What it looks like: `a key of Stripe`. */
  what: string;
  /** As much of it as may be shown. */
  shown: string;
}

/** Public knowledge: issuers publish these so that scanners find them. */
const SHAPES: readonly [pattern: RegExp, what: string][] = [
  [/-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/, "a private key"],
  [/\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{4,}/, "a key of Stripe"],
  [/^\s*sk_live_/, "a key of Stripe"],
  [/\bwhsec_[A-Za-z0-9+/=]{16,}/, "a webhook's signing secret"],
  [/\bgh[pousr]_[A-Za-z0-9]{16,}/, "a token of GitHub"],
  [/\bgithub_pat_[A-Za-z0-9_]{20,}/, "a token of GitHub"],
  [/\bglpat-[A-Za-z0-9_-]{16,}/, "a token of GitLab"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/, "an access key of AWS"],
  [/\bAIza[A-Za-z0-9_-]{30,}/, "a key of Google"],
  [/\bya29\.[A-Za-z0-9_-]{20,}/, "a token of Google"],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/, "a token of Slack"],
  [/\bxapp-\d-[A-Za-z0-9-]{10,}/, "a token of Slack"],
  [/\bsk-(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{16,}/, "a key of a model provider"],
  [/\bsk-[A-Za-z0-9]{32,}/, "a key of a model provider"],
  [/\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/, "a key of SendGrid"],
  [/\bnpm_[A-Za-z0-9]{30,}/, "a token of npm"],
  [/\bpypi-AgE[A-Za-z0-9_-]{20,}/, "a token of PyPI"],
  [/\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}/, "a token of Shopify"],
  [/\bsq0(?:atp|csp)-[A-Za-z0-9_-]{16,}/, "a token of Square"],
  [/\bdo[opr]_v1_[a-f0-9]{32,}/, "a token of DigitalOcean"],
  [/\bhf_[A-Za-z0-9]{30,}/, "a token of Hugging Face"],
  [/\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/, "a token of a Telegram bot"],
  [/\beyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_-]{8}/, "a signed token (JWT)"],
  [/\bAccountKey=[A-Za-z0-9+/]{40,}/, "a key of Azure"],
];

/** Every text of one of these shapes, or with a password in an address, has one of these parts: most texts have none. */
const PARTS =
  /[rs]k_|whsec_|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|ya29\.|xox|xapp-|sk-|SG\.|npm_|pypi-|shp|sq0|do[opr]_v1_|hf_|:AA|eyJ|AccountKey=|PRIVATE KEY|:\/\//;
/** The shortest text that looks like a secret, in characters. */
const SHORTEST = 8;

/** `scheme://user:password@host`; a template in its place is no password. */
const PASSWORD_IN_ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,256}:([^\s/@]{3,256})@[A-Za-z0-9[]/i;

/** What a text may hold that only looks random. */
const HARMLESS: readonly RegExp[] = [
  // Images and other files; a run of base64 this long is no key.
  /data:[a-z0-9.+/%-]{1,100}(?:;[a-z0-9=-]{1,100}){0,5};base64,[A-Za-z0-9+/=_%-]*/gi,
  /[A-Za-z0-9+/_-]{257,}={0,2}/g,
  // Certificates and public keys.
  /-----BEGIN [A-Z0-9 ]{1,60}-----[A-Za-z0-9+/=\s]*/g,
  /\bssh-[a-z0-9-]{1,20} AAAA[A-Za-z0-9+/=]*/g,
  // Addresses: documents are named by random words in them.
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi,
  // Digests that say so.
  /\b(?:sha(?:1|224|256|384|512)|md5|blake[23][a-z]?)[-:=][A-Za-z0-9+/=_-]+/gi,
  // Hexadecimal numbers: hashes, commits, ids of traces.
  /[0-9a-f]{16,}/g,
  // Ids with a prefix, as this format has them: `pvr_` and 26 of 32 letters.
  /\b[a-z]{2,8}_[0-9A-Z]{20,32}\b/g,
];

/** A word long enough to be a key. */
const WORD = /[A-Za-z0-9+/_-]{32,256}={0,2}/;
const WORDS = new RegExp(WORD, "g");

/** Of a member whose value may look random and is for everyone to see. */
const OPEN_NAMES =
  /(?:^|_)(?:ids?|hash|digest|checksum|etag|sha\d*|fingerprint|signature|integrity|cursor|commit|public_?key)$/i;

/** Of a member whose value is a secret by its name. */
const SECRET_NAMES =
  /(?:^|[_\-.])(?:password|passwd|passphrase|secret|client_?secret|api_?key|access_?key|private_?key|(?:access|auth|bearer|refresh)_?token|credentials?)$/i;

/**
 * What secret a text looks like; null for none.
 * @param member the name of the member whose value it is, if it is one
 */
export function secretLook(text: string, member?: string): SecretLook | null {
  if (text.length < SHORTEST) return null;
  return (
    (PARTS.test(text) ? lookByShape(text) : null) ?? lookByName(text, member) ?? lookByChance(text, member)
  );
}

function lookByShape(text: string): SecretLook | null {
  for (const [pattern, what] of SHAPES) {
    const match = pattern.exec(text);
    if (match) return { what, shown: shownOf(match[0]) };
  }
  const password = PASSWORD_IN_ADDRESS.exec(text)?.[1];
  if (password === undefined || isPlaceholder(password)) return null;
  return { what: "a password in an address", shown: "…" };
}

const lookByName = (text: string, member: string | undefined): SecretLook | null =>
  member !== undefined && isPasswordLike(text) && isSecretName(member)
    ? { what: `the value of "${member}"`, shown: shownOf(text) }
    : null;

function lookByChance(text: string, member: string | undefined): SecretLook | null {
  // Most texts have no word that long, and what is left out below does not make one.
  if (!WORD.test(text)) return null;
  if (member !== undefined && OPEN_NAMES.test(snakeCase(member))) return null;
  let rest = text;
  for (const pattern of HARMLESS) rest = rest.replace(pattern, " ");
  for (const [word] of rest.matchAll(WORDS))
    if (isRandom(word)) return { what: "a random key", shown: shownOf(word) };
  return null;
}

/** The first letters, so that one finds it; never enough to use it. */
const shownOf = (secret: string): string => `${secret.slice(0, Math.min(8, Math.floor(secret.length / 3)))}…`;

const isPlaceholder = (text: string): boolean =>
  /^(?:\$?\{.*\}?|<.*>?|%.*%|\*+|x+|\.+|pass(?:word)?|secret)$/is.test(text);

/** `apiKey` as `api_Key`. */
const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2");

const isSecretName = (member: string): boolean => SECRET_NAMES.test(snakeCase(member));

/** One word of letters and digits, as generated passwords are; prose, names and templates are not. */
const isPasswordLike = (text: string): boolean =>
  /^[!-~]{12,256}$/.test(text) &&
  !text.includes("${") &&
  !/^[A-Z][A-Z0-9_]*$/.test(text) &&
  !isPlaceholder(text) &&
  classesOf(text) >= 3 &&
  !isSpelled(text);

/**
 * Letters of both cases and digits, mixed so that the kind of letter changes more often than in words, hexadecimal
 * numbers, versions and dates.
 */
function isRandom(word: string): boolean {
  const text = word.replace(/=+$/, "");
  if (/^[A-Fa-f0-9-]+$/.test(text)) return false;
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || (text.match(/\d/g)?.length ?? 0) < 3) return false;
  return entropyPerLetter(text) >= 4 && !isSpelled(text);
}

const classesOf = (text: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((letters) => letters.test(text)).length;

/** Made of words: cut where words, numbers and signs meet, the parts are long. In random text they have two letters. */
function isSpelled(text: string): boolean {
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  return parts.length === 0 || letters / parts.length >= 3;
}

/** Shannon's entropy of the letters as they are distributed in the text itself, in bits. */
function entropyPerLetter(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
