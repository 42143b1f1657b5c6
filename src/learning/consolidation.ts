/**
 * Judges a consolidation's decisions and turns them into a plan (specification 7.1). Every new lesson is
 * decided exactly once, no fact is lost, no two survivors say the same. Pure; problems go into one repair.
 */
import type { TaskInput, TaskOutput } from "../platform/reasoner/port";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "./bounds";
import { unionOfIds, unionOfNotes, unionOfTexts } from "./candidates";
import { evidenceGroups } from "./evidence-groups";
import { existingLabel, existingPosition, newLabel, newPosition } from "./labels";
import { leaksLabel } from "./leaks";
import type { Lesson, Plan, RuleText, StoredLesson } from "./model";
import { absorbs, overlaps, sharesEvidence } from "./overlap";

export type ConsolidationDecision = TaskOutput<"consolidate">["decisions"][number];

/** The rows as a reasoner sees them; `source` is the run's. */
export function consolidationInput(
  fresh: readonly Lesson[],
  existing: readonly StoredLesson[],
  run: { source: string; nowSec: number },
): Omit<TaskInput<"consolidate">, "repair"> {
  const groups = evidenceGroups([...fresh, ...existing].map((row) => row.sourceInteractionIds));
  const minuteOf = (atSec: number) => `${new Date(atSec * 1000).toISOString().slice(0, 16)}Z`;
  const shown = (
    row: Lesson | StoredLesson,
    label: string,
    group: number,
    source: string,
    atSec: number,
  ) => ({
    label,
    trigger: row.trigger,
    content: row.content,
    rationale: row.rationale,
    span: row.sourceSpan,
    evidenceGroup: groups[group] ?? "",
    source,
    dateToMinute: minuteOf(atSec),
  });
  return {
    fresh: fresh.map((row, index) => shown(row, newLabel(index), index, run.source, run.nowSec)),
    existing: existing.map((row, index) =>
      shown(row, existingLabel(index), fresh.length + index, row.source, row.createdAtSec),
    ),
  };
}

