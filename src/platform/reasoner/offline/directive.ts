/** A directive and the small turns of phrase from which one is made. */

import { baseOfPastTense } from "./morphology";
import { canBeVerb, fromGerund, fromPast, isCommonVerb, opensWithVerb } from "./verbs";

export type Frame =
  | "order"
  | "ban"
  | "request"
  | "wish"
  | "praise"
  | "preference"
  | "dislike"
  | "need"
  | "want"
  | "duty"
  | "norm"
  | "practice"
  | "custom"
  | "contrast"
  | "fragment";

export interface Directive {
  readonly polarity: "do" | "avoid";
  readonly frame: Frame;
  /** Base form first: `cite the page`, `push to main`; for `norm` a whole clause. */
  readonly verbPhrase: string;
  /** What the user turned down in the same breath, as a verb or noun phrase. */
  readonly rejected?: string;
}

export function trimmed(text: string): string {
  return text
    .replace(/^[\s,;:\u2014]+|[\s,;:.!?\u2014]+$/g, "")
    .replace(
      /,?\s+if (?:(?:it|that)(?:'s| is) .{2,40}|(?:at all )?possible|you (?:can|could|like|please|would|don't mind))$/i,
      "",
    )
    .replace(
      /\s+(?:please|(?<!say )thanks|(?<!say )thank you|(?<!'s |\bmy |\bour |\bthe |\bsay |\bgive )(?:ok|okay)|yeah|though|by the way|from you|mate|guys|folks)$/i,
      "",
    )
    .replace(/[\s,]+$/, "");
}

export function plainVerb(phrase: string): string {
  return trimmed(phrase)
    .replace(
      /^(?:always|please|kindly|just|simply|also|instead(?! of)|ever|even|then|to|bother to|go and|first|actually|definitely)\s+/i,
      "",
    )
    .replace(/^(?:always|please|just)\s+/i, "");
}

/** Splits off "instead of X", "rather than X", ", not X". */
export function takeRejected(phrase: string): { kept: string; rejected?: string } {
  const lead =
    /^(?:instead of|rather than)\s+(.{2,80}?)(?:,\s*|\s+)(?=(?:please |just |always |you (?:should|could) )?(?:use|give|send|show|write|put|try|say|go|do|make|call|run|take|keep|have|offer)\b)(.+)$/i.exec(
      phrase,
    );
  if (lead !== null) return { kept: trimmed(lead[2] ?? ""), rejected: trimmed(lead[1] ?? "") };
  const after = /^(?:instead of|rather than)\s+([^,]{2,80}),\s*(.+)$/i.exec(phrase);
  if (after !== null && opensWithVerb(after[2] ?? ""))
    return { kept: trimmed(after[2] ?? ""), rejected: trimmed(after[1] ?? "") };
  const bare =
    /^(?:instead of|rather than)\s+((?:[\w'-]+\s+){1,4}?)([a-z]+\s+(?:the|a|an|my|our|your|some|any|all|only|to|in|with|for|at)\b.+)$/i.exec(
      phrase,
    );
  if (bare !== null && opensWithVerb(bare[2] ?? ""))
    return { kept: trimmed(bare[2] ?? ""), rejected: trimmed(bare[1] ?? "") };
  const tail =
    /^(.{2,400}?)(?:,?\s+(?:instead of|rather than|as opposed to|and not|but not|over(?=\s(?:the|a|an|my)?\s?[a-z-]+$))\s+|,\s*(?:not|never)\s+|\s+not\s+(?=[a-z\ue100-\ue1ff-]+(?:\s[a-z-]+)?$))(.{1,200})$/i.exec(
      phrase,
    );
  if (tail === null) return { kept: phrase };
  return { kept: trimmed(tail[1] ?? ""), rejected: trimmed(tail[2] ?? "") };
}

/** "use uv, pip breaks the lock file": what follows speaks of the rejected thing and is a reason. */
function withoutReasonOn(kept: string, rejected: string | undefined): string {
  const comma = kept.lastIndexOf(", ");
  if (rejected === undefined || comma < 3) return kept;
  const tail = kept
    .slice(comma + 2)
    .toLowerCase()
    .replace(/^the /, "");
  const head = (/^[a-z0-9.+#-]+/i.exec(rejected)?.[0] ?? "").toLowerCase();
  return head.length > 1 && tail.startsWith(`${head} `) ? kept.slice(0, comma) : kept;
}

export function doing(frame: Frame, phrase: string): Directive | null {
  const split = takeRejected(plainVerb(phrase));
  const verbPhrase = plainVerb(withoutReasonOn(split.kept, split.rejected));
  if (/^thank\b/i.test(verbPhrase)) return null;
  const base = /^(?:starting|beginning)\b/i.test(verbPhrase) ? null : fromGerund(verbPhrase);
  if (!canBeVerb(base ?? verbPhrase)) return null;
  return {
    polarity: "do",
    frame,
    verbPhrase: base ?? verbPhrase,
    ...(split.rejected ? { rejected: split.rejected } : {}),
  };
}

export function avoiding(frame: Frame, phrase: string): Directive | null {
  const plain = plainVerb(phrase);
  const base = fromGerund(plain) ?? plain;
  return canBeVerb(base) ? { polarity: "avoid", frame, verbPhrase: base } : null;
}

export function avoidingThing(frame: Frame, thing: string): Directive | null {
  const plain = trimmed(thing).replace(
    /^(?:with|of|the|any|all the|all of the|those|these|so many|so much)\s+/i,
    "",
  );
  if (plain === "" || /^(?:it|that|this|them|one|more|anything|much|me|to|what)\b/i.test(plain)) return null;
  const base = fromGerund(plain);
  return { polarity: "avoid", frame, verbPhrase: base ?? `use ${plain}` };
}

/** "to be told what X is" → "tell the user what X is". */
export function fromPassive(phrase: string): string | null {
  const match = /^to be ([a-z]+)\b(.*)$/is.exec(phrase);
  if (match === null) return null;
  const base = baseOfPastTense((match[1] ?? "").toLowerCase(), isCommonVerb);
  return `${base} me${match[2] ?? ""}`;
}

/** "to see the code" → "show me the code". */
export function fromReceiving(phrase: string): string | null {
  const match =
    /^(?:to )?(see|seeing|read|reading|hear|hearing|get|getting|receive|receiving|know|knowing|have|having)\s+(?!to\b)(.+)$/is.exec(
      phrase,
    );
  if (match === null) return null;
  const verb = (match[1] ?? "").toLowerCase();
  const given = /^know/.test(verb)
    ? "tell me"
    : /^(?:see|read)/.test(verb)
      ? "show me"
      : /^(?:hear|receiv|get)/.test(verb)
        ? "give me"
        : "give me";
  return `${given} ${match[2] ?? ""}`;
}

export function wishFrom(phrase: string): Directive | null {
  const negative =
    /^(?:do not|don't|didn't|did not|never|not|stopped|wouldn't|avoided|quit)\s+(?:to )?(.+)$/is.exec(phrase);
  if (negative !== null)
    return avoiding("wish", fromGerund(negative[1] ?? "") ?? fromPast(negative[1] ?? ""));
  const than = /^(.{3,200}?),?\s+(?:rather )?than\s+(.{3,120})$/is.exec(phrase);
  const wish = doing("wish", fromPast(than?.[1] ?? phrase));
  return wish === null || than === null ? wish : { ...wish, rejected: trimmed(than[2] ?? "") };
}

export function praised(phrase: string): Directive | null {
  return doing("praise", fromGerund(phrase) ?? fromPast(phrase));
}

export function dislikeOf(phrase: string): Directive | null {
  const received = fromPassive(phrase.replace(/^being\b/i, "to be"));
  if (received !== null) return avoiding("dislike", received);
  const base = fromGerund(phrase) ?? fromPast(phrase);
  if (opensWithVerb(base)) return avoiding("dislike", base);
  return avoidingThing("dislike", phrase);
}

export function preferenceFor(
  chosen: string,
  other: string,
  isNegative: boolean,
  isReceived = false,
): Directive | null {
  const plain = trimmed(chosen);
  if (
    plain === "" ||
    /^(?:(?:it|that|this|them)\b|one$|to wait|to (?:go|stay|pay|travel|live|eat|drink|sit|sleep|walk|drive|fly|work)\b)/i.test(
      plain,
    )
  )
    return null;
  if (/^(?:the|that|this) (?:[a-z-]+ )?one\b/i.test(plain)) return null;
  if (isNegative) return avoiding("preference", plain);
  const received = fromReceiving(plain);
  const passive = fromPassive(plain);
  const base =
    received ??
    passive ??
    (/^to\s/.test(plain)
      ? null
      : /^(?:that )?you\b/i.test(plain)
        ? null
        : isReceived
          ? `give me ${plain}`
          : `use ${plain}`);
  if (base === null) return null;
  const rejected = trimmed(other).replace(/\s+\u2014.*$/, "");
  return { polarity: "do", frame: "preference", verbPhrase: base, ...(rejected ? { rejected } : {}) };
}

export function needless(phrase: string): Directive | null {
  const plain = trimmed(phrase);
  const you = /^you (?:to )?(.+)$/is.exec(plain);
  if (you !== null) return avoiding("need", fromGerund(you[1] ?? "") ?? you[1] ?? "");
  const passive = fromPassive(plain);
  if (passive !== null) return avoiding("need", passive);
  const received = fromReceiving(plain);
  if (received !== null && /^to\s/i.test(plain)) return avoiding("need", received);
  if (/^to\s/i.test(plain) || /^(?:it|that|this|them|anything|one|him|her|any of|anyone|to)\b/i.test(plain))
    return null;
  const base = fromGerund(plain);
  return { polarity: "avoid", frame: "need", verbPhrase: base ?? `offer ${plain.replace(/^any\s+/i, "")}` };
}

export function wanted(phrase: string): Directive | null {
  const plain = trimmed(phrase);
  const passive = fromPassive(plain);
  if (passive !== null) return doing("want", passive);
  const received = fromReceiving(plain);
  if (received !== null) return doing("want", received);
  if (
    /^(?:to|you|it|that|this|one|help|your help|some help|another|an?)\b/i.test(plain) &&
    !/^a[n]? .+ (?:in|with|for|after|before|on|at) (?:every|each|all|any)\b/i.test(plain)
  )
    return null;
  const state = /^(.{2,60}?) (?:to be |as |in |with |before |after |on |at |by )(.+)$/is.exec(plain);
  return state === null
    ? doing("want", `provide ${plain}`)
    : doing("want", `provide ${plain.replace(/ to be /, " ")}`);
}
