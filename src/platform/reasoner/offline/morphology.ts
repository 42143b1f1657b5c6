/** English word forms by rule, with the irregular verbs that instructions use. */

const irregular: ReadonlyArray<readonly [base: string, past: string, participle?: string]> = [
  ["be", "was", "been"],
  ["begin", "began", "begun"],
  ["break", "broke", "broken"],
  ["bring", "brought"],
  ["build", "built"],
  ["buy", "bought"],
  ["catch", "caught"],
  ["choose", "chose", "chosen"],
  ["come", "came"],
  ["cut", "cut"],
  ["deal", "dealt"],
  ["do", "did", "done"],
  ["draw", "drew", "drawn"],
  ["drive", "drove", "driven"],
  ["eat", "ate", "eaten"],
  ["feel", "felt"],
  ["find", "found"],
  ["forget", "forgot", "forgotten"],
  ["get", "got", "gotten"],
  ["give", "gave", "given"],
  ["go", "went", "gone"],
  ["have", "had"],
  ["hear", "heard"],
  ["hide", "hid", "hidden"],
  ["hold", "held"],
  ["keep", "kept"],
  ["know", "knew", "known"],
  ["lay", "laid"],
  ["lead", "led"],
  ["leave", "left"],
  ["let", "let"],
  ["lose", "lost"],
  ["make", "made"],
  ["mean", "meant"],
  ["meet", "met"],
  ["pay", "paid"],
  ["put", "put"],
  ["quit", "quit"],
  ["read", "read"],
  ["ring", "rang", "rung"],
  ["run", "ran"],
  ["say", "said"],
  ["see", "saw", "seen"],
  ["sell", "sold"],
  ["send", "sent"],
  ["set", "set"],
  ["show", "showed", "shown"],
  ["shut", "shut"],
  ["sign", "signed"],
  ["speak", "spoke", "spoken"],
  ["spell", "spelt"],
  ["spend", "spent"],
  ["split", "split"],
  ["spread", "spread"],
  ["start", "started"],
  ["stick", "stuck"],
  ["swap", "swapped"],
  ["take", "took", "taken"],
  ["teach", "taught"],
  ["tell", "told"],
  ["think", "thought"],
  ["throw", "threw", "thrown"],
  ["understand", "understood"],
  ["wake", "woke"],
  ["write", "wrote", "written"],
  ["wrap", "wrapped"],
  ["show", "showed"],
  ["stop", "stopped"],
  ["plan", "planned"],
  ["drop", "dropped"],
  ["skip", "skipped"],
  ["plot", "plotted"],
];
const baseOfPast = new Map(
  irregular.flatMap(([base, past, participle]) =>
    ((): [string, string][] =>
      participle === undefined
        ? [[past, base]]
        : [
            [past, base],
            [participle, base],
          ])(),
  ),
);
const pasts: ReadonlySet<string> = new Set(baseOfPast.keys());

const alsoBases = new Set([
  "put",
  "cut",
  "let",
  "set",
  "read",
  "quit",
  "split",
  "spread",
  "shut",
  "found",
  "felt",
  "saw",
  "lay",
  "led",
  "come",
  "run",
  "left",
]);

/** True for a past form that is no base form too: `went`, `gave`, `saw` as an order is too rare to count. */
export function isOnlyPast(word: string): boolean {
  return word === "saw" || word === "left" || (pasts.has(word) && !alsoBases.has(word));
}

const unstressedEnd = /(?:en|er|or|it|et|on|al|el|il|ow|ay|ey|oy)$/;
const doubles = new Set(
  "admit begin commit cut defer drop forget get hit let omit permit plan plot prefer put quit refer run set shut skip split stop submit swap transfer trim wrap tag log pin cap dig flag map pad scan step strip zip ship sit hop chat jot nag program run rub spam blog plug sum tip top trap embed reset format".split(
    " ",
  ),
);

