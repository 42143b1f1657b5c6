/** A Config between Reflexio's client and what is stored. */
import { describe, expect, it } from "vitest";
import { defaultConfig, parseConfig } from "../../../src/orgs/config";
import { mergedConfig, readConfig, replacedConfig, writtenConfig } from "../../../src/orgs/config-wire";

const prompt = { extraction_definition_prompt: "what matters" };

/** The fields that Reflexio's client sends beside ours, each with the client's own default. */
const clientsOwn = {
  storage_config_test: 0,
  api_key_config: null,
  retrieval_experiment_config: null,
  retrieval_experiment_history: [],
  retrieval_floor: { enabled: false, pool_size: 30, profile_floor: null },
  playbook_optimizer_config: { enabled: false, max_turns: 4 },
  expiry_reclamation: { enabled: false },
  governance_retention: { audit_events_retention_enabled: false, audit_events_retention_days: 365 },
  pending_tool_call_config: { enabled: false, hmac_secrets: [] },
  eval_sample_n_per_stratum: 200,
  eval_concurrency_limit: 10,
  shadow_comparison_judge_prompt_version: "v1.1.0",
};

/** What the client parses of an answer and sends back: its own fields, filled in. */
const backFromClient = (written: Record<string, unknown>): Record<string, unknown> => {
  const { review_gate: _gate, user_detail_stripping_config: _stripping, ...known } = written;
  return { ...clientsOwn, ...known };
};

const saved = (raw: unknown, current = defaultConfig()) =>
  parseConfig(replacedConfig(readConfig(raw).document, current));

describe("a Config that Reflexio's client reads and sends back unchanged", () => {
  it.each([
    ["the default", {}],
    ["a preset", { extraction_preset: "quick_chat" }],
    ["sizes of its own", { extraction_preset: "quick_chat", window_size: 12, stride_size: 2 }],
    ["no extractors", { user_playbook_extractor_config: null, profile_extractor_config: null }],
    [
      "what the client cannot say",
      {
        review_gate: { min_distinct_users: 7 },
        user_detail_stripping_config: { enabled: false },
        lineage_gc: { retention_days: 30 },
      },
    ],
  ])("is the same: %s", (_, raw) => {
    const config = parseConfig(raw);
    const { document, ignored } = readConfig(backFromClient(writtenConfig(config)));
    expect(parseConfig(replacedConfig(document, config))).toEqual(config);
    expect(ignored).toEqual([]);
  });

  it("with aggregation off keeps it off, though the client knows no null there", () => {
    const config = parseConfig({ user_playbook_extractor_config: { ...prompt, aggregation_config: null } });
    const written = writtenConfig(config);
    expect(written).toMatchObject({
      user_playbook_extractor_config: { aggregation_config: { min_cluster_size: 1 } },
    });
    const { user_playbook_extractor_config: back } = saved(backFromClient(written), config);
    expect(back?.aggregation_config?.min_cluster_size).toBe(1);
  });

  it("is written with sizes as numbers and the keys that the client requires", () => {
    expect(writtenConfig(parseConfig({ extraction_preset: "long_form" }))).toMatchObject({
      ...{ storage_config: null, api_key_config: null, window_size: 25, stride_size: 10 },
      lineage_gc: { tombstone_grace_window_days: 90 },
    });
  });
});

describe("reading a Config", () => {
  it("names what asks for something that has no effect here, and keeps none of it", () => {
    const { document, ignored } = readConfig({
      storage_config: { storage_type: "postgres", db_url: "postgres://secret" },
      api_key_config: { openai: { api_key: "sk-secret" } },
      playbook_optimizer_config: { enabled: true },
      pending_tool_call_config: { enabled: true },
      eval_concurrency_limit: 3,
      agent_success_config: {
        ...{ success_definition_prompt: "done", sampling_rate: 1 },
        ...{ evaluation_name: "ignored like every name", window_size_override: 3 },
      },
    });
    expect(ignored).toEqual([
      "/storage_config",
      "/api_key_config",
      "/playbook_optimizer_config",
      "/pending_tool_call_config",
      "/eval_concurrency_limit",
      "/agent_success_config/window_size_override",
    ]);
    expect(document).toEqual({
      agent_success_config: { success_definition_prompt: "done", sampling_rate: 1 },
    });
    expect(JSON.stringify(document)).not.toContain("secret");
  });

  it("leaves unknown fields to the schema, which refuses them", () => {
    for (const raw of [{ windowsize: 3 }, JSON.parse('{"__proto__": {"window_size": 99}, "x": 1}')]) {
      expect(() => saved(raw)).toThrow(/nrecognized/);
    }
  });

  it("takes Reflexio's name for how long tombstones stay, unless ours is there as well", () => {
    expect(saved({ lineage_gc: { tombstone_grace_window_days: 7 } }).lineage_gc.retention_days).toBe(7);
    const both = { lineage_gc: { tombstone_grace_window_days: 7, retention_days: 8 } };
    expect(saved(both).lineage_gc.retention_days).toBe(8);
  });

  it.each([[null], [[1]], ["text"], [3]])("refuses %j, which is no object", (raw) => {
    expect(() => saved(raw)).toThrow();
  });
});

describe("a change of some fields", () => {
  const current = parseConfig({
    window_size: 20,
    stride_size: 5,
    user_playbook_extractor_config: { ...prompt, context_prompt: "in a shop" },
  });
  const merged = (raw: unknown) => parseConfig(mergedConfig(readConfig(raw).document, current));

  it("leaves the others as they are", () => {
    expect(merged({ shadow_mode_enabled: true })).toEqual({ ...current, shadow_mode_enabled: true });
  });

  it("trap 12: replaces a section whole, so that what it leaves out is gone", () => {
    expect(merged({ user_playbook_extractor_config: prompt }).user_playbook_extractor_config).toMatchObject({
      ...prompt,
      context_prompt: null,
    });
    expect(() => merged({ user_playbook_extractor_config: { stride_size_override: 3 } })).toThrow(
      "/user_playbook_extractor_config/extraction_definition_prompt",
    );
  });

  it("trap 12: an explicit null gives a section that cannot be null its default", () => {
    expect(merged({ lineage_gc: null }).lineage_gc).toEqual(defaultConfig().lineage_gc);
    expect(merged({ window_size: null }).windowSize).toBe(10);
    expect(merged({ profile_extractor_config: null }).profile_extractor_config).toBeNull();
  });

  it("trap 11: is judged with what it does not name", () => {
    expect(() => merged({ window_size: 4 })).toThrow("/stride_size");
  });

  it("takes older names", () => {
    expect(merged({ batch_size: 30 }).windowSize).toBe(30);
  });
});
