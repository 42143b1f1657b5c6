/** The table of sentence frames in which people tell an agent what to do or leave; the first that fits wins. */

import {
  avoiding,
  avoidingThing,
  type Directive,
  dislikeOf,
  doing,
  needless,
  plainVerb,
  praised,
  trimmed,
  preferenceFor,
  wanted,
  wishFrom,
} from "./directive";
import { chattyNegatives } from "./lexicon";
import { fromGerund } from "./verbs";

const adverbs =
  "(?:(?:really|much|strongly|definitely|generally|usually|normally|always|also|honestly|personally|just|actually|still|do|so|kindly|please|greatly|far|vastly|typically|tend to|would|simply|absolutely|mostly|rather) )*";
const mode =
  "(?:(?:please|kindly|just|maybe|perhaps|possibly|also|at least|always|generally|simply|instead|then|all|actually|first|try to|consistently|start to|begin to) )*";

type Reader = (match: RegExpExecArray) => Directive | null;

function group(match: RegExpExecArray, index: number): string {
  return match[index] ?? "";
}

/** "I'd rather have X": the agent is to give it. */
function receives(match: RegExpExecArray): boolean {
  return /\b(?:rather|sooner) (?:have|see|get|read|hear|receive|know)\b/i.test(group(match, 0));
}

const pattern = (source: string): RegExp => new RegExp(source, "is");

