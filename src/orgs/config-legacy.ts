/** Names that Config fields had before; on input the new name wins where both are given. Pure. */

const renames: Readonly<Record<string, string>> = {
  batch_size: "window_size",
  batch_interval: "stride_size",
  batch_size_override: "window_size_override",
  batch_interval_override: "stride_size_override",
  min_feedback_threshold: "min_cluster_size",
  refresh_count: "reaggregation_trigger_count",
  similarity_threshold: "clustering_similarity",
  playbook_definition_prompt: "extraction_definition_prompt",
  feedback_definition_prompt: "extraction_definition_prompt",
  playbook_aggregator_config: "aggregation_config",
  feedback_aggregator_config: "aggregation_config",
};

/** Lists of extractors became the one extractor: the first entry counts. */
const lists: Readonly<Record<string, string>> = {
  profile_extractor_configs: "profile_extractor_config",
  user_playbook_extractor_configs: "user_playbook_extractor_config",
  playbook_configs: "user_playbook_extractor_config",
  agent_feedback_configs: "user_playbook_extractor_config",
  agent_success_configs: "agent_success_config",
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Sections lie two levels below the root; what lies deeper has no legacy names. */
const MAX_DEPTH = 3;

function renameKeys(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > MAX_DEPTH) return value;
  const renamed: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const target = Object.hasOwn(renames, key) ? renames[key] : undefined;
    if (target === undefined) renamed[key] = renameKeys(entry, depth + 1);
    else if (!Object.hasOwn(value, target)) renamed[target] = renameKeys(entry, depth + 1);
  }
  return renamed;
}

/** @returns `raw` with today's names; what is no object is returned as it is, for the schema to refuse */
export function renameLegacyKeys(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const flat: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(raw)) {
    const target = Object.hasOwn(lists, key) ? lists[key] : undefined;
    if (target === undefined) flat[key] = entry;
    // An empty list said nothing; a value that is no list is left for the schema to name.
    else if (!Object.hasOwn(raw, target) && !(Array.isArray(entry) && entry.length === 0)) {
      flat[target] = Array.isArray(entry) ? entry[0] : entry;
    }
  }
  return renameKeys(flat, 0);
}