function doublesFinal(verb: string): boolean {
  return doubles.has(verb) || (/^[^aeiou]*[aeiou][^aeiouwxy]$/.test(verb) && !unstressedEnd.test(verb));
}

/** True for `closed`, `sent`, `put`: a form in which a finished act is told. */
export function isPast(word: string): boolean {
  return (
    pasts.has(word) ||
    (/[a-z]{2}ed$/.test(word) && !/(?:need|feed|seed|speed|proceed|exceed|succeed|embed)$/.test(word))
  );
}

/** `put` → `putting`, `write` → `writing`, `lie` → `lying`. */
export function gerundOf(verb: string): string {
  const dash = verb.lastIndexOf("-");
  if (dash > 0) return verb.slice(0, dash + 1) + gerundOf(verb.slice(dash + 1));
  if (/ie$/.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/.test(verb) && verb !== "be") return `${verb.slice(0, -1)}ing`;
  return doublesFinal(verb) ? `${verb}${verb.slice(-1)}ing` : `${verb}ing`;
}

/** The base form of a gerund: `putting` → `put`, `writing` → `write`. `isVerb` settles a doubt. */
export function baseOfGerund(gerund: string, isVerb: (word: string) => boolean): string {
  const stem = gerund.replace(/ing$/, "");
  if (stem === gerund || stem === "") return gerund;
  const single = /([^aeiou])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  const candidates = [stem, `${stem}e`, single, gerund.replace(/ying$/, "ie")];
  const sure = candidates.find((candidate) => isVerb(candidate) && gerundOf(candidate) === gerund);
  if (sure !== undefined) return sure;
  if (single !== stem && !/(?:ll|ss|ff|zz)$/.test(stem)) return single;
  return /(?:at|iz|is|us|iv|uc|nc|rc|ag|ang|id|od|ud|bl|pl|tl|dl|gl|rs|ns|rg|v|uir|ur|ok|uk|ik|z)$/.test(stem)
    ? `${stem}e`
    : stem;
}

/** The base form of a past tense: `gave` → `give`, `stopped` → `stop`; other words stay. */
export function baseOfPastTense(past: string, isVerb: (word: string) => boolean): string {
  const known = baseOfPast.get(past);
  if (known !== undefined) return known;
  if (!/ed$/.test(past)) return past;
  if (/ied$/.test(past)) return `${past.slice(0, -3)}y`;
  const stem = past.slice(0, -2);
  if (isVerb(stem)) return stem;
  return baseOfGerund(`${stem}ing`, isVerb);
}

const unchangedAfterSubject = new Set(
  "can can't cannot could couldn't will won't would wouldn't shall should shouldn't may might must had did didn't".split(
    " ",
  ),
);

/** The form after "the user": `ask` → `asks`, `have` → `has`; pasts and modals stay. */
export function thirdPersonOf(verb: string): string {
  const lower = verb.toLowerCase();
  if (
    unchangedAfterSubject.has(lower) ||
    (pasts.has(lower) && !["put", "cut", "let", "set", "read", "quit", "split", "spread"].includes(lower)) ||
    /ed$/.test(lower)
  ) {
    return lower === "were" ? "was" : verb;
  }
  const special = {
    have: "has",
    do: "does",
    "don't": "doesn't",
    am: "is",
    are: "is",
    "haven't": "hasn't",
    be: "is",
  }[lower];
  if (special !== undefined) return special;
  if (/(?:s|x|z|ch|sh|o)$/.test(lower)) return `${verb}es`;
  return /[^aeiou]y$/.test(lower) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

/** A crude stem for comparing words: plural, tense and agent endings are cut. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase().replace(/'s$/, "");
  if (lower.length < 4) return lower;
  const cut = lower.replace(/(?:ations?|ings?|ies|ied|ers?|ed|es|s|ly)$/, "");
  const stem = cut.length < 3 ? lower : cut;
  return stem.replace(/([^aeiouls])\1$/, "$1").replace(/[ey]$/, "");
}
