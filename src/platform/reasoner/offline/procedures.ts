/** Finds procedures that the user confirms and wants repeated: "that order worked: a, b, c. Same again next time." */

import type { Draft } from "./draft";
import type { Reading } from "./reading";
import { fromPast } from "./verbs";

const worked =
  /\b(?:worked|(?:order|sequence|way|approach|method|procedure|routine|steps) (?:was|is|were) (?:just |exactly |absolutely )?(?:right|perfect|spot on|correct)|did the trick|did it(?=[:.!]|$)|did the job|does the trick|solved it|fixed it|sorted it|nailed it|went (?:smoothly|perfectly|through)|works (?:every time|perfectly|great|a treat|well)|exactly (?:right|how|the way|the right)|that's the way\b|that's how (?:it's|it is|you|we|to|i)\b|textbook|the right (?:order|way|sequence|approach)|how it should be (?:done|handled)|spot on|paid off|got (?:us|me) there)\b/i;
const praising =
  /^(?:beautiful|superb|great|brilliant|perfect|excellent|lovely|well done|good|nice|super|fantastic|wonderful|ace|yes)\b/i;
const again =
  /\b(?:(?:do|handle|run|repeat|use|follow|keep|try|treat|tackle|go) .{0,40}?\b(?:same (?:way|order|steps|again|thing|procedure|routine|sequence|approach)|that way|this way|like (?:that|this)|that (?:order|sequence|procedure|routine|approach|recipe)|those steps|these steps)|(?:exactly |just )?the same\b(?= whenever| when| every| each| before| after| for| with| next time| if|[.!]*$)|do (?:exactly |just )?(?:that|this|the same)(?: again)?(?= whenever| when| every| each| before| after| for| with| if| next time)|same (?:way|steps|again|procedure|routine|order|sequence|drill)\b|(?:make (?:that|this) (?:the|our|your) (?:standard|default|routine|usual|go-to))|let's make (?:that|this)|how i want (?:it|this)|stick (?:to|with) (?:that|this|it|them|those|these)|that's how it should be done|keep doing it|always [a-z]+ (?:[a-z]+ ){0,3}?(?:exactly |just )?(?:like (?:that|this)|that way|this way|in that order)|(?:please )?(?:follow|repeat|use|apply|do) (?:it|them|those|these|that)(?: again)?(?= (?:whenever|when|every time|each time|for (?:every|each|all|any)|with (?:every|each|all|any)|before (?:every|each|any)|after (?:every|each|any))\b))\b/i;
/** "handle every leak like that": the occasion is the object. */
const everyOne =
  /\b(?:every|each|any|all) ((?:[a-z-]+ ){1,3}?)(?:like|that|this|the same|exactly|in that|from|with)\b/i;
/** "always migrate like that": the occasion is the verb. */
const sameAct =
  /\balways (?!do\b|handle\b|go\b|run\b|use\b|keep\b|try\b)([a-z]+(?: (?:the |an? |our |my )?[a-z]+){0,2}?) (?:exactly |just )?(?:like (?:that|this)|that way|this way|in that order)\b/i;
const agentStep =
  /(?:\b(?:I(?:'ve| have)?|we(?:'ve| have)?|then|first|next|and|finally)|[,;])\s+(?:then |also |first |just )?([a-z-]+ed|ran|took|put|sent|set|made|wrote|found|built|kept|cut|read|got|gave)\s+([^.,;:!?]{3,80})/g;

/** The steps an agent reports in the past tense, as orders; at most six. */
export function stepsIn(agentText: string): string[] {
  const steps: string[] = [];
  for (const match of agentText.slice(0, 4_000).matchAll(agentStep)) {
    const verb = match[1] ?? "";
    const object = (match[2] ?? "").trim().replace(/\s+(?:and|then|which|so)$/, "");
    steps.push(fromPast(`${verb} ${object}`));
    if (steps.length === 6) break;
  }
  return steps;
}

/** A draft of the confirmed procedure of one turn, or null. It covers the praise and the wish to repeat it. */
export function procedureOf(
  readings: readonly Reading[],
  turnIndex: number,
  agentText: string,
): Draft | null {
  const praise = readings.findIndex(
    (reading) =>
      reading.veto === null &&
      !reading.isQuestion &&
      (worked.test(reading.text) || (praising.test(reading.text) && again.test(reading.text))) &&
      !/\b(?:not|n't|never|hardly|if|almost)\b.{0,20}\bwork/i.test(reading.text),
  );
  if (praise === -1 || agentText === "") return null;
  const repeat = readings.findIndex(
    (reading, index) =>
      index >= praise &&
      index <= praise + 3 &&
      reading.veto === null &&
      again.test(reading.text) &&
      reading.durability !== "momentary",
  );
  const praised = readings[praise];
  const wanted = readings[repeat];
  if (praised === undefined || wanted === undefined) return null;
  const named = /^(.{8,300}?):\s/s.exec(wanted.text)?.[1] ?? "";
  const spoken =
    (named !== "" && again.test(wanted.text.slice(named.length)) && named.includes(",")
      ? named
      : undefined) ??
    /:\s*(.{8,400})$/s.exec(praised.text.replace(/[.!?]+$/, ""))?.[1] ??
    /:\s*(.{8,400})$/s.exec(wanted.text.replace(/[.!?]+$/, ""))?.[1] ??
    "";
  const steps = spoken === "" ? stepsIn(agentText) : [spoken];
  if (steps.length === 0 || (spoken === "" && steps.length < 2)) return null;
  const kind = everyOne.exec(wanted.text)?.[1] ?? "";
  const act = sameAct.exec(wanted.text)?.[1] ?? "";
  const conditions = [
    ...wanted.conditions,
    ...wanted.parts.flatMap((part) => part.conditions),
    ...(act === "" ? [] : [{ kind: "when" as const, body: `you ${act}` }]),
    ...(kind === "" ? [] : [{ kind: "place" as const, body: `any ${kind}` }]),
  ].map((condition) => ({ ...condition, quotations: wanted.quotations }));
  return {
    turnIndex,
    start: praised.sentence.start,
    end: wanted.sentence.end,
    kind: "verified-success",
    parts: [
      {
        polarity: "do",
        frame: "order",
        verbPhrase: `follow the steps that worked: ${steps.join(", then ")}`,
        conditions: [],
        quotations: praised.quotations,
      },
    ],
    conditions,
    antecedent: "",
    answersAgent: true,
    isForNovice: false,
    takesBack: false,
    reshapes: false,
    masked: "",
  };
}
