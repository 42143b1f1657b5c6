/** Chooses the reasoner's adapter. Each is loaded on its first task, so that none pays for another. */
import type { LlmDeps, LlmSettings } from "./llm";
import { llmSettingsSchema } from "./llm/settings";
import { type Reasoner, ReasonerError } from "./port";
import type { Recordings } from "./replay";

export type { LlmDeps, LlmSettings } from "./llm";
export { type Spent, spentBy } from "./llm/spent";
export * from "./port";
export type { Recordings } from "./replay";

export type ReasonerSettings =
  | { adapter: "offline" }
  | { adapter: "llm"; llm: LlmSettings }
  | { adapter: "replay"; recordings: Recordings };

/** A reasoner that is loaded when first asked; a failed load is tried again with the next task. */
function loadedOnFirstUse(load: () => Promise<Reasoner>): Reasoner {
  let loading: Promise<Reasoner> | undefined;
  return {
    async run(task, input, signal) {
      loading ??= load();
      let reasoner: Reasoner;
      try {
        reasoner = await loading;
      } catch (cause) {
        loading = undefined;
        throw new ReasonerError(
          "transient",
          "not_loaded",
          `the reasoner could not be loaded: ${String(cause)}`,
        );
      }
      return reasoner.run(task, input, signal);
    },
  };
}

/**
 * @param deps what the `llm` adapter calls with; the others use none of it
 * @throws ZodError when the settings of a model are incomplete: at once, not with the first task
 */
export function createReasoner(settings: ReasonerSettings, deps: LlmDeps): Reasoner {
  switch (settings.adapter) {
    case "offline":
      return loadedOnFirstUse(async () => (await import("./offline")).createOfflineReasoner());
    case "llm":
      llmSettingsSchema.parse(settings.llm);
      return loadedOnFirstUse(async () => (await import("./llm")).createLlmReasoner(settings.llm, deps));
    case "replay":
      return loadedOnFirstUse(async () =>
        (await import("./replay")).createReplayReasoner(settings.recordings),
      );
  }
}
