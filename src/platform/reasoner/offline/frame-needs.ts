/** Frames of needs, wants and duties; the first that fits wins. */

import { avoiding, doing, needless, trimmed, wanted } from "./directive";
import { adverbs, group, pattern, type Reader } from "./frame-pattern";
import { fromGerund, fromPast } from "./verbs";

export const needFrames: ReadonlyArray<readonly [RegExp, Reader]> = [
  // Needs and wants.
  [
    pattern(
      "^.{0,60}?\\bi (?:never|rarely|hardly ever|don't|do not) (?:ever |really )?(?:look at|read|check|answer|pick up|open|use) (?:my )?((?:e-?mail|mail|post|phone|texts?|sms|voicemail|teams|slack|inbox|letters|calls?)\\b.{0,30})$",
    ),
    (match) => ({
      polarity: "avoid",
      frame: "need",
      verbPhrase: `contact me by ${trimmed(group(match, 1))}`,
    }),
  ],
  [
    pattern(
      "^(?:it(?:'s| is)|that(?:'s| is)) (?:so |very |really |rather |a bit )?(?:tedious|annoying|tiring|tiresome|painful|a pain|a nuisance|exhausting|silly|pointless|ridiculous) (?:to|having to|that i have to) (.+)$",
    ),
    (match) => ({ polarity: "avoid", frame: "need", verbPhrase: `make me ${trimmed(group(match, 1))}` }),
  ],
  [
    pattern(
      `^(?:i|we) (?:really |certainly |definitely |honestly |just )*(?:do not|don't|never|didn't) (?:really |ever |actually )?(?:want|need|like|care for|care to|require|expect)\\s+(.+)$`,
    ),
    (match) => needless(group(match, 1)),
  ],
  [
    pattern("^(?:i|we) (?:shouldn't|should not|don't want to) have to (.+)$"),
    (match) => ({ polarity: "avoid", frame: "need", verbPhrase: `make me ${trimmed(group(match, 1))}` }),
  ],
  [
    pattern(
      "^(?:(?:i|we)(?:'d| would)? (?:really )?(?:just|only|simply) (?:really )?(?:want|need|like|care about|asked for)|all (?:i|we) (?:really )?(?:want|need|asked for)(?: is| was)?) (?!to\\b|you\\b|it\\b|that\\b|this\\b|help\\b)(.{3,80})$",
    ),
    (match) => ({ polarity: "do", frame: "want", verbPhrase: `give me only ${trimmed(group(match, 1))}` }),
  ],
  [
    pattern(
      "^((?:just )?(?:an?|one|two|three|the) .{2,50}?) (?:would|will)(?: have)? (?:do|done|suffice)(?: .{2,20})?$",
    ),
    (match) => ({
      polarity: "do",
      frame: "fragment",
      verbPhrase: `keep to ${trimmed(group(match, 1)).toLowerCase()}`,
    }),
  ],
  [
    pattern(
      `^(?:i|we|i'd|we'd|i would|we would|all i|what i) ${adverbs}(?:want|need|expect|(?<=\\bi'd |\\bwe'd |would )(?:like|love)|require|am after|'m after)(?: is)?\\s+(.+)$`,
    ),
    (match) => wanted(group(match, 1)),
  ],
  [
    pattern(
      "^(?:i|we)(?:'d| would) (?:really |also )?(?:appreciate|welcome|like|love|be happy with|settle for|take) ((?:an?|one|fewer|some|a few) (?!you\\b).{3,60})$",
    ),
    (match) => ({
      polarity: "do",
      frame: "want",
      verbPhrase: `give me ${trimmed(group(match, 1).replace(/,\s.*$/s, ""))}`,
    }),
  ],
  [
    pattern(
      "^((?:fewer|less|more|shorter|simpler|longer) [a-z -]{3,40}?) (?:would|might) (?:be|help|do)(?: me| us)?(?: (?:lovely|nice|great|good|helpful|welcome|appreciated|kind|better|grand))?$",
    ),
    (match) => ({ polarity: "do", frame: "fragment", verbPhrase: `use ${group(match, 1).toLowerCase()}` }),
  ],
  [
    pattern("^(?:i|we) (?:don't|do not) speak ((?!to\\b|for\\b|with\\b)[a-z-]+)$"),
    (match) => ({ polarity: "avoid", frame: "need", verbPhrase: `talk to me in ${group(match, 1)}` }),
  ],
  [
    pattern(
      "^([a-z0-9][^,]{2,60}?) (?:is|are) what (?:i|we|my [a-z]+|our [a-z]+) (?:really |actually )?(?:wants?|needs?|expects?|likes?|prefers?|reads?|uses?)$",
    ),
    (match) =>
      /^(?:that|this|it|which)\b/i.test(group(match, 1))
        ? null
        : { polarity: "do", frame: "fragment", verbPhrase: `use ${group(match, 1).toLowerCase()}` },
  ],
  [
    pattern(
      "^(?:nobody|no one) (?:here |ever |really )*(?:looks at|reads|needs|wants|can follow|uses) more than (.{3,40})$",
    ),
    (match) => ({ polarity: "do", frame: "fragment", verbPhrase: `use ${group(match, 1)} at most` }),
  ],
  [
    pattern("^([a-z]+ing\\b(?: [^,]{2,30}?)?) is (?:my|our) (?:call|decision|job|choice)(?:,? not yours)?$"),
    (match) => {
      const base = fromGerund(group(match, 1));
      return base === null
        ? null
        : { polarity: "avoid", frame: "duty", verbPhrase: `${base} without asking me` };
    },
  ],
  // Duties.
  [
    pattern(
      "^you (?:really |also |just )*(?:should|could|might|ought to)(?:'ve| have) (?:at least |just |really |please )*(?!a\\b|an\\b|the\\b|to\\b|seen\\b|been\\b|known\\b|heard\\b)(.+)$",
    ),
    (match) => doing("duty", fromPast(group(match, 1).replace(/,\s.*$/s, ""))),
  ],
  [
    pattern("^you (?:really )?(?:shouldn't|should not|should never) have (?!to\\b)(.+)$"),
    (match) => avoiding("duty", fromPast(group(match, 1).replace(/,\s.*$/s, ""))),
  ],
  [
    pattern(
      "^you(?:'d| had)? (?:really |also |always |all )*(?:should|must|need to|have to|ought to|are to|better|shall|are supposed to|are expected to|may|can|can't|cannot|shouldn't|mustn't|should've)\\s+(?:really |also |just )?(not |never |stop |quit |avoid )?(?:always )?(.+)$",
    ),
    (match) =>
      /^(?:see|hear|taste|watch|visit|try|come|be|hear|meet|guess)\b/i.test(group(match, 2))
        ? null
        : group(match, 1) || /\b(?:shouldn't|mustn't|can't|cannot)\b/i.test(group(match, 0).slice(0, 30))
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
