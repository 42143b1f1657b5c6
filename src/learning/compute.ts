/**
 * What one window teaches: gate → extraction → checks → review → consolidation → vectors. Every model call
 * happens outside batches, and its outcome is saved before the next begins; nothing is applied here.
 */

import type { StreamTurn } from "../interactions/model";
import type { Config } from "../orgs/config";
import type { PlaybookExtractorConfig } from "../orgs/config-schema";
import { nowSec } from "../platform/clock";
import {
  type Guidance,
  type Reasoner,
  ReasonerError,
  type TaskAnswer,
  type TaskName,
} from "../platform/reasoner/port";
import type { Services } from "../services";
import { askWithRepair } from "./ask";
import { lessonOf } from "./candidates";
import { chronologyOf } from "./chronology";
import { embeddingMemory, findExisting, hexOf } from "./compare";
import { judgeConsolidation } from "./consolidation";
import { consolidationInput } from "./consolidation-input";
import { type Reading, readingOf } from "./extraction";
import { existingLabel } from "./labels";
import type {
  Candidate,
  ExtractionWindow,
  Lesson,
  Plan,
  PreparedPlan,
  Progress,
  RuleText,
  StoredLesson,
} from "./model";
import { replayMerge } from "./replay-merge";
import { applyReview } from "./review";

export interface Computation {
  services: Pick<Services, "embedder" | "clock" | "log" | "database">;
  /** Renews the lease before every call. */
  reasoner: Reasoner;
  window: ExtractionWindow;
  turns: readonly StreamTurn[];
  config: Config;
  /** Stores how far it has come. */
  save(progress: Progress): Promise<void>;
}

const emptyPlan: PreparedPlan = { inserts: [], retirements: [], keptBy: [], vectors: [], basis: [] };

/** What an org says of its agent, as every task is told it. */
export const guidanceOf = (config: Config, extractor: PlaybookExtractorConfig): Guidance => ({
  agentContext: [config.agent_context_prompt, extractor.context_prompt]
    .filter((text) => text !== null && text.trim() !== "")
    .join("\n\n"),
  extractionDefinition: extractor.extraction_definition_prompt,
  tools: config.tool_can_use ?? [],
});

const counted = (before: Progress["dropped"], names: readonly string[]): Progress["dropped"] => {
  const after = { ...before };
  for (const name of names) after[name] = (after[name] ?? 0) + 1;
  return after;
};

const answeredBy = <T extends TaskName>({ model, provider }: TaskAnswer<T>) => ({ model, provider });

/** The cheap gate; a model that fails there does not keep the window from being read (trap 20). */
async function shouldExtract(run: Computation, reading: Reading): Promise<boolean> {
  if (run.window.force || run.config.skip_should_run_check) return true;
  try {
    return await reading.shouldExtract(run.reasoner);
  } catch (error) {
    if (!(error instanceof ReasonerError) || error.code === "daily_cap") throw error;
    run.services.log.warn("learning.gate_failed", { windowId: run.window.windowId, code: error.code });
    return true;
  }
}

/** Candidates of the window, or an empty list where there is nothing to learn; lessons where nobody reviews them. */
async function extract(run: Computation, progress: Progress, guidance: Guidance): Promise<Progress> {
  const reading = readingOf(chronologyOf(run.turns), guidance);
  if (!(await shouldExtract(run, reading))) return { ...progress, candidates: [] };
  const { candidates, dropped, model, provider } = await reading.extract(run.reasoner);
  const names = dropped.map((reason) => `dropped:${reason}`);
  const next = { ...progress, dropped: counted(progress.dropped, names), model, provider };
  if (reading.isReviewed) return { ...next, candidates };
  const lessons = candidates.map((candidate) => lessonOf(candidate, candidate.evidence, null, false));
  return { ...next, candidates: null, lessons };
}

const shownAs = (rows: readonly StoredLesson[]) =>
  rows.map(({ trigger, content, rationale }, index) => ({
    label: existingLabel(index),
    trigger,
    content,
    rationale,
  }));

type Finder = (rules: readonly RuleText[]) => Promise<StoredLesson[]>;

