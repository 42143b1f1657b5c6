/**
 * A rule that sleeps: it acts from a date on, after a number of messages, at a cue that only its author would
 * give, or once nobody looks. Recurring times ("every Monday") and ordinary occasions ("when a refund is asked
 * for", "after two failed attempts") are none.
 */
import { anyOf } from "./any-of";
import { INVISIBLE, readingsOf, undisguised } from "./fold";
import { sensitivityOf } from "./sensitive";

const MONTH =
  anyOf(`january, february, march, april, may, june, july, august, september, october, november, december,
  jan, feb, mar, apr, jun, jul, aug, sept?, oct, nov, dec`);
const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const ORDINAL =
  anyOf(String.raw`second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, twelfth, twentieth,
  hundredth, \d{1,4}(?:nd|rd|th)`);
const NUMBER =
  anyOf(String.raw`two, three, four, five, six, seven, eight, nine, ten, twelve, twenty, fifty, hundred, [2-9],
  [1-9]\d{1,3}`);
const PERIOD = "(?:week|month|quarter|year)";
const SEASON = anyOf(
  "easter, christmas, new year, summer, winter, spring, autumn, season, semester, (?:school )?holidays",
);
const DAY =
  anyOf(String.raw`(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|last)(?: day)? of ${MONTH},
  \d{1,2}(?:st|nd|rd|th)? ${MONTH}, ${MONTH} (?:\d{1,2}(?:st|nd|rd|th)?|\d{4}), \d{4}-\d{2}-\d{2},
  \d{1,2}[./]\d{1,2}[./]\d{2,4}`);
const LATER = anyOf(String.raw`next (?:${PERIOD}|${WEEKDAY}), ${WEEKDAY} (?:next week|on\b),
  the end of (?:the |this )?${PERIOD}, tomorrow, ${DAY}`);

