/**
 * Applies a reviewer's decisions (specification 6.7): exactly one per candidate, a revision only narrows,
 * some reasons can only reject. Anything else is a problem, and a batch with a problem stores nothing. Pure.
 */
import type { TaskOutput } from "../platform/reasoner/port";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "./bounds";
import { lessonOf } from "./candidates";
import { leaksLabel } from "./leaks";
import type { Candidate, EvidenceUnit, Lesson, RuleText } from "./model";
import { widens } from "./narrowing";
import { isReasonCode, reasonCodeOf, rejectOnly } from "./reason-codes";

export type ReviewDecision = TaskOutput<"reviewCandidates">["decisions"][number];

export interface Reviewed {
  lessons: Lesson[];
  rejected: { label: string; reasonCode: string }[];
}

function revisionProblem(
  candidate: Candidate,
  revision: RuleText,
  units: readonly EvidenceUnit[],
): string | undefined {
  if ([revision.content, revision.trigger, revision.rationale].some((text) => text.trim() === "")) {
    return "a revision needs content, trigger and rationale in full";
  }
  if (
    revision.content.length > MAX_CONTENT_CHARS ||
    revision.trigger.length > MAX_TRIGGER_CHARS ||
    revision.rationale.length > MAX_RATIONALE_CHARS
  ) {
    return "the revision is too long";
  }
  if (leaksLabel(revision)) return "the revision names a turn, evidence or list label";
  if (widens(revision, candidate, units)) return "the revision says more than the candidate and its evidence";
  if (candidate.evidenceKind === "preference" && !units.some((unit) => unit.isUserVoice)) {
    return "a preference must keep evidence in the user's own voice";
  }
  return undefined;
}

/** What is wrong with one decision, or undefined. */
function problemOf(decision: ReviewDecision, candidate: Candidate): string | undefined {
  const code = reasonCodeOf(decision);
  const listed = new Set(decision.evidence_ids);
  const units = candidate.evidence.filter((unit) => listed.has(unit.unit));
  if (!isReasonCode(code)) return `reason_code ${JSON.stringify(code.slice(0, 40))} is unknown`;
  if (units.length !== listed.size) return "evidence_ids names a unit that is not the candidate's";
  if (rejectOnly.has(code) && decision.decision !== "reject") return `${code} may only reject`;
  switch (decision.decision) {
    case "reject":
      if (listed.size > 0 || decision.revision !== null)
        return "a rejection has no evidence_ids and no revision";
      return code === "grounded_useful" ? "grounded_useful cannot reject" : undefined;
    case "accept":
      if (decision.revision !== null) return "an acceptance has no revision";
      if (code !== "grounded_useful") return "an acceptance has the reason_code grounded_useful";
      return units.length === candidate.evidence.length ? undefined : "an acceptance keeps all evidence_ids";
    case "revise":
      if (decision.revision === null) return "a revision needs content, trigger and rationale in full";
      if (units.length === 0) return "a revision keeps at least one of its evidence_ids";
      return revisionProblem(candidate, decision.revision, units);
  }
}

/** The decided lesson, or null for a rejection. Only for decisions without a problem. */
function lessonFrom(decision: ReviewDecision, candidate: Candidate): Lesson | null {
  if (decision.decision === "reject") return null;
  const units = candidate.evidence.filter((unit) => decision.evidence_ids.includes(unit.unit));
  const note = `review:${decision.decision}:${reasonCodeOf(decision)}`;
  const { revision } = decision;
  if (revision === null) return lessonOf(candidate, units, note, false);
  const texts = {
    trigger: revision.trigger.trim(),
    content: revision.content.trim(),
    rationale: revision.rationale.trim(),
  };
  return lessonOf({ ...candidate, ...texts }, units, note, true);
}

/** @returns the surviving lessons, or every problem of the answer */
export function applyReview(
  candidates: readonly Candidate[],
  decisions: readonly ReviewDecision[],
): { reviewed: Reviewed } | { problems: string[] } {
  const byLabel = new Map(candidates.map((candidate) => [candidate.label, candidate]));
  const decided = new Map<string, ReviewDecision>();
  const problems: string[] = [];
  for (const decision of decisions) {
    const label = decision.candidate_id.trim().toUpperCase();
    const candidate = byLabel.get(label);
    if (candidate === undefined)
      problems.push(`candidate ${JSON.stringify(label.slice(0, 40))} does not exist`);
    else if (decided.has(label)) problems.push(`candidate ${label} is decided more than once`);
    else {
      const problem = problemOf(decision, candidate);
      if (problem !== undefined) problems.push(`candidate ${label}: ${problem}`);
      decided.set(label, decision);
    }
  }
  for (const { label } of candidates) {
    if (!decided.has(label)) problems.push(`candidate ${label} is not decided`);
  }
  if (problems.length > 0) return { problems };

  const reviewed: Reviewed = { lessons: [], rejected: [] };
  for (const candidate of candidates) {
    const decision = decided.get(candidate.label);
    if (decision === undefined) continue;
    const lesson = lessonFrom(decision, candidate);
    if (lesson === null)
      reviewed.rejected.push({ label: candidate.label, reasonCode: reasonCodeOf(decision) });
    else reviewed.lessons.push(lesson);
  }
  return { reviewed };
}
