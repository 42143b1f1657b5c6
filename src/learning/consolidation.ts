/**
 * Judges a consolidation's decisions and turns them into a plan (specification 7.1): no fact is lost, no two
 * survivors say the same. Pure; problems go into one repair.
 */
import { unionOfIds, unionOfNotes, unionOfTexts } from "./candidates";
import { type ConsolidationDecision, type Resolved, resolve, retires } from "./decisions";
import type { Lesson, Plan, RuleText, StoredLesson } from "./model";
import { absorbs, overlaps, sharesEvidence } from "./overlap";

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
