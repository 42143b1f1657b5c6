/**
 * Recorded answers, keyed by the SHA-256 of task and rendered prompt: tests and benchmarks judge what a
 * model once said without calling it. A changed prompt or input is a miss, never a wrong hit.
 */
import * as z from "zod";
import { sha256Hex } from "../../ids";
import { parseOutput } from "../llm/outputs";
import { renderRepair, renderTask } from "../llm/render";
import { type Reasoner, ReasonerError, type TaskInput, type TaskName } from "../port";

const recordedAnswerSchema = z.object({
  task: z.string(),
  output: z.unknown(),
  rawText: z.string(),
  model: z.string(),
  provider: z.string(),
  inputTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;

/** A file of recordings: key to answer. */
export const recordingsSchema = z.record(z.string().regex(/^[0-9a-f]{64}$/), recordedAnswerSchema);
export type Recordings = z.infer<typeof recordingsSchema>;

/** Stands where a call's random tag would, so that a prompt has one key. */
const fixedTag = "RECORDEDRECORDED";

/** The key of a task's prompt, 64 hexadecimal digits; a pipeline's repair has a key of its own. */
export async function recordingKey<T extends TaskName>(task: T, input: TaskInput<T>): Promise<string> {
  const { system, user } = renderTask(task, input, fixedTag);
  const general: TaskInput<TaskName> = input;
  const repair = "repair" in general && general.repair !== undefined ? renderRepair(general.repair) : null;
  return sha256Hex(JSON.stringify([task, system, user, repair]));
}

/** Answers from `recordings`. A prompt without a recording is refused as `no_recording`, naming task and key. */
export function createReplayReasoner(recordings: Recordings): Reasoner {
  return {
    async run(task, input) {
      const key = await recordingKey(task, input);
      const recorded = Object.hasOwn(recordings, key) ? recordings[key] : undefined;
      if (recorded === undefined || recorded.task !== task) {
        throw new ReasonerError(
          "refused",
          "no_recording",
          `no answer was recorded for ${task}, prompt ${key}`,
        );
      }
      const output = parseOutput(task, recorded.output);
      if (output === null) {
        throw new ReasonerError(
          "unusable",
          "invalid_recording",
          `the recording ${key} is no answer to ${task}`,
        );
      }
      const { rawText, model, provider, inputTokens, outputTokens } = recorded;
      return { output, rawText, model, provider, inputTokens, outputTokens };
    },
  };
}

/** A reasoner that hands every answer of another to `sink`, under the key by which it will be replayed. */
export function recording(
  reasoner: Reasoner,
  sink: (key: string, answer: RecordedAnswer) => void | Promise<void>,
): Reasoner {
  return {
    async run(task, input, signal) {
      const answer = await reasoner.run(task, input, signal);
      await sink(await recordingKey(task, input), { task, ...answer });
      return answer;
    },
  };
}
