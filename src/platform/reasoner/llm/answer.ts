/** From a model's raw text to a task's output, or to a code and the problems a repair can mend. Pure. */
import { cleanText } from "../../text";
import type { TaskInput, TaskName, TaskOutput } from "../port";
import { echoesPrompt } from "./echo";
import { parseOutput } from "./outputs";
import type { RenderedPrompt } from "./render";
import { readConsolidation } from "./tolerances/consolidate";
import { readExpertExtraction, readExtraction } from "./tolerances/extract";
import { findJson } from "./tolerances/json";
import type { Outcome } from "./tolerances/outcome";
import { readReformulation } from "./tolerances/reformulate";
import { readReview, readStoredReview } from "./tolerances/review";
import { readSynthesis } from "./tolerances/synthesise";
import { readTags } from "./tolerances/tag";
import { withoutThinking } from "./tolerances/thinking";
import { wellFormedValue } from "./tolerances/well-formed";

/** Why a text is no answer. All but `content_filter` get one repair. */
export type AnswerFault =
  | "empty_answer"
  | "prompt_echo"
  | "truncated_json"
  | "no_json"
  | "invalid_json_shape"
  | "content_filter";

export type ReadAnswer<T extends TaskName> =
  | { ok: true; output: TaskOutput<T> }
  | { ok: false; fault: AnswerFault; problems: string[] };

type Reader<T extends TaskName> =
  | { form: "text"; read: (text: string, input: TaskInput<T>) => TaskOutput<T> }
  | { form: "json"; read: (value: unknown, input: TaskInput<T>) => Outcome<TaskOutput<T>> };

/** Any answer with the word passes (trap 20): a wrong "false" loses a lesson for good. */
const readGate = (text: string) => ({ shouldExtract: text.toLowerCase().includes("true") });

const readers: { [T in TaskName]: Reader<T> } = {
  shouldExtract: { form: "text", read: readGate },
  extract: { form: "json", read: readExtraction },
  shouldExtractExpert: { form: "text", read: readGate },
  extractExpert: { form: "json", read: readExpertExtraction },
  reviewCandidates: { form: "json", read: readReview },
  reviewStored: { form: "json", read: readStoredReview },
  consolidate: { form: "json", read: readConsolidation },
  synthesise: { form: "json", read: readSynthesis },
  tag: { form: "json", read: readTags },
  reformulate: { form: "text", read: (text, input) => ({ query: readReformulation(text, input.query) }) },
};

const problemOf: Record<AnswerFault, string> = {
  empty_answer: "The answer was empty.",
  prompt_echo: "The answer repeated the instructions or the material in place of answering.",
  truncated_json:
    "The answer was cut off before its end. Be shorter: fewer words in each text, and nothing else.",
  no_json: "The answer held no JSON object. Trailing commas, comments and single quotes are not JSON.",
  invalid_json_shape: "The JSON does not have the fields asked for.",
  content_filter: "The answer was withheld by the provider's filter.",
};

function failed(
  fault: AnswerFault,
  problems: string[] = [problemOf[fault]],
): { ok: false; fault: AnswerFault; problems: string[] } {
  return { ok: false, fault, problems };
}

/**
 * @param rawText as the provider gave it
 * @param finishReason the AI SDK's: `length` means that the text was cut off
 */
export function readAnswer<T extends TaskName>(
  task: T,
  input: TaskInput<T>,
  rawText: string,
  finishReason: string,
  prompt: Pick<RenderedPrompt, "instructions" | "tag">,
): ReadAnswer<T> {
  const text = withoutThinking(cleanText(rawText));
  if (finishReason === "content-filter") return failed("content_filter");
  const reader: Reader<T> = readers[task];
  if (finishReason === "length" && reader.form === "json") return failed("truncated_json");
  if (text.trim() === "") return failed("empty_answer");
  if (echoesPrompt(text, prompt.instructions, prompt.tag)) return failed("prompt_echo");
  if (reader.form === "text") return { ok: true, output: reader.read(text, input) };

  const found = findJson(text);
  if (found.kind !== "found") return failed(found.kind === "truncated" ? "truncated_json" : "no_json");
  let problems: string[] = [];
  // The last value that fits: a model that thinks aloud gives drafts and examples before its answer.
  for (const value of [...found.values].reverse()) {
    const clean = wellFormedValue(value);
    if (clean === null) continue;
    const outcome = reader.read(clean.value, input);
    const output = outcome.ok ? parseOutput(task, outcome.output) : null;
    if (output !== null) return { ok: true, output };
    if (!outcome.ok && problems.length === 0) problems = outcome.problems;
  }
  return problems.length > 0 ? failed("invalid_json_shape", problems) : failed("invalid_json_shape");
}
