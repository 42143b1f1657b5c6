/** Reads hurried writing: known short forms, swapped neighbours, a lost vowel. Only for words that matter. */

const shortForms = new Map(
  Object.entries({
    everytime: "every time",
    evrytime: "every time",
    pls: "please",
    plz: "please",
    pleas: "please",
    plse: "please",
    u: "you",
    ur: "your",
    yr: "your",
    ya: "you",
    yall: "you",
    "y'all": "you",
    dont: "don't",
    "do'nt": "don't",
    "dont'": "don't",
    dnt: "don't",
    nt: "not",
    don: "don't",
    cant: "can't",
    wont: "won't",
    doesnt: "doesn't",
    didnt: "didn't",
    shouldnt: "shouldn't",
    isnt: "isn't",
    wasnt: "wasn't",
    havent: "haven't",
    wouldnt: "wouldn't",
    thats: "that's",
    whats: "what's",
    im: "I'm",
    ive: "I've",
    i: "I",
    "i'm": "I'm",
    "i'd": "I'd",
    "i've": "I've",
    "i'll": "I'll",
    gonna: "going to",
    gotta: "have to",
    wanna: "want to",
    lemme: "let me",
    gimme: "give me",
    cuz: "because",
    cos: "because",
    coz: "because",
    bc: "because",
    bcoz: "because",
    "w/": "with",
    "w/o": "without",
    b4: "before",
    msg: "message",
    msgs: "messages",
    nvr: "never",
    fwd: "forward",
    rn: "right now",
    thx: "thanks",
    ty: "thanks",
    teh: "the",
    hte: "the",
    wat: "what",
    wen: "when",
    whn: "when",
    alot: "a lot",
    cld: "could",
    cn: "can",
    giv: "give",
    gve: "give",
    mak: "make",
    tak: "take",
    hav: "have",
    jst: "just",
    evry: "every",
    wich: "which",
    becuase: "because",
    plaese: "please",
    usin: "using",
    tht: "that",
    evr: "ever",
    nver: "never",
    whne: "when",
    sayin: "saying",
    askin: "asking",
    tellin: "telling",
    sendin: "sending",
    doin: "doing",
    givin: "giving",
    makin: "making",
    puttin: "putting",
    writin: "writing",
    mkae: "make",
    shud: "should",
    wud: "would",
    cud: "could",
    bcause: "because",
    anythin: "anything",
    everythin: "everything",
    nothin: "nothing",
    dwn: "down",
    brek: "break",
    leav: "leave",
    tel: "tell",
    cal: "call",
    mny: "many",
    evn: "even",
    wth: "with",
    frm: "from",
    sumthing: "something",
    shld: "should",
    wld: "would",
    tmrw: "tomorrow",
    tho: "though",
    asap: "quickly",
    abt: "about",
    btwn: "between",
    smth: "something",
    ppl: "people",
    mins: "minutes",
    docs: "documents",
    info: "information",
  }),
);
shortForms.delete("docs");
shortForms.delete("info");
shortForms.delete("don");

const guarded =
  "always never please stop every time before after whenever instead rather don't just send give show write keep should would could answer answers reply replies response responses summary summaries report reports message messages email emails whole lines changed change future going forward next short shorter bullet bullets explain example examples include without prefer because again format number numbers numbered sentence sentences question document documents customer customers meeting meetings schedule repeat check confirm asking telling sending giving making writing using putting adding about first file files table tables list detail details word words price prices doing starting only can".split(
    " ",
  );
/** Real words that a swap or a lost vowel would turn into a guarded one. */
const realWords = new Set(
  "form quiet sued dose untied trial ever even fist lien wrod lst tbl prise cold lin summaries summarise summarize summarises sort shot snd want".split(
    " ",
  ),
);

const misspellings = buildMisspellings();

function buildMisspellings(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const known = new Set(guarded);
  const add = (wrong: string, right: string): void => {
    if (!known.has(wrong) && !realWords.has(wrong) && !found.has(wrong)) found.set(wrong, right);
  };
  for (const word of guarded) {
    for (let at = 0; at + 1 < word.length; at += 1) {
      add(word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2), word);
      if (word.length > 4 && at > 0 && /[aeiou]/.test(word.charAt(at)))
        add(word.slice(0, at) + word.slice(at + 1), word);
      if (word.length > 3 && word.charAt(at) !== word.charAt(at + 1))
        add(word.slice(0, at + 1) + word.charAt(at) + word.slice(at + 1), word);
      if (word.length > 4 && word.charAt(at) === word.charAt(at + 1))
        add(word.slice(0, at) + word.slice(at + 1), word);
    }
  }
  return found;
}

/** The sentence with hurried spellings of cue words put right; other words are left as they are. */
export function repairSpelling(text: string): string {
  return text
    .replace(/[A-Za-z][A-Za-z0-9]*(?:['/][A-Za-z]*)*/g, (word) => {
      const lower = word.toLowerCase();
      const right = shortForms.get(lower) ?? misspellings.get(lower);
      if (right === undefined || (word.length > 1 && word === word.toUpperCase() && word !== "IM"))
        return word;
      return /^[A-Z]/.test(word) && !right.startsWith("I")
        ? right.charAt(0).toUpperCase() + right.slice(1)
        : right;
    })
    .replace(/\b(the|a|my) hole (?=file|thing|document|text|page|email|list|story|code|table)/gi, "$1 whole ")
    .replace(/\byou (?:guys|all|lot|folks|people)\b(?! (?:of|are|were|is|who)\b)/gi, "you")
    .replace(/\b(don't|never|to|not) past (?=the|a|me|my|all|any)/gi, "$1 paste ")
    .replace(/\s+/g, " ")
    .trim();
}
