/** Builders of what learning passes around; every test states only what it is about. */
import type { StreamTurn } from "../../../src/interactions/model";
import { detailsSchema } from "../../../src/interactions/model";
import type { Candidate, Lesson, StoredLesson } from "../../../src/learning/model";
import type { RawCandidate } from "../../../src/learning/validate";

export const turn = (interactionId: number, over: Partial<StreamTurn> = {}): StreamTurn => ({
  interactionId,
  requestId: "r1",
  sessionId: "s1",
  source: "",
  agentVersion: "agent-v0",
  requestCreatedAt: 1_000,
  createdAt: 1_000,
  role: "User",
  content: `turn ${interactionId}`,
  details: detailsSchema.parse({}),
  ...over,
});

export const raw = (over: Partial<RawCandidate> = {}): RawCandidate => ({
  rationale: "The gardener said so.",
  evidence_kind: "correction",
  trigger: "Asked when to water the ferns",
  content: "Advise watering ferns at dawn.",
  evidence_refs: ["T1"],
  ...over,
});

export const candidate = (label: string, over: Partial<Candidate> = {}): Candidate => ({
  label,
  trigger: "Asked when to water the ferns",
  content: "Advise watering ferns at dawn, and never at noon.",
  rationale: "The gardener said so.",
  evidenceKind: "correction",
  evidence: [
    {
      unit: `${label}-E1`,
      turn: "T1",
      interactionId: 11,
      text: "No, water them at dawn.",
      isUserVoice: true,
    },
    {
      unit: `${label}-E2`,
      turn: "T2",
      interactionId: 12,
      text: "Noon burns the leaves.",
      isUserVoice: false,
    },
  ],
  ...over,
});

export const lesson = (over: Partial<Lesson> = {}): Lesson => ({
  trigger: "asked when to water the ferns in the greenhouse",
  content: "advise watering ferns at dawn and mention the misting schedule",
  rationale: "the gardener said so",
  readerAngle: "correction",
  sourceInteractionIds: [1],
  sourceSpan: "water them at dawn",
  notes: null,
  revised: false,
  ...over,
});

export const stored = (userPlaybookId: number, over: Partial<StoredLesson> = {}): StoredLesson => ({
  userPlaybookId,
  trigger: "asked when to water the ferns in the greenhouse",
  content: "advise watering ferns at dawn and mention the misting schedule",
  rationale: "an earlier talk",
  readerAngle: "correction",
  sourceInteractionIds: [100 + userPlaybookId],
  sourceSpan: "at dawn, please",
  notes: null,
  source: "",
  createdAtSec: 1_000,
  updatedAtMs: 1_000_000,
  ...over,
});
