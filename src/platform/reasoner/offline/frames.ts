/** The sentence frames in which people tell an agent what to do or leave; each yields a verb phrase. */

import { chattyNegatives } from "./lexicon";
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

const adverbs =
  "(?:(?:really|much|strongly|definitely|generally|usually|normally|always|also|honestly|personally|just|actually|still|do|kindly|please|greatly|far|vastly|typically|tend to|would|simply|absolutely|mostly|rather) )*";
const mode =
  "(?:(?:please|kindly|just|maybe|perhaps|possibly|also|at least|always|generally|simply|instead|then|all|actually|first|try to|consistently|start to|begin to) )*";

function trimmed(text: string): string {
  return text
    .replace(/^[\s,;:\u2014]+|[\s,;:.!?\u2014]+$/g, "")
    .replace(/\s+(?:please|thanks|thank you|ok|okay|yeah|though|by the way|from you|mate|guys|folks)$/i, "")
    .replace(/[\s,]+$/, "");
}

function plainVerb(phrase: string): string {
  return trimmed(phrase)
    .replace(
      /^(?:always|please|kindly|just|simply|also|instead(?! of)|ever|even|then|to|bother to|go and|first|actually|definitely)\s+/i,
      "",
    )
    .replace(/^(?:always|please|just)\s+/i, "");
}

/** Splits off "instead of X", "rather than X", ", not X". */
function takeRejected(phrase: string): { kept: string; rejected?: string } {
  const lead =
    /^(?:instead of|rather than)\s+(.{2,80}?)(?:,\s*|\s+)(?=(?:please |just |always |you (?:should|could) )?(?:use|give|send|show|write|put|try|say|go|do|make|call|run|take|keep|have|offer)\b)(.+)$/i.exec(
      phrase,
    );
  if (lead !== null) return { kept: trimmed(lead[2] ?? ""), rejected: trimmed(lead[1] ?? "") };
  const tail =
    /^(.{2,400}?)(?:,?\s+(?:instead of|rather than|as opposed to|and not|but not|over(?=\s(?:the|a|an|my)?\s?[a-z-]+$))\s+|,\s*(?:not|never)\s+|\s+not\s+(?=[a-z\ue100-\ue1ff-]+(?:\s[a-z-]+)?$))(.{1,200})$/i.exec(
      phrase,
    );
  if (tail === null) return { kept: phrase };
  return { kept: trimmed(tail[1] ?? ""), rejected: trimmed(tail[2] ?? "") };
}

function doing(frame: Frame, phrase: string): Directive | null {
  const split = takeRejected(plainVerb(phrase));
  const verbPhrase = plainVerb(split.kept);
  const base = /^(?:starting|beginning)\b/i.test(verbPhrase) ? null : fromGerund(verbPhrase);
  if (!canBeVerb(base ?? verbPhrase)) return null;
  return {
    polarity: "do",
    frame,
    verbPhrase: base ?? verbPhrase,
    ...(split.rejected ? { rejected: split.rejected } : {}),
  };
}

function avoiding(frame: Frame, phrase: string): Directive | null {
  const plain = plainVerb(phrase);
  const base = fromGerund(plain) ?? plain;
  return canBeVerb(base) ? { polarity: "avoid", frame, verbPhrase: base } : null;
}

function avoidingThing(frame: Frame, thing: string): Directive | null {
  const plain = trimmed(thing).replace(
    /^(?:with|of|the|any|all the|all of the|those|these|so many|so much)\s+/i,
    "",
  );
  if (plain === "" || /^(?:it|that|this|them|one|more|anything|much|me|to|what)\b/i.test(plain)) return null;
  const base = fromGerund(plain);
  return { polarity: "avoid", frame, verbPhrase: base ?? `use ${plain}` };
}

/** "to be told what X is" → "tell the user what X is". */
function fromPassive(phrase: string): string | null {
  const match = /^to be ([a-z]+)\b(.*)$/is.exec(phrase);
  if (match === null) return null;
  const base = baseOfPastTense((match[1] ?? "").toLowerCase(), isCommonVerb);
  return `${base} me${match[2] ?? ""}`;
}

