/** Frames of bans and requests; the first that fits wins. */

import { avoiding, avoidingThing, dislikeOf, doing, plainVerb, trimmed, wishFrom } from "./directive";
import { group, mode, pattern, type Reader } from "./frame-pattern";
import { chattyNegatives } from "./lexicon";
import { fromGerund, fromPast } from "./verbs";

export const orderFrames: ReadonlyArray<readonly [RegExp, Reader]> = [
  // Bans.
  [
    pattern(
      `^${mode}(?:do not|don't|never|not to)\\s+(?:(?:ever|just|even|always|you|go and|bother with|bother to|bother|keep|go|start|use to|be) )*?(\\S.*)$`,
    ),
    (match) => {
      const plain = plainVerb(group(match, 1));
      const rest = /^(?:sent|gave|told|wrote|made|took|used|asked|called)\b/i.test(plain)
        ? fromPast(plain)
        : plain;
      const word = (/^[a-z'-]+/i.exec(rest)?.[0] ?? "").toLowerCase();
      const isNever = /^(?:\w+ )*never\b/i.test(group(match, 0));
      if (
        chattyNegatives.has(word) &&
        !(
          isNever ||
          /^(?:assume|ask me|ask for|tell|go (?:over|beyond|above|below|past)|let me|let (?!that\b|this\b|it\b|him\b|her\b|them\b|yourself\b|go\b|us\b|your\b|down\b)[a-z]+ [a-z]|get rid|use|look up|apologi[sz]e (?:every|each|for)|wait for)\b/i.test(
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
      `^(?:${mode})(?:(?:you |folks |people |guys |everybody |everyone )?(?:really |just )?(?:need|have|ought|got) to |you should |you must )?(?:stop|quit|cease|avoid|refrain from|cut out|give up|knock off|lay off|steer clear of|enough(?: with| of)?|no more(?! than)|done with|drop|ditch|lose)\\s+(?:with )?(?:all )?(?:the |this |that )?(?:constantly |always |endlessly |just )?([a-z-]+ing\\b.*)$`,
    ),
    (match) => {
      const isNoun = /^(?:\w+ )*no more\s+[a-z]+ing [a-z]+s\b/i.test(group(match, 0));
      const base = isNoun ? null : fromGerund(group(match, 1));
      if (isNoun) return { polarity: "avoid", frame: "ban", verbPhrase: `use ${trimmed(group(match, 1))}` };
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
    pattern(
      `^${mode}(?:drop|cut|lose|ditch|kill|skip|can|remove|leave out|quit|stop) (?:out |with )?(?:all )?(?:the |your |that |those )?([\ue100-\ue1ff](?: [a-z]+)?(?: in .{2,40})?)$`,
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
    pattern(
      "^(?:you(?:'re| are) (?:the|my|our) [a-z]+(?: [a-z]+)?,? (?:so )?)?you ((?:look|check|find|track|trace|search|sort|deal|handle|fix|call|ask)\\b.+)$",
    ),
    (match) => doing("order", group(match, 1)),
  ],
  [
    pattern(`^${mode}(look (?:into|up|through|at (?:the|my|our)) .+)$`),
    (match) => ({ polarity: "do", frame: "order", verbPhrase: trimmed(group(match, 1)) }),
  ],
  [
    pattern("^(?:there's |there is )?no need (?:to|for(?: you to)?)\\s+(.+)$"),
    (match) => avoiding("need", group(match, 1)) ?? avoidingThing("need", group(match, 1)),
  ],
  [
    pattern("^you (?:do not|don't) (?!need\\b|have\\b)(\\S.+)$"),
    (match) => {
      const word = (/^[a-z'-]+/i.exec(group(match, 1))?.[0] ?? "").toLowerCase();
      return chattyNegatives.has(word) ? null : avoiding("ban", group(match, 1));
    },
  ],
  [pattern("^you (?:do not|don't) (?:need|have) to\\s+(.+)$"), (match) => avoiding("need", group(match, 1))],
  // Requests.
  [
    pattern(
      "^(?:please )?(?:would|could) you be (?:so |very )?(?:kind|good)(?: enough)?(?: as)? to (not |never )?(?:always )?(.+)$",
    ),
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
            verbPhrase: `write ${group(match, 1)} ${group(match, 2)
              .replace(/^if they had/i, "with")
              .replace(/^if they were/i, "so that they are")} ${group(match, 3)}`,
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
      "^(?:(?:can|could|may|might) (?:i|we) (?:ask|request|beg)(?: that)?|(?:is|would|might|could) it (?:be )?possible(?: for)?|any chance|(?:may|might) i ask|i(?:'d| would|'m going to| must| have to)? ask(?: that)?) (?:you )?(?:could |can |to |would )?(not to |not )?(?:always |please )*(.+)$",
    ),
    (match) => (group(match, 1) ? avoiding("request", group(match, 2)) : doing("request", group(match, 2))),
  ],
];
