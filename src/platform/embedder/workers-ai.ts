/** Embeddings from a Workers AI model, through the Worker's own binding. */
import * as z from "zod";
import { embedInBatches, type Wait, waitByTimer } from "./batches";
import type { EmbeddingModelEntry } from "./models";
import { type Embedder, EmbedderError } from "./port";

/** The part of the `AI` binding that is used. */
export interface WorkersAiBinding {
  run(model: string, input: { text: string[] }): Promise<unknown>;
}

const Answer = z.object({ data: z.array(z.array(z.number())) });

/** Codes of Workers AI that say that the same call cannot succeed: bad input, unknown model, no permission. */
const REFUSED_CODES = new Set([3002, 3003, 3006, 3023, 5004, 5005, 5007, 5016, 5018, 5019]);

/** `embed` throws EmbedderError transient (tried twice) or refused. */
export function createWorkersAiEmbedder(
  ai: WorkersAiBinding,
  model: EmbeddingModelEntry,
  wait: Wait = waitByTimer,
): Embedder {
  return {
    model,
    embed: (texts, purpose) =>
      embedInBatches(model, texts, purpose, (batch) => run(ai, model.name, batch), wait),
  };
}

async function run(ai: WorkersAiBinding, model: string, texts: readonly string[]): Promise<number[][]> {
  let answer: unknown;
  try {
    answer = await ai.run(model, { text: [...texts] });
  } catch (error) {
    throw classified(model, error);
  }
  const parsed = Answer.safeParse(answer);
  // Not-a-number and missing data alike: the model's answer was damaged, which a second call may mend.
  if (!parsed.success)
    throw new EmbedderError("transient", `Workers AI: ${model} answered no list of vectors`);
  return parsed.data.data;
}

/** The binding's errors start with their code, as in `5007: No such model`; what has no known code may pass. */
function classified(model: string, error: unknown): EmbedderError {
  const message = error instanceof Error ? error.message : "call failed";
  const code = Number(/\b([35]\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  const fault = REFUSED_CODES.has(code) || /needs to be run remotely/.test(message) ? "refused" : "transient";
  return new EmbedderError(fault, `Workers AI: ${model}: ${message.slice(0, 300)}`);
}