/** "to see the code" → "show me the code". */
function fromReceiving(phrase: string): string | null {
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

type Reader = (match: RegExpExecArray) => Directive | null;

function group(match: RegExpExecArray, index: number): string {
  return match[index] ?? "";
}

const pattern = (source: string): RegExp => new RegExp(source, "is");

const readers: ReadonlyArray<readonly [RegExp, Reader]> = [
  // Bans.
  [
    pattern(
      `^${mode}(?:do not|don't|never|not to)\\s+(?:(?:ever|just|even|always|you|go and|bother with|bother to|bother|keep|go|start|use to|be) )*?(\\S.*)$`,
    ),
    (match) => {
      const rest = plainVerb(group(match, 1));
      const word = (/^[a-z'-]+/i.exec(rest)?.[0] ?? "").toLowerCase();
      const isNever = /^(?:\w+ )*never\b/i.test(group(match, 0));
      if (
        chattyNegatives.has(word) &&
        !(
          isNever ||
          /^(?:assume|ask me|ask for|tell|go (?:over|beyond|above|below|past)|let me|let the|get rid|use|look up|apologi[sz]e (?:every|each|for)|wait for)\b/i.test(
            rest,
          )
        )
      )
        return null;
      return avoiding("ban", rest);
    },
  ],
  [
    pattern(
      `^(?:${mode})(?:you (?:need|have|ought) to |you should |you must )?(?:stop|quit|cease|avoid|refrain from|cut out|give up|knock off|lay off|steer clear of|enough(?: with| of)?|no more|done with|drop|ditch|lose)\\s+(?:with )?(?:all )?(?:the |this |that )?(?:constantly |always |endlessly |just )?([a-z-]+ing\\b.*)$`,
    ),
    (match) => {
      const base = fromGerund(group(match, 1));
      return base === null ? avoidingThing("ban", group(match, 1)) : avoiding("ban", base);
    },
  ],
  [
    pattern(
      `^(?:${mode})(?:stop (?:with|it with|using)|quit (?:with|it with)|avoid|no more|enough (?:with|of)|go easy on|easy on|steer clear of|refrain from|ditch|lose|stay away from)\\s+(.+)$`,
    ),
    (match) => avoidingThing("ban", group(match, 1)),
  ],
  [
    pattern(`^(?:please )?spare (?:me|us) (?:all )?(?:the |your )?(.+)$`),
    (match) => avoidingThing("ban", group(match, 1)),
  ],
  [
    pattern(
      `^you(?:'re| are)? (?:keep(?: on)?|kept(?: on)?|always|constantly|forever|again|still|just keep)\\s+([a-z-]+ing\\b.+)$`,
    ),
    (match) => avoiding("ban", group(match, 1)),
  ],
  [
    pattern(
      `^(?:please )?(?:make it a (?:habit|rule|point)|get (?:in|into) the habit) (?:to|of) (not |never )?(?:always )?(.+)$`,
    ),
    (match) =>
      group(match, 1)
        ? avoiding("order", group(match, 2))
        : doing("order", fromGerund(group(match, 2)) ?? group(match, 2)),
  ],
  [
    pattern("^(?:there's |there is )?no need (?:to|for(?: you to)?)\\s+(.+)$"),
    (match) => avoiding("need", group(match, 1)) ?? avoidingThing("need", group(match, 1)),
  ],
  [pattern("^you (?:do not|don't) (?:need|have) to\\s+(.+)$"), (match) => avoiding("need", group(match, 1))],
  // Requests.
  [
    pattern(
      `^(?:can|could|would|will|can't|couldn't|won't)\\s+you\\s+${mode}(not|never|stop|avoid|quit)\\s+(.+)$`,
    ),
    (match) =>
      fromGerund(group(match, 2))
        ? avoiding("request", group(match, 2))
        : (avoiding("request", group(match, 2)) ?? avoidingThing("request", group(match, 2))),
  ],
  [
    pattern(`^(?:can|could|would|will|can't|couldn't)\\s+(?:you|we)\\s+${mode}(.+)$`),
    (match) =>
      /^(?:mind|like|be so kind)\b/i.test(group(match, 1)) ? null : doing("request", group(match, 1)),
  ],
  [
    pattern("^(?:would|do) you mind (not )?(?:always |please |just )*([a-z-]+ing\\b.+)$"),
    (match) => (group(match, 1) ? avoiding("request", group(match, 2)) : doing("request", group(match, 2))),
  ],
  [
    pattern(
      "^(?:(?:can|could|may|might) (?:i|we) (?:ask|request|beg)(?: that)?|is it possible for|any chance|would it be possible for|i(?:'d| would|'m going to| must| have to)? ask(?: that)?) (?:you )?(?:could |can |to |would )?(not to |not )?(?:always |please )*(.+)$",
    ),
    (match) => (group(match, 1) ? avoiding("request", group(match, 2)) : doing("request", group(match, 2))),
  ],
  // Wishes about what the agent does.
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:rather|sooner|prefer(?: it)?(?: if| that)?|appreciate it(?: very much| a lot)?(?: if| when)|be (?:very |really )?(?:grateful|happier|glad|pleased|obliged)(?: if)?|like it(?: better| more)?(?: if| when)|love it (?:if|when)|find it \\w+(?: \\w+){0,4}? (?:if|when)|appreciate (?:if|when)|be helped if)\\s+(?:that )?you (?:could |would |can |always )*(.+)$`,
    ),
    (match) => wishFrom(group(match, 1)),
  ],
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:want|need|like|love|prefer|expect|trust|ask|urge|beg|require|wish)(?: for)? you (not )?to (not |never )?(.+)$`,
    ),
    (match) =>
      group(match, 1) || group(match, 2) ? avoiding("wish", group(match, 3)) : doing("wish", group(match, 3)),
  ],
  [
    pattern(
      "^(?:it(?:'s| is| does)?|i|we|that|what|things|for me,? it's|(?:much |far |so much |a lot )?(?:easier|better|clearer|quicker)) .{0,80}?\\b(hate|dislike|can't stand|cannot stand|annoy\\w*|confus\\w+|irritat\\w+|don't like|doesn't help|harder|worse|difficult|bother\\w*|frustrat\\w+|throws me|drives me \\w+|awkward|unhelpful|mind it)\\b.{0,40}? (?:when|if|that) you (?:always |keep |just )*(.+)$",
    ),
    (match) => dislikeOf(group(match, 2)),
  ],
  [
    pattern(
      "^(?:i|we) (?:really |just |do |absolutely |truly )*(?:hate|dislike|can't stand|cannot stand|loathe|don't (?:really |particularly )?(?:like|enjoy|appreciate)|am not (?:a fan of|keen on|fond of)|'m not (?:a (?:big )?fan of|keen on|fond of)|have no (?:use|patience) for)\\s+(?:you |your |it when |being )?(.+)$",
    ),
    (match) => dislikeOf(group(match, 1)),
  ],
  [
    pattern(
      "^(?:it(?:'s| is| would be|'d be| does)?|i|we|things|that|what|for me,? it's|(?:much |far |so much |a lot )?(?:easier|better|clearer|quicker)|works) .{0,100}?\\b(?:easier|better|clearer|quicker|faster|nicer|handier|handy|helpful|useful|great|good|nice|best|smoother|simpler|works?|helps?|like|love|prefer|appreciate|enjoy|lovely|brilliant|grateful|ideal|perfect|follow)\\b.{0,40}?(?:,)? (?:when|if) you (?:could |would |can |always |also )*(.+)$",
    ),
    (match) => wishFrom(group(match, 1)),
  ],
  [
    pattern(
      "^what (?:helps|works)(?: best| better| well)?(?: for)?(?: me| us)?(?: most| best| a lot)? is (?:when |if |for you to |to )?(?:you )?(.+)$",
    ),
    (match) => doing("wish", fromGerund(group(match, 1)) ?? group(match, 1)),
  ],
  [
    pattern(
      "^(?:i|we) (?:really |do |also |always |very much )*(?:appreciate|appreciated|like|liked|love|loved|enjoy|enjoyed) (?:that |how |the way |it that )?you(?:r)? (?:just |have )?(.+)$",
    ),
    (match) => praised(group(match, 1)),
  ],
  // Preferences for things.
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:prefer|favou?r|rather have|rather see|rather get|rather read|rather hear|rather receive|sooner have)\\s+(not to )?(.+?)\\s+(?:over|to|rather than|instead of|as opposed to|more than|better than|than|,? ?(?:and |but )?not)\\s+(.+)$`,
    ),
    (match) => preferenceFor(group(match, 2), group(match, 3), group(match, 1) !== ""),
  ],
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:prefer|favou?r|rather have|rather see|rather get)\\s+(not to )?(.+)$`,
    ),
    (match) => preferenceFor(group(match, 2), "", group(match, 1) !== ""),
  ],
  [
    pattern(
      "^(?:my|our) (?:strong |clear |usual |personal )?(?:preference|preferred \\w+) (?:is|would be)(?: for| to)?\\s+(.+?)(?:\\s+(?:over|rather than|instead of|,? ?not)\\s+(.+))?$",
    ),
    (match) => preferenceFor(group(match, 1), group(match, 2), false),
  ],
  [
    pattern(
      "^((?:[\\w\ue100-\ue1ff/-]+ ){1,5}?)(?:is|are|works?|reads?|suits?|would be) (?:much |far |a lot |way |so much )?(?:better|best|easier|preferable|clearer|me better|us better|me best|me fine)(?: for (?:me|us))?\\s+(?:than|over|compared (?:to|with))\\s+(.+)$",
    ),
    (match) => preferenceFor(group(match, 1), group(match, 2), false),
  ],
  // Needs and wants.
  [
    pattern(
      `^(?:i|we) (?:really |certainly |definitely |honestly |just )*(?:do not|don't|never|didn't) (?:really |ever |actually )?(?:want|need|like|care for|care to|require|expect)\\s+(.+)$`,
    ),
    (match) => needless(group(match, 1)),
  ],
  [pattern("^(?:i|we) (?:shouldn't|should not|don't want to) have to (.+)$"), () => null],
  [
    pattern(
      `^(?:i|we|i'd|we'd|i would|we would|all i|what i) ${adverbs}(?:want|need|expect|(?<=\\bi'd |\\bwe'd |would )(?:like|love)|require|am after|'m after)(?: is)?\\s+(.+)$`,
    ),
    (match) => wanted(group(match, 1)),
  ],
  // Duties.
  [
    pattern(
      "^you(?:'d| had)? (?:really |also |always |all )*(?:should|must|need to|have to|ought to|are to|better|shall|are supposed to|are expected to|may|can|can't|cannot|shouldn't|mustn't|should've)\\s+(?:really |also |just )?(not |never |stop |quit |avoid )?(?:always )?(.+)$",
    ),
    (match) =>
      group(match, 1) || /\b(?:shouldn't|mustn't|can't|cannot)\b/i.test(group(match, 0).slice(0, 30))
        ? avoiding("duty", group(match, 2))
        : doing("duty", group(match, 2)),
  ],
  [
    pattern(
      "^(?:please )?(?:make sure|be sure|ensure|see to it|remember|take care|be careful|try|aim|see)(?: that)? (?:you |to )?(?:always )?(not |never )(?:to )?(.+)$",
    ),
    (match) => avoiding("order", group(match, 2)),
  ],
  [
    pattern(
      "^(?:please )?(?:make sure|be sure|remember|take care|try|aim) (?:that )?(?:you |to )(?:always )?(.+)$",
    ),
    (match) => doing("order", group(match, 1)),
  ],
  [
    pattern("^let's (not )?(?:always |please |just )*(.+)$"),
    (match) => (group(match, 1) ? avoiding("order", group(match, 2)) : doing("order", group(match, 2))),
  ],
];

