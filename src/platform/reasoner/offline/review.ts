/**
 * The deterministic reviewer: one decision per candidate, accepting what a user's own words support.
 * It judges the candidate and its evidence only, so it suits rules of any extractor.
 */
import type { ChronologyTurn, TaskInput, TaskOutput } from "../port";
import { narrowed } from "./review-narrow";
import { objectionTo, type ReviewObjection } from "./review-objections";

type Candidate = TaskInput<"reviewCandidates">["candidates"][number];
type Decision = TaskOutput<"reviewCandidates">["decisions"][number];

function rejection(candidate: Candidate, objection: ReviewObjection): Decision {
  return {
    candidate_id: candidate.label,
    decision: "reject",
    reason_code: objection.code,
    reason: objection.reason,
    evidence_ids: [],
    revision: null,
  };
}

function decide(
  candidate: Candidate,
  turns: ReadonlyMap<string, ChronologyTurn>,
  known: TaskInput<"reviewCandidates">["existing"],
): Decision {
  const objection = objectionTo(candidate, turns, known);
  if (objection !== null) return rejection(candidate, objection);
  const evidenceIds = candidate.evidence.map((unit) => unit.unit);
  const revision = narrowed(candidate);
  if (revision !== null) {
    return {
      candidate_id: candidate.label,
      decision: "revise",
      reason_code: "compound",
      reason: "Narrowed to what the evidence supports.",
      evidence_ids: evidenceIds,
      revision,
    };
  }
  return {
    candidate_id: candidate.label,
    decision: "accept",
    reason_code: "grounded_useful",
    reason: "The user's own words support it and it tells the agent what to do.",
    evidence_ids: evidenceIds,
    revision: null,
  };
}

/** A rule in use is judged as a candidate is. */
export function reviewStoredOffline(input: TaskInput<"reviewStored">): TaskOutput<"reviewStored"> {
  const turns = new Map(input.turns.map((turn) => [turn.label, turn]));
  const { candidate_id: _label, ...verdict } = decide(input.rule, turns, input.existing);
  return verdict;
}

/** Exactly one decision per candidate, in order. A candidate that repeats an earlier one of the batch is redundant. */
export function reviewCandidatesOffline(
  input: TaskInput<"reviewCandidates">,
): TaskOutput<"reviewCandidates"> {
  const turns = new Map(input.turns.map((turn) => [turn.label, turn]));
  const known = [...input.existing];
  const decisions = input.candidates.map((candidate) => {
    const decision = decide(candidate, turns, known);
    if (decision.decision !== "reject") known.push(candidate);
    return decision;
  });
  return { decisions };
}
