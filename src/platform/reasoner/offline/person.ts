/** Turns a user's words into words about the user, without names, addresses, numbers or secrets. */

import { thirdPersonOf } from "./morphology";

const adverb =
  /^(?:always|never|just|really|actually|only|ever|barely|usually|often|already|also|still|strongly|simply|mostly|generally)$/i;

const contracted: Readonly<Record<string, string>> = { m: "is", ve: "has", d: "would", ll: "will" };

/** `what I ask for` → `what the user asks for`; `my` → `the user's`. Capitals are the caller's. */
export function aboutTheUser(text: string): string {
  return text
    .replace(/\bI'(m|ve|d|ll)\b/g, (_match, ending: string) => `the user ${contracted[ending] ?? ""}`)
    .replace(/\bI ((?:[a-z]+ ){0,2})([a-z']+)/g, (_match, before: string, word: string) => {
      const middle = before.trim() === "" ? [] : before.trim().split(" ");
      const lead = middle.findIndex((part) => !adverb.test(part));
      if (lead === -1) {
        if (adverb.test(word)) return `the user ${before}${word}`;
        return `the user ${before}${thirdPersonOf(word)}`;
      }
      middle[lead] = thirdPersonOf(middle[lead] ?? "");
      return `the user ${middle.join(" ")} ${word}`;
    })
    .replace(/\b(?:I|me|myself)\b/g, "the user")
    .replace(/\b(?:my|My|mine)\b/g, "the user's")
    .replace(/\b(?:our|Our|ours)\b/g, "the user's")
    .replace(/\b(?:us|ourselves)\b/g, "the user")
    .replace(/\bthe user's own\b/g, "the user's own")
    .replace(/\bthe user and the user\b/g, "the user");
}

const secretLike =
  /\b(?:sk|pk|rk|ghp|gho|xox[abp]|whsec|AKIA|eyJ|AIza)[-_A-Za-z0-9]{8,}\b|\b(?=[A-Za-z0-9_-]{20,})(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,200}\b/g;

/** Replaces what identifies someone or grants access by a plain noun; hides turn-label look-alikes. */
export function withoutIdentity(text: string, names: readonly string[]): string {
  let clean = text
    .replace(/\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}\b/g, "an e-mail address")
    .replace(/\bhttps?:\/\/\S{1,500}/gi, "a link")
    .replace(secretLike, "a secret")
    .replace(
      /(?:\b(?:order|ticket|invoice|case|account|booking)s? )?(?:number )?#\s?[A-Z]{0,5}-?\d[\w-]{2,20}/gi,
      "an order or case",
    )
    .replace(/\b[A-Z]{2,5}-(?:\d{2,4}-)?\d{3,10}\b/g, "that number")
    .replace(/\+?\b\d{2,4}[ -]\d{3,4}[ -]\d{3,6}\b/g, "a phone number")
    .replace(/\b\d{8,}\b/g, "a number")
    .replace(/\bT(\d+)\b/gi, (_match, digits: string) => `T-${digits}`);
  for (const name of names) clean = clean.split(name).join("the user");
  return clean;
}

const introduction =
  /\b(?:[Mm]y name is|[Mm]y name's|[Tt]his is|I'm|I am|[Cc]all me|it's) ([A-Z][a-z'-]{1,30}(?: [A-Z][a-z'-]{1,30}){0,2})/g;
const signature = /\n[ \t]{0,4}(?:\u2014|-{1,2})[ \t]?([A-Z][a-z]{1,20})[ \t]{0,4}$/g;

/** Names by which the user introduced themselves, whole and in parts. */
export function namesIn(text: string): string[] {
  const found = new Set<string>();
  for (const pattern of [introduction, signature]) {
    for (const match of text.matchAll(pattern)) {
      const name = match[1] ?? "";
      found.add(name);
      for (const part of name.split(" ")) if (part.length > 2) found.add(part);
    }
  }
  return [...found].sort((left, right) => right.length - left.length).slice(0, 12);
}
