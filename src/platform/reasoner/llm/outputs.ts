/** The last check of an answer, of whichever adapter: the port's own output schema. */
import type * as z from "zod";
import { type TaskName, type TaskOutput, tasks } from "../port";

/** The value when it fits, else null. */
type Check<Output> = (value: unknown) => Output | null;

function checkBy<Output>(schema: z.ZodType<Output>): Check<Output> {
  return (value) => schema.safeParse(value).data ?? null;
}

const checks: { [T in TaskName]: Check<TaskOutput<T>> } = {
  shouldExtract: checkBy(tasks.shouldExtract.output),
  extract: checkBy(tasks.extract.output),
  shouldExtractExpert: checkBy(tasks.shouldExtractExpert.output),
  extractExpert: checkBy(tasks.extractExpert.output),
  reviewCandidates: checkBy(tasks.reviewCandidates.output),
  reviewStored: checkBy(tasks.reviewStored.output),
  consolidate: checkBy(tasks.consolidate.output),
  synthesise: checkBy(tasks.synthesise.output),
  tag: checkBy(tasks.tag.output),
  reformulate: checkBy(tasks.reformulate.output),
};

/** `value` as the output of `task`, or null when it is none. */
export function parseOutput<T extends TaskName>(task: T, value: unknown): TaskOutput<T> | null {
  return checks[task](value);
}