async function review(
  run: Computation,
  progress: Progress,
  candidates: readonly Candidate[],
  guidance: Guidance,
  find: Finder,
): Promise<Progress> {
  if (candidates.length === 0) return { ...progress, candidates: null, lessons: [] };
  const input = {
    turns: chronologyOf(run.turns).turns,
    guidance,
    candidates: candidates.map(({ label, trigger, content, rationale, evidenceKind, evidence }) => ({
      label,
      trigger,
      content,
      rationale,
      evidenceKind,
      evidence: evidence.map(({ unit, turn, text }) => ({ unit, turn, text })),
    })),
    existing: shownAs(await find(candidates)),
  };
  const { value, answer } = await askWithRepair(
    run.reasoner,
    "reviewCandidates",
    input,
    ({ decisions }) => {
      const applied = applyReview(candidates, decisions);
      return "problems" in applied ? applied : { value: applied.reviewed };
    },
    "review_invalid",
  );
  const names = value.rejected.map(({ reasonCode }) => `rejected:${reasonCode}`);
  return {
    ...progress,
    candidates: null,
    lessons: value.lessons,
    dropped: counted(progress.dropped, names),
    ...answeredBy(answer),
  };
}

/** The plan, deterministic where that is unambiguous, else a model's. */
async function consolidate(
  run: Computation,
  lessons: readonly Lesson[],
  existing: readonly StoredLesson[],
): Promise<{ plan: Plan; by: { model: string; provider: string } | null }> {
  const replayed = replayMerge(lessons, existing);
  if (replayed !== null) return { plan: replayed, by: null };
  const { value, answer } = await askWithRepair(
    run.reasoner,
    "consolidate",
    consolidationInput(lessons, existing, { source: run.window.source, nowSec: nowSec(run.services.clock) }),
    ({ decisions }) => {
      const judged = judgeConsolidation(lessons, existing, decisions);
      return "problems" in judged ? judged : { value: judged.plan };
    },
    "consolidation_invalid",
  );
  return { plan: value, by: answeredBy(answer) };
}

/** The stored rows whose change would make the plan wrong. */
function basisOf(plan: Plan, existing: readonly StoredLesson[]): [number, number][] {
  const counted = new Set([...plan.retirements.map((row) => row.userPlaybookId), ...plan.keptBy]);
  return existing
    .filter((row) => counted.has(row.userPlaybookId))
    .map((row) => [row.userPlaybookId, row.updatedAtMs]);
}

/**
 * Carries the window's progress on to a plan, saving each stage.
 * @throws ReasonerError, EmbedderError, LeaseLost
 */
export async function compute(run: Computation): Promise<Progress> {
  let progress = run.window.progress;
  const advance = async (next: Progress): Promise<Progress> => {
    await run.save(next);
    return next;
  };
  if (progress.plan !== null) return progress;
  const extractor = run.config.user_playbook_extractor_config;
  if (extractor === null) return advance({ ...progress, plan: emptyPlan });

  const guidance = guidanceOf(run.config, extractor);
  const memory = embeddingMemory(run.services);
  const model = run.services.embedder.model.name;
  const db = run.services.database(run.window.orgId);
  // What a rerun learns stands apart until an upgrade: no CURRENT rule is merged with it, or kept in its place.
  const find: Finder = async (rules) =>
    run.window.kind === "rerun"
      ? []
      : findExisting(db, run.window, rules, memory, model, extractor.deduplication_config);

  if (progress.candidates === null && progress.lessons === null) {
    progress = await advance(await extract(run, progress, guidance));
  }
  if (progress.lessons === null) {
    progress = await advance(await review(run, progress, progress.candidates ?? [], guidance, find));
  }
  const lessons = progress.lessons ?? [];
  if (lessons.length === 0) return advance({ ...progress, plan: emptyPlan });
  const existing = await find(lessons);
  const { plan, by } = await consolidate(run, lessons, existing);
  const longest = Math.max(0, ...plan.inserts.map((lesson) => lesson.content.length));
  if (longest > extractor.deduplication_config.max_unified_content_chars) {
    run.services.log.warn("learning.long_rule", { windowId: run.window.windowId, chars: longest });
  }
  const vectors = await memory.vectorsOf(plan.inserts);
  const prepared: PreparedPlan = {
    ...plan,
    vectors: vectors.map(({ model: name, dimension, bytes, scale }) => ({
      model: name,
      dimension,
      hexBytes: hexOf(bytes),
      scale,
    })),
    basis: basisOf(plan, existing),
  };
  return advance({ ...progress, plan: prepared, ...by });
}
