/** Judges a model's tags: every rule exactly once, each tag one short line. Pure. */
import type { TaskOutput } from "../platform/reasoner/port";
import type { Judgement } from "./ask";

type Assignments = NonNullable<TaskOutput<"tag">["assignments"]>;

export const MAX_TAGS = 20;
export const MAX_TAG_CHARS = 80;

/** `R1`, `R2`, … by position. */
export const ruleLabel = (position: number): string => `R${position + 1}`;

/** One line each, the first of those that differ only in case. */
function tidied(tags: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const tag of tags) {
    const line = tag.replace(/\s+/g, " ").trim();
    if (line !== "" && !distinct.has(line.toLowerCase())) distinct.set(line.toLowerCase(), line);
  }
  return [...distinct.values()];
}

function problemOf(label: string, tags: readonly string[]): string | undefined {
  if (tags.length > MAX_TAGS) return `rule ${label} has more than ${MAX_TAGS} tags`;
  return tags.some((tag) => tag.length > MAX_TAG_CHARS)
    ? `rule ${label} has a tag of more than ${MAX_TAG_CHARS} characters`
    : undefined;
}

/** @returns the tags of `count` rules by position, or what is wrong with the answer */
export function judgeTags(count: number, assignments: Assignments): Judgement<string[][]> {
  const labels = Array.from({ length: count }, (_, position) => ruleLabel(position));
  const given = new Map<string, string[]>();
  const problems: string[] = [];
  for (const { label, tags } of assignments) {
    if (!labels.includes(label)) problems.push(`rule ${JSON.stringify(label.slice(0, 40))} does not exist`);
    else if (given.has(label)) problems.push(`rule ${label} is tagged more than once`);
    else {
      const tidy = tidied(tags);
      const problem = problemOf(label, tidy);
      if (problem !== undefined) problems.push(problem);
      given.set(label, tidy);
    }
  }
  for (const label of labels) if (!given.has(label)) problems.push(`rule ${label} is not tagged`);
  return problems.length > 0 ? { problems } : { value: labels.map((label) => given.get(label) ?? []) };
}
