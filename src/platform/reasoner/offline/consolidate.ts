/**
 * Offline consolidation: rules with the same lesson become one, a rule that reverses an older one takes its
 * place, everything else stands by itself. Deterministic, and always acceptable to the pipeline's guards.
 */
import type { TaskInput, TaskOutput } from "../port";
import {
  type Row,
  relationOf,
  type Standing,
  share,
  standing,
  topicOf,
  wouldAbsorb,
  wouldOverlap,
} from "./consolidate-relation";

type Decision = TaskOutput<"consolidate">["decisions"][number];

/** A new rule adds nothing where the stored one has this share of its stems. */
const SAID_ALREADY = 0.9;
/** A sentence is new where the text so far has less than this share of its stems. */
const SENTENCE_SAID = 0.75;
const MAX_CONTENT_CHARS = 1_200;

/** Rules that have to be decided together. */
interface Group {
  fresh: Row[];
  existing: Row[];
  /** Labels of rules that a newer one of the group reverses. */
  reversed: Set<string>;
}

/** Groups that touch through a row of either side become one. */
function merged(groups: readonly Group[]): Group[] {
  const result: Group[] = [];
  for (const group of groups) {
    const labels = new Set([...group.fresh, ...group.existing].map((row) => row.label));
    const touching = result.filter((other) =>
      [...other.fresh, ...other.existing].some((row) => labels.has(row.label)),
    );
    const rows = (side: "fresh" | "existing") => {
      const byLabel = new Map(
        [...touching, group].flatMap((part) => part[side]).map((row) => [row.label, row]),
      );
      return [...byLabel.values()];
    };
    const joined: Group = {
      fresh: rows("fresh"),
      existing: rows("existing"),
      reversed: new Set([...touching, group].flatMap((part) => [...part.reversed])),
    };
    result.splice(0, result.length, ...result.filter((other) => !touching.includes(other)), joined);
  }
  return result;
}

