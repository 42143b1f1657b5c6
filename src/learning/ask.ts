/** Asks a reasoner and judges the answer; a refused one is sent back once, with what is wrong. */
import {
  type Reasoner,
  ReasonerError,
  type TaskAnswer,
  type TaskInput,
  type TaskOutput,
} from "../platform/reasoner/port";

/** Tasks that take a second attempt. */
export type Repairable =
  | "extract"
  | "extractExpert"
  | "reviewCandidates"
  | "reviewStored"
  | "consolidate"
  | "tag";

export type Judgement<Value> = { value: Value } | { problems: string[] };

/** Problems shown to the second attempt. */
const MAX_PROBLEMS = 20;

/**
 * @throws ReasonerError `unusable` with `code` when the second answer is refused as well
 */
export async function askWithRepair<T extends Repairable, Value>(
  reasoner: Reasoner,
  task: T,
  input: TaskInput<T>,
  judge: (output: TaskOutput<T>) => Judgement<Value>,
  code: string,
): Promise<{ value: Value; answer: TaskAnswer<T> }> {
  const answer = await reasoner.run(task, input);
  const judged = judge(answer.output);
  if ("value" in judged) return { value: judged.value, answer };
  const repair = { previousAnswer: answer.rawText, problems: judged.problems.slice(0, MAX_PROBLEMS) };
  const second = await reasoner.run(task, { ...input, repair });
  const rejudged = judge(second.output);
  if ("value" in rejudged) return { value: rejudged.value, answer: second };
  throw new ReasonerError("unusable", code, "The answer stayed unusable after its repair.");
}
