/** One call of the AI SDK, reduced to what an adapter needs. Loads the SDK on first use. */
import type { LanguageModel, ModelMessage } from "ai";
import { explainFailure } from "./faults";
import type { WireSchema } from "./wire";

export interface ModelCall {
  model: LanguageModel;
  system: string;
  messages: ModelMessage[];
  /** Null for a free answer. */
  schema: WireSchema | null;
  maxOutputTokens: number;
  /** Left to the provider where undefined: newer models refuse one. */
  temperature?: number;
  signal: AbortSignal;
}

export interface ModelReply {
  text: string;
  finishReason: string;
  inputTokens: number;
  outputTokens: number;
}

/** Marks the long prefix that stays the same for providers that cache on request. */
const cachedPrefix = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Ends with the signal even where a binding does not listen to it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/**
 * The reply as it came, whether or not it fits the schema.
 * @throws ReasonerError when there is no reply
 */
export async function callModel(call: ModelCall): Promise<ModelReply> {
  // Its advice on features a model lacks goes to the console for every call; the log is structured.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const { generateText, jsonSchema, NoObjectGeneratedError, Output } = await import("ai");
  // A schema without a validator: the provider is held to it, reading the answer is our own work.
  const output =
    call.schema === null
      ? undefined
      : Output.object({ schema: jsonSchema(call.schema.schema), name: call.schema.name });
  try {
    const work = generateText({
      model: call.model,
      instructions: { role: "system", content: call.system, providerOptions: cachedPrefix },
      messages: call.messages,
      maxOutputTokens: call.maxOutputTokens,
      // A queue retries with the provider's own delay; an isolate does not wait.
      maxRetries: 0,
      abortSignal: call.signal,
      ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
      ...(output === undefined ? {} : { output }),
    });
    const result = await untilAborted(work, call.signal);
    return reply(result.text, result.finishReason, result.usage);
  } catch (error) {
    if (NoObjectGeneratedError.isInstance(error)) {
      return reply(error.text ?? "", error.finishReason ?? "unknown", error.usage);
    }
    throw explainFailure(error);
  }
}

function reply(
  text: string,
  finishReason: string,
  usage: { inputTokens: number | undefined; outputTokens: number | undefined } | undefined,
): ModelReply {
  return { text, finishReason, inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 };
}
