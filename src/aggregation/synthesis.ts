/** Asks the reasoner for one cluster's rule. The answer is judged here and stored before anyone applies it. */
import type { Database } from "../db/client";
import { derivedId, sha256Hex } from "../platform/ids";
import { type Reasoner, ReasonerError, type TaskAnswer, type TaskInput } from "../platform/reasoner/port";
import { cleanText } from "../platform/text";
import { fingerprintOf } from "./clustering/fingerprint";
import { findOutcome, storeOutcome } from "./commit-store";
import { DetailStripper, neutralisePlaceholders } from "./detail-stripping";
import {
  type ClusterWork,
  type ExistingRule,
  type StoredOutcome,
  type SynthesisedRule,
  type SynthesisOutcome,
  textsOf,
} from "./model";
import { chooseContextRules, choosePromptSources, groupByDirection, labelUsers } from "./prompt-sources";

/** What every synthesis of one turn shares. */
export interface SynthesisContext {
  db: Database;
  orgId: string;
  agentVersion: string;
  reasoner: Reasoner;
  existingRules: readonly ExistingRule[];
  guidance: TaskInput<"synthesise">["guidance"];
  directionOverlap: number;
  /** Null where the org switched detail stripping off. */
  forcelist: readonly string[] | null;
  nowMs(): number;
  /** Takes one model call from the turn's budget; false where none is left. */
  takeCall(): boolean;
}

const MAX_TRIGGER_CHARS = 2_000;
const MAX_CONTENT_CHARS = 20_000;
const MAX_RATIONALE_CHARS = 2_000;

type SynthesisInput = TaskInput<"synthesise">;

/** The same members with the same texts, asked for the same purpose, are the same question. */
async function outcomeIdOf({ orgId, agentVersion }: SynthesisContext, work: ClusterWork): Promise<string> {
  const texts = work.members.map(({ row }) => [row.userPlaybookId, row.trigger, row.content, row.rationale]);
  return derivedId("out", [
    orgId,
    agentVersion,
    work.mode,
    await fingerprintOf(work.members.map(({ row }) => row.userPlaybookId)),
    work.mode === "new" ? [] : [work.clusterId, work.agent.agentPlaybookId, work.agent.version],
    await sha256Hex(JSON.stringify(texts)),
  ]);
}

function inputOf(context: SynthesisContext, work: ClusterWork): SynthesisInput {
  const rows = work.members.map(({ row, vector }) => ({
    id: row.userPlaybookId,
    userId: row.userId,
    createdAtSec: row.createdAt,
    vector,
    ...textsOf(row),
  }));
  const chosen = choosePromptSources(rows, work.mode);
  const stripper = new DetailStripper(
    [...new Set(chosen.flatMap(({ userId }) => userId ?? []))],
    context.forcelist ?? [],
  );
  const strip = (text: string) => (context.forcelist === null ? text : stripper.strip(text));
  const users = labelUsers(chosen);
  const sources = chosen.map((row, position) => ({
    label: `S${position + 1}`,
    trigger: strip(row.trigger),
    content: strip(row.content),
    rationale: strip(row.rationale),
    userLabel: users.get(row.id) ?? "U1",
  }));
  const rules = chooseContextRules(
    context.existingRules.filter(({ isInvalidated }) => isInvalidated !== true),
    {
      vectors: rows.map(({ vector }) => vector),
      text: rows.map((row) => `${row.trigger} ${row.content}`).join("\n"),
    },
    ownRules(work),
  );
  return {
    mode: work.mode,
    sources,
    groups: groupByDirection(sources, context.directionOverlap).map((group) =>
      group.map(({ label }) => label),
    ),
    current: work.mode === "refresh" ? textsOf(work.agent) : null,
    existingRules: rules.map(({ content }) => content),
    guidance: context.guidance,
  };
}

/** The cluster's own rule; for a rebuild also the approved one beside it, which rests on the same sources. */
function ownRules(work: ClusterWork): number[] {
  if (work.mode === "new") return [];
  const { agentPlaybookId, replaces } = work.agent;
  return work.mode === "rebuild" && replaces !== null ? [agentPlaybookId, replaces] : [agentPlaybookId];
}

