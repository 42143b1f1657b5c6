/** Sentences that look like rules and are none: irony, hearsay, hypotheses, questions, thanks. */

const hypothetical =
  /\b(?:if i (?:ever|were|was|had|could|won|ran|owned|became|lived|ruled)\b|if (?:only|we ever|we were|we had)\b|\bif (?:i|we|you|they|he|she) (?:ever |just )?(?:were|was|had|could|won|ran|owned|got|became|lived|ruled|[a-z]{2,}ed)\b.{0,80}(?:'d|\bwould)\b(?! (?:like|appreciate|prefer|be (?:great|grand|grateful|good|helpful|nice|lovely)))|in an? (?:perfect|ideal|parallel) world|hypothetically|suppose(?: i| we| you| that)?\b|imagine\b|what if\b|let's (?:say|pretend|imagine|suppose)\b|pretend\b|were i\b|in theory\b|say i (?:had|were|wanted)\b|would you (?:rather|ever)\b|if money (?:were|was) no object|one day i(?:'d|'ll| might| would))/i;
const hearsay =
  /\b(?:(?:she|he|they|who|people|folks|everyone|everybody|somebody|someone|some|boss|manager|teacher|tutor|coach|doctor|gp|vet|dentist|therapist|lawyer|plumber|mother|mum|mom|father|dad|grandmother|grandma|gran|nan|grandfather|grandpa|granddad|aunt|uncle|sister|brother|wife|husband|partner|friend|neighbou?r|colleague|coworker|chef|captain|guy|bloke|lady|man|woman|chap|landlord|book|article|blog|podcast|sign|poster|notice|label|recipe|guidebook|brochure|manual|leaflet|website|proverb|song|film|movie) (?:\w+ ){0,3}?(?:used to (?:say|tell|insist|swear)|always (?:said|says|told|tells|insists|insisted)|(?:once )?(?:said|says|told|tells|reads|insists|insisted|swore|swears|warned|warns|claims|claimed|advises|advised|recommends|recommended|preaches|preached)(?<!reads(?= (?:it|them|this|these|those|my|our|the|every|all)\b)))|according to|as the saying goes|they say|it says|it said|the saying|motto|\b(?:my|our|his|her|their|some|the|an?) (?:[a-z]+ ){1,3}?(?:thinks?|believes?|reckons?|feels|argues?|insists?|swears?|keeps? (?:saying|telling)|is convinced|had|has) (?:that |me |us |you |we |i |one should|a golden rule|(?:one|a|this|the|only one) (?:golden |simple |iron )?(?:rule|saying|mantra|principle|habit)\b)|\b(?:rules?|laws?|regulations?|contract|lease|by-?laws) (?:say|says|state|states|require|requires)\b|rumou?r has it|i (?:read|heard|saw) (?:that|somewhere|a|an|in|on)|i was (?:always )?(?:told|taught|brought up)|legend has it|rule of thumb (?:was|is said))\b/i;
const irony =
  /(?:,\s*(?:shall i|shall we|eh|huh|innit|why don't you|no)\s*\?\s*$|\b(?:i'll just|might as well|because that(?:'s| is)? (?:exactly|just) what|what could (?:possibly )?go wrong|i (?:just )?(?:love|adore|enjoy) (?:it when .{0,60}(?:crash|fail|break|lose|wrong|wait|down|hang)|waiting|being ignored|repeating myself|guessing|surprises)|keep up the good work|(?<!ever )so helpful(?! (?:if|when))|slow clap|do feel free to keep|please,? do (?:keep|continue|carry on)|why not|makes my day|made my day|that's what i pay|exactly what i needed today|living the dream)\b|\s\/s\s*$)/i;
const selfOrder =
  /^(?:(?:next time|from now on|going forward|in (?:the )?future)[,\s]+(?:maybe |perhaps )?)?(?:i|i'll|i'd|i'm|i've|we'll|he|she|they|nobody|no one|everyone|people|my \w+|residents|guests|students|employees|staff|visitors|passengers|tenants|drivers|members|users|customers)\s+(?:will |should |must |shall |always |never |just |usually )/i;
/** "Next time I'll bring a tent": the speaker's own plan, seldom a serious one. */
const ownPlan =
  /^(?:(?:maybe|perhaps|so|well),? )?(?:next time|from now on|going forward|in (?:the )?future)[,\s]+(?:maybe |perhaps )?(?:i'll|i will|i'm going to|i shall|we'll|i might|i'd better|i guess i) (?!need\b|want\b|expect\b|prefer\b|like\b|require\b|only\b|ask you\b)/i;
const consolation =
  /\b(?:don't worry|no worries|don't bother|never mind|nevermind|don't mention it|don't be sorry|don't get me wrong|don't sweat|no rush|thank(?:s| you|u)(?: so much| very much| a lot)? for\b(?! (?:next time|future))|don't (?:hold your breath|get me started|quote me|count on it|shoot the messenger|tempt me|be (?:silly|daft|shy|ridiculous|a stranger|so (?:hard|modest)|afraid)|you dare|ask$|even ask|give up|look at me|rub it in|push your luck|cry|blame (?:me|yourself)|make me (?:laugh|blush)|hurry|rush(?: on my account)?|fret|sweat it|go to (?:any )?trouble|take it personally|jinx it|i know it)\b|no problem|not a problem|don't panic|don't stress|take your time|no need to (?:apologi[sz]e|worry|rush|hurry|reply|respond|thank)|never again\b|always (?:a|nice|good|great|happy|fun|lovely|welcome)\b|stop (?:it(?! with\b)|worrying|apologi[sz]ing for)|look on the bright side|better late than never|never say never|practice makes perfect|be yourself|don't you (?:think|find|agree))\b/i;
/** A question about how things are, or what someone should do; never a request. */
const plainQuestion =
  /^(?:(?:and|but|so|also|then|quick question|question|out of curiosity|just (?:wondering|curious)|hmm+|btw|by the way|wait|no|ok(?:ay)?|hi|hello|hey)[,:;\u2014\s]+){0,3}(?:do|does|did|is|are|was|were|am|has|have|had|should|shall|may|might|must|why|what|what's|when|where|who|which|how|whose|am|isn't|aren't|don't|doesn't|didn't|won't|will (?:it|this|that|they|there|the|my|i|he|she)|can (?:i|we|it|they|the|this|that|one|someone|my|a|an)|could (?:i|it|they|the|this|that|someone|one)|would (?:it|that|this|they|the|i|a|an)|any idea|is it true|i wonder|you mean)\b/i;
const exceptionRequest =
  /^(?:do|would) you mind\b|^(?:can|could|may) (?:i|we) (?:ask|have you|get you|request)|^can we\b|^why don't you\b|^is it possible|^(?:might|could) it be possible|^(?:may|might|could|can) i ask you|^would it be (?:possible|ok|okay|all right)/i;

const speechTag =
  /\b(?:shouted|yelled|screamed|whispered|cried|muttered|announced|declared|bellowed|warned|ordered|replied|answered|sang)\s*[:,]/i;

/** "Write me a story about …": what follows is the wished text, not a rule. */
const taskOfTheDay =
  /^(?:(?:please|can you|could you|would you|now|ok(?:ay)?|so|hey|hi|help me|let's|i need you to|i want you to)[,\s]+){0,4}(?:write|draft|compose|create|design|generate|invent|brainstorm|tell|sketch|paint|make up|think of|come up with)\s+(?:me |us )?(?:an?|some|two|three|four|five|\d+)\s/i;
const lastingWords =
  /\b(?:from now on|going forward|in (?:the )?future|next time|whenever|every time|each time|(?:when(?:ever)?|before|after|once) you|every|each)\b|\balways (?:write|draft|create|tell|make)\b/i;

export type Veto = "task" | "hypothetical" | "hearsay" | "irony" | "self" | "consolation" | "question";

/** Why the sentence can carry no rule, or null. `sentence` has stand-ins for its quotations. */
export function vetoOf(sentence: string, isIronicOpening: boolean): Veto | null {
  if (hypothetical.test(sentence)) return "hypothetical";
  if (hearsay.test(sentence) && !/\bi (?:just |already )?(?:said|told|asked)\b/i.test(sentence))
    return "hearsay";
  if (taskOfTheDay.test(sentence) && !lastingWords.test(sentence)) return "task";
  if (speechTag.test(sentence)) return "hearsay";
  if (irony.test(sentence) || (isIronicOpening && !/\b(?:don't|stop|please)\b/i.test(sentence)))
    return "irony";
  if (consolation.test(sentence)) return "consolation";
  if (ownPlan.test(sentence)) return "self";
  if (
    selfOrder.test(sentence) &&
    !/\bi (?:just |already )?(?:said|told|asked)\b/i.test(sentence) &&
    !/\b(?:prefer|rather|like you|want|need|like|expect|appreciate|must|should)\b/i.test(sentence)
  )
    return "self";
  if (/\?\W*$/.test(sentence) && plainQuestion.test(sentence) && !exceptionRequest.test(sentence))
    return "question";
  return null;
}
