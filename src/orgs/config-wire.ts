/**
 * A Config as Reflexio's client writes and reads it, and as this service stores it. Pure. What has no effect here is
 * taken out by name, so that a client's whole object is accepted and nobody believes in a setting that does nothing.
 */
import type { Config } from "./config";
import { renameLegacyKeys } from "./config-legacy";
import { type ConfigBody, presets } from "./config-schema";

type JsonObject = Record<string, unknown>;

export interface ReadConfig {
  /** What the schema judges next. */
  document: unknown;
  /** Fields that asked for something and have no effect here, by JSON pointer. */
  ignored: string[];
}

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const isSet = (value: unknown): boolean => value !== null && value !== undefined;
const isOn = (key: string) => (value: unknown) => isObject(value) && value[key] === true;
const isOther = (quiet: unknown) => (value: unknown) => isSet(value) && value !== quiet;
const never = () => false;

/**
 * Top-level fields that mean something to Reflexio's server only, with what tells that one asks for something. Storage
 * and keys are settings of the deployment; of the rest the features are missing.
 */
const UPSTREAM_ONLY: Readonly<Record<string, (value: unknown) => boolean>> = {
  storage_config: isSet,
  storage_config_test: never,
  api_key_config: isSet,
  retrieval_experiment_config: isSet,
  retrieval_experiment_history: (value) => Array.isArray(value) && value.length > 0,
  retrieval_floor: isOn("enabled"),
  playbook_optimizer_config: isOn("enabled"),
  reflection_config: isOn("enabled"),
  expiry_reclamation: isOn("enabled"),
  governance_retention: isOn("audit_events_retention_enabled"),
  pending_tool_call_config: isOn("enabled"),
  eval_sample_n_per_stratum: isOther(200),
  eval_concurrency_limit: isOther(10),
  shadow_comparison_judge_prompt_version: never,
};

/** Of the section on success; a name is accepted and ignored, as those of extractors are. */
const SUCCESS_ONLY = [
  "tagging_definition_prompt",
  "evaluation_only_sampling_rate",
  "retrieved_learning_sampling_rate",
  "window_size_override",
  "stride_size_override",
] as const;

/** Fields that Reflexio's client cannot send: a whole Config without them leaves them as they are. */
const KEPT = ["review_gate", "user_detail_stripping_config"] as const satisfies (keyof ConfigBody)[];

function readSuccess(section: JsonObject, ignored: string[]): JsonObject {
  const { evaluation_name: _name, ...kept } = section;
  for (const key of SUCCESS_ONLY) {
    if (isSet(kept[key])) ignored.push(`/agent_success_config/${key}`);
    delete kept[key];
  }
  return kept;
}

/** Reflexio's name for how long tombstones stay. */
function readLineage({ tombstone_grace_window_days: days, ...section }: JsonObject): JsonObject {
  return days === undefined || Object.hasOwn(section, "retention_days")
    ? section
    : { ...section, retention_days: days };
}

/**
 * Reads what a caller sent: today's names, without what has no effect here.
 * @returns what is no object as it is, for the schema to refuse; unknown fields too
 */
export function readConfig(raw: unknown): ReadConfig {
  const renamed = renameLegacyKeys(raw);
  if (!isObject(renamed)) return { document: renamed, ignored: [] };
  const ignored: string[] = [];
  const read = ([key, value]: [string, unknown]): [string, unknown][] => {
    const asks = Object.hasOwn(UPSTREAM_ONLY, key) ? UPSTREAM_ONLY[key] : undefined;
    if (asks !== undefined) {
      if (asks(value)) ignored.push(`/${key}`);
      return [];
    }
    if (key === "agent_success_config" && isObject(value)) return [[key, readSuccess(value, ignored)]];
    if (key === "lineage_gc" && isObject(value)) return [[key, readLineage(value)]];
    return [[key, value]];
  };
  return { document: Object.fromEntries(Object.entries(renamed).flatMap(read)), ignored };
}

/** What is stored of a Config: the body without the sizes that were worked out from it. */
function bodyOf({ windowSize: _window, strideSize: _stride, ...body }: Config): ConfigBody {
  return body;
}

/**
 * Reflexio's client sends the sizes that it was shown. Where they are what the preset says anyway, nobody chose
 * them, and they go on following the preset.
 */
function withoutResolvedSizes(document: JsonObject): JsonObject {
  const name = document.extraction_preset ?? "standard";
  const preset = Object.entries(presets).find(([key]) => key === name)?.[1];
  const isResolved =
    document.window_size === preset?.windowSize && document.stride_size === preset?.strideSize;
  return isResolved ? { ...document, window_size: null, stride_size: null } : document;
}

/** A whole Config in place of the current one. */
export function replacedConfig(document: unknown, current: Config): unknown {
  if (!isObject(document)) return document;
  const kept = KEPT.filter((key) => !Object.hasOwn(document, key)).map((key) => [key, current[key]]);
  return withoutResolvedSizes({ ...Object.fromEntries(kept), ...document });
}

/** Top-level fields laid over the current Config; a section is replaced whole (specification, trap 12). */
export function mergedConfig(document: unknown, current: Config): unknown {
  return isObject(document) ? withoutResolvedSizes({ ...bodyOf(current), ...document }) : document;
}

/**
 * A Config as Reflexio's client parses it: sizes are numbers, aggregation that is off is a cluster size of 1, and keys
 * that the client requires are there.
 */
export function writtenConfig(config: Config): JsonObject {
  const { lineage_gc, user_playbook_extractor_config: playbook, ...body } = bodyOf(config);
  const { retention_days, ...lineage } = lineage_gc;
  return {
    ...body,
    user_playbook_extractor_config:
      playbook === null
        ? null
        : { ...playbook, aggregation_config: playbook.aggregation_config ?? { min_cluster_size: 1 } },
    lineage_gc: { ...lineage, tombstone_grace_window_days: retention_days },
    window_size: config.windowSize,
    stride_size: config.strideSize,
  };
}
