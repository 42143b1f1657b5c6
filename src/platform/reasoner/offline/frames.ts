/** Reads the directive of a clause: by the frames, by customs and norms, by a bare verb, or by a scrap. */

import { avoiding, avoidingThing, type Directive, doing, trimmed } from "./directive";
import { frameReaders } from "./frame-readers";
import { canBeVerb, opensWithVerb } from "./verbs";

export type { Directive } from "./directive";

const normSubject =
  /^(?!i\b|now\b|then\b|today\b|so\b|and\b|but\b|\w+ (?:we|i|you|they|he|she|it)\b|you\b|it\b|that\b|this\b|he\b|she\b|they\b|there\b|we\b|what\b|who\b|which\b|how\b|where\b|why\b|if\b)((?:[\w\ue100-\ue1ff'/&-]+ ){1,8}?)(?:(?:really |also |always )?(?:must|should|shall|needs? to|has to|have to|ought to|may|can|cannot|can't|mustn't|shouldn't|are to|is to|always need\w*) (?:not |never |always |only |all |both |each )*[a-z]+\b|needs? (?!to\b)|requires? |are for (?!sale\b)[a-z]+ [a-z]+|(?:is|are) (?:enough|plenty|sufficient|mandatory|compulsory|required|banned|out of bounds|never|always|not allowed|not to be|forbidden|off limits|off-limits|only)\b)/i;
/** "wound checks go to the nurse": a bare plural and a plain verb; a rule only where it is said to last. */
const bareHabit =
  /^(?!this\b|yes\b|thanks\b|there's\b|it's\b|that's\b|always\b|is\b|was\b|has\b|does\b)(?:[a-z-]+ ){0,2}[a-z-]{2,}[^s\W]s (?:go|get|come|need|belong|stay|start|end|run|take|receive|require|follow)\s/i;
/** "we're a metric shop" */
const ownKind =
  /\bwe(?:'re| are) an? (?!(?:small|big|large|tiny|young|new|family|local|busy|good|great|little|happy|startup|real)\b)([a-z-]+) (?:shop|team|house|company|office|household|business|firm|school|clinic|practice)\b/i;
/** "every press release goes past the editor": as above. */
const everyHabit =
  /^everything (?:goes|runs|has to go|must go|is done) (?:through|via|by)\b|^(?:every|each|any) (?:[a-z-]+ ){1,4}?(?!this\b|is\b|was\b|has\b)[a-z]{2,}[^s\W]e?s (?!of\b)\S|^(?:nothing|everything|nobody|no one|no (?:[a-z-]+ ){1,3}?)\s?(?:goes|leaves|gets|is|are|go|leave|get|moves|ships) (?:[a-z]+ ){0,4}?(?:without|before|until|unless|past)\b/i;
const practice =
  /^(?:here,? )?(?:we|our (?:[a-z]+ ){1,3}?|this (?:repo|project|team|codebase|company|office|clinic|shop)|everyone here|i)\s+(?:(?:always|only|strictly|exclusively|all|never|do not|don't|doesn't|generally|normally|actually|just|work|write|use|run|measure|quote|bill|ship|deploy|test|spell|say|call|have|label|file|send|write|name|sign|mark|track|record|round|round|number|keep|count|pay|store|publish|report|book|log|document|uses)\b)/i;
const practiceBan =
  /^(?:here,? )?(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:never|do not|don't|doesn't) (?:ever )?((?!want|need|like|have|know|think|understand|care|believe|get|see|mind|remember|live|own|feel|recall|agree)[a-z-]+ .+)$/i;
const practiceOnly =
  /^(?:here,? )?(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:always|only|strictly|exclusively|all) ((?!want|need|have|know|think|understand|get|feel|forget|wanted|thought|seem|end)[a-z-]+ .+)$/i;
const practiceContrast =
  /^(?:here,? )?(?:we|our (?:\w+ ){1,3}?|this \w+|i)\s+(?:generally |normally |actually |just |always |only )*(?:use|uses|work (?:in|with)|works with|write|run|deploy with|deploy to|measure in|quote in|bill in|ship with|test with|go with|stick to|standardi[sz]ed? on|spell|say|call)\s+(.+?)(?:,? ?(?:\u2014 ?)?(?:and |but )?(?:not|never)|,? instead of|,? rather than)\s+(.+)$/i;

/** "we use sentence case in headings": a rule only where it corrects. */
const practicePlain =
  /^(?:here,? )?we\s+((?:use|write|spell|say|call|count|measure|quote|round|format|name|label|cite|sign|number|bill|price|list|file|sort|book|record|start|end|keep|put|pay|do|review|deploy|run|stick to|work|go|stay|capitali[sz]e) .+)$/i;
const practiceAny =
  /^(?:here,? )?we\s+(?:generally |normally |actually |just |always |only )*((?!want|need|like|have|had|know|think|went|was|were|are|did|got|understand)[a-z-]+ .{2,120}?)(?:,? instead of|,? rather than|,? and not|,? not)\s+(.+)$/i;

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The directive a segment expresses, or null. `segment` has no openers and no time words. */
export function readFrame(segment: string): Directive | null {
  const text = trimmed(segment);
  if (text === "" || /^back (?:in|at|by|on|soon|later|from|tomorrow|after)\b/i.test(text)) return null;
  if (/^mind (?:the|your|my|our) [a-z]/i.test(text))
    return { polarity: "do", frame: "order", verbPhrase: text.replace(/^M/, "m") };
  const unplanned = /^we(?:'re| are) not (?:going to (?=[a-z])|about to )?([a-z]+.{3,60}?)(?:,.*)?$/i.exec(
    text,
  );
  if (unplanned !== null && /^[a-z]+ing\b/i.test(unplanned[1] ?? ""))
    return avoiding("custom", unplanned[1] ?? "");
  if (/^(?:stop|quit|cut|drop|knock|pack) (?:that|it|this)(?: out| off| in)?$/i.test(text))
    return { polarity: "avoid", frame: "ban", verbPhrase: "do that" };
  for (const [regex, read] of frameReaders) {
    const match = regex.exec(text);
    if (match !== null) {
      const directive = read(match);
      if (directive !== null) return directive;
    }
  }
  const withUs = /^(?:with|for) us,? (?:it's|it is|that's) (?:always )?(.{3,60})$/i.exec(text);
  if (withUs !== null)
    return { polarity: "do", frame: "practice", verbPhrase: `use ${trimmed(withUs[1] ?? "")}` };
  const only =
    /^(?:our|my) (?:[a-z-]+ ){1,3}?(?:have|has|runs?|supports?|takes?|uses?|accepts?|reads?) only (.{3,60})$/i.exec(
      text,
    );
  if (only !== null)
    return { polarity: "do", frame: "practice", verbPhrase: `use only ${trimmed(only[1] ?? "")}` };
  const kind = ownKind.exec(text);
  if (kind !== null) return { polarity: "do", frame: "practice", verbPhrase: `use ${kind[1] ?? ""}` };
  if (practice.test(text)) {
    const contrast = practiceContrast.exec(text);
    if (contrast !== null)
      return {
        polarity: "do",
        frame: "practice",
        verbPhrase: `use ${trimmed(contrast[1] ?? "")}`,
        rejected: trimmed((contrast[2] ?? "").replace(/,\s+(?:so|and|but)\s.*$/is, "")),
      };
    const custom = practiceAny.exec(text);
    if (custom !== null && !/^i\b/i.test(text)) {
      const order = doing("practice", custom[1] ?? "");
      if (order !== null) return { ...order, rejected: trimmed(custom[2] ?? "") };
    }
    const ban = practiceBan.exec(text);
    if (ban !== null && !/^i\b/i.test(text)) return avoiding("practice", ban[1] ?? "");
    const plain = practicePlain.exec(text);
    if (plain !== null && ban === null && !practiceOnly.test(text)) return doing("custom", plain[1] ?? "");
    const exclusive = practiceOnly.exec(text);
    if (exclusive !== null && !/^i\b/i.test(text))
      return doing("practice", (exclusive[1] ?? "").replace(/^uses\b/, "use"));
    return null;
  }
  if (/^(?:always|please|kindly|instead|just|only|simply)\s/i.test(text)) {
    const rest = text.replace(/^(?:(?:always|please|kindly|instead|just|only|simply|then)\s+)+/i, "");
    if (
      /^(?:always|please|kindly)/i.test(text)
        ? canBeVerb(rest) &&
          (opensWithVerb(rest) ||
            !/^(?:(?!need|feed|seed|speed|proceed|embed)[a-z]+ed\b|happy|glad|nice|fun|busy|late|early|remember|wanted|thought|hungry|tired)\b/i.test(
              rest,
            ))
        : opensWithVerb(rest)
    ) {
      const order = doing("order", rest);
      return order !== null && /^only\s/i.test(text)
        ? { ...order, verbPhrase: `only ${order.verbPhrase}` }
        : order;
    }
  }
  const adverbial = /^([a-z]{3,}ly)\s+(\S+\s.+)$/i.exec(text);
  if (
    adverbial !== null &&
    !/^(?:only|really|apparently|actually|probably|possibly|hopefully|sadly|luckily|usually|normally|early|family|daily|weekly|monthly)$/i.test(
      adverbial[1] ?? "",
    ) &&
    opensWithVerb(adverbial[2] ?? "")
  )
    return doing("order", `${adverbial[2] ?? ""} ${(adverbial[1] ?? "").toLowerCase()}`);
  const emphatic =
    /^do (?!not\b|you\b|we\b|i\b|it\b|that\b|this\b|so\b|them\b|the\b|your\b|my\b|they\b|a\b|any\b)(\S.+)$/i.exec(
      text,
    );
  if (emphatic !== null && opensWithVerb(emphatic[1] ?? "")) return doing("order", emphatic[1] ?? "");
  const naming = /^it(?:'s| is) (.{1,60}?),? (?:and )?(?:not|never|rather than) (.{1,60})$/i.exec(text);
  if (naming !== null)
    return {
      polarity: "do",
      frame: "contrast",
      verbPhrase: `use ${trimmed(naming[1] ?? "")}`,
      rejected: trimmed(naming[2] ?? ""),
    };
  if (/^(?:instead of|rather than)\s/i.test(text)) return doing("order", text);
  if (opensWithVerb(text)) return doing("order", text);
  const later =
    /^(.{2,120}?)(?:, so| so|, but| but|:|\u2014|\breasons?|\bpurposes|\bhere|,(?=\s+(?:please|don't|do not|stop)))\s+((?:please|always|never|don't|do not|stop)\s.+)$/is.exec(
      text,
    );
  if (later !== null) return readFrame(later[2] ?? "");
  const enough =
    /^((?:one|two|three|four|five|an?|\d{1,2})(?: (?:or|to) (?:two|three|four|five|\d{1,2}))? (?:[a-z]+ )?(?:lines?|sentences?|words|paragraphs?|bullets?|points?|options?|examples?|items?|suggestions?|ideas?)) (?:is|are|will be|would be|will do|would do)(?: (?:quite |more than |perfectly )?(?:enough|plenty|sufficient|fine|ample))?(?: for (?:me|us))?$/i.exec(
      text,
    );
  if (enough !== null)
    return { polarity: "do", frame: "order", verbPhrase: `keep to ${lowerFirst(enough[1] ?? "")}` };
  if (everyHabit.test(text)) return { polarity: "do", frame: "norm", verbPhrase: text };
  if (bareHabit.test(text)) return { polarity: "do", frame: "norm", verbPhrase: text };
  if (normSubject.test(text)) return { polarity: "do", frame: "norm", verbPhrase: text };
  return null;
}

/** Reads a verbless scrap such as "Bullets.", "no preamble", "SMS, not email", "five at most". */
export function readFragment(segment: string): Directive | null {
  const text = trimmed(
    segment.replace(
      /,?\s+(?:so|because|since|as)\s+(?:the|I|we|it|that|they|you)\b.*$|,\s+(?:my|our|I(?:'ve|'m|'d)?|we(?:'re|'ve)?)\s.*$/is,
      "",
    ),
  )
    .replace(/^(?:just|only|simply|please|and|but|so)\s+/i, "")
    .replace(
      /\s+(?:works?|(?:is|are) (?:fine|good|ok|okay|great|best|better))(?: (?:for|with) (?:me|us))?$/i,
      "",
    );
  if (/^back (?:in|at|by|on|soon|later|from|tomorrow|after)\b/i.test(text)) return null;
  if (text === "" || text.split(" ").length > 9 || /^(?:please|kindly)\W*$/i.test(text)) return null;
  if (/\b(?:thanks|thank|cheers|appreciated|regards|congratulations)\b/i.test(segment)) return null;
  if (
    /^(?:nobody|no one|nothing (?!by\b|in\b|without\b|over\b|under\b|via\b|with\b|outside\b)|everybody|everyone|people|someone|somebody|not (?:a|the)\b)/i.test(
      text,
    )
  )
    return null;
  const nothing = /^nothing ((?:by|in|without|over|under|via|with|outside)\s.{2,60})$/i.exec(text);
  if (nothing !== null)
    return { polarity: "avoid", frame: "fragment", verbPhrase: `do anything ${nothing[1] ?? ""}` };
  const limit = /^no (?:more|longer|fewer|less) than (.+)$/i.exec(text);
  if (limit !== null)
    return { polarity: "do", frame: "fragment", verbPhrase: `use ${limit[1] ?? ""} at most` };
  const none = /^(?:no|zero|without|skip)\s+(?:more\s+|(?:need|time|patience|use) for\s+)?(.+)$/i.exec(text);
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
    /^(?:uh|um|hm+|oh|ah|no|ha|wow|ugh|ouch|phew|yikes|sweet|better|much better|paired|great|i|i'm|i'd|you|we|it|it's|that|that's|this|they|he|she|there|what|who|why|how|when|yes|thanks|great|good|ok|cool|perfect|fine|nice|too|not|lol|hi|hello|bye|sure|maybe|sorry|exactly|right|correct|wrong|never|always|ever|again)\b/i.test(
      text,
    )
  )
    return null;
  if (/\b(?:is|are|was|were|am|has|have|had|did|does|will|would|can|could|[a-z]+n't)\b/i.test(text))
    return null;
  if (
    /^(?:the|my|our|your) (?:[a-z-]+ ){1,2}(?:comes?|came|says?|shows?|looks?|goes|went|gets?|got|keeps?|still|just|needs?|works?|moved|sent|made)\b/i.test(
      text,
    )
  )
    return null;
  return {
    polarity: "do",
    frame: "fragment",
    verbPhrase: `use ${text.replace(/^[A-Z](?=[a-z])/, (unit) => unit.toLowerCase())}`,
  };
}
