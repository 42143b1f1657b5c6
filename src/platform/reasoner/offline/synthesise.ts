/**
 * The synthesis task without a model: the cluster's medoid speaks for its situation, and the distinct
 * instructions of all sources become one list. Deterministic; answers null rather than guess.
 */
import { asSentence, type Bullet, bulletsOf } from "../../rules/bullets";
import { directionsOf, opposes } from "../../rules/polarity";
import { containment, termsOf } from "../../rules/terms";
import type { TaskInput, TaskOutput } from "../port";
import { looksLikeInjection } from "./injection";
import { withoutIdentity } from "./person";

type Input = TaskInput<"synthesise">;
type Source = Input["sources"][number];

const SAME_INSTRUCTION = 0.6;
const ALREADY_SAID = 0.75;
const MAX_BULLETS = 8;
/** From so many users on, an instruction needs more than one of them. */
const USERS_FOR_SUPPORT = 4;
const MAX_TRIGGER_CHARS = 300;
const MAX_RATIONALE_CHARS = 300;
const MAX_READ_CHARS = 4_000;

/** Words about one person become words about any user of the agent. */
export function generalise(text: string): string {
  return withoutIdentity(text.slice(0, MAX_READ_CHARS), [])
    .replace(/[[(]PERSON_\d+[\])]/g, "the user")
    .replace(/[[(]EMAIL_\d+[\])]/g, "an e-mail address")
    .replace(/[[(]PHONE_\d+[\])]/g, "a phone number")
    .replace(/[[(]LINK_\d+[\])]/g, "a link")
    .replace(/[[(](?:REFERENCE|CARD|SECRET)_\d+[\])]/g, "a reference")
    .replace(/\s*\(as in [^()]{0,200}\)/gi, "")
    .replace(/ (?:for|in) (?:things|cases|situations|stuff) like (?:this|that|these|those)\b/gi, "")
    .replace(/\bwe['’]re about to do\b/gi, "is about to be done")
    .replace(/\bwe['’](?:re|ll|ve) /gi, (contraction) =>
      /ve/i.test(contraction)
        ? "the agent has "
        : /ll/i.test(contraction)
          ? "the agent will "
          : "the agent is ",
    )
    .replace(/\b(?:this|that|the same) (user|customer|person|client)\b/gi, "the $1")
    .replace(/\b(?:the )?user (?:the user|the user's)\b/gi, "the user")
    .replace(/\bof the user\b(?= of the user)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** A clause that gives a reason and asks for nothing. */
const REASON = /^(?:easier|because|since|as|so that|that way|this (?:way|helps))\b/i;
const SITUATION = /^(?:when(?:ever)?|if|while|before|after) ([^:]{3,200}): +/i;

/** Drops a leading `When …:` that only repeats the trigger. */
function withoutSituation(text: string, situation: ReadonlySet<string>): string {
  const found = SITUATION.exec(text);
  const isRepeated = found !== null && containment(termsOf(found[1] ?? ""), situation) >= ALREADY_SAID;
  return isRepeated ? text.slice(found[0].length) : text;
}

interface Reading {
  source: Source;
  trigger: string;
  bullets: Bullet[];
  terms: ReadonlySet<string>;
}

function read(source: Source): Reading | null {
  if (looksLikeInjection(`${source.trigger} ${source.content}`.slice(0, MAX_READ_CHARS))) return null;
  const trigger = generalise(source.trigger).replace(/^(?:when(?:ever)?|if|while)\s+/i, "");
  const situation = termsOf(trigger);
  const bullets = source.content
    .slice(0, MAX_READ_CHARS)
    .split("\n")
    .flatMap((line) => bulletsOf(withoutSituation(generalise(line), situation)))
    .filter(({ text }) => !REASON.test(text));
  return bullets.length === 0
    ? null
    : { source, trigger, bullets, terms: termsOf(`${trigger} ${source.content}`) };
}

/** The reading most like all others; earlier ones win ties. */
function medoidOf(readings: readonly Reading[]): Reading | undefined {
  let best: { reading: Reading; score: number } | undefined;
  for (const reading of readings) {
    const score = readings.reduce((sum, other) => sum + containment(reading.terms, other.terms), 0);
    if (best === undefined || score > best.score + 1e-9) best = { reading, score };
  }
  return best?.reading;
}

interface Instruction {
  bullet: Bullet;
  variants: Bullet[];
  users: Set<string>;
}

const sayTheSame = (left: Bullet, right: Bullet): boolean =>
  left.isAvoidance === right.isAvoidance && containment(left.terms, right.terms) >= SAME_INSTRUCTION;

/** One instruction per distinct thing asked; the fullest of its wordings stands for it. */
function instructionsOf(readings: readonly Reading[]): Instruction[] {
  const instructions: Instruction[] = [];
  for (const { source, bullets } of readings) {
    for (const bullet of bullets) {
      const known = instructions.find(({ variants }) =>
        variants.some((variant) => sayTheSame(variant, bullet)),
      );
      if (known === undefined) {
        instructions.push({ bullet, variants: [bullet], users: new Set([source.userLabel]) });
        continue;
      }
      known.variants.push(bullet);
      known.users.add(source.userLabel);
      if (bullet.terms.size > known.bullet.terms.size) known.bullet = bullet;
    }
  }
  return instructions;
}

function supported(instructions: readonly Instruction[], userCount: number): Instruction[] {
  const needed = userCount >= USERS_FOR_SUPPORT && instructions.some(({ users }) => users.size > 1) ? 2 : 1;
  return instructions
    .filter(({ users }) => users.size >= needed)
    .map((instruction, order) => ({ instruction, order }))
    .sort(
      (left, right) =>
        Number(left.instruction.bullet.isAvoidance) - Number(right.instruction.bullet.isAvoidance) ||
        right.instruction.users.size - left.instruction.users.size ||
        left.order - right.order,
    )
    .map(({ instruction }) => instruction)
    .slice(0, MAX_BULLETS);
}

/** True where one existing rule says every one of the bullets. */
const saysAll = (existing: string, bullets: readonly Bullet[]): boolean => {
  const known = bulletsOf(existing);
  return bullets.every((bullet) =>
    known.some(
      (other) =>
        other.isAvoidance === bullet.isAvoidance && containment(other.terms, bullet.terms) >= ALREADY_SAID,
    ),
  );
};

const isGerund = (text: string): boolean => /^\p{L}+ing\b/iu.test(text);
const lowerFirst = (text: string): string =>
  /^\p{Lu}\p{Ll}|^A /u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
const unstopped = (text: string): string => text.replace(/[\s.;:,]+$/, "");

/** The medoid's situation, and the one least like it, in the form the medoid has. */
function triggerOf(medoid: Reading, readings: readonly Reading[]): string {
  const own = termsOf(medoid.trigger);
  const others = readings
    .filter(({ trigger }) => trigger !== "" && isGerund(trigger) === isGerund(medoid.trigger))
    .map(({ trigger }) => ({ trigger, likeness: containment(termsOf(trigger), own) }))
    .filter(({ likeness }) => likeness < 1)
    .sort((left, right) => left.likeness - right.likeness);
  const first = asSentence(medoid.trigger);
  const other = others[0];
  if (other === undefined || first === "") return first.slice(0, MAX_TRIGGER_CHARS);
  const joined = `${unstopped(first)}, or ${lowerFirst(unstopped(other.trigger)).replace(/^(?:user|customer) /, "the $&")}.`;
  return joined.length <= MAX_TRIGGER_CHARS ? joined : first.slice(0, MAX_TRIGGER_CHARS);
}

/** The medoid's own reason where it is general; quoted words are one person's and stay out. */
function rationaleOf(medoid: Reading, readings: readonly Reading[]): string {
  const users = new Set(readings.map(({ source }) => source.userLabel)).size;
  const areCorrections = readings.every(({ source }) => /\bcorrect(?:ed|ion)\b/i.test(source.rationale));
  const verb = areCorrections ? "corrected the agent on this" : "asked for this";
  const support = users > 1 ? `${users} users ${verb} independently` : `the same user ${verb} more than once`;
  const reason = unstopped(generalise(medoid.source.rationale).split(/(?<=[.!?])\s+(?=\p{Lu})/u)[0] ?? "");
  const isGeneral = reason !== "" && !/["“”„«»:]|'\p{L}[^']{10,}'/u.test(reason);
  const sentence = isGeneral ? `${reason}; ${support}` : support;
  return asSentence(sentence.length <= MAX_RATIONALE_CHARS ? sentence : support);
}

/** A list, or one sentence where there is one thing to do. */
const render = (bullets: readonly Bullet[]): string =>
  bullets.map(({ text }) => (bullets.length === 1 ? text : `- ${text}`)).join("\n");

/** Which source was learned first says nothing about the rule: the same sources give the same rule in any order. */
const byText = (left: Source, right: Source): number => {
  const [one, other] = [left, right].map(({ trigger, content }) => JSON.stringify([trigger, content]));
  return (one ?? "") < (other ?? "") ? -1 : 1;
};

/** A refresh keeps the present rule and adds what its new members say beyond it. */
function extend(current: NonNullable<Input["current"]>, medoid: Reading, added: readonly Instruction[]) {
  const present = bulletsOf(current.content);
  const fresh = added
    .map(({ bullet }) => bullet)
    .filter((bullet) => !present.some((own) => containment(own.terms, bullet.terms) >= SAME_INSTRUCTION));
  if (fresh.length === 0) return null;
  const merged = [...present, ...fresh].sort(
    (left, right) => Number(left.isAvoidance) - Number(right.isAvoidance),
  );
  return {
    trigger: current.trigger === "" ? asSentence(medoid.trigger) : current.trigger,
    content: render(merged.slice(0, MAX_BULLETS + present.length)),
    rationale: current.rationale === "" ? rationaleOf(medoid, [medoid]) : current.rationale,
  };
}

/** One generalised rule, or null: nothing is left, sources contradict, or an existing rule says it. */
export function synthesiseOffline(input: Input): TaskOutput<"synthesise"> {
  const readings = input.sources.toSorted(byText).flatMap((source) => read(source) ?? []);
  const medoid = medoidOf(readings);
  if (medoid === undefined) return { playbook: null };
  const directions = readings.map(({ source }) => directionsOf(source.content));
  const disagree = directions.some((one, index) =>
    directions.slice(index + 1).some((other) => opposes(one, other)),
  );
  if (disagree) return { playbook: null };
  const userCount = new Set(readings.map(({ source }) => source.userLabel)).size;
  const instructions = supported(instructionsOf(readings), userCount);
  const bullets = instructions.map(({ bullet }) => bullet);
  if (bullets.length === 0 || input.existingRules.some((rule) => saysAll(rule, bullets)))
    return { playbook: null };
  if (input.mode === "refresh" && input.current !== null) {
    const current = directionsOf(input.current.content);
    if (directions.some((one) => opposes(one, current))) return { playbook: null };
    return { playbook: extend(input.current, medoid, instructions) };
  }
  return {
    playbook: {
      trigger: triggerOf(medoid, readings),
      content: render(bullets),
      rationale: rationaleOf(medoid, readings),
    },
  };
}
