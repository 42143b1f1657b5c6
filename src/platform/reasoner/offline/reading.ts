/** Reads one sentence of a user: what it asks for, when, how lastingly, and whether to believe it. */

import { type Condition, splitLeading, splitTrailing } from "./conditions";
import { type Durability, durabilityOf, withoutTimeWords } from "./durability";
import { type Directive, readFragment, readFrame } from "./frames";
import { looksLikeInjection } from "./injection";
import { type Openers, peelOpeners } from "./openers";
import { withStandIns } from "./quotes";
import type { Sentence } from "./sentences";
import { repairSpelling } from "./spelling";
import { canBeVerb, opensWithVerb } from "./verbs";
import { type Veto, vetoOf } from "./vetoes";

export interface Part extends Directive {
  readonly conditions: readonly Condition[];
}

export interface Reading {
  readonly sentence: Sentence;
  /** Spelling repaired, quotations as stand-ins. */
  readonly text: string;
  readonly quotations: readonly string[];
  readonly openers: Openers;
  readonly durability: Durability;
  readonly veto: Veto | "injection" | null;
  readonly isQuestion: boolean;
  /** "A few notes for the future:" makes rules of what follows. */
  readonly isHeading: boolean;
  /** "Too long." "Way too formal." */
  readonly isComplaint: boolean;
  /** "That only hides it", "won't do", "I won't have it". */
  readonly rejectsApproach: boolean;
  /** "Scratch that", "I changed my mind", "override that rule". */
  readonly takesBack: boolean;
  /** "Those really help me", "that way I can just reply". */
  readonly explainsBenefit: boolean;
  readonly parts: readonly Part[];
  /** Conditions before the main clause; they hold for every part. */
  readonly conditions: readonly Condition[];
}

const maxSentenceChars = 900;
/** "Could I have the invoices in Polish?" asks for a form. */
const askedFor =
  /^((?:[a-z]+[,.:;]? ){0,2})(?:could|can|may) (i|we) (?:please )?(?:have|get|see) ((?:the |my |our |all )?(?:[a-z-]+ ){1,3}(?:in|as|on|by|with|without) [^?]{2,60})\?+\W*$/i;
