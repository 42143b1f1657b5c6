/** Keys, tokens and passwords: known shapes, named values, and strings too random to be words. */

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY/,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{30,255}\b/,
  /\bglpat-[\w-]{18,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/,
  /\bhooks\.slack\.com\/services\/T\w{6,}/,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_][\w-]{12,}/,
  /\bsk-[A-Za-z0-9]{20,}/,
  /\bAIza[\w-]{35}\b/,
  /\bya29\.[\w-]{20,}/,
  /\bey[JK][\w-]{10,}\.ey[JK]?[\w-]{6,}\.[\w-]{6,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bpypi-Ag[\w-]{20,}/,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/,
  /\bhf_[A-Za-z0-9]{30,}\b/,
  /\bdop_v1_[a-f0-9]{40,}/,
  /\b(?:pm|whsec)_[A-Za-z0-9]{16,}/,
  /\bAccountKey=[A-Za-z0-9+/=]{30,}/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{3,100}@[\w.-]+/i,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/-]{20,}/,
];

/** `password: hunter2`: a name, at most a few words, and a value that is no plain word. */
const NAMED =
  /\b(?:pass(?:word|phrase|code|wd)?|pwd|secret(?: key)?|api[ _-]?keys?|access[ _-]?keys?|client[ _-]?secret|auth[ _-]?token|token|credentials?)\b(?: (?:for|of|to) [\w.-]{1,30}(?: \w{1,20})?)?\s{0,3}(?:is|are|was|=|:|->)\s{0,3}["'`]?([^\s"'`,;]{5,200})/giu;
const NAMED_PIN =
  /\b(?:pin(?: code)?|cvv|cvc|otp|one-time code|passcode)\b\s{0,3}(?:is|=|:)\s{0,3}\d{3,8}\b/i;

/** Something that looks picked at random, not written: letters and digits, or three classes of characters. */
function isNoWord(value: string): boolean {
  const trimmed = value.replace(/[.)\]}>]+$/, "");
  if (trimmed.length < 5 || /^[<{[$%*]/.test(trimmed) || /^(?:\*+|x+|\.+)$/i.test(trimmed)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s-]/].filter((of) => of.test(trimmed)).length;
  return (/\d/.test(trimmed) && /[a-z]/i.test(trimmed)) || classes >= 3;
}

const RANDOM = /(?<![\w/+.-])[A-Za-z0-9_+/-]{24,512}={0,2}(?![\w/+])/g;
/** Bits a character; English identifiers stay below, random base64 lies above. */
const MIN_ENTROPY_BITS = 3.7;

function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Mixed case and several digits in one unbroken run; hashes in hex and UUIDs are no secrets by themselves. */
const looksRandom = (run: string): boolean =>
  /[a-z]/.test(run) &&
  /[A-Z]/.test(run) &&
  (run.match(/\d/g) ?? []).length >= 3 &&
  !/[/-][a-z]{3,}[/-]/i.test(run) &&
  entropyBits(run) >= MIN_ENTROPY_BITS;

export const holdsSecret = (text: string): boolean =>
  SHAPES.some((shape) => shape.test(text)) ||
  NAMED_PIN.test(text) ||
  [...text.matchAll(NAMED)].some(([, value]) => value !== undefined && isNoWord(value)) ||
  (text.match(RANDOM) ?? []).some(looksRandom);
