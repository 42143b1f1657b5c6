/** Closed word classes and the common English verbs of instruction. No word here belongs to one trade. */

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Base forms that may open an imperative. Others are recognised by what follows them. */
export const commonVerbs = words(`
  chuck pop bung whack ditch bin shove ping loop cc bcc nip bundle rota water label
  accept acknowledge act add address adjust advise align alert allow alphabetise alphabetize annotate announce answer apologise apologize
  append apply approve argue arrange ask assign assume attach attribute avoid back base batch be begin bill block book break bring
  bullet calculate call cap capitalise capitalize caption change charge check choose cite clarify classify clean clear close code collect colour
  color combine come comment commit communicate compare compile complete compress compute confirm connect consider consult contact
  continue convert copy correct count cover create credit cross cut date deal debit default defer define delay delegate delete deliver
  describe deploy design detail determine diagnose direct disclose discuss display divide do document double double-check draft draw drop edit
  elaborate email e-mail emphasise emphasize enclose end enforce ensure enter escalate estimate evaluate examine exclude execute expand
  expect explain export express extract factor favour favor fetch file fill filter find finish fix flag focus fold follow forget format
  forward frame get give go group guess guide handle head help hide highlight hold identify ignore illustrate import include indent index
  indicate inform initial insert inspect install introduce invent investigate invite invoice issue jump keep label lay lead leave let
  limit link list listen load localise localize lock log look lower mail maintain make mark mask match measure memorise mention merge message
  minimise minimize model monitor move name narrate negotiate note notify number offer omit open order organise organize outline output pack
  page pair paraphrase park parse pass paste pause pay perform phone phrase pick pin ping place plan play plot point post postpone praise prefer prefix
  prepare prescribe present preserve press preview price print prioritise prioritize process produce profile prompt pronounce propose protect prove
  provide publish pull purchase push put quit quote raise rank rate re-check reach read recap recommend reconcile record redact redo reduce refactor refer
  refund refuse release remember remind remove rename render repeat rephrase replace reply report repost request require reschedule research reserve
  resolve respect respond restart restate restore restrict retry return reuse revert review revise rewrite ring roll rotate round route run
  sanitise sanitize save say scan schedule score screen search section send separate serve set settle share ship shorten show sign
  simplify skip sort source speak specify spell split spread stage start state stay steer stick stop store stress structure style submit substitute
  suggest sum summarise summarize supply surface swap switch tabulate tag take talk teach tell test text thank think tidy time title
  total trace track train transfer translate transpose treat trim trust try turn type underline undo unpack update upgrade upload use validate
  verify version view visit wait walk warn watch weigh weight withhold word work wrap write
`);

/** Words that never open an imperative. */
export const notVerbs = words(`
  a an the half max maximum minimum this that these those some any all every each no my your his her its our their mine yours i you he she it we they me him us
  them who whom whose which what when where why how there here and or but so if because although though while as than since until unless
  in on at by for with from to of about into over under after before between through during without within against across off up down
  is are was were am been being have has had does did will would shall should can could may might must not never always just only even
  too very quite rather really more most less least much many few little other another such same own both either neither one two three
  four five six seven eight nine ten first second third last next yes yeah no ok okay thanks sorry hi hello hey good great perfect nice
  fine cool bad better best worse worst happy glad sure true false right wrong maybe perhaps also then now today tomorrow yesterday
  tonight morning afternoon evening night monday tuesday wednesday thursday friday saturday sunday again ever once twice
  something anything nothing everything someone anyone everyone nobody people thing things lol haha ha oh ah well like want wanted
  pleasure problem mind whatever however whichever wherever whoever regardless
`);

/** Words that carry no topic. */
export const stopWords = words(`
  ${[...notVerbs].join(" ")} do don't didn't doesn't isn't aren't wasn't can't won't i'm i'd i've i'll it's that's you're you've you'd you'll we're we've we'll
  they're let let's get got go going gone make made take took give gave need needs use used using please user user's agent know knew
  think thought see saw look looks looking said say says tell told ask asked help helps lot bit way kind sort able actually already
  still yet back welcome hope feel free understand understood absolutely certainly course additionally however therefore anyway
  ready done doing did let's around out want wants like likes keep put come came ever per via etc cannot time times long great question
  hear moving move important getting work works working set setting new recommend sure found find check checking happily glad couldn't wouldn't shouldn't which while there's here's what's i'm sounds noted
`);

/** Verbs a serious request does not put to an agent; as a positive order they are irony. */
export const harmfulVerbs = words(`
  lose ignore break crash ruin waste wreck forget confuse annoy mess destroy overcharge misplace fail bungle botch butcher invent
`);

/** Verbs after "don't" that comfort or chat and forbid nothing. */
export const chattyNegatives = words(`
  worry bother mind panic sweat fret hesitate think know care believe suppose be get have stress apologise apologize want need like see understand
  remember forget recall feel expect laugh hate judge blame wait ask look go come let
`);

/** Verbs whose object is the answer itself, so that it does not say when the rule applies. */
export const answerVerbs = words(
  `use include add keep make prefer have stick go be do try let limit cap structure format`,
);
