/** The AI SDK's providers, each loaded only when it is the one configured. */
import type { LanguageModel } from "ai";
import type { createWorkersAI } from "workers-ai-provider";
import type { Egress } from "../../egress";
import { ReasonerError } from "../port";
import type { CheckedLlmSettings } from "./settings";

/** The binding that `workers-ai` calls. */
export type AiBinding = Extract<Parameters<typeof createWorkersAI>[0], { accountId?: never }>["binding"];

export interface ProviderDeps {
  egress: Egress;
  ai?: AiBinding;
}

/** Makes models of the configured provider by name. */
export type ModelFactory = (model: string) => LanguageModel;

/** @throws ReasonerError `not_configured` when `workers-ai` is chosen without its binding */
export async function loadProvider(settings: CheckedLlmSettings, deps: ProviderDeps): Promise<ModelFactory> {
  const fetch = deps.egress;
  const address = settings.baseUrl === undefined ? {} : { baseURL: settings.baseUrl };
  const key = settings.apiKey === undefined ? {} : { apiKey: settings.apiKey };
  switch (settings.provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const provider = createOpenAI({ ...address, ...key, fetch });
      return (model) => provider.chat(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const provider = createAnthropic({ ...address, ...key, fetch });
      return (model) => provider(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: "openai-compatible",
        baseURL: settings.baseUrl ?? "",
        ...key,
        fetch,
        supportsStructuredOutputs: true,
      });
      return (model) => provider.chatModel(model);
    }
    case "workers-ai": {
      if (deps.ai === undefined) {
        throw new ReasonerError(
          "refused",
          "not_configured",
          "workers-ai is chosen but no AI binding is given",
        );
      }
      const { createWorkersAI: create } = await import("workers-ai-provider");
      const provider = create({ binding: deps.ai });
      return (model) => provider(model);
    }
  }
}
