/** What learning passes from step to step, and what of it is stored between steps. */
import * as z from "zod";
import { evidenceKinds } from "../platform/reasoner/port";

/** The three texts of a rule. */
export const ruleTextShape = { trigger: z.string(), content: z.string(), rationale: z.string() };
export interface RuleText {
  trigger: string;
  content: string;
  rationale: string;
}

/** One cited place: a turn, and the words of it that prove the rule. */
export const evidenceUnitSchema = z.object({
  /** `C1-E1`; call-local. */
  unit: z.string(),
  /** `T3`; call-local. */
  turn: z.string(),
  interactionId: z.int(),
  text: z.string(),
  isUserVoice: z.boolean(),
});
export type EvidenceUnit = z.infer<typeof evidenceUnitSchema>;

/** A rule that passed the deterministic checks and waits for its review. */
export const candidateSchema = z.object({
  /** `C1`; call-local. */
  label: z.string(),
  ...ruleTextShape,
  evidenceKind: z.enum(evidenceKinds),
  evidence: z.array(evidenceUnitSchema).min(1),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** A reviewed rule: all that a stored row says about the lesson itself. */
export const lessonSchema = z.object({
  ...ruleTextShape,
  /** The evidence kind, or null where merged rules disagree. */
  readerAngle: z.string().nullable(),
  sourceInteractionIds: z.array(z.int()),
  sourceSpan: z.string(),
  notes: z.string().nullable(),
  /** Whether the reviewer rewrote it. */
  revised: z.boolean(),
});
export type Lesson = z.infer<typeof lessonSchema>;

/** A CURRENT row that a new lesson may repeat, refine or contradict. */
export interface StoredLesson {
  userPlaybookId: number;
  trigger: string;
  content: string;
  rationale: string;
  readerAngle: string | null;
  sourceInteractionIds: number[];
  sourceSpan: string;
  notes: string | null;
  source: string;
  createdAtSec: number;
  /** Changes with every edit; a plan made on an older one is not applied. */
  updatedAtMs: number;
}

/** What a stored row becomes: a tombstone, pointing to the row that took it in where there is one. */
export const retirementSchema = z.object({
  userPlaybookId: z.int(),
  status: z.enum(["merged", "superseded"]),
  /** Position in the plan's `inserts`, or null. */
  into: z.int().nullable(),
});

/** What is to be written for one window; pure data, so that it can be stored before it is applied. */
export const planSchema = z.object({
  inserts: z.array(lessonSchema),
  retirements: z.array(retirementSchema),
  /** Stored rows that new lessons were dropped in favour of. */
  keptBy: z.array(z.int()),
});
export type Plan = z.infer<typeof planSchema>;

/** A vector as it rides in a stored outcome. */
export const outcomeVectorSchema = z.object({
  model: z.string(),
  dimension: z.int(),
  hexBytes: z.string(),
  scale: z.number(),
});

/** A plan with what it was made on and the vectors of its inserts, in their order. */
export const preparedPlanSchema = planSchema.extend({
  vectors: z.array(outcomeVectorSchema),
  /** `[id, updated_at_ms]` of the stored rows that the plan counts on. */
  basis: z.array(z.tuple([z.int(), z.int()])),
});
export type PreparedPlan = z.infer<typeof preparedPlanSchema>;

/** How far a window has come; stored after every model call, so that none is paid twice. */
export const progressSchema = z.object({
  candidates: z.array(candidateSchema).nullable(),
  lessons: z.array(lessonSchema).nullable(),
  plan: preparedPlanSchema.nullable(),
  /** What was left out, by `stage:reason`. */
  dropped: z.record(z.string(), z.int()),
  /** Who answered last. */
  model: z.string(),
  provider: z.string(),
});
export type Progress = z.infer<typeof progressSchema>;

export const noProgress: Progress = {
  candidates: null,
  lessons: null,
  plan: null,
  dropped: {},
  model: "",
  provider: "",
};

/** What made a window: a user's stream, or somebody who asked for a generation (specification 7.2). */
export const windowKinds = ["playbook", "profile", "rerun", "manual"] as const;
export type WindowKind = (typeof windowKinds)[number];

/** One stored unit of extraction. */
export interface ExtractionWindow {
  orgId: string;
  windowId: string;
  userId: string;
  kind: WindowKind;
  manifest: number[];
  endSeq: number;
  force: boolean;
  skipAggregation: boolean;
  configHash: string;
  agentVersion: string;
  requestId: string;
  source: string;
  state: "open" | "computed" | "applied" | "dead" | "invalidated";
  progress: Progress;
}
