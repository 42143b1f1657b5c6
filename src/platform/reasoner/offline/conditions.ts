/** Finds when a rule applies: "whenever you quote", "before deploying", "in every report", "in this repo". */

import { outputs } from "./outputs";
import { fromGerund, opensWithVerb } from "./verbs";

export interface Condition {
  /** `before` means that the rule comes first; `place` is a quantified or local noun phrase. */
  readonly kind: "when" | "before" | "after" | "place";
  /** Without the conjunction, in the user's words. */
  readonly body: string;
}

export interface ConditionSplit {
  readonly main: string;
  readonly conditions: readonly Condition[];
}

const conjunction =
  "(?:whenever|when|every time(?: that)?|each time(?: that)?|any ?time(?: that)?|if|where(?=ver)|wherever|as soon as|once|in case|before|prior to|ahead of|after|having|on|upon|while|next time)";
const leading = new RegExp(`^(${conjunction})\\s+(.{3,240}?),\\s+(?=\\S)`, "i");
const leadingBare = new RegExp(
  `^(${conjunction})\\s+(.{3,160}?)\\s+(?=(?:please|always|never|don't|do not|just|could you|can you|I (?:want|prefer|need|expect)|I'd)\\b)`,
  "i",
);
const leadingEach =
  /^(?:in|for|on|with|at|to|after|before|(?:at|by|near) the (?:end|start|beginning|top|bottom|close) of) ((?:every|each|all|any)(?: (?:of )?(?:the|my|our))? (?:[a-z-]+ ){1,3}?)(?=(?:tell\b|ask\b|send\b|quote\b|name\b|end\b|check\b|we\b|I want|I need|I'd|I expect|please|always|never|don't|do not|you (?:should|must)|use|put|give|show|add|include|write|keep|make|list|start|state|mark|name)\b)/i;
