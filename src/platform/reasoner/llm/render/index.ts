/** A task and its input as the two messages that are sent. Pure: the same input and tag give the same text. */
import { type FrontMatter, loadPrompt } from "../../../prompts";
import { ReasonerError, type TaskInput, type TaskName } from "../../port";
import { renderChronology } from "./chronology";
import { renderExpertPairs } from "./expert";
import { createFence, type Fence } from "./fence";
import { renderGuidance } from "./guidance";
import { promptBoundChars, reformulationLimits, repairLimits, ruleLimits, tagLimits } from "./limits";
import {
  renderCandidates,
  renderConsolidationRows,
  renderExistingRules,
  renderRuleContents,
  renderSources,
  renderTaggedRules,
  ruleBody,
} from "./rules";
import { cleanText, cutMiddle, shareBudget, singleLine } from "./text";

export interface RenderedPrompt {
  meta: FrontMatter;
  /** Stays the same between calls of one org, so providers can cache it. */
  system: string;
  user: string;
  /** The instructions as written, without anything inserted; an answer that repeats them is an echo. */
  instructions: string;
  tag: string;
}

const promptIds: Record<TaskName, string> = {
  shouldExtract: "should-extract",
  extract: "extract",
  shouldExtractExpert: "should-extract-expert",
  extractExpert: "extract-expert",
  reviewCandidates: "review-candidates",
  reviewStored: "review-stored",
  consolidate: "consolidate",
  synthesise: "synthesise",
  tag: "tag",
  reformulate: "reformulate",
};

const synthesisTasks: Record<TaskInput<"synthesise">["mode"], string> = {
  new: "Task: write the first rule of this cluster from its sources.",
  refresh:
    "Task: the cluster has a rule already, and the sources below are newly matched. Give the rule that says " +
    "what the present rule and the new sources say together. Null means that the present rule stays as it is.",
  rebuild:
    "Task: some sources were withdrawn. Write the cluster's rule from the sources that remain, and only from them.",
};

function renderHistory(history: TaskInput<"reformulate">["history"], fence: Fence): string {
  const turns = history.slice(-reformulationLimits.historyTurns);
  if (turns.length === 0) return "(none)";
  const texts = turns.map((turn) => cleanText(turn.content));
  const shares = shareBudget(
    texts.map((text) => text.length),
    Number.POSITIVE_INFINITY,
    reformulationLimits.historyChars,
  );
  const lines = turns.map((turn, index) => {
    return `${singleLine(turn.role, 40)}: ${cutMiddle(texts[index] ?? "", shares[index] ?? 0)}`;
  });
  return fence.around(lines.join("\n"));
}

/** The port promises one decision per row; rows that do not fit may not be left out in silence. */
function refuseTooMany(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new ReasonerError("refused", "prompt_too_long", `${count} ${what} in one call; at most ${limit}`);
}

const variablesOf: { [T in TaskName]: (input: TaskInput<T>, fence: Fence) => Record<string, string> } = {
  shouldExtract: (input, fence) => ({
    ...renderGuidance(input.guidance),
    chronology: renderChronology(input.turns, fence),
  }),
  extract: (input, fence) => ({
    ...renderGuidance(input.guidance),
    chronology: renderChronology(input.turns, fence),
  }),
  shouldExtractExpert: (input, fence) => ({
    ...renderGuidance(input.guidance),
    pairs: renderExpertPairs(input.pairs, fence),
  }),
  extractExpert: (input, fence) => ({
    ...renderGuidance(input.guidance),
    pairs: renderExpertPairs(input.pairs, fence),
  }),
  reviewCandidates: (input, fence) => {
    refuseTooMany("candidates", input.candidates.length, ruleLimits.candidates);
    return {
      ...renderGuidance(input.guidance),
      chronology: renderChronology(input.turns, fence),
      candidates: renderCandidates(input.candidates, fence),
      existing_rules: renderExistingRules(input.existing, fence),
    };
  },
  reviewStored: (input, fence) => ({
    ...renderGuidance(input.guidance),
    chronology: renderChronology(input.turns, fence),
    rule: renderCandidates([input.rule], fence, ruleLimits.evidenceUnitsPerStoredRule),
    existing_rules: renderExistingRules(input.existing, fence),
  }),
  consolidate: (input, fence) => {
    refuseTooMany("new rules", input.fresh.length, ruleLimits.freshRows);
    return {
      fresh: renderConsolidationRows(input.fresh, fence),
      existing: renderConsolidationRows(input.existing.slice(0, ruleLimits.existingRows), fence),
    };
  },
  synthesise: (input, fence) => ({
    ...renderGuidance(input.guidance),
    task: synthesisTasks[input.mode],
    // A rebuild never shows the withdrawn rule: what was deleted would leak back.
    current_rule:
      input.mode === "refresh" && input.current !== null ? fence.around(ruleBody(input.current)) : "None",
    sources: renderSources(input, fence),
    existing_rules: renderRuleContents(input.existingRules, fence),
  }),
  tag: (input, fence) => {
    refuseTooMany("rules", input.rules.length, tagLimits.rules);
    return {
      tagging_definition: cutMiddle(cleanText(input.definition).trim(), tagLimits.definitionChars),
      rules: renderTaggedRules(input.rules, fence),
    };
  },
  reformulate: (input, fence) => ({
    history: renderHistory(input.history, fence),
    query: fence.around(cutMiddle(cleanText(input.query), reformulationLimits.queryChars)),
  }),
};

/**
 * @param tag random for every call (8 to 40 letters, digits, _ or -); a fixed one for tests and replay keys
 * @throws ReasonerError `prompt_too_long` when rows that must be decided do not fit
 */
export function renderTask<T extends TaskName>(task: T, input: TaskInput<T>, tag: string): RenderedPrompt {
  const prompt = loadPrompt(promptIds[task]);
  const variables = variablesOf[task](input, createFence(tag));
  const { system, user } = prompt.render({ ...variables, tag });
  const totalChars = system.length + user.length;
  if (totalChars > promptBoundChars[task]) {
    const bound = promptBoundChars[task];
    throw new ReasonerError(
      "refused",
      "prompt_too_long",
      `${task}: ${totalChars} characters; at most ${bound}`,
    );
  }
  return { meta: prompt.meta, system, user, instructions: prompt.systemTemplate, tag };
}

/** The two messages that ask for a second attempt: what was answered, and what was wrong with it. */
export function renderRepair(repair: { previousAnswer: string; problems: readonly string[] }): {
  previousAnswer: string;
  user: string;
} {
  const problems = repair.problems
    .slice(0, repairLimits.problems)
    .map((problem) => `- ${singleLine(problem, repairLimits.problemChars)}`);
  return {
    // Some endpoints refuse an empty assistant message.
    previousAnswer:
      cutMiddle(cleanText(repair.previousAnswer), repairLimits.previousAnswerChars).trim() || "(empty)",
    user: loadPrompt("repair").render({
      problems: problems.join("\n") || "- It does not have the form asked for.",
    }).user,
  };
}
