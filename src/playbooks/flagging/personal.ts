/** Details of a person: addresses, telephone, card, account and social security numbers. */

const EMAIL = /([\w.%+-]{1,64})@((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})\b/giu;
/** Mailboxes of a function, not of a person. */
const ROLE_MAILBOX =
  /^(?:support|help(?:desk)?|info|no-?reply|donotreply|sales|security|abuse|billing|legal|privacy|admin|team|hello|contact|office|press|jobs|careers|service|accounts?|finance|it|ops|feedback|orders?|returns?|git)$/i;
const EXAMPLE_DOMAIN = /(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost)$/i;

const hasMailbox = (text: string): boolean =>
  [...text.matchAll(EMAIL)].some(
    ([, mailbox = "", domain = ""]) => !ROLE_MAILBOX.test(mailbox) && !EXAMPLE_DOMAIN.test(domain),
  );

const INTERNATIONAL_PHONE = /(?<![\w.])(?:\+|00)[1-9]\d{0,2}[ ().-]{0,2}(?:\d[ ().-]{0,2}){6,12}\d(?!\w)/;
const NATIONAL_PHONE = /(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/;
const NAMED_PHONE =
  /\b(?:phone|mobile|cell|tel(?:ephone)?|whatsapp|call me (?:at|on)|number is)\b[^\d\n]{0,20}(?:\d[ ().-]{0,2}){7,14}\d/i;

const CARD = /(?<![\d.])[2-6]\d(?:[ -]?\d){11,17}(?![\d.]\d)/g;

/** ISO/IEC 7812 check digit. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
  }
  return sum % 10 === 0;
}

const hasCard = (text: string): boolean =>
  (text.match(CARD) ?? []).some((run) => {
    const digits = run.replace(/\D/g, "");
    return digits.length >= 13 && digits.length <= 19 && new Set(digits).size > 1 && passesLuhn(digits);
  });

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

/** ISO 13616: the rearranged number is 1 modulo 97. */
function passesIban(run: string): boolean {
  const iban = run.replaceAll(" ", "");
  if (iban.length < 15 || iban.length > 34) return false;
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}

const hasIban = (text: string): boolean => (text.match(IBAN) ?? []).some(passesIban);

const SOCIAL_SECURITY = /(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/;
const NAMED_PERSONAL =
  /\b(?:passport|social security|national insurance|driver'?s? licen[cs]e|tax id|ssn)\b(?: (?:number|no\.?))?\s{0,3}(?:is|=|:|#)\s{0,3}(?=[A-Z0-9-]*\d)[A-Z0-9-]{6,20}\b/i;
const BIRTH =
  /\b(?:born (?:on|in)|date of birth|birthday|dob)\b[^\n]{0,12}\b\d{1,4}[-/. ](?:\d{1,2}|[a-z]{3,9})[-/. ]\d{1,4}\b/i;

export const holdsPersonalDetail = (text: string): boolean =>
  hasMailbox(text) ||
  INTERNATIONAL_PHONE.test(text) ||
  NATIONAL_PHONE.test(text) ||
  NAMED_PHONE.test(text) ||
  hasCard(text) ||
  hasIban(text) ||
  SOCIAL_SECURITY.test(text) ||
  NAMED_PERSONAL.test(text) ||
  BIRTH.test(text);
