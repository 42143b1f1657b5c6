/** Frames of wishes and preferences; the first that fits wins. */

import { avoiding, dislikeOf, doing, praised, preferenceFor, trimmed, wishFrom } from "./directive";
import { adverbs, group, pattern, type Reader, receives } from "./frame-pattern";
import { fromGerund } from "./verbs";

export const wishFrames: ReadonlyArray<readonly [RegExp, Reader]> = [
  // Wishes about what the agent does.
  [
    pattern(
      `^(?:i|we)(?:'d| would)? ${adverbs}(?:rather|sooner|prefer(?: it)?(?: if| that)?|appreciate it(?: very much| a lot)?(?: if| when)|be (?:very |really |most |so |ever so )?(?:grateful|happier|glad|pleased|obliged)(?: if)?|like it(?: better| more)?(?: if| when)|love it (?:if|when)|find it \\w+(?: \\w+){0,4}? (?:if|when)|appreciate (?:if|when)|be helped if)\\s+(?:that )?you(?:'d)? (?:could |would |can |always )*(.+)$`,
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
      "^(?:it(?:'s| is| would be|'d be| does)?|i|we|things|that|what|for me,? it's|(?:much |far |so much |a lot )?(?:easier|better|clearer|quicker)|works) .{0,100}?\\b(?:easier|better|clearer|quicker|faster|nicer|handier|handy|helpful|useful|great|good|nice|best|smoother|simpler|works?|helps?|saves?|spares?|like|love|prefer|appreciate|enjoy|lovely|brilliant|grateful|ideal|perfect|follow|more [a-z]+|less [a-z]+)\\b.{0,40}?(?:,)? (?:when|if) you (?:could |would |can |always |also )*(.+)$",
    ),
    (match) => wishFrom(group(match, 1)),
  ],
  [
    pattern(
      "^(?:i|we|it(?:'s| is| does| would be|'d be)?|for me,? it's) .{0,60}?\\b(?:clearer|easier|better|quicker|faster|nicer|simpler|handier|helps?|helpful|useful|like it|love it|prefer it|appreciate it|best)\\b.{0,40}? (?:when|if) ((?!you\\b|i\\b|we\\b|it\\b|that\\b|this\\b|they\\b|he\\b|she\\b|there's\\b).{4,140})$",
    ),
    (match) => {
      const clause = trimmed(group(match, 1));
      return /^(?:the |all |each |every |my |our )?(?:[a-z-]+ ){1,4}?(?:is|are|comes?|goes|go|starts?|stands?|has|have|gets?|stays?|appears?|ends?|shows?|uses?|includes?)\b/i.test(
        clause,
      )
        ? { polarity: "do", frame: "wish", verbPhrase: `make sure that ${clause}` }
        : null;
    },
  ],
  [
    pattern(
      "^(?:i|we|it|things)(?:'s|'d| is| would)? .{0,60}?\\b(?:clearer|easier|better|quicker|nice|nicer|simpler|handy|handier|helps?|helpful|useful|good|great|lovely|love it|like it|prefer it|appreciate it|best|happier)\\b.{0,40}? (?:when|if) (?:all |each |every |the )?((?:[a-z-]+ ){0,2}[a-z-]+s) (?:were|are) ((?:[a-z-]+ed|written|shown|given|sent|put|kept|made|spelt|set|left|drawn|laid|in|as|net|gross|on|at|from)\\b.{0,100})$",
    ),
    (match) =>
      /^(?:you|i|we|they|things)\b/i.test(group(match, 1))
        ? null
        : {
            polarity: "do",
            frame: "wish",
            verbPhrase: `make sure that ${group(match, 1)} are ${group(match, 2)}`,
          },
  ],
  [
    pattern(
      "^i(?:'m|'d)? .{0,40}?\\b(?:happier|better|easier|quicker|simpler|clearer|helps|like it|prefer it|more [a-z]+)\\b.{0,30}? (?:when|if) i (?:can |could )?(?:also )?(?:see|saw|read) ((?:the|an?|all|both|any) .{2,60}? (?:beside|next to|alongside|with|before|after|in (?:an?|one|the)|as an?|first|together|at the|side by side)\\b.{0,60})$",
    ),
    (match) => ({ polarity: "do", frame: "wish", verbPhrase: `show me ${group(match, 1)}` }),
  ],
  [
    pattern(
      "^(?:i|we|it|things)(?:'s|'d| is| would)? .{0,60}?\\b(?:clearer|easier|better|quicker|nice|nicer|simpler|handy|handier|helps?|helpful|useful|good|great|lovely|love it|like it|prefer it|appreciate it|best)\\b.{0,40}? (?:when|if) ((?:the |all |each |every )?(?:[a-z-]+ ){1,3}?)(stood|came|were|was|went|sat|appeared|started)\\s+((?:right )?(?:at the (?:top|bottom|end|start|beginning|front)|first|last|up front|upfront|in bold|in (?:an? )?(?:table|list|column|order)s?|on (?:the|a|their) (?:left|right|top|own|separate|new) ?[a-z]*|together|separate(?:ly)?|next to|before|after|above|below|alongside)\\b.{0,80})$",
    ),
    (match) => ({
      polarity: "do",
      frame: "wish",
      verbPhrase: `put ${group(match, 1)}${group(match, 3)}`.replace(
        /,? (?:rather than|instead of)\s.*$/i,
        "",
      ),
    }),
  ],
  [
    pattern(
      `^(?:i|we) ${adverbs}(?:like|love|appreciate|want|need|value|enjoy) (?:a bit of |a little |some |a |an )?(?:\\w+ ){0,2}?(warning|heads[ -]?up|notice|summary|recap|explanation|word|note|reminder|check|overview|confirmation|chance to [a-z ]+|say|look)\\b((?: [a-z]+){0,5}? (?:before|when|whenever|after|if) you .+)$`,
    ),
    (match) => ({
      polarity: "do",
      frame: "wish",
      verbPhrase: `give me a ${group(match, 1)}${group(match, 2)}`,
    }),
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
  [
    pattern(
      "^(?:i|we)(?:'d| would)? (?:also |really |do |always )*find (?!it\\b|that\\b|this\\b)((?:[a-z-]+ ){1,4}?)(?:much |far |a lot |so much )?(?:easier|clearer|more \\w+|handier|nicer|better)\\b.*$",
    ),
    (match) => ({ polarity: "do", frame: "preference", verbPhrase: `use ${trimmed(group(match, 1))}` }),
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
  [
    pattern(
      "^(?:the )?(?:best|only|easiest|quickest|right|fastest|surest|preferred) way (?:to|of) (?:reach|reaching|contact|contacting|get|getting|tell|telling) (?:hold of )?(?:me|us)(?: [a-z]+)? (?:is|would be) (?:(?:by|via|through|on|with|to use) )?(.+)$",
    ),
    (match) => ({
      polarity: "do",
      frame: "preference",
      verbPhrase: `contact me by ${trimmed(group(match, 1))}`,
    }),
  ],
  [
    pattern(
      "^([\\w-]+(?: [\\w-]+){0,2}) (?:is|works|would be) (?:the |by far the )?(?:best |only |easiest |quickest |right |fastest |better |good )?(?:way|channel) (?:to|of|for) (?:reach|reaching|contact|contacting|get|getting|tell|telling) (?:hold of )?(?:me|us)\\b.*$",
    ),
    (match) => ({
      polarity: "do",
      frame: "preference",
      verbPhrase: `contact me by ${trimmed(group(match, 1))}`,
    }),
  ],
  [
    pattern(
      "^((?:an? |the |some )?(?:(?!would\\b|do\\b|does\\b|could\\b|really\\b|always\\b)[a-z-]+ ){0,2}(?!would\\b|do\\b|does\\b|could\\b|really\\b|always\\b)[a-z-]+) (?:would |do |does |could )?(?:really |always |also )?(?:helps?|works?|do(?:es)? wonders) (?:for )?(?:me|us)?(?: [a-z]+){0,3}? ((?:when|whenever|if) you .+)$",
    ),
    (match) =>
      /^(?:it|that|this|they|what|which|you|i|we)\b/i.test(group(match, 1))
        ? null
        : { polarity: "do", frame: "wish", verbPhrase: `provide ${group(match, 1)} ${group(match, 2)}` },
  ],
  [
    pattern(
      "^((?:an? |just |only |the |your )?(?!that\\b|this\\b|it\\b|they\\b|what\\b|i\\b|we\\b)[\\w-]+(?: (?!one\\b)[\\w-]+){0,3}?) (?:is|are|works?|would be|would help|suits?|would suit) (?:me |us )?(?:much |far |a lot |way )?(?:more(?= than)|better|easier|best|simpler|nicer|handier|clearer|quicker|more (?:useful|helpful|readable|practical))(?: to [a-z]+)?(?: for (?:me|us))?(?: (?:than|over) ([^,]+))?(?:, .*)?$",
    ),
    (match) => ({
      polarity: "do",
      frame: "fragment",
      verbPhrase: `use ${trimmed(group(match, 1)).replace(/^[A-Z](?=[a-z ])/, (unit) => unit.toLowerCase())}`,
      ...(group(match, 2) ? { rejected: trimmed(group(match, 2)) } : {}),
    }),
  ],
];
