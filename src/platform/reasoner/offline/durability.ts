/** Tells a lasting rule from a wish of the moment, and takes the time words out of a clause. */

const lasting =
  /\b(?:from (?:now|here|this point|today|this day) (?:on(?:wards?)?(?: out| in)?|forwards?)|(?:going|moving) forwards?|in (?:the )?future(?! tense)|for (?:the )?future(?: reference| (?:interactions?|messages?|replies|requests?|chats?|conversations?|reports?|orders?|tasks?))?|in future (?:interactions?|messages?|replies|requests?)|(?:the )?next time(?: (?:around|round|you \w+))?|for next time|from next (?:week|month|term|year|season|time|sprint|quarter|semester|issue|edition) (?:on(?:wards?)?|forwards?)|(?:as of|starting|beginning|effective) (?:now|today|immediately|next (?:week|month|term))|i keep (?:saying|telling you|asking|repeating|having to (?:say|ask|tell you|repeat))(?: this| that| it)?|(?:how many times|i(?:'ve| have) (?:told|asked) you (?:before|already|twice|many times|a (?:dozen|hundred|thousand) times))|henceforth|hereafter|from here on(?: (?:in|out))?|until further notice|as a (?:general )?(?:rule|matter of course)|by default|as standard|at all times|without exception|no exceptions|permanently|once and for all)\b,?/gi;
const habitual =
  /\b(?:every(?: single)? time|each (?:and every )?time|any ?time(?= you| i| we| there)|whenever|always|ever again|(?:do not|don't) ever|in general|invariably|consistently|throughout|as you go(?: along)?\b|as we go(?: along)?\b|make it a (?:habit|rule|point)|(?:get|be) (?:in|into) the habit|routinely|without fail|no matter what|under no circumstances?)\b/i;
const quantified =
  /\b(?:every|each|all|any)\s+(?:single\s+|of (?:my|our|the|your)\s+|my\s+|our\s+|the\s+|your\s+)?(?!time\b|thing\b|day\b|night\b|morning\b|week\b|body\b|of\b|at\b|that\b|this\b|right\b|three\b|two\b|more\b|idea\b|chance\b|good\b|other\b)[a-z\ue100-\ue1ff-]{3,}|\b(?:in|for|on|with|to|from) (?:anything|everything)\b/i;
const here =
  /\b(?:(?:in|on|for|across|within|to|at) (?:this|our|my) (?:repo(?:sitory)?|project|codebase|monorepo|workspace|org(?:anisation|anization)?|company|team|office|clinic|practice|shop|store|studio|lab|school|class(?:room)?|course|campaign|game|table|kitchen|restaurant|hotel|firm|department|ward|account|channel|journal|magazine|newsletter|blog|site|house(?:hold)?|book|thesis|paper|group|club|charity|business|household|family)|(?:in|for|at|across|within) (?:this|our) (?!case\b|time\b|week\b|month\b|year\b|one\b|way\b|moment\b|instance\b|message\b|e-?mail\b|file\b|photo\b|picture\b|sentence\b|paragraph\b|order\b|booking\b|trip\b|meeting\b|call\b|version\b|draft\b|document\b|room\b|area\b|situation\b|evening\b|morning\b|afternoon\b|chat\b)[a-z-]{3,}|house style|company policy|team policy|here\b(?=[,.;]|$| we| so| is| in| at)|around here)\b/i;
const momentary =
  /\b(?:today|tonight|tomorrow|this (?:time|once|morning|afternoon|evening|weekend|week|month|one|particular)|right now|for now|at the moment|just (?:this )?once|for the moment|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|the (?:other|blue|red|green|first|second|last|cheaper|earlier|later|bigger|smaller) one|that one|instead\?|(?:at|by|before|after|until) (?:\d{1,2}(?::\d\d)?\s?(?:am|pm|o'clock)|noon|midnight)|immediately then)\b/i;
const onlyOnce =
  /\b(?:just (?:this )?once|(?:only )?this (?:one )?time(?: only)?|for now|just for (?:today|now|this))\b/i;

/** A clause inside the clause: its "always" says nothing about the order around it. */
const inner =
  /\b(?:who|which|why|how|whether|what|(?<!sure |ensure )that|telling|asking|reminding|saying|says|(?<!\bi |\bi just |\bi already )said|called|titled|of never|of always|and (?:i|we|he|she|they|my \w+|our \w+) (?:always|never|usually))\b[^,;\u2014.]*/gi;

export type Durability = "lasting" | "habitual" | "general" | "momentary" | "unmarked";

/** How long the wording says the rule holds; `general` is a quantifier or a place it holds in. */
export function durabilityOf(text: string): Durability {
  if (onlyOnce.test(text)) return "momentary";
  lasting.lastIndex = 0;
  if (lasting.test(text)) return "lasting";
  if (/[,.\u2014]\s*ever\b[.!]*\s*$/i.test(text)) return "habitual";
  const outer = text.replace(inner, " ");
  if (habitual.test(outer) || /\bnever\b/i.test(outer)) return "habitual";
  if (momentary.test(text)) return "momentary";
  return quantified.test(text) || here.test(text) ? "general" : "unmarked";
}

/** The clause without the words that only say that it lasts. `always` and `never` stay. */
export function withoutTimeWords(text: string): string {
  return text
    .replace(lasting, (run) => (run.endsWith(",") ? "\ue0f0" : " "))
    .replace(/\b(please|just|also|then|and|but|so|that),?\s*\ue0f0/gi, "$1 ")
    .replace(/,?\s*\ue0f0/g, ", ")
    .replace(/,(?:\s*,)+/g, ",")
    .replace(/\b(?:every single|every|each) time(?=\s*(?:[,.;:!?\u2014]|please\b|$))/gi, " ")
    .replace(/\b(?:under no circumstances?)\b/gi, "never")
    .replace(/,\s*ever\b[.!]*\s*$/i, "")
    .replace(/\b(?:ever again|without fail|no matter what|invariably|consistently)\b/gi, " ")
    .replace(/\s+/g, " ")
    .replace(/\s+([,.;:?!])/g, "$1")
    .replace(/^[\s,;:.\u2014]+|[\s,;:\u2014]+$/g, "")
    .trim();
}