/** A decision with its labels resolved to positions. */
type Resolved = {
  decision: ConsolidationDecision;
  fresh: number[];
  existing: number[];
};

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
function resolve(
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

const retires = ({ decision }: Resolved): boolean =>
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

const pick = <Row>(rows: readonly Row[], positions: readonly number[]): Row[] =>
  positions.flatMap((position) => {
    const row = rows[position];
    return row === undefined ? [] : [row];
  });

const asLesson = (row: StoredLesson): Lesson => ({
  trigger: row.trigger,
  content: row.content,
  rationale: row.rationale,
  readerAngle: row.readerAngle,
  sourceInteractionIds: row.sourceInteractionIds,
  sourceSpan: row.sourceSpan,
  notes: row.notes,
  revised: false,
});

function unified(text: RuleText, fresh: readonly Lesson[], existing: readonly StoredLesson[]): Lesson {
  const members = [...fresh, ...existing];
  const angles = new Set(members.map((row) => row.readerAngle));
  const [angle] = angles;
  return {
    trigger: text.trigger.trim(),
    content: text.content.trim(),
    rationale: text.rationale.trim(),
    readerAngle: angles.size === 1 ? (angle ?? null) : null,
    sourceInteractionIds: unionOfIds(members.map((row) => row.sourceInteractionIds)),
    sourceSpan: unionOfTexts(members.map((row) => row.sourceSpan)),
    notes: unionOfNotes(members.map((row) => row.notes)),
    revised: fresh.some((row) => row.revised),
  };
}

/** One surviving row and the decision that made it. */
interface Survivor {
  lesson: Lesson;
  from: Resolved;
}

function survivorsOf(
  entry: Resolved,
  fresh: readonly Lesson[],
  existing: readonly StoredLesson[],
): Survivor[] {
  const { decision } = entry;
  const lessons = pick(fresh, entry.fresh);
  const rows = pick(existing, entry.existing);
  switch (decision.kind) {
    case "unify":
      return [{ lesson: unified(decision, lessons, rows), from: entry }];
    case "independent":
      return lessons.map((lesson) => ({ lesson, from: entry }));
    case "differentiate":
      return [
        ...lessons.map((lesson) => ({ ...lesson, trigger: decision.refined_new_trigger.trim() })),
        ...rows.map((row) => ({ ...asLesson(row), trigger: decision.refined_existing_trigger.trim() })),
      ].map((lesson) => ({ lesson, from: entry }));
    case "reject_new":
      return [];
  }
}

/** Facts that a unify took from a lesson which another decision keeps. */
function absorptionProblems(survivors: readonly Survivor[], fresh: readonly Lesson[]): string[] {
  const problems: string[] = [];
  for (const { lesson, from } of survivors.filter((survivor) => survivor.from.decision.kind === "unify")) {
    for (const other of survivors) {
      if (other.from === from) continue;
      if (other.from.decision.kind === "unify") {
        if (sharesEvidence(lesson, other.lesson) && absorbs(lesson.content, other.lesson.content)) {
          problems.push("two unify results over the same source say the same");
        }
        continue;
      }
      for (const kept of pick(fresh, other.from.fresh)) {
        if (sharesEvidence(lesson, kept) && absorbs(lesson.content, kept.content)) {
          problems.push("unify took in what a NEW row says that is kept elsewhere");
        }
      }
    }
  }
  return problems;
}

function overlapProblems(survivors: readonly Survivor[], untouched: readonly StoredLesson[]): string[] {
  const problems: string[] = [];
  survivors.forEach(({ lesson, from }, index) => {
    for (const other of survivors.slice(index + 1)) {
      // The two halves of one differentiate share their content on purpose.
      const halves = from === other.from && from.decision.kind === "differentiate";
      if (!halves && overlaps(lesson, other.lesson)) problems.push("two resulting rules say the same");
    }
    if (untouched.some((row) => overlaps(lesson, row))) {
      problems.push("a resulting rule says the same as an EXISTING row that stays");
    }
  });
  return problems;
}

function planOf(
  resolved: readonly Resolved[],
  survivors: readonly Survivor[],
  existing: readonly StoredLesson[],
): Plan {
  const plan: Plan = { inserts: survivors.map(({ lesson }) => lesson), retirements: [], keptBy: [] };
  for (const entry of resolved) {
    const rows = pick(existing, entry.existing);
    if (entry.decision.kind === "reject_new") plan.keptBy.push(...rows.map((row) => row.userPlaybookId));
    if (!retires(entry)) continue;
    // A differentiated row has two successors, so it points to neither (trap 26).
    const merged = entry.decision.kind === "unify";
    const into = merged ? survivors.findIndex((survivor) => survivor.from === entry) : null;
    for (const { userPlaybookId } of rows) {
      plan.retirements.push({ userPlaybookId, status: merged ? "merged" : "superseded", into });
    }
  }
  return { ...plan, keptBy: [...new Set(plan.keptBy)] };
}

/** @returns what to write, or every problem of the answer */
export function judgeConsolidation(
  fresh: readonly Lesson[],
  existing: readonly StoredLesson[],
  decisions: readonly ConsolidationDecision[],
): { plan: Plan } | { problems: string[] } {
  const { resolved, problems } = resolve(fresh, existing, decisions);
  if (problems.length > 0) return { problems };
  const survivors = resolved.flatMap((entry) => survivorsOf(entry, fresh, existing));
  const retired = new Set(resolved.filter(retires).flatMap((entry) => entry.existing));
  const untouched = existing.filter((_, position) => !retired.has(position));
  const faults = [...absorptionProblems(survivors, fresh), ...overlapProblems(survivors, untouched)];
  return faults.length > 0
    ? { problems: [...new Set(faults)] }
    : { plan: planOf(resolved, survivors, existing) };
}
