/** The closed codes of learning's faults in plain words: what happened, and what somebody can do about it. */

export interface FaultWords {
  what: string;
  /** What to do before trying again. */
  advice: string;
}

const MODEL_ANSWER =
  "Replaying asks the model again, which may answer otherwise; a better model helps for good.";
const MODEL_ACCOUNT = "Look at the provider's account and at the setting LLM_API_KEY, then replay.";

/** Faults that end work: each leaves a dead letter. */
const lasting: Readonly<Record<string, FaultWords>> = {
  candidates_invalid: {
    what: "Every rule that the model proposed broke a check, such as a quote that nobody said; also after one repair.",
    advice: MODEL_ANSWER,
  },
  review_invalid: {
    what: "The model that reviews proposed rules did not keep to the form asked for, also after one repair.",
    advice: MODEL_ANSWER,
  },
  consolidation_invalid: {
    what: "The model that merges new rules with stored ones did not keep to the form asked for, also after one repair.",
    advice: MODEL_ANSWER,
  },
  tags_invalid: {
    what: "The model that tags rules did not keep to the form asked for, also after one repair.",
    advice: MODEL_ANSWER,
  },
  outcome_too_large: {
    what: "What was learned from these turns is larger than the database holds in one row.",
    advice:
      "Choose a smaller window in the settings for turns to come; a replay only helps if the model is briefer.",
  },
  prompt_echo: { what: "The model repeated its instructions in place of an answer.", advice: MODEL_ANSWER },
  truncated_json: { what: "The model's answer ended before it was complete.", advice: MODEL_ANSWER },
  empty_answer: { what: "The model's answer was empty, also after one repair.", advice: MODEL_ANSWER },
  no_json: { what: "The model's answer held no JSON, also after one repair.", advice: MODEL_ANSWER },
  invalid_json_shape: {
    what: "The model's answer did not have the fields asked for, also after one repair.",
    advice: MODEL_ANSWER,
  },
  content_filter: {
    what: "The provider's content filter withheld the answer.",
    advice: "Look at the conversation. A replay meets the same filter unless the provider's settings change.",
  },
  response_too_large: { what: "The model's answer was larger than is read.", advice: MODEL_ANSWER },
  billing: { what: "The provider says that the account has no credit left.", advice: MODEL_ACCOUNT },
  unauthorized: { what: "The provider does not know the key.", advice: MODEL_ACCOUNT },
  forbidden: { what: "The key may not use this model.", advice: MODEL_ACCOUNT },
  bad_request: {
    what: "The provider refused the request as wrong.",
    advice: "Look at LLM_MODEL: the name may be wrong, or the model may not take this form. Then replay.",
  },
  egress_refused: {
    what: "The model's address is one that may not be called.",
    advice: "Look at LLM_BASE_URL: it must be a public https address. Then replay.",
  },
  prompt_too_long: {
    what: "The turns make a longer prompt than is ever sent.",
    advice: "Choose a smaller window in the settings; a replay of these turns would be as long.",
  },
  not_configured: {
    what: "The provider that the settings choose is not bound.",
    advice: "Look at LLM_PROVIDER and at the Worker's bindings, then replay.",
  },
  embedding_refused: {
    what: "The embedding model refused the text.",
    advice: "Look at the settings EMBEDDING_MODEL and EMBEDDING_API_KEY, then replay.",
  },
  no_recording: { what: "No recorded answer fits this prompt.", advice: "Record one, then replay." },
  invalid_recording: { what: "The recorded answer is no answer to this task.", advice: "Record it again." },
};

/** Faults that pass, or that end an aggregation: work is tried again by itself. */
const passing: Readonly<Record<string, string>> = {
  rate_limited: "the model's provider asks for a pause",
  timeout: "the model did not answer in time",
  overloaded: "the model's provider is overloaded",
  provider_error: "the model's provider answered with an error",
  invalid_response: "the model's address answered with something that is no answer of a model",
  network: "the model could not be reached",
  aborted: "the call was given up",
  not_loaded: "the reasoner could not be loaded",
  daily_cap: "the org has spent its tokens of this UTC day; it goes on when the next one begins",
  embedding_transient: "the embedding model could not answer",
  embedding_not_ready: "the embedding model is not ready",
  cap_exceeded: "this version has more rules than one rebuild may take",
  invalid_configuration_or_input: "aggregation is switched off or wrongly configured in the settings",
  attempts_exhausted: "it failed five times in a row",
  execution_failed: "something unexpected failed",
  input_erased: "a rule that it rested on was erased meanwhile; start it again",
  unusable_answer: "the model's answer stayed unusable after one repair",
};

/** What a dead letter's code means; null for one that is not known. */
export const lastingFault = (code: string): FaultWords | null =>
  Object.hasOwn(lasting, code) ? (lasting[code] ?? null) : null;

/** What a fault means, within a sentence; the code itself where it is not known. */
export function faultInWords(code: string): string {
  if (Object.hasOwn(passing, code)) return passing[code] ?? code;
  const words = lastingFault(code);
  return words === null ? code : words.what.replace(/^The /, "the ").replace(/\.$/, "");
}
