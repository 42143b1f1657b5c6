/** One decision on one stored rule, from the record that it was learned from. Writes nothing. */
import type { Database } from "../../db/client";
import { loadTurns } from "../../interactions/store";
import type { Config } from "../../orgs/config";
import type { PlaybookExtractorConfig } from "../../orgs/config-schema";
import type { Reasoner, TaskOutput } from "../../platform/reasoner/port";
import type { UserPlaybook } from "../../playbooks/model";
import type { Services } from "../../services";
import { askWithRepair } from "../ask";
import { cut } from "../bounds";
import { isEvidenceValidated, unionOfNotes } from "../candidates";
import { type EmbeddingMemory, embeddingMemory } from "../compare";
import { guidanceOf } from "../compute";
import { leaksLabel } from "../leaks";
import { isReasonCode, reasonCodeOf } from "../reason-codes";
import { applyReview } from "../review";
import { evidenceOf, keptEvidence, type StoredEvidence } from "./evidence";
import type { Judgement } from "./model";
import { otherRules, type Simulation } from "./others";
import { finalizedManifest } from "./record-store";

/** Characters of a reviewer's sentence that a caller is shown. */
const MAX_REASON_CHARS = 500;

/** What every decision of one review is made with. */
export interface Reviewer {
  db: Database;
  reasoner: Reasoner;
  config: Config;
  extractor: PlaybookExtractorConfig;
  memory: EmbeddingMemory;
  /** The bound embedding model. */
  model: string;
}

/** @returns null where the org learns no rules: then there is nothing to review them by */
export function reviewerOf(
  services: Pick<Services, "embedder">,
  db: Database,
  reasoner: Reasoner,
  config: Config,
): Reviewer | null {
  const extractor = config.user_playbook_extractor_config;
  if (extractor === null) return null;
  const memory = embeddingMemory(services);
  return { db, reasoner, config, extractor, memory, model: services.embedder.model.name };
}

export type Decided = { judgement: null } | { judgement: Judgement; model: string; provider: string };

type Owned = UserPlaybook & { userId: string };
const isOwned = (row: UserPlaybook): row is Owned => row.userId !== null;

/** The whole record, or null: a part of it would be another record (specification 10). */
async function recordOf(db: Database, row: Owned): Promise<StoredEvidence | null> {
  const { orgId, userId, windowId, readerAngle, sourceInteractionIds } = row;
  const lesson = { sourceInteractionIds, sourceSpan: row.sourceSpan ?? "", readerAngle };
  if (windowId === null || !isEvidenceValidated(lesson)) return null;
  const manifest = await finalizedManifest(db, { orgId, userId, windowId });
  if (manifest === null) return null;
  const ids = [...new Set([...manifest, ...sourceInteractionIds])];
  const turns = await loadTurns(db, orgId, userId, ids);
  return turns.length === ids.length ? evidenceOf(row, turns) : null;
}

/** A sentence for people, or null where it speaks in labels that mean nothing outside the call. */
function reasonOf(reason: string): string | null {
  const text = reason.trim();
  if (text === "" || leaksLabel({ trigger: "", content: text, rationale: "" })) return null;
  return cut(text, MAX_REASON_CHARS);
}

/** The answer as a judgement, or what breaks its contract. */
function judge(row: UserPlaybook, evidence: StoredEvidence, output: TaskOutput<"reviewStored">) {
  const { candidate } = evidence;
  const applied = applyReview([candidate], [{ ...output, candidate_id: candidate.label }]);
  if ("problems" in applied) return applied;
  const reasonCode = reasonCodeOf(output);
  if (!isReasonCode(reasonCode)) return { problems: ["reason_code is unknown"] };
  const why = { reasonCode, reason: reasonOf(output.reason) };
  const [lesson] = applied.reviewed.lessons;
  const value = ((): Judgement => {
    if (lesson === undefined) return { decision: "reject", ...why };
    if (!lesson.revised) return { decision: "accept", ...why };
    const isSame =
      lesson.trigger === candidate.trigger &&
      lesson.content === candidate.content &&
      lesson.rationale === candidate.rationale;
    if (isSame) return { decision: "accept", reasonCode: "grounded_useful", reason: why.reason };
    const kept = keptEvidence(row, evidence, lesson);
    return { decision: "edit", ...why, lesson: { ...kept, notes: unionOfNotes([row.notes, kept.notes]) } };
  })();
  return { value };
}

/**
 * @returns a judgement, or null where the rule's record is not there as a whole: it is then skipped
 * @throws ReasonerError, EmbedderError
 */
export async function decide(
  reviewer: Reviewer,
  row: UserPlaybook,
  simulation: Simulation,
): Promise<Decided> {
  if (!isOwned(row)) return { judgement: null };
  const { db, reasoner, config, extractor, memory, model } = reviewer;
  const evidence = await recordOf(db, row);
  if (evidence === null) return { judgement: null };
  const { search_threshold: threshold, search_top_k: topK } = extractor.deduplication_config;
  const { label, trigger, content, rationale, evidenceKind, evidence: units } = evidence.candidate;
  const { value, answer } = await askWithRepair(
    reasoner,
    "reviewStored",
    {
      turns: evidence.turns,
      guidance: guidanceOf(config, extractor),
      rule: {
        ...{ label, trigger, content, rationale, evidenceKind },
        evidence: units.map(({ unit, turn, text }) => ({ unit, turn, text })),
      },
      existing: await otherRules(db, row, simulation, { memory, model, policy: { threshold, topK } }),
    },
    (output) => judge(row, evidence, output),
    "review_invalid",
  );
  return { judgement: value, model: answer.model, provider: answer.provider };
}