/** What makes an answer unusable, in words the model can act on. */
function problemsOf(rule: SynthesisedRule, input: SynthesisInput): string[] {
  const problems: string[] = [];
  const given = input.sources
    .map((source) => `${source.trigger} ${source.content} ${source.rationale}`)
    .join("\n");
  const answer = `${rule.trigger}\n${rule.content}\n${rule.rationale}`;
  for (const label of new Set(input.sources.flatMap((source) => [source.label, source.userLabel]))) {
    const word = new RegExp(`\\b${label}\\b`);
    if (word.test(answer) && !word.test(given))
      problems.push(`the label ${label} must not appear in the rule`);
  }
  if (/<<\/?data\b/.test(answer)) problems.push("the rule repeats the prompt");
  if (rule.trigger.length > MAX_TRIGGER_CHARS)
    problems.push(`the trigger is longer than ${MAX_TRIGGER_CHARS} characters`);
  if (rule.content.length > MAX_CONTENT_CHARS)
    problems.push(`the content is longer than ${MAX_CONTENT_CHARS} characters`);
  if (rule.rationale.length > MAX_RATIONALE_CHARS)
    problems.push(`the rationale is longer than ${MAX_RATIONALE_CHARS} characters`);
  return problems;
}

interface Judged {
  rule: SynthesisedRule;
  leaked: number;
  problems: string[];
}

/** Blank content falls back to the other texts before it is judged blank (specification 8.8). */
function judge(answer: SynthesisedRule, input: SynthesisInput): Judged {
  const parts = {
    trigger: neutralisePlaceholders(cleanText(answer.trigger).trim()),
    content: neutralisePlaceholders(cleanText(answer.content).trim()),
    rationale: neutralisePlaceholders(cleanText(answer.rationale).trim()),
  };
  const fallback = [parts.trigger.text, parts.rationale.text].filter((text) => text !== "").join("\n");
  const rule = {
    trigger: parts.trigger.text,
    content: parts.content.text === "" ? fallback : parts.content.text,
    rationale: parts.rationale.text,
  };
  const problems = problemsOf(rule, input);
  if (rule.content === "") problems.push("the content is blank");
  return { rule, leaked: parts.trigger.leaked + parts.content.leaked + parts.rationale.leaked, problems };
}

const retryable = (code: string, endsTurn = false, retryAfterMs = 0): SynthesisOutcome => ({
  kind: "retryable",
  code,
  endsTurn,
  retryAfterMs,
});

/** Asks once, and once more with what was wrong. Null where the budget ended before a usable answer. */
async function ask(
  context: SynthesisContext,
  input: SynthesisInput,
): Promise<StoredOutcome | "unusable" | null> {
  let repair: SynthesisInput["repair"];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (!context.takeCall()) return null;
    const answer: TaskAnswer<"synthesise"> = await context.reasoner.run("synthesise", {
      ...input,
      ...(repair !== undefined && { repair }),
    });
    const { model, provider } = answer;
    if (answer.output.playbook === null) return { kind: "semantic_null", model, provider };
    const { rule, leaked, problems } = judge(answer.output.playbook, input);
    if (problems.length === 0) return { kind: "generated", rule, model, provider, leaked };
    repair = { previousAnswer: answer.rawText, problems };
  }
  return "unusable";
}

/**
 * The rule of one cluster. A stored answer to the same question is used again, so a crash between asking
 * and applying never pays twice. Failures that may pass are values; the database's own are thrown.
 */
export async function synthesise(context: SynthesisContext, work: ClusterWork): Promise<SynthesisOutcome> {
  const outcomeId = await outcomeIdOf(context, work);
  const known = await findOutcome(context.db, context.orgId, outcomeId);
  if (known !== null) return { ...known, outcomeId };
  let outcome: StoredOutcome | "unusable" | null;
  try {
    outcome = await ask(context, inputOf(context, work));
  } catch (error) {
    if (!(error instanceof ReasonerError)) throw error;
    return retryable(error.code, error.fault !== "unusable", error.retryAfterMs ?? 0);
  }
  if (outcome === null) return retryable("budget_spent", true);
  if (outcome === "unusable") return retryable("unusable_answer");
  await context.db.run(
    storeOutcome(context.orgId, context.agentVersion, outcomeId, outcome, context.nowMs()),
  );
  return { ...outcome, outcomeId };
}
