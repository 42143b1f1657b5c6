/** The `offline` adapter: deterministic answers without a network. It says `offline` where a model would stand. */
import { type Reasoner, ReasonerError, type TaskInput, type TaskName, type TaskOutput } from "../port";
import { consolidateOffline } from "./consolidate";
import { extractExpertOffline, shouldExtractExpertOffline } from "./expert";
import { extractOffline, shouldExtractOffline } from "./extract";
import { reformulateOffline } from "./reformulate";
import { reviewCandidatesOffline, reviewStoredOffline } from "./review";
import { synthesiseOffline } from "./synthesise";

const answers: { [T in TaskName]: (input: TaskInput<T>) => TaskOutput<T> } = {
  shouldExtract: shouldExtractOffline,
  extract: extractOffline,
  shouldExtractExpert: shouldExtractExpertOffline,
  extractExpert: extractExpertOffline,
  reviewCandidates: reviewCandidatesOffline,
  reviewStored: reviewStoredOffline,
  consolidate: consolidateOffline,
  synthesise: synthesiseOffline,
  // Which tags fit is a judgement of meaning: without a model, rules stay untagged.
  tag: () => ({ assignments: null }),
  reformulate: reformulateOffline,
};

export function createOfflineReasoner(): Reasoner {
  return {
    async run(task, input, signal) {
      if (signal?.aborted === true) throw new ReasonerError("transient", "aborted", "the call was given up");
      const output = answers[task](input);
      const rawText = JSON.stringify(output);
      return { output, rawText, model: "offline", provider: "offline", inputTokens: 0, outputTokens: 0 };
    },
  };
}