function firstGroups({ fresh, existing }: TaskInput<"consolidate">): Group[] {
  const groups: Group[] = fresh.map((row) => ({ fresh: [row], existing: [], reversed: new Set() }));
  fresh.forEach((row, index) => {
    const relate = (older: Row, side: "fresh" | "existing") => {
      const relation = relationOf(row, older);
      if (relation === "other") return;
      const link: Group = { fresh: [row], existing: [], reversed: new Set() };
      link[side].push(older);
      if (relation === "reversed") link.reversed.add(older.label);
      groups.push(link);
    };
    for (const earlier of fresh.slice(0, index)) relate(earlier, "fresh");
    for (const stored of existing) relate(stored, "existing");
  });
  return merged(groups);
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** `base`, and after it what the other texts say beyond it. */
function joinedContent(base: string, others: readonly string[]): string {
  let content = base;
  for (const sentence of others.flatMap(sentencesOf)) {
    if (share(topicOf(sentence), topicOf(content)) >= SENTENCE_SAID || topicOf(sentence).size === 0) continue;
    const longer = `${content}\n${sentence}`;
    if (longer.length <= MAX_CONTENT_CHARS) content = longer;
  }
  return content;
}

const saysItAlready = (fresh: Row, stored: Row): boolean => {
  const mine = topicOf(`${fresh.content} ${fresh.trigger}`);
  if (mine.size === 0) return fresh.content.trim() === stored.content.trim();
  const theirs = topicOf(`${stored.content} ${stored.trigger}`);
  return [...mine].filter((stem) => theirs.has(stem)).length / mine.size >= SAID_ALREADY;
};

/** The one rule that a group becomes, with its newest row's label, for further comparison. */
function unified(group: Group): Row | null {
  const valid = [...group.existing, ...group.fresh].filter((row) => !group.reversed.has(row.label));
  // Where something was reversed, the newest wording leads; else the oldest, which people know already.
  const lead = group.reversed.size > 0 ? valid.at(-1) : valid[0];
  if (lead === undefined) return group.fresh.at(-1) ?? null;
  const others = valid.filter((row) => row !== lead).map((row) => row.content);
  return { ...lead, content: joinedContent(lead.content, others) };
}

const labelsOf = (rows: readonly Row[]): string[] => rows.map((row) => row.label);

function decisionOf(group: Group): Decision {
  const [only] = group.fresh;
  if (group.existing.length === 0 && group.fresh.length === 1) {
    return { kind: "independent", new_ids: labelsOf(group.fresh) };
  }
  const keepers = group.existing.filter((stored) => group.fresh.every((row) => saysItAlready(row, stored)));
  if (group.reversed.size === 0 && keepers.length > 0) {
    return {
      kind: "reject_new",
      new_ids: labelsOf(group.fresh),
      superseded_by_existing_ids: labelsOf(keepers),
    };
  }
  const rule = unified(group) ?? only;
  return {
    kind: "unify",
    new_ids: labelsOf(group.fresh),
    archive_existing_ids: labelsOf(group.existing),
    trigger: rule?.trigger ?? "",
    content: rule?.content ?? "",
    rationale: rule?.rationale ?? "",
  };
}

/** What a group leaves behind as a new row, as the guards will see it. */
interface Survivor {
  group: Group;
  row: Row;
  /** A merged rule rests on the turns of all its members. */
  standing: Standing;
  isMerge: boolean;
}

function survivorOf(group: Group): Survivor[] {
  const { kind } = decisionOf(group);
  const row = kind === "reject_new" ? null : unified(group);
  if (row === null) return [];
  const groups = new Set([...group.fresh, ...group.existing].map((member) => member.evidenceGroup));
  return [{ group, row, standing: { ...standing(row), groups }, isMerge: kind === "unify" }];
}

/** `group` and what it has to take in; `reversed` where the newer wording has to lead. */
function link(group: Group, other: Pick<Group, "fresh" | "existing">, survivor: Row, older: Row): Group {
  return {
    fresh: [...group.fresh, ...other.fresh],
    existing: [...group.existing, ...other.existing],
    reversed: new Set(relationOf(survivor, older) === "reversed" ? [older.label] : []),
  };
}

/** Two groups whose results would collide, or a group and a stored row that stays; null where there are none. */
function collision(groups: readonly Group[], existing: readonly Row[]): Group | null {
  const survivors = groups.flatMap(survivorOf);
  const taken = new Set(survivors.flatMap(({ isMerge, group }) => (isMerge ? labelsOf(group.existing) : [])));
  const untouched = existing
    .filter((row) => !taken.has(row.label))
    .map((row) => ({ row, standing: standing(row) }));
  for (const [index, mine] of survivors.entries()) {
    const rival = survivors
      .slice(index + 1)
      .find(
        (theirs) =>
          wouldOverlap(mine.standing, theirs.standing) ||
          ((mine.isMerge || theirs.isMerge) && wouldAbsorb(mine.standing, theirs.standing)),
      );
    if (rival !== undefined) return link(mine.group, rival.group, rival.row, mine.row);
    const stored = untouched.find((theirs) => wouldOverlap(mine.standing, theirs.standing));
    if (stored !== undefined) {
      return link(mine.group, { fresh: [], existing: [stored.row] }, mine.row, stored.row);
    }
  }
  return null;
}

/** Decides every NEW row exactly once. */
export function consolidateOffline(input: TaskInput<"consolidate">): TaskOutput<"consolidate"> {
  let groups = firstGroups(input);
  for (let round = 0; round < input.fresh.length + input.existing.length; round += 1) {
    const collided = collision(groups, input.existing);
    if (collided === null) break;
    groups = merged([...groups, collided]);
  }
  const position = new Map(input.fresh.map((row, index) => [row.label, index]));
  const first = (group: Group): number => Math.min(...group.fresh.map((row) => position.get(row.label) ?? 0));
  return { decisions: [...groups].sort((left, right) => first(left) - first(right)).map(decisionOf) };
}
