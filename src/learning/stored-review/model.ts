/** Reviews of stored user playbooks: what is decided about a rule, and how a run stands (specification 10). */
import * as z from "zod";
import { type ReviewReasonCode, reviewReasonCodes } from "../../platform/reasoner/port";
import { lessonSchema, outcomeVectorSchema } from "../model";

export const decisions = ["accept", "edit", "reject", "skip"] as const;
export type Decision = (typeof decisions)[number];

/** What only the service says: the record of a rule is not there to judge it by. */
export const EVIDENCE_UNAVAILABLE = "evidence_unavailable";
export const storedReasonCodes = [...reviewReasonCodes, EVIDENCE_UNAVAILABLE] as const;

const why = { reasonCode: z.enum(reviewReasonCodes), reason: z.string().nullable() };

/** A reviewer's decision on a rule whose record is there. */
export const judgementSchema = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("accept"), ...why }),
  z.object({ decision: z.literal("reject"), ...why }),
  /** The rule as it would be: its texts, and the evidence that remains. */
  z.object({ decision: z.literal("edit"), ...why, lesson: lessonSchema }),
]);
export type Judgement = z.infer<typeof judgementSchema>;

export type StoredDecision = Judgement | { decision: "skip" };

/** A judgement that was paid for and waits to be applied. */
export const outcomeSchema = z.object({
  judgement: judgementSchema,
  /** `updatedAtMs` of the rule that was judged. */
  basisMs: z.int(),
  /** Of an edit. */
  vector: outcomeVectorSchema.nullable(),
  model: z.string(),
  provider: z.string(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export const runStates = ["running", "done", "failed"] as const;
export type RunState = (typeof runStates)[number];

/** Why a review ended before all of its rules were decided. */
export const stopCodes = [
  "not_current",
  "overtaken",
  "daily_cap",
  "model_unavailable",
  "model_refused",
  "review_invalid",
  "embedding_failed",
  "execution_failed",
] as const;
export type StopCode = (typeof stopCodes)[number];

/** What a caller is told; nothing of what a model or the database said. */
export const stopWords: Record<StopCode, string> = {
  not_current: "A rule stopped being current while the review ran.",
  overtaken: "A rule changed again and again while the review ran.",
  daily_cap: "The org has spent its model calls of the day.",
  model_unavailable: "The model could not be reached.",
  model_refused: "The model refused the request: check its key, its account and its settings.",
  review_invalid: "The reviewer's answer broke its contract, also after one repair.",
  embedding_failed: "The embedding model could not answer.",
  execution_failed: "The review failed inside.",
};

export interface Counts {
  accepted: number;
  edited: number;
  rejected: number;
  skipped: number;
}

export const noCounts: Counts = { accepted: 0, edited: 0, rejected: 0, skipped: 0 };

/** The count that a decision adds to. */
export const countOf: Record<Decision, keyof Counts> = {
  accept: "accepted",
  edit: "edited",
  reject: "rejected",
  skip: "skipped",
};

export const reasonCodeOfDecision = (
  decided: StoredDecision,
): ReviewReasonCode | typeof EVIDENCE_UNAVAILABLE =>
  decided.decision === "skip" ? EVIDENCE_UNAVAILABLE : decided.reasonCode;

/** Which rules a review looks at: made in this time, both ends included, newest first. */
export interface Selection {
  startSec: number;
  endSec: number;
  topK: number;
}

export interface ReviewRun extends Counts {
  orgId: string;
  runId: string;
  state: RunState;
  startSec: number;
  endSec: number;
  configHash: string;
  principalId: string;
  selected: number;
  /** How many are decided; the next one's place. */
  position: number;
  attempts: number;
  error: StopCode | null;
  startedAt: number;
  finishedAt: number | null;
}

export interface ReviewItem {
  position: number;
  userPlaybookId: number;
  decision: Decision | null;
  reasonCode: (typeof storedReasonCodes)[number] | null;
  successorId: number | null;
  outcome: Outcome | null;
}
