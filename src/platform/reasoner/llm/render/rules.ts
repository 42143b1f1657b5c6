/** Lists of labelled rules, each rule fenced, the list as a whole within a budget. */
import type { TaskInput } from "../../port";
import { plainWord } from "./chronology";
import type { Fence } from "./fence";
import { ruleLimits as limits, synthesisLimits, tagLimits } from "./limits";
import { cleanText, cutMiddle, shareBudget, singleLine } from "./text";

interface RuleText {
  trigger: string;
  content: string;
  rationale: string;
}

interface RuleBlock {
  header: string;
  body: string;
}

/** One rule's fields on lines of their own; an empty field is left out. */
export function ruleBody(
  rule: RuleText,
  extra: ReadonlyArray<readonly [string, string, number]> = [],
): string {
  const fields: ReadonlyArray<readonly [string, string, number]> = [
    ["trigger", rule.trigger, limits.triggerChars],
    ["content", rule.content, limits.contentChars],
    ["rationale", rule.rationale, limits.rationaleChars],
    ...extra,
  ];
  return fields
    .map(([name, text, maxChars]) => [name, cutMiddle(cleanText(text).trim(), maxChars)] as const)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${name}: ${text}`)
    .join("\n");
}

function renderBlocks(blocks: readonly RuleBlock[], fence: Fence, totalChars: number): string {
  const shares = shareBudget(
    blocks.map((block) => block.body.length),
    Number.POSITIVE_INFINITY,
    totalChars,
  );
  return blocks
    .map((block, index) => `${block.header}\n${fence.around(cutMiddle(block.body, shares[index] ?? 0))}`)
    .join("\n");
}

const datePattern = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}$/;

const label = (text: string): string => plainWord(text, limits.labelChars);

type ReviewInput = TaskInput<"reviewCandidates">;

/** Candidates with their evidence units, at most `maxUnits` each. */
export function renderCandidates(
  candidates: ReviewInput["candidates"],
  fence: Fence,
  maxUnits: number = limits.evidenceUnitsPerCandidate,
): string {
  if (candidates.length === 0) return "(none)";
  const blocks = candidates.map((candidate) => {
    const units = candidate.evidence.slice(0, maxUnits).map((unit) => {
      const text = singleLine(unit.text, limits.evidenceUnitChars);
      return [
        `evidence ${label(unit.unit)} (turn ${label(unit.turn)})`,
        text,
        limits.evidenceUnitChars,
      ] as const;
    });
    return {
      header: `${label(candidate.label)} | ${plainWord(candidate.evidenceKind, limits.labelChars)}`,
      body: ruleBody(candidate, units),
    };
  });
  return renderBlocks(blocks, fence, limits.listTotalChars);
}

/** Rules that exist already, for recognising duplicates. */
export function renderExistingRules(rules: ReviewInput["existing"], fence: Fence): string {
  if (rules.length === 0) return "(none)";
  const blocks = rules
    .slice(0, limits.existingRows)
    .map((rule) => ({ header: label(rule.label), body: ruleBody(rule) }));
  return renderBlocks(blocks, fence, limits.listTotalChars);
}

/** Rules that wait for their tags. */
export function renderTaggedRules(rules: TaskInput<"tag">["rules"], fence: Fence): string {
  if (rules.length === 0) return "(none)";
  const blocks = rules.map((rule) => ({ header: label(rule.label), body: ruleBody(rule) }));
  return renderBlocks(blocks, fence, tagLimits.listTotalChars);
}

type ConsolidationRow = TaskInput<"consolidate">["fresh"][number];

/** Rows of a consolidation with their provenance. */
export function renderConsolidationRows(rows: readonly ConsolidationRow[], fence: Fence): string {
  if (rows.length === 0) return "(none)";
  const blocks = rows.map((row) => ({
    header: [
      label(row.label),
      `source ${plainWord(row.source, limits.sourceChars) || "unnamed"}`,
      datePattern.test(row.dateToMinute) ? row.dateToMinute : "unknown time",
      `evidence group ${label(row.evidenceGroup) || "none"}`,
    ].join(" | "),
    body: ruleBody(row, [["proved by", row.span, limits.spanChars]]),
  }));
  return renderBlocks(blocks, fence, limits.listTotalChars);
}

type SynthesisInput = TaskInput<"synthesise">;

/** A cluster's sources, under group headings where they go in several directions. */
export function renderSources(input: SynthesisInput, fence: Fence): string {
  const sources = input.sources.slice(0, synthesisLimits.sources);
  if (sources.length === 0) return "(none)";
  const groupOf = new Map(
    input.groups.flatMap((group, index) => group.map((name) => [name, index] as const)),
  );
  const several = new Set(sources.map((source) => groupOf.get(source.label))).size > 1;
  const ordered = several
    ? [...sources].sort((left, right) => (groupOf.get(left.label) ?? 1e9) - (groupOf.get(right.label) ?? 1e9))
    : sources;
  const blocks = ordered.map((source) => {
    const group = groupOf.get(source.label);
    const direction = !several ? "" : ` | ${group === undefined ? "no group" : `group ${group + 1}`}`;
    return {
      header: `${label(source.label)} | user ${label(source.userLabel)}${direction}`,
      body: ruleBody(source),
    };
  });
  return renderBlocks(blocks, fence, synthesisLimits.sourcesTotalChars);
}

/** Contents of the rules of this agent version, as a bullet list inside one fence. */
export function renderRuleContents(contents: readonly string[], fence: Fence): string {
  if (contents.length === 0) return "None";
  const bullets = contents
    .slice(0, synthesisLimits.existingRules)
    .map((content) => `- ${singleLine(content, synthesisLimits.existingRuleChars)}`);
  return fence.around(bullets.join("\n"));
}
