/**
 * The `llm` adapter: renders a task's prompt, calls the configured model, reads its answer, and asks once
 * more when the answer cannot be used. Import it lazily: it pulls in the AI SDK on first use.
 */
import type { ModelMessage } from "ai";
import { type Reasoner, ReasonerError, type TaskAnswer, type TaskInput, type TaskName } from "../port";
import { readAnswer } from "./answer";
import { callModel, type ModelReply } from "./call";
import { explainFailure } from "./faults";
import { loadProvider, type ModelFactory, type ProviderDeps } from "./providers";
import { type RenderedPrompt, renderRepair, renderTask } from "./render";
import { type LlmSettings, llmSettingsSchema } from "./settings";
import { type Spent, SpentReasonerError } from "./spent";
import { wireSchemaOf } from "./wire";

export type { AiBinding } from "./providers";
export { type LlmSettings, llmSettingsSchema } from "./settings";

export interface LlmDeps extends ProviderDeps {
  /** A random tag for the fences of one call: 8 to 40 letters, digits, _ or -. */
  nonce: () => string;
  /** Makes the deadline of a call; tests pass one that they can end. */
  timeoutSignal?: (timeoutMs: number) => AbortSignal;
}

/** Room for an answer, thinking included. A word needs little, but a thinking model needs room to get to it. */
const maxOutputTokens = { free: 2_048, structured: 8_192 } as const;

/** A second attempt that the pipeline asks for; tasks without one have no such field. */
function repairOf(input: TaskInput<TaskName>): { previousAnswer: string; problems: string[] } | undefined {
  return "repair" in input ? input.repair : undefined;
}

function repairMessages(repair: { previousAnswer: string; problems: readonly string[] }): ModelMessage[] {
  const { previousAnswer, user } = renderRepair(repair);
  return [
    { role: "assistant", content: previousAnswer },
    { role: "user", content: user },
  ];
}

/** @throws ZodError when the settings are incomplete */
export function createLlmReasoner(settings: LlmSettings, deps: LlmDeps): Reasoner {
  const checked = llmSettingsSchema.parse(settings);
  const timeoutSignal = deps.timeoutSignal ?? ((timeoutMs: number) => AbortSignal.timeout(timeoutMs));
  let factory: Promise<ModelFactory> | undefined;

  async function loadFactory(): Promise<ModelFactory> {
    factory ??= loadProvider(checked, deps);
    try {
      return await factory;
    } catch (error) {
      factory = undefined;
      throw explainFailure(error);
    }
  }

  async function call(
    prompt: RenderedPrompt,
    model: string,
    messages: ModelMessage[],
    callerSignal: AbortSignal | undefined,
  ): Promise<ModelReply> {
    const makeModel = await loadFactory();
    const schema = wireSchemaOf(prompt.meta.output);
    const deadline = timeoutSignal(checked.timeoutMs);
    try {
      return await callModel({
        model: makeModel(model),
        system: prompt.system,
        messages,
        schema,
        maxOutputTokens: schema === null ? maxOutputTokens.free : maxOutputTokens.structured,
        ...(checked.provider === "workers-ai" ? { temperature: 0 } : {}),
        signal: callerSignal === undefined ? deadline : AbortSignal.any([callerSignal, deadline]),
      });
    } catch (error) {
      if (!deadline.aborted || callerSignal?.aborted === true) throw error;
      throw new ReasonerError("transient", "timeout", `the model did not answer in ${checked.timeoutMs} ms`);
    }
  }

  async function run<T extends TaskName>(
    task: T,
    input: TaskInput<T>,
    signal?: AbortSignal,
  ): Promise<TaskAnswer<T>> {
    const prompt = renderTask(task, input, deps.nonce());
    const model =
      prompt.meta.model_role === "generation" ? checked.model : (checked.smallModel ?? checked.model);
    const repair = repairOf(input);
    const messages: ModelMessage[] = [{ role: "user", content: prompt.user }];
    if (repair !== undefined) messages.push(...repairMessages(repair));

    const spent: Spent = { provider: checked.provider, model, inputTokens: 0, outputTokens: 0 };
    try {
      // One repair in all: a call that already is the pipeline's second attempt gets none of its own.
      for (let repairsLeft = repair === undefined ? 1 : 0; ; repairsLeft -= 1) {
        const reply = await call(prompt, model, messages, signal);
        spent.inputTokens += reply.inputTokens;
        spent.outputTokens += reply.outputTokens;
        const answer = readAnswer(task, input, reply.text, reply.finishReason, prompt);
        if (answer.ok) return { output: answer.output, rawText: reply.text, ...spent };
        if (repairsLeft === 0 || answer.fault === "content_filter") {
          throw new ReasonerError("unusable", answer.fault, `${task}: ${answer.problems[0] ?? answer.fault}`);
        }
        // An echo is not shown again: it would only be echoed once more.
        const previousAnswer = answer.fault === "prompt_echo" ? "" : reply.text;
        messages.push(...repairMessages({ previousAnswer, problems: answer.problems }));
      }
    } catch (error) {
      const cost = spent.inputTokens + spent.outputTokens;
      throw error instanceof ReasonerError && cost > 0 ? new SpentReasonerError(error, spent) : error;
    }
  }

  return { run };
}
