/** Chooses the embedder that the settings name; the rest of the code knows only the port. */
import type { Wait } from "./batches";
import { embeddingModel, STATIC_MODEL_NAME } from "./models";
import { createOpenAiCompatibleEmbedder, type Egress } from "./openai-compatible";
import type { Embedder } from "./port";
import { createStaticEmbedder, type LoadTable, type TableSlot } from "./static";
import { createWorkersAiEmbedder, type WorkersAiBinding } from "./workers-ai";

export interface EmbedderSettings {
  adapter: "static" | "workers-ai" | "openai-compatible";
  /** A name of the model table; each adapter has a default except `openai-compatible`. */
  model?: string | undefined;
  /** Required by `openai-compatible`. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
}

export interface EmbedderDependencies {
  loadTable: LoadTable;
  ai?: WorkersAiBinding | undefined;
  egress: Egress;
  wait?: Wait | undefined;
}

const WORKERS_AI_DEFAULT_MODEL = "@cf/baai/bge-small-en-v1.5";

/** One deployed asset per isolate, the same for every org: parsed once, whoever asks first. */
const isolateTable: TableSlot = {};

/**
 * The embedder of these settings.
 * @throws RangeError for an unknown model, a model that the adapter cannot serve, or a missing binding or address.
 */
export function createEmbedder(settings: EmbedderSettings, dependencies: EmbedderDependencies): Embedder {
  switch (settings.adapter) {
    case "static":
      if (embeddingModel(settings.model ?? STATIC_MODEL_NAME).name !== STATIC_MODEL_NAME) {
        throw new RangeError(`embedder: the adapter static serves only the model ${STATIC_MODEL_NAME}`);
      }
      return createStaticEmbedder(dependencies.loadTable, isolateTable);
    case "workers-ai": {
      const model = embeddingModel(settings.model ?? WORKERS_AI_DEFAULT_MODEL);
      if (!model.name.startsWith("@cf/")) {
        throw new RangeError(
          `embedder: the adapter workers-ai serves models named @cf/..., not ${model.name}`,
        );
      }
      if (dependencies.ai === undefined)
        throw new RangeError("embedder: the adapter workers-ai needs the binding AI");
      return createWorkersAiEmbedder(dependencies.ai, model, dependencies.wait);
    }
    case "openai-compatible": {
      if (settings.model === undefined || settings.baseUrl === undefined) {
        throw new RangeError("embedder: the adapter openai-compatible needs model and baseUrl");
      }
      const model = embeddingModel(settings.model);
      if (model.name === STATIC_MODEL_NAME) {
        throw new RangeError(`embedder: ${STATIC_MODEL_NAME} is served by the adapter static only`);
      }
      return createOpenAiCompatibleEmbedder({
        baseUrl: settings.baseUrl,
        apiKey: settings.apiKey,
        serverModel: settings.model.trim(),
        model,
        egress: dependencies.egress,
        wait: dependencies.wait,
      });
    }
  }
}