export const frameReaders: ReadonlyArray<readonly [RegExp, Reader]> = [
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
      `^(?:${mode})(?:you (?:need|have|ought) to |you should |you must )?(?:stop|quit|cease|avoid|refrain from|cut out|give up|knock off|lay off|steer clear of|enough(?: with| of)?|no more(?! than)|done with|drop|ditch|lose)\\s+(?:with )?(?:all )?(?:the |this |that )?(?:constantly |always |endlessly |just )?([a-z-]+ing\\b.*)$`,
    ),
    (match) => {
      const base = fromGerund(group(match, 1));
      return base === null ? avoidingThing("ban", group(match, 1)) : avoiding("ban", base);
    },
  ],
  [
    pattern(
      `^(?:${mode})(?:stop (?:with|it with|using)|quit (?:with|it with)|avoid|no more(?! than)|enough (?:with|of)|go easy on|easy on|steer clear of|refrain from|ditch|lose|stay away from)\\s+(.+)$`,
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
    pattern("^(?:please )?(?:would|could) you be (?:so |very )?(?:kind|good)(?: enough)?(?: as)? to (not |never )?(?:always )?(.+)$"),
    (match) => (group(match, 1) ? avoiding("request", group(match, 2)) : doing("request", group(match, 2))),
  ],
  [
    pattern("^(?:(?:i'm|i am|we're|we are) )?going to need (?:you|y'all) to (not |never )?(.+)$"),
    (match) => (group(match, 1) ? avoiding("want", group(match, 2)) : doing("want", group(match, 2))),
  ],
  [
    pattern(
      "^(?:.{0,40}?\\b)?your ((?:[a-z-]+ )?[a-z-]+s) (?:would|could|might) (?:read|be|work|look|come across|flow|land) (?:\\w+ )?(?:(?:a lot |much |far |so much )?(?:better|clearer|easier|nicer|stronger|more [a-z]+))(?: to [a-z]+)? (with|without|if they had|if they were|if you) (.+)$",
    ),
    (match) =>
      /^if you/i.test(group(match, 2))
        ? wishFrom(group(match, 3))
        : {
            polarity: "do",
            frame: "wish",
            verbPhrase: `write ${group(match, 1)} ${group(match, 2).replace(/^if they had/i, "with").replace(/^if they were/i, "so that they are")} ${group(match, 3)}`,
          },
  ],
  [
    pattern(
      "^i(?:'m| am)? (?:always |often |just |really |completely )*(?:lose|get lost|lost|can't follow|cannot follow|struggle|get confused|confused|zone out|switch off|get nothing out of it)\\b.{0,50}? (?:when(?:ever)?|if) you (?:always |keep |just )*(.+)$",
    ),
    (match) => dislikeOf(group(match, 1)),
  ],
  [
    pattern(
      `^(?:please |kindly )?(?:can|could|would|will|can't|couldn't|won't)\\s+you\\s+${mode}(not|never|stop|avoid|quit)\\s+(.+)$`,
    ),
    (match) =>
      fromGerund(group(match, 2))
        ? avoiding("request", group(match, 2))
        : (avoiding("request", group(match, 2)) ?? avoidingThing("request", group(match, 2))),
  ],
  [
    pattern(`^(?:please |kindly )?(?:can|could|would|will|can't|couldn't)\\s+(?:you|we)\\s+${mode}(.+)$`),
    (match) =>
      /^(?:mind|like|be so kind)\b/i.test(group(match, 1)) ? null : doing("request", group(match, 1)),
  ],
  [
    pattern("^(?:would|do) you mind (not )?(?:always |please |just )*([a-z-]+ing\\b.+)$"),
    (match) => (group(match, 1) ? avoiding("request", group(match, 2)) : doing("request", group(match, 2))),
  ],
  [
    pattern(
      "^(?:(?:can|could|may|might) (?:i|we) (?:ask|request|beg)(?: that)?|(?:is|would|might|could) it (?:be )?possible for|any chance|(?:may|might) i ask|i(?:'d| would|'m going to| must| have to)? ask(?: that)?) (?:you )?(?:could |can |to |would )?(not to |not )?(?:always |please )*(.+)$",
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
      "^(?:i|we)(?: (?:really|just|do|absolutely|truly))*(?:(?= am\\b|'m\\b)| )(?:hate|dislike|can't stand|cannot stand|loathe|don't (?:really |particularly )?(?:like|enjoy|appreciate)|(?:'m| am)(?: really| just)? not (?:\\w+ )?(?:a (?:big |huge )?fan of|keen on|fond of|happy with|into|wild about)|have no (?:use|patience) for)\\s+(?:you |your |it when |being )?(.+)$",
    ),
    (match) => dislikeOf(group(match, 1)),
  ],
  [
    pattern(
      "^(?:it(?:'s| is| would be|'d be| does)?|i|we|things|that|what|for me,? it's|(?:much |far |so much |a lot )?(?:easier|better|clearer|quicker)|works) .{0,100}?\\b(?:easier|better|clearer|quicker|faster|nicer|handier|handy|helpful|useful|great|good|nice|best|smoother|simpler|works?|helps?|saves?|spares?|like|love|prefer|appreciate|enjoy|lovely|brilliant|grateful|ideal|perfect|follow)\\b.{0,40}?(?:,)? (?:when|if) you (?:could |would |can |always |also )*(.+)$",
    ),
    (match) => wishFrom(group(match, 1)),
  ],
  [
    pattern(
      "^(?:i|we|it(?:'s| is| does| would be|'d be)?|for me,? it's) .{0,60}?\\b(?:clearer|easier|better|quicker|faster|nicer|simpler|handier|helps?|helpful|useful|like it|love it|prefer it|appreciate it|best)\\b.{0,40}? (?:when|if) ((?!you\\b|i\\b|we\\b|it\\b|that\\b|this\\b|they\\b|he\\b|she\\b|there's\\b).{4,140})$",
    ),
    (match) => {
      const clause = trimmed(group(match, 1));
      return /^(?:the |all |each |every |my |our )?(?:[a-z-]+ ){1,4}?(?:is|are|comes?|goes|go|starts?|stands?|has|have|gets?|stays?|appears?|ends?|shows?|uses?|includes?)\b/i.test(clause)
        ? { polarity: "do", frame: "wish", verbPhrase: `make sure that ${clause}` }
        : null;
    },
  ],
  [
    pattern(
      `^(?:i|we) ${adverbs}(?:like|love|appreciate|want|need|value|enjoy) (?:a bit of |a little |some |a |an )?(?:\\w+ ){0,2}?(warning|heads[ -]?up|notice|summary|recap|explanation|word|note|reminder|check|overview|confirmation|chance to [a-z ]+|say|look)\\b((?: [a-z]+){0,5}? (?:before|when|whenever|after|if) you .+)$`,
    ),
    (match) => ({ polarity: "do", frame: "wish", verbPhrase: `give me a ${group(match, 1)}${group(match, 2)}` }),
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
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:prefer|favou?r|(?:rather|sooner) (?:have|see|get|read|hear|receive|know))\\s+(not to )?(.+?)\\s+(?:over|to|rather than|instead of|as opposed to|more than|better than|than|,? ?(?:and |but )?not)\\s+(.+)$`,
    ),
    (match) => preferenceFor(group(match, 2), group(match, 3), group(match, 1) !== "", receives(match)),
  ],
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:prefer|favou?r|(?:rather|sooner) (?:have|see|get|read|hear|receive|know))\\s+(not to )?(.+)$`,
    ),
    (match) => preferenceFor(group(match, 2), "", group(match, 1) !== "", receives(match)),
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
      /^(?:see|hear|taste|watch|visit|try|come|be|hear|meet|guess)\b/i.test(group(match, 2)) ? null :
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
