/** Peels the words with which people open a sentence, and remembers what they signal. */

export interface Openers {
  readonly rest: string;
  /** "No, …", "nope": the last answer is turned down. */
  readonly refuses: boolean;
  /** "Wait, …", "hold on", "come on": the agent is stopped. */
  readonly interrupts: boolean;
  /** "Also, …", "second, …", "one more thing": another point begins. */
  readonly shiftsTopic: boolean;
  /** "Oh lovely", "yeah, right". */
  readonly isIronic: boolean;
}

const refusal =
  /^(?:no+|nope|nah|absolutely not|no way|wrong|incorrect|that(?:'s| is) (?:wrong|not right|incorrect|not it|not (?:finished|done|complete|ready|enough|correct|true|acceptable|what i (?:asked|meant|wanted)(?: for)?|how (?:we|i|it|you|one) [^.,;!?]{2,40}))|you(?:'re| are) (?:wrong|mistaken|incorrect)|not (?:right|quite(?: right)?|correct|true|so)(?=[,.:;!]))[,.!;:\u2014\s]+/i;
const refusalStaysIf = /^no\s+(?!no\b|nope\b|i\b|don't|do not|that|you|we|it|please|use|stop)/i;
const interruption =
  /^(?:whoa|woah|wait|hold on|hang on|hold up|stop right there|come on|c'mon|oi|seriously|argh|ugh|hmm+|hang on a (?:sec|second|minute))\b[,.!?;:\u2014\s]*/i;
const shift =
  /^(?:also|plus|and also|another thing|one (?:more|other|last|final) (?:thing|request|note|point|ask)|next up|on another note|separately|in addition|additionally|furthermore|first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|finally|lastly|last(?: thing)?|(?:but )?one thing|and|\d{1,2}[.)]|[a-d][.)]|[*+-]|p\.?s\.?)(?=[\s,:;\u2014])[,:;.\u2014\s]*/i;
const irony =
  /^(?:oh,? (?!\w+,? another|\w+,? again)(?:lovely|great|wonderful|brilliant|perfect|fantastic|marvell?ous|good|joy|super|nice|sure|yes|yay|splendid|terrific|excellent)|yeah,? (?:right|sure)|sure thing|by all means|wow,? (?:great|thanks|just)|well,? (?:isn't|aren't) that|thanks for nothing|way to go|how (?:lovely|nice|wonderful|helpful) of you)\b/i;
const filler =
  /^(?:i'm afraid(?: that)?|lol|haha?|aw+|huh|oh dear|oh no(?=[,.! ])|dear me|good grief|goodness|my word|mate|sounds good|to be honest|tbh|if i'm honest|in my opinion|to my mind|howdy|while you're at it|while we're at it|since you ask|you know(?=,)|i'm sorry|i mean|but|so|ok(?:ay)?|yes|yeah|yep|hey(?: there)?|hi(?: there)?|hello|well|look(?=[,.!:;]| (?:i|i'm|you|we|here|it's|that's|just|don't|please)\b)|listen|actually|honestly|frankly|great|good|perfect|awesome|thanks(?: a lot| so much)?|thank you|cool|fine|right|alright|all right|sorry|heads[ -]?up|note(?: that)?(?! (?:whether|which|how|what|when|where|if|down|any|each|every)\b)|fyi|btw|by the way|psa|on the whole|all in all|by and large|all things considered|quick (?:note|one|thing|request)|just so you know|for the record|oh|ah|u[mh]+|phew|again|then|basically|in short|please note(?: that)?|reminder|small (?:thing|note|request)|a small (?:thing|note|request)|folks|guys|mate|everyone|team|if (?:you don't mind|possible|you can)|i(?:'ve| have)? (?:just )?changed my mind(?: about [a-z ]{2,30})?|on second thoughts?|scratch that|strike that|change of (?:plan|mind)|i take (?:that|it) back|forget that|i just said|as i said|like i said|i told you|i said|i repeat|more like it|got it|understood|makes sense|done|please(?=,)|for [a-z -]{3,40} reasons?(?=,? (?:please|always|never|don't|do not)\b))(?=[\s,:;.!\u2014])[,:;.!\u2014\s]*/i;

/** Peels at most eight openers. */
export function peelOpeners(sentence: string): Openers {
  let rest = sentence.trim();
  const isIronic = irony.test(rest);
  let refuses = false;
  let interrupts = false;
  let shiftsTopic = false;
  for (let round = 0; round < 8; round += 1) {
    const before = rest;
    const isNounPhrase = refusalStaysIf.test(rest) && !/^no+\s*[,.!;:\u2014]/i.test(rest);
    if (refusal.test(rest) && !isNounPhrase) {
      refuses = true;
      rest = rest.replace(refusal, "");
    }
    if (interruption.test(rest)) {
      interrupts = true;
      rest = rest.replace(interruption, "");
    }
    if (shift.test(rest)) {
      shiftsTopic = true;
      rest = rest.replace(shift, "");
    }
    rest = rest.replace(filler, "");
    if (rest === before || rest === "") break;
  }
  return { rest, refuses, interrupts, shiftsTopic, isIronic };
}