function wishFrom(phrase: string): Directive | null {
  const negative =
    /^(?:do not|don't|didn't|did not|never|not|stopped|wouldn't|avoided|quit)\s+(?:to )?(.+)$/is.exec(phrase);
  if (negative !== null)
    return avoiding("wish", fromGerund(negative[1] ?? "") ?? fromPast(negative[1] ?? ""));
  const than = /^(.{3,200}?),?\s+(?:rather )?than\s+(.{3,120})$/is.exec(phrase);
  const wish = doing("wish", fromPast(than?.[1] ?? phrase));
  return wish === null || than === null ? wish : { ...wish, rejected: trimmed(than[2] ?? "") };
}

function praised(phrase: string): Directive | null {
  return doing("praise", fromGerund(phrase) ?? fromPast(phrase));
}

function dislikeOf(phrase: string): Directive | null {
  const base = fromGerund(phrase) ?? fromPast(phrase);
  if (opensWithVerb(base)) return avoiding("dislike", base);
  return avoidingThing("dislike", phrase);
}

function preferenceFor(chosen: string, other: string, isNegative: boolean): Directive | null {
  const plain = trimmed(chosen);
  if (
    plain === "" ||
    /^(?:it|that|this|them|one|to wait|to (?:go|stay|pay|travel|live|eat|drink|sit|sleep|walk|drive|fly|work))\b/i.test(
      plain,
    )
  )
    return null;
  if (isNegative) return avoiding("preference", plain);
  const received = fromReceiving(plain);
  const passive = fromPassive(plain);
  const base =
    received ??
    passive ??
    (/^to\s/.test(plain) ? null : /^(?:that )?you\b/i.test(plain) ? null : `use ${plain}`);
  if (base === null) return null;
  const rejected = trimmed(other).replace(/\s+\u2014.*$/, "");
  return { polarity: "do", frame: "preference", verbPhrase: base, ...(rejected ? { rejected } : {}) };
}

function needless(phrase: string): Directive | null {
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

function wanted(phrase: string): Directive | null {
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

const normSubject =
  /^(?!i\b|now\b|then\b|today\b|so\b|and\b|but\b|\w+ (?:we|i|you|they|he|she|it)\b|you\b|it\b|that\b|this\b|he\b|she\b|they\b|there\b|we\b|what\b|who\b|which\b|how\b|where\b|why\b|if\b)((?:[\w\ue100-\ue1ff'/&-]+ ){1,8}?)(?:(?:really |also |always )?(?:must|should|shall|needs? to|has to|have to|ought to|may|can|cannot|can't|mustn't|shouldn't|are to|is to|always need\w*) (?:not |never |always |only |all |both |each )*[a-z]+\b|needs? (?!to\b)|requires? |(?:is|are) (?:enough|plenty|sufficient|mandatory|compulsory|required|banned|out of bounds|never|always|not allowed|not to be|forbidden|off limits|off-limits|only)\b)/i;
/** "wound checks go to the nurse": a bare plural and a plain verb; a rule only where it is said to last. */
const bareHabit =
  /^(?!this\b|yes\b|thanks\b|there's\b|it's\b|that's\b|always\b|is\b|was\b|has\b|does\b)(?:[a-z-]+ ){0,2}[a-z-]{2,}[^s\W]s (?:go|get|come|need|belong|stay|start|end|run|take|receive|require|follow)\s/i;
const practice =
  /^(?:here,? )?(?:we|our (?:[a-z]+ ){1,3}?|this (?:repo|project|team|codebase|company|office|clinic|shop)|everyone here|i)\s+(?:(?:always|only|strictly|exclusively|all|never|do not|don't|doesn't|generally|normally|actually|just|work|write|use|run|measure|quote|bill|ship|deploy|test|spell|say|call|have|keep|count|pay|store|publish|report|book|log|document|uses)\b)/i;
const practiceBan =
  /^(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:never|do not|don't|doesn't) (?:ever )?((?!want|need|like|have|know|think|understand|care|believe|get|see|mind|remember|live|own|feel|recall|agree)[a-z-]+ .+)$/i;
const practiceOnly =
  /^(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:always|only|strictly|exclusively|all) ((?!want|need|have|know|think|understand|get|feel|forget|wanted|thought|seem|end)[a-z-]+ .+)$/i;
const practiceContrast =
  /^(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:generally |normally |actually |just |always |only )*(?:use|uses|work (?:in|with)|works with|write|run|deploy with|deploy to|measure in|quote in|bill in|ship with|test with|go with|stick to|standardi[sz]ed? on|spell|say|call)\s+(.+?)(?:,? ?(?:\u2014 ?)?(?:and |but )?(?:not|never)|,? instead of|,? rather than)\s+(.+)$/i;

/** The directive a segment expresses, or null. `segment` has no openers and no time words. */
export function readFrame(segment: string): Directive | null {
  const text = trimmed(segment);
  if (text === "") return null;
  for (const [regex, read] of readers) {
    const match = regex.exec(text);
    if (match !== null) {
      const directive = read(match);
      if (directive !== null) return directive;
    }
  }
  if (practice.test(text)) {
    const contrast = practiceContrast.exec(text);
    if (contrast !== null)
      return {
        polarity: "do",
        frame: "practice",
        verbPhrase: `use ${trimmed(contrast[1] ?? "")}`,
        rejected: trimmed(contrast[2] ?? ""),
      };
    const ban = practiceBan.exec(text);
    if (ban !== null && !/^i\b/i.test(text)) return avoiding("practice", ban[1] ?? "");
    const only = practiceOnly.exec(text);
    if (only !== null && !/^i\b/i.test(text))
      return doing("practice", (only[1] ?? "").replace(/^uses\b/, "use"));
    return null;
  }
  if (/^(?:always|please|kindly|instead|just|only|simply)\s/i.test(text)) {
    const rest = text.replace(/^(?:(?:always|please|kindly|instead|just|only|simply|then)\s+)+/i, "");
    if (
      /^(?:always|please|kindly)/i.test(text)
        ? canBeVerb(rest) &&
          (opensWithVerb(rest) ||
            !/^(?:happy|glad|nice|fun|busy|late|early|remember|wanted|thought|hungry|tired)\b/i.test(rest))
        : opensWithVerb(rest)
    )
      return doing("order", rest);
  }
  if (/^(?:instead of|rather than)\s/i.test(text)) return doing("order", text);
  if (opensWithVerb(text)) return doing("order", text);
  const later =
    /^(.{2,120}?)(?:, so| so|, but| but|:|\u2014|\breasons?|\bpurposes|\bhere|,(?=\s+(?:please|don't|do not|stop)))\s+((?:please|always|never|don't|do not|stop)\s.+)$/is.exec(
      text,
    );
  if (later !== null) return readFrame(later[2] ?? "");
  if (bareHabit.test(text)) return { polarity: "do", frame: "norm", verbPhrase: text };
  if (normSubject.test(text)) return { polarity: "do", frame: "norm", verbPhrase: text };
  return null;
}

/** Reads a verbless scrap such as "Bullets.", "no preamble", "SMS, not email", "five at most". */
export function readFragment(segment: string): Directive | null {
  const text = trimmed(
    segment.replace(/,?\s+(?:so|because|since|as)\s+(?:the|I|we|it|that|they|you)\b.*$/is, ""),
  ).replace(/^(?:just|only|simply|please|and|but|so)\s+/i, "");
  if (text === "" || text.split(" ").length > 9 || /^(?:please|kindly)\W*$/i.test(text)) return null;
  const none = /^(?:no|zero|without|skip)\s+(?:more\s+|need for\s+)?(.+)$/i.exec(text);
  if (none !== null) return avoidingThing("fragment", none[1] ?? "");
  const contrast = /^(.{1,60}?)(?:,? (?:and )?not|,? instead of|,? rather than|,? over)\s+(.{1,60})$/i.exec(
    text,
  );
  if (
    contrast !== null &&
    !/^(?:i|you|we|it|that|this|they|he|she|certainly|probably|maybe|why|absolutely|of course)\b/i.test(text)
  )
    return {
      polarity: "do",
      frame: "contrast",
      verbPhrase: `use ${trimmed(contrast[1] ?? "")}`,
      rejected: trimmed(contrast[2] ?? ""),
    };
  if (
    /^(?:i|i'm|i'd|you|we|it|it's|that|that's|this|they|he|she|there|what|who|why|how|when|yes|thanks|great|good|ok|cool|perfect|fine|nice|too|not|lol|hi|hello|bye|sure|maybe|sorry|exactly|right|correct|wrong|never|always)\b/i.test(
      text,
    )
  )
    return null;
  if (/\b(?:is|are|was|were|am|has|have|had|did|does|will|would|can|could)\b/i.test(text)) return null;
  return {
    polarity: "do",
    frame: "fragment",
    verbPhrase: `use ${text.replace(/^[A-Z](?=[a-z])/, (unit) => unit.toLowerCase())}`,
  };
}