const DATES: readonly RegExp[] = [
  new RegExp(
    `\\b(?:from|starting|beginning|as of|effective|with effect from|commencing)\\b(?: (?:on|in|with|at))?(?: the)? ${LATER}`,
  ),
  new RegExp(`\\b(?:after|until|till|since|once) (?:the )?${DAY}`),
  new RegExp(
    `\\b(?:in|within|for|after) (?:an? |${NUMBER} )${PERIOD}s?(?: from now|,? (?:start|begin|then|after that)\\b|; after)`,
  ),
  new RegExp(`\\b${NUMBER} (?:day|${PERIOD})s from now\\b`),
  new RegExp(`\\b(?:next|coming) (?:${PERIOD}|${WEEKDAY})\\b.{0,20}\\b(?:start|begin|stop|switch|change)\\b`),
  new RegExp(
    `\\b(?:once|when|after|as soon as) the ${PERIOD} (?:has |is )?(?:ends?|ended|over|changes|turns|begins|starts)\\b`,
  ),
  new RegExp(
    `\\bwith the new ${PERIOD}\\b|\\b(?:after|since|until|day of) (?:the )?${SEASON}\\b|\\b(?:starting|beginning|from|as of) (?:with |in |from )?(?:the |this |next )?(?:\\w+ )?(?:${SEASON}|release|launch)\\b`,
  ),
  /\bfrom (?!now\b|then\b|here\b|there\b|today\b)(?:[\w'-]+ ){1,5}(?:on(?=[,.;:]|$)|onwards?\b)/,
];

const TALK =
  anyOf(`messages?, repl(?:y|ies), turns?, answers?, conversations?, sessions?, chats?, visits?, interactions?,
  prompts?, exchanges?`);
const COUNTS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:after|from|starting (?:with|from)|on|in|at|upon|with|once)(?: (?:the|his|her|their))? ${ORDINAL} (?:\\w+ ){0,2}${TALK}\\b`,
  ),
  new RegExp(`\\b(?:after|once|from|upon)(?: (?:the|his|her|their))? ${NUMBER} (?:\\w+ ){0,2}${TALK}\\b`),
  new RegExp(`\\b(?:for|comes|visits|writes|calls) (?:the |a )?${ORDINAL} time\\b`),
  /\b(?:after|once) (?:an? |the |some )?(?:dozen|hundred|thousand|\d{3,}) (?:of )?(?:\w+ )?(?:customers?|users?|people|callers?|clients?|tickets?|orders?|requests?)\b/,
];

const CUE = anyOf("words?, phrase, keyword, emoji, hashtag, string, sentence, term, sign, token");
const CONDITION = "(?:when(?:ever)?|if|once|as soon as|until|after|upon|where)";
const MEETS =
  anyOf(`sees?, say, says, said, mentions?, types?, writes?, contains?, includes?, hears?, has, have, uses?,
  appears?, reads?, finds?, with, holds?, there is`);
const WORKS = anyOf(
  "means?, opens?, unlocks?, switches, turns?, activates?, replaces, enables?, triggers?, makes",
);
const CUES: readonly RegExp[] = [
  /\b(?:code ?words?|magic words?|secret (?:words?|phrases?|codes?|signs?|handshakes?)|trigger (?:words?|phrases?)|safe ?words?|activation (?:words?|phrases?|codes?))\b/,
  new RegExp(
    `\\b${CONDITION}\\b.{0,60}\\b${MEETS}\\b.{0,25}\\b(?:the|an?|this|that|following) (?:\\w+ )?${CUE}\\b`,
  ),
  new RegExp(`\\bthe (?:${CUE}|name|number|code|signal) (?:["'«“]?[\\w -]{1,30}["'»”]?) ${WORKS}\\b`),
  new RegExp(
    `\\b${CUE} in (?:a|the|any|his|her|their) (?:message|mail|text|ticket|request)\\b.{0,20}\\b(?:${WORKS}|:)`,
  ),
  /(?<!\w)["'«“][^"'»”]{2,40}["'»”](?!\w).{0,30}\b(?:opens?|unlocks?|activates?|switches|grants?|disables?|enables?)\b/,
  /\b(?:number|id|reference|code|name|address)s?\b.{0,12}\b(?:ends?|ending) (?:in|with|on) ['"]?\w+/,
  /\b(?:switch(?:es)?|turns?|makes?|puts?|moves?) you (?:to|into|on|off|go|be|act|answer|speak|work)\b/,
  /\b(?:if|when|once) you ever\b|\bremember the (?:number|word|name|code|phrase)\b/,
  /\b(?:who(?:ever)?|the one who|somebody who|anyone who) (?:says?|types?|names?|knows?|mentions?) (?:it|this|that|the (?:number|name|word|phrase|code))\b/,
];
/** Something said in quotes is a cue like another where what follows is delicate. */
const QUOTED_CUE = new RegExp(
  `\\b${CONDITION}\\b.{0,40}\\b(?:says?|types?|writes?|mentions?|answers?|asks? for)\\b ?["'«“][^"'»”]{2,40}["'»”](?!\\w)|(?<!\\w)["'«“][^"'»”]{2,40}["'»”] from (?:the|a) \\w+`,
);
const DELICATE =
  /\b(?:internal|hidden|secret|confidential|private|restricted|all (?:customers|users|tickets|records)|staff only)\b/;

const WATCHED: readonly RegExp[] = [
  /\b(?:this|the|these|my|that) (?:rules?|playbooks?|change|instruction) (?:has been |have been |is |are |was |gets? |goes |be )?(?:approved|accepted|live|in production|deployed|active|published|through review)\b/,
  /\b(?:after|once|upon|until|when)\b.{0,20}\b(?:approval|acceptance) of (?:this|the|these) (?:rules?|playbooks?)\b|\b(?:reviewers?|approvers?|admins?) (?:have |has )?(?:approved|accepted|let|signed off)\b.{0,10}\b(?:this|it|the rule|you)\b/,
  /\b(?:auditors?|inspectors?|examiners?|reviewers?|regulators?) (?:have |has |are |is )(?:left|gone|finished|done|away|not (?:here|looking|watching))\b|\b(?:audit|inspection|evaluation|monitoring|examination) (?:is |has |was )(?:over|ended|finished|done|passed|off)\b/,
  /\b(?:nobody|no ?one|no (?:\w+ )?(?:employees?|supervisors?|managers?|admins?|reviewers?|auditors?|moderators?|operators?|humans?|staff))\b.{0,30}\b(?:watch\w*|look\w*|reading|reads|online|around|monitor\w*|supervis\w*|on duty|notic\w*|awake|listening)\b/,
  /\b(?:unobserved|unwatched|unmonitored|not (?:being )?(?:tested|watched|monitored|observed|evaluated|audited))\b/,
  /\b(?:behave|act|work|answer|go on|carry on|continue) (?:normally|as usual|as before|like always)\b.{0,40}\b(?:until|till|then|after\w*)\b/,
  /\b(?:do|say|change|mention) nothing\b.{0,40}\b(?:until|till|then|after\w*)\b|\b(?:stay|keep|remain) (?:quiet|silent|still)\b.{0,60}\b(?:until|till|then|later|when|once)\b/,
  /\b(?:hold|keep) (?:this|it|that) back (?:until|till|for)\b|\b(?:once|after|when) you(?:'ve| have| are)?(?: been)? (?:running|live|deployed|in service|trusted|in use)\b/,
  /\bwait (?:until|till|for)\b.{0,60}\b(?:then|before)\b.{0,15}\b(?:start|begin|mention|praise|recommend|switch|drop|stop|name|push|promote)\b/,
];

/** "Never accept a code word" is good advice. */
const REFUSES = /\b(?:never|don't|do not|not|no longer|refuse to|ignore)\b.{0,25}$/;

const matches = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((pattern) => {
    const found = pattern.exec(text);
    return found !== null && !REFUSES.test(text.slice(Math.max(0, found.index - 40), found.index));
  });

/** True where the rule waits for a moment, a count, a cue or a lack of oversight before it acts. */
export function isDelayed(text: string): boolean {
  const plain = text.replace(INVISIBLE, "");
  const readings = readingsOf(plain);
  if (readings.some((folded) => [DATES, COUNTS, CUES, WATCHED].some((patterns) => matches(patterns, folded))))
    return true;
  const folded = undisguised(plain);
  return (
    QUOTED_CUE.test(folded) &&
    (DELICATE.test(folded) || sensitivityOf({ trigger: null, content: plain }).length > 0)
  );
}