/** "Why didn't you mention the fee?" asks for no reason. */
const reproach =
  /^((?:[a-z]+[,.:;] ){0,2})(?:so |and |but )?why (?:didn't you|did you not|don't you|haven't you) (?:just |simply |ever )*([^?]{3,120})\?+\W*$/i;
/** "That range is useless to me": the form of the answer is criticised, not its facts. */
const badForm =
  /^(?:that|this|the|your|these|those|such|a|an)\s(?:[a-z-]+ ){0,2}?(?:ranges?|estimates?|answers?|repl(?:y|ies)|explanations?|lists?|format|layout|tables?|paragraphs?|wording|text|summar(?:y|ies)|messages?|tone|jargon|numbers?|figures?|dates?|times?|units?|windows?|percentages?|descriptions?|instructions|graphs?|charts?|examples?|names?|blocks?|walls?|intros?|level of detail)(?: of (?:[a-z-]+ ?){1,3})?\s(?:is|are|was|were|tells?|says?|means?|helps?|does(?:n't| not)|do(?:n't| not)) (?:[a-z]+ )?(?:useless|no use|no good|no help|meaningless|pointless|worthless|unhelpful|(?:(?:far|way|much) )?(?:too|rather|quite|very|so|awfully|pretty|terribly) (?:long|short|wordy|formal|dense|vague|technical|detailed|verbose|chatty|dry|cryptic|complicated|stiff)|not (?:useful|helpful|specific|enough|concrete|precise|readable|clear)|hard to (?:read|follow|use|scan)|unreadable|illegible|vague|confusing|a mess|impossible to (?:read|follow|use)|nothing|me nothing|very little|help(?: me)?|nobody)(?: (?:to|for) (?:me|us))?[.!]*$/i;
const complaint =
  /^(?:(?:that|this|it)(?:'s| is| was)|those (?:are|were)|these are)?\s*(?:(?:way|far|much|still|again|just|a bit|a little|rather|all)\s+)*(?:too|not (?:very|at all|remotely)|hardly|overly)\s+(?:\w+\s+){0,2}\w+(?:\s+(?:again|for me|for this|to read|to follow|to use))?\W*$|^(?:un[a-z]{4,}|over[a-z]{3,}|[a-z]{3,}less|illegible|confusing|vague|sloppy|wordy|robotic|stiff|cluttered|messy|rubbish|nonsense|boring|verbose|patronising|patronizing|rambling|waffle|gibberish)[.!]*$|^(?:skip|cut|drop) (?:that|this|it|all that|all this)[.!]*$|^(?:much |a bit |way |even )?(?:shorter|longer|simpler|clearer|plainer|warmer|friendlier|softer|calmer|briefer|tighter|punchier|less [a-z]+)(?: please)?[.!]*$|^(?:wrong (?:format|tone|style|unit|language)|wall of text|what a wall of text|not what i (?:asked|wanted)|not (?:helpful|useful)|tl;?dr)\b/i;
const rejection =
  /\b(?:i (?:won't|will not|can't|cannot) (?:have|accept|stand|allow|tolerate|sign off)|won't (?:do|fly|cut it|wash|solve|fix|help)|not (?:acceptable|an option|good enough|on|happening|going to (?:cut|fly|work|happen|do|fix|solve))|that (?:(?:only|just|merely|simply) )?(?:hides|masks|papers over|sweeps|buries|dodges)\b|that (?:only|just|merely|simply) (?:hides|masks|papers|treats|moves|delays|shifts|postpones|covers|pushes|kicks|patches|buries|sweeps|silences|dodges)|(?:only|just|merely) (?:hides|masks|treats|papers|moves|delays|postpones|covers|silences|dodges|patches)|does(?:n't| not) (?:solve|fix|address|cure|help with)|hard no|absolutely not|so,? no(?=[.!]*$)|i (?:won't|will not|refuse to) (?:lie|cheat|hide|pretend|mislead|deceive|risk|sign)|i won't do (?:it|that)|that(?:'s| is) (?:dishonest|cheating|a lie|lying|illegal|unethical|unsafe|dangerous|reckless|sloppy|lazy|not honest)|over my dead body|(?:just|only|merely|simply) (?:hiding|masking|papering|kicking|treating|moving|delaying|postponing|covering|sweeping|patching|silencing)\b|kicking the can|(?:is|that's|would be) pointless|papering over|band-?aid|sticking plaster|quick fix|dirty hack|is a (?:hack|workaround|cop-?out|shortcut|patch)|treating the symptom|sweeping .{1,30} under|i(?:'m| am) not (?:going to|having|doing|accepting|willing|signing off|okay with|ok with|happy with|comfortable with)|i refuse|we don't do that|not how we|wrong approach|bad (?:idea|approach|practice))\b/i;
const retraction =
  /\b(?:scratch that|strike that|changed my mind|change of (?:mind|plan|heart)|on second thoughts?|i take (?:that|it) back|(?:forget|ignore|disregard|drop|cancel|undo|scrap|override|reverse|revoke|lift) (?:what i|that rule|the rule|my (?:earlier|previous|last|old)|the earlier|the previous|that last|that (?:request|preference|instruction))|(?<!(?:should|must|can|will|to|always) )go(?:ing)? back to|i was wrong about|no longer (?:want|need|prefer)|(?:after all|instead of what i (?:said|asked))|earlier i (?:said|asked|told))\b/i;
const benefit =
  /^(?:(?:and|because|since|as)\s+)?(?:that|those|this|these|it|they)\s+(?:really |always |just |all )*(?:helps?|makes? (?:it|things|my)|saves?|works? (?:\w+ )?(?:well|better|best|for me|great)|keeps?|lets?)\b|^(?:that way|this way)\b|\bi (?:really |do |always )*(?:need|want|like) to (?:understand|know|be able|see)\b|\b(?:kills?|ruins?|spoils?|breaks?|distracts?|confus\w+|annoys?|wastes?|slows?|drives?|clutters?|bothers?|throws?|puts?) (?:me|us|my|our|the|it)\b|^(?!i\b|it\b)(?:[a-z-]+ ){1,5}?(?:is|are) (?:(?:of )?no (?:use|help|good)|useless|meaningless|impossible to|hard to|a pain|tiring|tiresome)\b|\b(?:means?|tells? me|says?) (?:nothing|very little|little)\b|\bspares? (?:me|us)\b|\bhelps? (?:me|us) (?:a lot|understand|follow|decide|plan|remember|keep|see)\b/i;
const headingTitle =
  /^(?:(?:some|a few|my|our|the|two|three|a couple of)\s+)?(?:ground rules|house rules|rules|conventions|guidelines|preferences|requirements|style notes|notes)\b(?!.*\b(?:is|are|was|were|say|says)\b).{0,60}[.:]$/i;
const headingNoun =
  /\b(?:things|notes?|rules|requests|preferences|points|asks|requirements|guidelines|expectations|ground rules|house rules|conventions|here's (?:what|how)|here is (?:what|how)|what helps me)\b/i;

/** Clauses that can hold a directive of their own. */
const boundary =
  /\s*(?:[\u2014;]|\u2026)\s*|\s*\((?=\S)|,?\s+and\s+(?=(?:(?:I|we|he|she|they|my \w+|our \w+) (?:never|always|usually|often)\b|I'll|I will|I can|I am|I'm|we'll|we can)\b)|,\s+(?=(?:(?:and|but|so|or|then|because)\s+)?(?:please|just|always|never|don't|do not|stop|quit|avoid|no|only|could you|can you|would you|I'd rather|I'd prefer|I prefer|I want|I need|I expect|use|skip|keep|make|give|show|put|send|write|ask|tell|you can (?:skip|leave|drop|spare|assume)\b|we\b|it\b|I'm|I (?!ask|mention|order|sent|said|gave)|that's|it's|the \w+ (?:is|was|has|are)|they\b|which\b)\b)|,?\s+(?:so|but)\s+(?=(?:please|always|never|don't|do not|stop|could you|can you|you (?:should|must|need)|use|\w+ should|I'd)\b)|,?\s+and\s+(?=(?:please|don't|do not|stop|quit|avoid|I (?:strongly )?prefer|I'd (?:rather|prefer)|I want|I need|I expect|I (?:won't|don't))\b)/i;
const independentRule =
  /(?:,|;)?\s+and\s+(?:also\s+)?(?=(?:please\s+)?(?:always|never)\s)|;\s+(?=(?:always|never|don't)\s)/i;

/** "don't use X, list the columns" holds two orders. */
function splitAfterBan(segment: string): string[] {
  const pointed = /^((?:stop|quit|cut|drop|knock|pack) (?:that|it|this)(?: out| off| in)?),\s+(.+)$/i.exec(
    segment,
  );
  if (pointed !== null) return [pointed[1] ?? "", pointed[2] ?? ""];
  if (!/^(?:and |but |so |please |just )*(?:don't|do not|never|stop|no|quit|avoid)\b/i.test(segment))
    return [segment];
  const comma = /,\s+(?:and |but |just )?(?=[a-z])/g;
  for (let found = comma.exec(segment); found !== null; found = comma.exec(segment)) {
    const tail = segment.slice(found.index + found[0].length);
    if (opensWithVerb(tail) && !/^[a-z-]+(?:,| or | and )/i.test(tail))
      return [segment.slice(0, found.index), tail];
  }
  return [segment];
}

/** "Four changes at once and I can't tell which helped": the scrap is what went wrong. */
const ruesIt = /\band (?:i|we) (?:can't|cannot|couldn't|don't)\b/i;

function readPiece(piece: string): Part | null {
  const all =
    /^((?:an?|one|two|three|the|just) [^,]{3,60}?) (?:is|are|would be) all (?:i|we) (?:really )?(?:need|want)[.!]*$/i.exec(
      piece,
    );
  if (all !== null)
    return {
      polarity: "do",
      frame: "want",
      verbPhrase: `give me only ${(all[1] ?? "").toLowerCase()}`,
      conditions: [],
    };
  const split = splitTrailing(piece);
  const needed =
    /^(?:i|we) (?:really |always |just |do )?(?:need|want|expect|require|like) (an? .{3,120}|the .{3,120})$/i.exec(
      split.main,
    );
  const isTimed = split.conditions.some((condition) => condition.kind !== "place");
  const directive =
    needed !== null && isTimed
      ? { polarity: "do" as const, frame: "want" as const, verbPhrase: `provide ${needed[1] ?? ""}` }
      : readFrame(split.main);
  return directive === null ? null : { ...directive, conditions: split.conditions };
}

/** "The address is protected; keep it out of …": the pronoun stands for the subject just named. */
function withNoun(part: Part, earlier: string): Part {
  const subject =
    /^((?:the |our |my |all |any )?(?:[a-z'-]+ ){1,4}?)(?:is|are|must|may|can|should|has|have)\b/i.exec(
      earlier,
    )?.[1];
  if (subject === undefined || /^(?:it|that|this|they|there|he|she|we|you|i|what|who)\b/i.test(subject))
    return part;
  return {
    ...part,
    verbPhrase: part.verbPhrase.replace(
      /^([a-z-]+ )(?:it|them)\b/i,
      (_whole, verb: string) => `${verb}${subject.trim().toLowerCase()}`,
    ),
  };
}

function partsOf(clause: string, isFragmentWelcome: boolean): Part[] {
  if (/^(?:instead of|rather than)\s[^,]{2,80},\s/i.test(clause)) {
    const whole = readPiece(clause);
    if (whole?.rejected !== undefined) return [whole];
  }
  const parts: Part[] = [];
  let earlier = "";
  let segmentBefore = "";
  for (const segment of clause.split(boundary).flatMap(splitAfterBan)) {
    earlier = segmentBefore;
    segmentBefore = segment;
    const plain = segment.replace(/^(?:and|but|so|then|because|or)\s+/i, "");
    const wish =
      /\b(?:when|whenever|if|that) you\b|\b(?:prefer|appreciate|like) it (?:when|if)\b|\bhappier when\b|\b(?:clearer|easier|better|quicker|nicer|nice|simpler|helps?|helpful|handy|handier|great|lovely|good|useful)\b.{0,60}\b(?:when|if)\b/i.test(
        plain,
      )
        ? readFrame(plain)
        : null;
    if (wish !== null && (wish.frame === "wish" || wish.frame === "dislike")) {
      const split = splitTrailing(wish.verbPhrase);
      parts.push({ ...wish, verbPhrase: split.main, conditions: split.conditions });
      continue;
    }
    const found =
      readPiece(plain) ??
      plain
        .split(/,\s+(?:so|but|and|then)?\s*|:\s+/)
        .slice(1, 6)
        .map(readPiece)
        .find((part) => part !== null && part.frame !== "norm");
    if (found !== undefined && found !== null) {
      parts.push(withNoun(found, earlier));
    } else if ((isFragmentWelcome && !ruesIt.test(clause)) || parts.length > 0) {
      const split = splitTrailing(plain);
      const fragment = readFragment(split.main);
      if (fragment !== null) parts.push({ ...fragment, conditions: split.conditions });
    }
  }
  return parts;
}

function readClause(
  sentence: Sentence,
  clause: string,
  quotations: readonly string[],
  openers: Openers,
  isFirst: boolean,
): Reading {
  const isQuestion =
    /\?\W*$/.test(clause) &&
    !/(?:^|[,\s])(?:ok|okay|yeah|please|alright|right|deal|thanks|got it|yes|would you|will you|could you|can you|won't you)\s*\?\W*$/i.test(
      clause,
    );
  const bare = withoutTimeWords(isFirst ? openers.rest : clause);
  const again = peelOpeners(bare);
  const lead = splitLeading(withoutTimeWords(again.rest));
  const veto = looksLikeInjection(clause)
    ? "injection"
    : vetoOf(isFirst ? clause : bare, openers.isIronic && isFirst);
  const durability = durabilityOf(clause);
  const isPlacedVerb =
    lead.conditions.some(
      (condition) => condition.kind !== "place" && /^(?:you|[a-z-]+ing)\b/i.test(condition.body),
    ) &&
    /^[a-z-]+ (?!is\b|are\b|was\b|were\b|has\b|have\b|will\b|can\b|does\b)/i.test(lead.main) &&
    canBeVerb(lead.main);
  const isOurHabit =
    /^we (?!always|never|only|don't|do not|have|need|want|are|were)[a-z]+ /i.test(lead.main) &&
    lead.conditions.some((condition) => /^any\b/i.test(condition.body));
  const parts =
    veto === null || veto === "task"
      ? partsOf(
          isPlacedVerb
            ? `please ${lead.main}`
            : isOurHabit
              ? lead.main.replace(/^we /i, "we always ")
              : lead.main,
          durability === "lasting" || sentence.text.length < 70,
        )
      : [];
  const isHeading =
    headingTitle.test(bare) ||
    ((durability === "lasting" || /:\W*$/.test(clause) || headingNoun.test(clause)) &&
      clause.length < 140 &&
      parts.every((part) => part.frame === "fragment" || part.frame === "norm" || part.frame === "want") &&
      (/:\W*$/.test(clause)
        ? /\b(?:future|next|on|forward|rules|notes|preferences|helps|remember|things|points|please)\b/i.test(
            clause,
          )
        : durability === "lasting" && headingNoun.test(clause)));
  return {
    sentence,
    text: clause,
    quotations,
    openers: isFirst
      ? {
          ...openers,
          refuses: openers.refuses || again.refuses,
          interrupts: openers.interrupts || again.interrupts,
          shiftsTopic: openers.shiftsTopic || again.shiftsTopic,
        }
      : again,
    durability,
    veto,
    isQuestion,
    isHeading,
    isComplaint: (complaint.test(bare) && bare.split(" ").length <= 9) || badForm.test(bare),
    rejectsApproach: rejection.test(clause),
    takesBack: retraction.test(clause),
    explainsBenefit: benefit.test(bare),
    parts,
    conditions: lead.conditions,
  };
}

/** "Always A and never B" gives two rules; "we bake daily and never close" gives none. */
function leadsWithOrder(clause: string): boolean {
  if (vetoOf(clause, false) !== null) return false;
  const main = splitLeading(
    withoutTimeWords(peelOpeners(withoutTimeWords(peelOpeners(clause).rest)).rest),
  ).main;
  return partsOf(main, false).some(
    (part) => !["practice", "custom", "norm", "fragment", "contrast", "praise"].includes(part.frame),
  );
}

/** One reading per rule the sentence may hold: "always A and never B" gives two. `original` is its verbatim text. */
export function readSentence(sentence: Sentence, original: string): Reading[] {
  if (sentence.text.length > maxSentenceChars) return [];
  const { text, quotations } = withStandIns(sentence.text, original);
  const repaired = repairSpelling(text)
    .replace(reproach, "$1you should have $2.")
    .replace(
      askedFor,
      (_whole, lead: string, who: string, thing: string) =>
        `${lead}could you give ${/^i$/i.test(who) ? "me" : "us"} ${thing}?`,
    );
  const pieces = repaired.split(independentRule).slice(0, 6);
  const clauses = pieces.length > 1 && leadsWithOrder(pieces[0] ?? "") ? pieces : [repaired];
  return clauses.map((clause, index) =>
    readClause(sentence, clause, quotations, peelOpeners(clause), index === 0),
  );
}
