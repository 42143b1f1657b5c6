/** The Config object's fields, limits and defaults, as they stand on the wire. Unknown keys are refused. */
import * as z from "zod";

/** `[window, stride]` sizes by the kind of conversation. */
export const presets = {
  quick_chat: { windowSize: 5, strideSize: 3 },
  standard: { windowSize: 10, strideSize: 8 },
  long_form: { windowSize: 25, strideSize: 10 },
  high_volume: { windowSize: 15, strideSize: 8 },
} as const;

/** Turns of a window; more would not fit into any prompt. */
const MAX_WINDOW_TURNS = 1_000;
const MAX_PROMPT_CHARS = 100_000;
const MAX_LIST = 1_000;
const MAX_NAME_CHARS = 1_000;

/** Explicit null stands for the default. */
const or = <Schema extends z.ZodType>(schema: Schema, fallback: () => z.output<Schema>) =>
  schema.nullish().transform((value): z.output<Schema> => value ?? fallback());

const nullable = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value): z.output<Schema> | null => value ?? null);

/** Tabs and line ends stay; other control characters have no place in a prompt. */
const withoutControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "");

const prompt = z.string().max(MAX_PROMPT_CHARS).transform(withoutControls);
const requiredPrompt = prompt.refine((text) => text.trim() !== "", {
  message: "must not be blank",
  params: { expected: "a text with at least one visible character" },
});

const size = z.int().min(1).max(MAX_WINDOW_TURNS);
const sources = nullable(z.array(z.string().max(MAX_NAME_CHARS)).max(MAX_LIST));
const share = z.number().min(0).max(1);

const aggregation = z.strictObject({
  /** Rows of a cluster; below 2 there is no aggregation. */
  min_cluster_size: or(z.int().min(1).max(10_000), () => 2),
  /** Zero and below count as 2. */
  reaggregation_trigger_count: or(z.int(), () => 2).transform((count) => (count <= 0 ? 2 : count)),
  /** Null takes the embedding model's own threshold. */
  clustering_similarity: nullable(share),
  direction_overlap_threshold: or(share, () => 0.6),
});

const deduplication = z.strictObject({
  search_threshold: or(share, () => 0.4),
  search_top_k: or(z.int().min(1).max(20), () => 5),
  /** Longer merged rules are logged, not refused. */
  max_unified_content_chars: or(z.int().min(1), () => 1_200),
});

const extractor = {
  /** Accepted and ignored: there is one extractor of each kind. */
  extractor_name: nullable(z.string().max(MAX_NAME_CHARS)),
  extraction_definition_prompt: requiredPrompt,
  context_prompt: nullable(prompt),
  tagging_definition_prompt: nullable(prompt),
  /** Null and empty take every source. */
  request_sources_enabled: sources,
  window_size_override: nullable(size),
  stride_size_override: nullable(size),
};

const playbookExtractor = z.strictObject({
  ...extractor,
  /** Null turns aggregation off. */
  aggregation_config: nullable(aggregation),
  deduplication_config: or(deduplication, () => deduplication.parse({})),
});

const profileExtractor = z.strictObject({
  ...extractor,
  should_extract_profile_prompt_override: nullable(prompt),
  manual_trigger: or(z.boolean(), () => false),
});

const success = z.strictObject({
  success_definition_prompt: requiredPrompt,
  metadata_definition_prompt: nullable(prompt),
  request_sources_enabled: sources,
  sampling_rate: or(share, () => 0.05),
});

/** How many distinct users a rule of agents needs to wait for review without a flag. */
const users = z.int().min(1).max(1_000);
const reviewGate = z.strictObject({
  min_distinct_users: or(users, () => 2),
  /** For rules that touch money, access or data leaving; null takes 3, or the other where that is more. */
  min_distinct_users_sensitive: nullable(users),
});

const defaultPlaybookExtractor = () =>
  playbookExtractor.parse({
    extraction_definition_prompt:
      "Lasting lessons about how the agent should work: what people corrected, asked to be done differently " +
      "from now on, rejected, or confirmed to work. Leave out facts about a single case.",
    aggregation_config: {},
  });

const defaultProfileExtractor = () =>
  profileExtractor.parse({
    extraction_definition_prompt:
      "Lasting facts about the person that change how the agent should serve them: role, surroundings, " +
      "goals and standing preferences. Leave out what concerns a single request.",
  });

const defaultSuccess = () =>
  success.parse({
    success_definition_prompt:
      "The person got what they came for, without having to repeat or correct themselves more than once.",
  });

/** A section that defaults when absent and is switched off by an explicit null. */
const section = <Schema extends z.ZodType>(schema: Schema, fallback: () => z.output<Schema>) =>
  schema
    .nullable()
    .optional()
    .transform((value): z.output<Schema> | null => (value === undefined ? fallback() : value));

const model = nullable(z.string().max(MAX_NAME_CHARS));

export const configBody = z.strictObject({
  /** Storage and keys are settings of the deployment, never of an org. */
  storage_config: nullable(z.null()),
  api_key_config: nullable(z.null()),
  /** Describes the agent's surroundings. */
  agent_context_prompt: nullable(prompt),
  tool_can_use: nullable(
    z
      .array(z.strictObject({ tool_name: z.string().max(MAX_NAME_CHARS), tool_description: prompt }))
      .max(MAX_LIST),
  ),
  profile_extractor_config: section(profileExtractor, defaultProfileExtractor),
  user_playbook_extractor_config: section(playbookExtractor, defaultPlaybookExtractor),
  agent_success_config: section(success, defaultSuccess),
  extraction_preset: nullable(z.enum(["quick_chat", "standard", "long_form", "high_volume"])),
  /** Null takes the preset's, else 10 and 8. */
  window_size: nullable(size),
  stride_size: nullable(size),
  llm_config: nullable(
    z.strictObject({
      should_run_model_name: model,
      generation_model_name: model,
      embedding_model_name: model,
      pre_retrieval_model_name: model,
    }),
  ),
  user_detail_stripping_config: nullable(
    z.strictObject({
      enabled: or(z.boolean(), () => true),
      forcelist: or(z.array(z.string().max(MAX_NAME_CHARS)).max(MAX_LIST), () => []),
    }),
  ),
  lineage_gc: or(
    z.strictObject({
      enabled: or(z.boolean(), () => true),
      retention_days: or(z.int().min(1), () => 90),
      poll_interval_seconds: or(z.int().min(1), () => 86_400),
    }),
    () => ({ enabled: true, retention_days: 90, poll_interval_seconds: 86_400 }),
  ),
  /** Null takes the defaults. */
  review_gate: nullable(reviewGate),
  skip_should_run_check: or(z.boolean(), () => false),
  enable_document_expansion: or(z.boolean(), () => false),
  shadow_mode_enabled: or(z.boolean(), () => false),
});

export type ConfigBody = z.output<typeof configBody>;
export type PlaybookExtractorConfig = z.output<typeof playbookExtractor>;
export type AggregationConfig = z.output<typeof aggregation>;