const leadingLocal = /^((?:in|at|on|for) (?:this|our|my) (?:house style|style guide|[a-z-]+))\s+(?=\S)/i;
/** "For children always give …": the order begins at its adverb. */
const leadingOpen =
  /^(?:for|in|on|with) ((?!me\b|us\b|that\b|this\b|now\b|it\b|the record\b|future\b|general\b)[a-z][a-z -]{2,50}?)\s+(?=(?:(?:please|i|we) )?(?:always|never|don't|do not) )/i;
const leadingPlace =
  /^(?:for|in|on|with|to|regarding|concerning|as for|as to|when it comes to|across|at|during)\s+(.{3,100}?),\s+(?=\S)/i;
const trailing =
  /\s(whenever|when|every time(?: that)?|each time(?: that)?|any ?time(?: that)?|if|wherever|as soon as|once|in case|before|prior to|after|while)\s+(?=\S)/gi;
const quantifiedPlace =
  /\b(?:in|for|on|to|with|at|across|into|onto|after|before|of|from|about|per|under|behind|over|against|through|around|beside|next to)\s+(?:(?:every|each|all|any|most|whatever)(?: of)?(?: single)?(?: (?:the|my|our|your|their|his|her|its|these|those))?)\s+((?!whether\b|what\b|which\b|how\b|if\b|i\b|you\b|we\b|it\b|that\b)[a-z\ue100-\ue1ff-]+(?:\s(?!(?:in|on|at|by|for|with|and|or|so|to|as|when|if|that|which|before|after|from|please|not|instead|rather|is|are|I|you|we|unless)\b)[A-Za-z\ue100-\ue1ff-]+){0,3})/i;
const local =
  /\b((?:in|on|for|across|within) (?:this|our|my|the) (?:[a-z-]+ )?(?:repo(?:sitory)?|project|codebase|monorepo|workspace|organi[sz]ation|company|team|office|clinic|practice|shop|store|studio|lab|school|class(?:room)?|course|campaign|game|kitchen|restaurant|hotel|firm|department|ward|journal|magazine|newsletter|deck|presentation|manual|handbook|series|blog|household|thesis|charity|business|lab|library|museum|magazine|paper|newspaper|agency|bank|garage|farm|theatre|theater|choir|band|gym|hospital|practice|surgery|station|factory|warehouse|kennel|nursery|salon|bakery|cafe|bar))\b/i;

/** "in management reports" at the end: every one of them. */
const pluralPlace =
  /\s(?:in|on|for|with) ((?:(?!this\b|that\b|my\b|these\b|those\b|with\b|in\b|on\b|for\b)[a-z-]+ ){0,2}[a-z-]{3,}[^siu\W]s)[.!?]*$/i;

const emptyBody =
  /^(?:(?:it|that)(?:'s| is) (?:not |no )?(?:too |all right|alright|ok|okay|possible|fine|trouble|bother)\b.*|possible|needed|necessary|applicable|in doubt|(?:you're|you are|we're) at it|you can|you could|you like|you want|you please|it helps|that helps|that matters|relevant|appropriate|i'm|i am|it's|that's ok|you don't mind|you would|you (?:do|did|have|get) (?:it|that|this|so)|doing (?:it|that|this|so)|you do|a sentence|the time|then|now|this|that|it|all|at all|not|so|any|ever|i'm ready|ready|you're done|done|(?:a|one) (?:\w+ ){0,3}?will do)\b[.,!?]*$|^(?:i'm|i am|a \w+ (?:will|would) do|you had|you'd|you were|i had|i were)\b/i;
/** Verbs whose "if" or "when" opens their object: "check if I understood". */
const takesClause =
  /\b(?:check|checking|see|know|ask|asking|tell|telling|verify|confirm|find out|understand|decide|determine|wonder|say|explain|show|specify|state|mention|note|sure|clear)\s*(?:me |us |the user )?$/i;

function kindOf(word: string): Condition["kind"] {
  const lower = word.toLowerCase();
  if (/^(?:before|prior|ahead)/.test(lower)) return "before";
  return /^(?:after|once|having)/.test(lower) ? "after" : "when";
}

function isClauseOrEvent(kind: Condition["kind"], body: string): boolean {
  if (emptyBody.test(body)) return false;
  if (kind === "when") return true;
  if (/^\d/.test(body)) return false;
  return (
    fromGerund(body) !== null ||
    /^(?:you|i|we|the|a|an|any|every|each|all|my|our|your|someone|anyone|it|there|they)\b/i.test(body)
  );
}

const clauseOfAgent = new RegExp(`^(${conjunction})\\s+(you (?:[a-z]+) .+)$`, "i");

/** "when you quote a fare give me the total": a second verb with its object begins the order, comma or not. */
function splitUnmarked(sentence: string): ConditionSplit | null {
  const found = clauseOfAgent.exec(sentence);
  const rest = found?.[2] ?? "";
  if (found === null) return null;
  const words = rest.split(" ");
  for (let at = 3; at < Math.min(words.length - 1, 10); at += 1) {
    const before = (words[at - 1] ?? "").toLowerCase();
    const tail = words.slice(at).join(" ");
    if (before.endsWith(",")) return null;
    if (
      /^(?:to|and|or|a|an|the|my|our|your|this|that|any|every|each|some|of|in|on|for|with|by)$/.test(
        before,
      ) ||
      !orderHead.test(tail)
    )
      continue;
    return { main: tail, conditions: [{ kind: kindOf(found[1] ?? ""), body: words.slice(0, at).join(" ") }] };
  }
  return null;
}

const orderHead =
  /^(?:give|tell|show|put|send|make|keep|add|include|use|list|write|say|state|name|mention|leave|skip|break|split|group|sort|round|mark|check|ask|let|start|end|attach|quote|cite|explain|warn|remind) (?:me|us|the|a|an|it|them|all|any|each|every|my|our|in|out|with|by|whether|if|what|which|how|only|also)\b/i;

/** Takes a condition off the front of a sentence: "when you quote the manual, …", "for all reports, …". */
export function splitLeading(sentence: string): ConditionSplit {
  const polite =
    /^if you (?:could|would|can) (?:please |kindly )?((?:always |never |not |just )*[a-z-]+ .{3,200}?)(?:,\s+(?:that|it|i|we)(?:'d| would|'ll| will)\b.*)?[.!]*$/i.exec(
      sentence,
    );
  if (polite !== null) return { main: `could you ${polite[1] ?? ""}`, conditions: [] };
  const unmarked = splitUnmarked(sentence);
  if (unmarked !== null) return unmarked;
  const bare = leadingBare.exec(sentence);
  const lead = bare !== null && !(bare[2] ?? "").includes(",") ? bare : leading.exec(sentence);
  if (lead !== null && !/^(?:on|upon|having)$/i.test(lead[1] ?? "")) {
    const body = lead[2] ?? "";
    const kind = kindOf(lead[1] ?? "");
    return {
      main: sentence.slice(lead[0].length).trim(),
      conditions: emptyBody.test(body) ? [] : [{ kind, body }],
    };
  }
  const each = leadingEach.exec(sentence);
  if (each !== null) {
    const body = (each[1] ?? "")
      .trim()
      .replace(/^(?:every|each|all|any)(?: (?:of )?(?:the|my|our))?\s/i, "any ");
    return { main: sentence.slice(each[0].length).trim(), conditions: [{ kind: "place", body }] };
  }
  const nearby = leadingLocal.exec(sentence);
  if (nearby !== null && looksLikeMain(sentence.slice(nearby[0].length))) {
    return {
      main: sentence.slice(nearby[0].length).trim(),
      conditions: [{ kind: "place", body: nearby[1] ?? "" }],
    };
  }
  const open = leadingOpen.exec(sentence);
  if (open !== null)
    return {
      main: sentence.slice(open[0].length).trim(),
      conditions: [{ kind: "place", body: open[1] ?? "" }],
    };
  const place = leadingPlace.exec(sentence);
  if (place === null || !looksLikeMain(sentence.slice(place[0].length)))
    return { main: sentence, conditions: [] };
  const body = (place[1] ?? "").replace(
    /^(the (?:end|start|beginning|top|bottom|close) of) (?:each|every|all|any)(?: (?:the|my|our))? /i,
    "$1 any ",
  );
  const isIdiom =
    /^(?:me|us|that|this|it|now|example|instance|general|short|future|addition|fact|once|the record|what it's worth)\b/i.test(
      body,
    );
  return {
    main: sentence.slice(place[0].length).trim(),
    conditions: isIdiom ? [] : [{ kind: "place", body }],
  };
}

/** Takes a condition off the end of a clause, and finds places; "before …" stays, being part of the rule. */
export function splitTrailing(clause: string): ConditionSplit {
  const whole = clause.replace(
    /\s+if (?:you can|you could|(?:that's |it's |at all )?possible|you don't mind)(?:,\s.*)?[.!]*$/i,
    "",
  );
  let main = whole;
  const conditions: Condition[] = [];
  for (const match of whole.matchAll(trailing)) {
    const at = match.index;
    const word = match[1] ?? "";
    const body = whole
      .slice(at + match[0].length)
      .replace(/[.!?,;\s]+$/, "")
      .replace(/,?\s+please$/i, "")
      .replace(/,\s+(?:rather than|instead of|not)\s.*$/i, "");
    const head = whole.slice(0, at);
    const isObject =
      (/^(?:if|when|where)/i.test(word) && takesClause.test(head)) ||
      /\b(?:even|as|only|just|especially)$/i.test(head) ||
      /\b(?:what|which|how|who|where|why|whether)\b.{0,60}\band$/i.test(head);
    if (at < 3 || body === "" || isObject) continue;
    const kind = kindOf(word);
    if (!isClauseOrEvent(kind, body)) continue;
    conditions.push({ kind, body });
    if (kind === "when") main = head.replace(/[\s,]+$/, "");
    break;
  }
  const place = quantifiedPlace.exec(main);
  if (place !== null) conditions.push({ kind: "place", body: `any ${(place[1] ?? "").trim()}` });
  const plain = main.replace(/,\s+[^,]*$/, "");
  const kind = place === null ? (pluralPlace.exec(main) ?? pluralPlace.exec(plain)) : null;
  if (kind !== null && !/^(?:this|that|my|these|those)\b/i.test(kind[1] ?? ""))
    conditions.push({ kind: "place", body: (kind[1] ?? "").trim() });
  const yours = /\b(?:in|on|for|to) your ((?:[a-z-]+ )?[a-z-]+s(?: to [a-z ]{3,30})?)[.!?]*$/i.exec(main);
  if (yours !== null && outputs.test(`any ${(yours[1] ?? "").replace(/ to .*$/i, "")}`))
    conditions.push({ kind: "place", body: yours[1] ?? "" });
  const nearby = local.exec(
    main.replace(
      /,\s+(?:[\w-]+ ){1,3}?(?:is|are|was|were|has|have|means?|doesn't|don't|isn't|aren't)\b.*$/i,
      "",
    ),
  );
  if (nearby !== null) conditions.push({ kind: "place", body: nearby[1] ?? "" });
  return { main: main.trim(), conditions };
}

/** True where the rest of a clause after a comma can be the rule itself. */
function looksLikeMain(text: string): boolean {
  return (
    /^[a-z-]+[^s\W]s (?:go|come|use|get|have|must|should|are|need|belong|live|stay)\s/i.test(text) ||
    opensWithVerb(text) ||
    /^(?:please|always|never|don't|do not|just|could|can|would|I|we|you|no|only|it's)\b/i.test(text)
  );
}
