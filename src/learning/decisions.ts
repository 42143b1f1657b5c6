/**
 * Reads a consolidation's decisions: labels become positions, every new lesson is decided exactly once, every
 * stored row ends at most once. Pure.
 */
import type { TaskOutput } from "../platform/reasoner/port";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "./bounds";
import { existingLabel, existingPosition, newLabel, newPosition } from "./labels";
import { leaksLabel } from "./leaks";
import type { Lesson, StoredLesson } from "./model";

export type ConsolidationDecision = TaskOutput<"consolidate">["decisions"][number];

/** A decision with its labels resolved to positions. */
export interface Resolved {
  decision: ConsolidationDecision;
  fresh: number[];
  existing: number[];
}

const namedNew = (decision: ConsolidationDecision): string[] =>
  decision.kind === "differentiate" ? [decision.new_id] : decision.new_ids;

function namedExisting(decision: ConsolidationDecision): string[] {
  switch (decision.kind) {
    case "unify":
      return decision.archive_existing_ids;
    case "reject_new":
      return decision.superseded_by_existing_ids;
    case "differentiate":
      return [decision.existing_id];
    case "independent":
      return [];
  }
}

const quoted = (label: string): string => JSON.stringify(label.slice(0, 40));

/** What a decision writes; undefined for those that write nothing of their own. */
function wordsOf(decision: ConsolidationDecision): string[] {
  if (decision.kind === "unify") return [decision.content, decision.trigger, decision.rationale];
  if (decision.kind === "differentiate")
    return [decision.refined_new_trigger, decision.refined_existing_trigger];
  return [];
}

function textProblem(decision: ConsolidationDecision): string | undefined {
  const words = wordsOf(decision);
  if (words.some((text) => text.trim() === "")) return `${decision.kind} needs all of its texts`;
  if (leaksLabel({ trigger: "", content: words.join("\n"), rationale: "" })) {
    return `${decision.kind} names a label inside a text`;
  }
  const tooLong =
    decision.kind === "unify"
      ? decision.content.length > MAX_CONTENT_CHARS ||
        decision.trigger.length > MAX_TRIGGER_CHARS ||
        decision.rationale.length > MAX_RATIONALE_CHARS
      : words.some((text) => text.length > MAX_TRIGGER_CHARS);
  return tooLong ? `${decision.kind} has a text that is too long` : undefined;
}

/** Resolves labels and checks the partition of the new lessons and the use of the stored ones. */
export function resolve(
  fresh: readonly Lesson[],
  existing: readonly StoredLesson[],
  decisions: readonly ConsolidationDecision[],
): { resolved: Resolved[]; problems: string[] } {
  const ids = existing.map((row) => row.userPlaybookId);
  const problems = decisions.length === 0 ? ["the list of decisions is empty"] : [];
  const decidedNew = new Set<number>();
  const resolved = decisions.map((decision): Resolved => {
    const positions: number[] = [];
    for (const label of namedNew(decision)) {
      const position = newPosition(label, fresh.length);
      if (position === undefined) problems.push(`${quoted(label)} is no NEW row`);
      else if (decidedNew.has(position)) problems.push(`${newLabel(position)} is decided more than once`);
      else {
        decidedNew.add(position);
        positions.push(position);
      }
    }
    if (namedNew(decision).length === 0) problems.push(`${decision.kind} names no NEW row`);
    const rows = new Set<number>();
    for (const label of namedExisting(decision)) {
      const position = existingPosition(label, ids);
      if (position === undefined) problems.push(`${quoted(label)} is no EXISTING row`);
      else rows.add(position);
    }
    if (decision.kind === "reject_new" && namedExisting(decision).length === 0) {
      problems.push("reject_new names no EXISTING row");
    }
    const text = textProblem(decision);
    if (text !== undefined) problems.push(text);
    return { decision, fresh: positions, existing: [...rows] };
  });
  fresh.forEach((_, position) => {
    if (!decidedNew.has(position)) problems.push(`${newLabel(position)} is not decided`);
  });
  return { resolved, problems: [...problems, ...retirementProblems(resolved)] };
}

export const retires = ({ decision }: Resolved): boolean =>
  decision.kind === "unify" || decision.kind === "differentiate";

/** A stored row ends at most once, and a row that ends supersedes nothing. */
function retirementProblems(resolved: readonly Resolved[]): string[] {
  const problems: string[] = [];
  const retired = new Set<number>();
  for (const entry of resolved.filter(retires)) {
    for (const position of entry.existing) {
      if (retired.has(position)) problems.push(`${existingLabel(position)} is replaced by two decisions`);
      retired.add(position);
    }
  }
  for (const entry of resolved.filter(({ decision }) => decision.kind === "reject_new")) {
    for (const position of entry.existing) {
      if (retired.has(position)) {
        problems.push(`${existingLabel(position)} is replaced, so it cannot supersede a NEW row`);
      }
    }
  }
  return problems;
}
